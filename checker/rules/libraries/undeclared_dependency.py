"""A symbol comes from a library that the file does not itself need.

## What

A binding that works only since something else brought the library into the process: the interpreter
links it (libm, libz), or another library in the same closure needs it. Names of the C++ runtime are
left to `unresolved-cxx-runtime-symbol`, and versioned symbols whose version need names the wrong
library of the platform to `symbol-not-on-platform`.

## Why it breaks

It does not break today. Another build of the interpreter that does not link the library, or the
neighbour's next release, ends it with "undefined symbol". pillow's use of libm is rescued by the
interpreter in this way.

## Causes and fixes

- Name what is used on the link line: `-lm`, `-lz`, or the sidecar, after the objects. `-Wl,-z,defs`
  makes the linker insist.
- Symbols of a library that was found by `dlopen` in the usual way are not meant by this rule.

## References

ld(1), "--no-undefined" and "--as-needed"; glibc `elf/dl-lookup.c` (the scope is that of the whole
process and of the root).
"""

from __future__ import annotations

from checker.model.finding import Observation
from checker.model.resolution import Outcome, Via
from checker.model.rule import NoParameters, Rule
from checker.rules.cxx_runtime import is_cxx_runtime_symbol
from checker.rules.fates import named_library_defines, names_of, roots_of
from checker.rules.known_libraries import is_libc
from checker.rules.wording import counted, evidence, shown_symbols, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from checker.model.case import Case
    from checker.model.resolution import Resolution

_HOW: dict[Via | None, str] = {
    Via.INTERPRETER_DEPENDENCY: "which is there only because the interpreter links it",
    Via.SIBLING: "which is there only because another library needs it",
}


def check(case: Case, parameters: NoParameters) -> Iterator[Observation]:  # noqa: ARG001 - every rule is asked in the same way
    """One observation for each object and library."""
    groups: dict[tuple[str, str], list[Resolution]] = {}
    for resolution in case.resolutions:
        via = resolution.via
        # The C library is in every process.
        if resolution.outcome is not Outcome.BOUND or via not in _HOW or resolution.path is None or is_libc(resolution.path):
            continue
        # Where the version need names a library of the platform, that one has the symbol too and would do, or it is the
        # wrong one, which symbol-not-on-platform tells.
        if named_library_defines(case, resolution) is None and not is_cxx_runtime_symbol(text(resolution.symbol)):
            groups.setdefault((resolution.object, resolution.path), []).append(resolution)
    for (path, library), group in groups.items():
        names = names_of(group)
        shown = shown_symbols((each.symbol, each.version) for each in group)
        yield Observation(
            file=path,
            subject=library,
            message=f"uses {counted(len(names), 'symbol')} of {library}, {_HOW[group[0].via]}: {shown}",
            evidence=evidence(
                symbols=names,
                library=library,
                via=sorted({each.via.value for each in group if each.via}),
                roots=roots_of(group),
            ),
            remedy=f"Link it against {library.rpartition('/')[2]} (-l after the objects), so that it stands in DT_NEEDED",
        )


RULE = Rule(id="undeclared-dependency", family="libraries", parameters=NoParameters, check=check, doc=__doc__ or "")
