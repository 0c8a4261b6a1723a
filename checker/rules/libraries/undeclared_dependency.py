"""A symbol comes from a library that the file does not itself need.

## What

A binding that works only since something else brought the library into the process; the finding says
which of two: the interpreter links it (libz), or another object of the same closure, which is
named, needs it. (What was loaded before the closure is told by `preload-only-library`.) Names of the C++ runtime are
left to `unresolved-cxx-runtime-symbol`, and versioned symbols whose version need names the wrong
library of the platform to `symbol-not-on-platform`.

Two are not told. libm, libdl and libpthread of glibc, where the interpreter links them: every interpreter that
opens extension modules needs them itself. And what a program defines for its own libraries: it cannot stand in
their DT_NEEDED (mostly it is a copy relocation, or the address of a function that the program took).

## Why it breaks
It does not break today. Another build of the interpreter that does not link the library, or the
neighbour's next release, ends it with "undefined symbol".

## Causes and fixes

- Name what is used on the link line: `-lm`, `-lz`, or the sidecar, after the objects. `-Wl,-z,defs`
  makes the linker insist.
- The need is there, and no run path of the file's own leads to the library, so that it is found only
  where somebody loaded it first: add `-Wl,-rpath,'$ORIGIN/…'` (`readelf -d` shows both).
- Symbols of a library that was found by `dlopen` in the usual way are not meant by this rule.

## References

ld(1), "--no-undefined" and "--as-needed"; glibc `elf/dl-lookup.c` (the scope is that of the whole
process and of the root); psABI, "Copy relocations" and "Function addresses".
"""

from __future__ import annotations

from checker.model.closure import ProviderKind
from checker.model.finding import Observation
from checker.model.resolution import Outcome, Via
from checker.model.rule import NoParameters, Rule
from checker.rules.cxx_runtime import is_cxx_runtime_symbol
from checker.rules.fates import named_library_defines, names_of, roots_of
from checker.rules.installed import directory, layout_of, origin_path
from checker.rules.known_libraries import is_libc
from checker.rules.wording import counted, evidence, listing, shown_symbols, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from checker.model.case import Case
    from checker.model.resolution import Resolution

_INTERPRETERS_OWN = ("libm.so.6", "libdl.so.2", "libpthread.so.0")
"""What the core of CPython and PyPy uses wherever it is no part of libc.so.6: floating point, dlopen, threads."""
_HOW = (Via.INTERPRETER_DEPENDENCY, Via.SIBLING)


def check(case: Case, parameters: NoParameters) -> Iterator[Observation]:  # noqa: ARG001 - every rule is asked in the same way
    """One observation for each object and library."""
    programs = {root.path for root in case.roots if root.host == "executable"}
    groups: dict[tuple[str, str], list[Resolution]] = {}
    for resolution in case.resolutions:
        via = resolution.via
        # The C library is in every process.
        if resolution.outcome is not Outcome.BOUND or via not in _HOW or resolution.path is None or is_libc(resolution.path):
            continue
        if resolution.path in programs or (via is Via.INTERPRETER_DEPENDENCY and resolution.path in _INTERPRETERS_OWN):
            continue
        # Where the version need names a library of the platform, that one has the symbol too and would do, or it is the
        # wrong one, which symbol-not-on-platform tells.
        if named_library_defines(case, resolution) is None and not is_cxx_runtime_symbol(text(resolution.symbol)):
            groups.setdefault((resolution.object, resolution.path), []).append(resolution)
    for (path, library), group in groups.items():
        names = names_of(group)
        used = f"uses {counted(len(names), 'symbol')} of {library}"
        shown = shown_symbols((each.symbol, each.version) for each in group)
        yield Observation(
            file=path,
            subject=library,
            message=f"{used}, which is there only because {_who(case, group)}: {shown}",
            evidence=evidence(
                symbols=names,
                library=library,
                via=sorted({each.via.value for each in group if each.via}),
                needed_by=_needers(case, library, roots_of(group)),
                roots=roots_of(group),
            ),
            remedy=_remedy(case, path, library, group[0].provider),
        )


def _remedy(case: Case, path: str, library: str, provider: ProviderKind) -> str:
    name = library.rpartition("/")[2]
    needed = any(edge.needer == path and edge.path == library for edge in case.libraries)
    if provider is not ProviderKind.MEMBER:
        return f"Link it against {name} (-l after the objects), so that it stands in DT_NEEDED"
    layout = layout_of(case)
    entry = origin_path(directory(layout.installed(path)), directory(layout.installed(library)))
    if needed:
        return f"Give it a run path of its own: link it with '-Wl,-rpath,{entry}', or patchelf --add-rpath '{entry}' {path}"
    return (
        f"Link it against {name} (-l after the objects), with '-Wl,-rpath,{entry}', so that it stands in DT_NEEDED and is found"
    )


def _who(case: Case, group: list[Resolution]) -> str:
    """Who brings the library: in some roots the interpreter, in others a sibling."""
    vias = {each.via for each in group}
    texts = ["the interpreter links it"] if Via.INTERPRETER_DEPENDENCY in vias else []
    if Via.SIBLING in vias:
        library = group[0].path or ""
        needers = [needer for needer in _needers(case, library, roots_of(group)) if needer != group[0].object]
        if needers:
            texts.append(f"{listing(needers)} {'needs' if len(needers) == 1 else 'need'} it")
        else:
            texts.append("it is the root" if library in roots_of(group) else "a library of the platform needs it")
    return " or ".join(texts)


def _needers(case: Case, library: str, roots: tuple[str, ...]) -> list[str]:
    """The objects of the artifact that need the library, those of other roots left out; none where it is itself the root."""
    if library in roots:
        return []
    others = {root.path for root in case.roots} - set(roots)
    return sorted({edge.needer for edge in case.libraries if edge.path == library} - others)


RULE = Rule(id="undeclared-dependency", family="libraries", parameters=NoParameters, check=check, doc=__doc__ or "")
