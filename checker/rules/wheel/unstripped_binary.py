"""Files are shipped with the symbol tables of the link editor.

## What

`.symtab` and its strings, of programs, libraries and extension modules, from `minimum` bytes in
all on. One finding for the artifact, the largest files first, with what a strip would save of their
installed size. The loader uses `.dynsym`, which every strip leaves alone. Debug information is told
by `debug-info`. Files matching `keep` are left out: they are shipped so on purpose.

## Why it breaks

Nothing breaks. Users download and store names that the loader does not read. They are worth
keeping where native backtraces and profilers (`perf`, py-spy `--native`) shall name functions that
are not exported: then raise `minimum`, or name the files in `keep`.

## Causes and fixes

- A link without a strip, which is every compiler's default: `-Wl,--strip-all` in LDFLAGS
  (setuptools), `install.strip = true` (scikit-build-core), `install = ["--strip"]` in
  `[tool.meson-python.args]`, `strip = "symbols"` in `[profile.release]` (Rust), `-ldflags=-s` (Go).
- When the wheel is repaired: `auditwheel repair --strip`. By hand, before the repair (old releases
  of patchelf leave files that `strip` damages): `strip --strip-unneeded FILE`.
- Many local names of templates and lambdas: `-fvisibility=hidden` and a strip together.

## References

gABI chapter 4, "Symbol Table" (SHT_SYMTAB); GNU binutils, `strip`; auditwheel, `repair --strip`;
scikit-build-core, `install.strip`; Cargo book, "Profiles".
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
    'Link with -Wl,--strip-all (scikit-build-core: install.strip = true; meson-python: install = ["--strip"]; Rust: strip = '
    '"symbols"), or strip when the wheel is repaired: auditwheel repair --strip WHEEL'
)


@record
class Parameters:
    """Parameters.

    Attributes:
        minimum: bytes of symbol tables, in all files together, from which on it is told.
        keep: globs over members that may have them.
    """

    minimum: int = 4_000_000
    keep: tuple[str, ...] = ()


def check(case: Case, parameters: Parameters) -> Iterator[Observation | ReadProblem]:
    """At most one observation."""
    files = stripping.judged(case, parameters.keep)
    yield from stripping.unreadable(files, "symbol tables")
    savings = [
        (facts.strippable.symbols, facts) for facts in files if facts.strippable is not None and facts.strippable.symbols
    ]
    if savings and sum(size for size, _ in savings) >= parameters.minimum:
        yield stripping.observe(case, savings, "symbol tables, which no loader reads", ".symtab", _REMEDY)


RULE = Rule(id="unstripped-binary", family="wheel", parameters=Parameters, check=check, doc=__doc__ or "")
