"""Files are shipped with the debug information of their build.

## What

DWARF and stabs sections (`.debug_*`, `.zdebug_*`, `.gdb_index`, `.stab`) of programs, libraries and
extension modules, from `minimum` bytes in all on. One finding for the artifact, the largest files
first, with what a strip would save of their installed size. Symbol tables are told by
`unstripped-binary`. Files matching `keep` are left out: they are shipped so on purpose.

## Why it breaks

Nothing breaks. Every user downloads, stores and unpacks what only a debugger reads, often more than
the code itself; file names of the build machine are in it.

## Causes and fixes

- `-g` in the flags of the interpreter that builds (`python3-config --cflags` has it): add `-g0` to
  CFLAGS and CXXFLAGS, or link with `-Wl,--strip-debug`.
- `-g` in the project's own (`extra_compile_args`), which come after CFLAGS and win: take it out there.
- CMake's `RelWithDebInfo`: use `Release`; scikit-build-core strips then (`install.strip`).
  meson-python: `-Dbuildtype=release`, or `install = ["--strip"]` in `[tool.meson-python.args]`.
  Rust: `strip = "debuginfo"` or `debug = false` in `[profile.release]`. Go: `-ldflags=-w`.
- When the wheel is repaired: `auditwheel repair --strip`. By hand, before the repair (old releases
  of patchelf leave files that `strip` damages): `strip --strip-debug FILE`.
- To keep it for yourself: `objcopy --only-keep-debug`, or split DWARF, beside the wheel.

## References

DWARF 5; GNU binutils, `strip` and `objcopy`; auditwheel, `repair --strip`; scikit-build-core,
`install.strip`; Cargo book, "Profiles".
"""

from __future__ import annotations

from checker.model.record import record
from checker.model.rule import Rule
from checker.rules import stripping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from checker.model.artifact import ReadProblem
    from checker.model.case import Case
    from checker.model.finding import Observation

_REMEDY = (
    'Compile with -g0 or link with -Wl,--strip-debug (CMake: build type Release; Rust: strip = "debuginfo"), or strip when the '
    "wheel is repaired: auditwheel repair --strip WHEEL"
)


@record
class Parameters:
    """Parameters.

    Attributes:
        minimum: bytes of debug information, in all files together, from which on it is told.
        keep: globs over members that may have it.
    """

    minimum: int = 1_000_000
    keep: tuple[str, ...] = ()


def check(case: Case, parameters: Parameters) -> Iterator[Observation | ReadProblem]:
    """At most one observation."""
    files = stripping.judged(case, parameters.keep)
    yield from stripping.unreadable(files, "debug information")
    savings = [(facts.strippable.debug, facts) for facts in files if facts.strippable is not None and facts.strippable.debug]
    if savings and sum(size for size, _ in savings) >= parameters.minimum:
        yield stripping.observe(case, savings, "debug information, which only debuggers read", ".debug", _REMEDY)


RULE = Rule(id="debug-info", family="wheel", parameters=Parameters, check=check, doc=__doc__ or "")
