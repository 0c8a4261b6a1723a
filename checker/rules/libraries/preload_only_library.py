"""A library or symbol is there only because something else was loaded first.

## What

No search of the loader leads to a needed library, or nothing that the file needs has a symbol, and it
works all the same since another library was opened before: one of the artifact itself, or of another
distribution (`--preload`). A library is then met by its DT_SONAME, whoever opened it; a symbol only where
it was opened with RTLD_GLOBAL. Libraries that a `[[provider]]` of the policy brings are accepted by it,
unless `accept_declared` is false.

## Why it breaks

Whoever imports the extension by another way, or in another order, meets "cannot open shared object file"
or "undefined symbol". musl knows no library by its SONAME, so that there only symbols are found in this way.

## Causes and fixes

- The package's `__init__` opens its libraries with `ctypes.CDLL(path, RTLD_GLOBAL)`: give the extension a
  run path to them (`-Wl,-rpath,'$ORIGIN/../demo.libs'`) and name them on the link line.
- The library is another distribution's (torch, pyarrow): import that one in the package's `__init__`, name
  it in Requires-Dist, and say so in a `[[provider]]` of the policy; or reach it with a run path.

## References

glibc `elf/dl-load.c`, `_dl_map_object` (the loop over `l_libname` and DT_SONAME); `elf/dl-lookup.c` (the
global scope); dlopen(3), RTLD_GLOBAL; musl `ldso/dynlink.c`, `load_library`.
"""

from __future__ import annotations

from checker.model.closure import FoundBy, ProviderKind
from checker.model.finding import Observation
from checker.model.record import record
from checker.model.resolution import Outcome, Via
from checker.model.rule import Rule
from checker.rules.fates import Fate, Fates, names_of, platforms_of, roots_of
from checker.rules.plugins import Programs
from checker.rules.wording import counted, evidence, shown_symbols

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from checker.model.case import Case
    from checker.model.closure import Edge
    from checker.model.resolution import Resolution


@record
class Parameters:
    """What is accepted.

    Attributes:
        accept_declared: libraries that a ``[[provider]]`` with ``how = "preloaded"`` brings are not told.
    """

    accept_declared: bool = True


def check(case: Case, parameters: Parameters) -> Iterator[Observation]:
    """One observation for each needed library, and one for each library whose symbols are used without a need."""
    needed: set[tuple[str, str | None]] = set()
    told: set[tuple[str, str]] = set()
    for edge in case.libraries:
        if not _is_preloaded(edge, parameters):
            continue
        needed.add((edge.needer, edge.path))
        if (edge.needer, edge.soname) not in told:
            told.add((edge.needer, edge.soname))
            yield _library(edge)
    programs = Programs(case)
    for path, unresolved in _unresolved(case).items():
        program = programs.that_opens(path, unresolved)
        if program is not None:
            yield _plugin(path, program, unresolved)
    groups: dict[tuple[str, str], list[Resolution]] = {}
    for one in case.resolutions:
        if one.outcome is Outcome.BOUND and one.via is Via.PRELOAD and one.path is not None:
            groups.setdefault((one.object, one.path), []).append(one)
    for (path, library), group in groups.items():
        # Whose symbols come with a need that is told already, is no second fact.
        if (path, library) not in needed:
            yield _symbols(path, library, group)


def _unresolved(case: Case) -> dict[str, tuple[Resolution, ...]]:
    """Object → what nothing that it loads defines, where another file of the artifact has some of it."""
    if not any(one.outcome is Outcome.SYMBOL_MISSING and one.candidates for one in case.resolutions):
        return {}
    return Fates(case).told_by(Fate.SYMBOL)


def _is_preloaded(edge: Edge, parameters: Parameters) -> bool:
    if edge.how is FoundBy.DECLARED:
        return not parameters.accept_declared
    return edge.how is FoundBy.PRELOADED


def _library(edge: Edge) -> Observation:
    where = "another distribution's" if edge.provider is ProviderKind.DECLARED else "the artifact's"
    return Observation(
        file=edge.needer,
        subject=edge.soname,
        message=f"needs {edge.soname}, which no search finds: it is {where} {edge.path}, and only if that was loaded first",
        evidence=evidence(library=edge.path, provider=edge.provider.value, root=edge.root, mechanism="DT_SONAME"),
        remedy=_remedy(edge.needer, edge.soname),
    )


def _symbols(path: str, library: str, group: Sequence[Resolution]) -> Observation:
    return _in_global_scope(
        path,
        library,
        group,
        why=f"of {library}, which it does not need, and which is in scope only if it was loaded first",
        mechanism="RTLD_GLOBAL",
        remedy=_remedy(path, library.rpartition("/")[2].rpartition(":")[2]),
    )


def _plugin(path: str, program: str, group: Sequence[Resolution]) -> Observation:
    return _in_global_scope(
        path,
        program,
        group,
        why=f"that nothing it loads defines and {program} has, so that only that program can open it",
        mechanism="the program that calls dlopen",
        remedy=f"If it is a plugin of {program}, accept it in a waiver, or name the program with --executable; if something "
        "else opens it as well, link it against a library that has the symbols",
    )


def _in_global_scope(
    path: str, library: str, group: Sequence[Resolution], *, why: str, mechanism: str, remedy: str
) -> Observation:
    """Symbols that are in scope only by what was there before the file was opened."""
    names = names_of(group)
    return Observation(
        file=path,
        subject=library,
        message=f"uses {counted(len(names), 'symbol')} {why}: {shown_symbols((each.symbol, each.version) for each in group)}",
        evidence=evidence(
            symbols=names,
            library=library,
            mechanism=f"global scope ({mechanism})",
            roots=roots_of(group),
            platforms=platforms_of(group),
        ),
        remedy=remedy,
    )


def _remedy(path: str, library: str) -> str:
    return (
        f"Link {path} against {library} and lead there with a run path (-Wl,-rpath,'$ORIGIN/…'); or see to it that the package "
        "always loads that first, and declare it in a [[provider]] of the policy"
    )


RULE = Rule(id="preload-only-library", family="libraries", parameters=Parameters, check=check, doc=__doc__ or "")
