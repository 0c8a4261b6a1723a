"""A symbol of the C++ runtime is not supplied.

## What

An undefined symbol of the Itanium C++ ABI, the C++ standard library, the unwinder or libgcc that
nothing in scope defines. The finding tells three cases apart: the file needs no C++ runtime at all;
it holds only part of one (an incomplete static copy); or it needs one, and that of the promised
platform lacks the symbol. With `providers = "direct"`, a symbol that is found only since another
library needs the runtime is told too. `__cxa_atexit`, `__cxa_finalize` and
`__cxa_thread_atexit_impl` are the C library's and not meant.

While a needed library is missing, it may be the one that supplies them. Where the file needs no C++
runtime itself, or takes C++ functions of the missing library's own, only `missing-library` speaks:
a library with C++ exports may export its copy of a newer runtime's parts too. Where only C
functions are missing, nothing hints at that, and the finding says "unless".

## Why it breaks

"undefined symbol: _ZTISt9exception" or "__gxx_personality_v0" at import. It can stay hidden where
another extension has loaded libstdc++ globally, and an unversioned reference does not show in any
list of symbol versions.

## Causes and fixes

- The **gcc** driver links no C++ runtime and ignores `-static-libstdc++`: link with **g++** (`CXX`,
  setuptools `language="c++"`).
- With gcc as the driver, the only static form that works is `-l:libstdc++.a` *after* the objects;
  before them it takes nothing.
- `-lstdc++` before the objects is dropped by `--as-needed` with GNU ld, and kept by gold: put it
  after the objects, or write `-Wl,--no-as-needed -lstdc++`.
- `-static-libstdc++` together with `-nodefaultlibs`, `-nostdlib`, or an explicit list of archives
  that leaves out libsupc++ or libgcc_eh.
- gcc-toolset and devtoolset take what the system's libstdc++ lacks from `libstdc++_nonshared.a`;
  the link must go through their own driver. Where only a part was taken (a relinked or partly
  static build), the rest stays undefined and unversioned.
- LTO with `--gc-sections` removed what only a late object needs: put the archive after all objects.

## References

Itanium C++ ABI, chapters 2 and 3; libstdc++ manual, "ABI Policy and Guidelines"; GCC manual, "Link
Options"; ld(1), "--as-needed".
"""

from __future__ import annotations

from enum import Enum

from checker.model.artifact import ReadProblem
from checker.model.closure import ProviderKind
from checker.model.finding import Observation
from checker.model.record import record
from checker.model.resolution import Outcome
from checker.model.rule import Rule
from checker.rules.cxx_runtime import CORE, is_cxx_runtime_symbol, is_template
from checker.rules.fates import (
    Fate,
    Fates,
    hosts_of,
    names_of,
    platforms_of,
    reasons_of,
    roots_of,
    undecided_reason,
    when_it_fails,
)
from checker.rules.known_libraries import is_cxx_runtime, is_unwinder
from checker.rules.wording import counted, evidence, listing, shown_symbols, text, versioned

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Literal

    from checker.model.case import Case
    from checker.model.closure import Edge
    from checker.model.elf import ElfFacts, Import
    from checker.model.resolution import Resolution


@record
class Parameters:
    """Parameters.

    Attributes:
        providers: ``closure``: whatever the loader binds is fine; ``direct``: an object must itself need the library
            that supplies it.
    """

    providers: Literal["direct", "closure"] = "closure"


class _Cause(Enum):
    NO_PROVIDER = "no provider needed"
    INCOMPLETE_COPY = "static copy incomplete"
    OLDER_RUNTIME = "the runtime found lacks them"
    LUCK = "only through another library's need"


def check(case: Case, parameters: Parameters) -> Iterator[Observation | ReadProblem]:
    """One observation for each object."""
    fates = Fates(case)
    failing = fates.told_by(Fate.CXX_RUNTIME)
    for path, resolutions in failing.items():
        yield _observe(case, path, resolutions)
    for path, resolutions in fates.undecided(Fate.CXX_RUNTIME).items():
        yield ReadProblem(file=path, reason=undecided_reason(resolutions))
    if parameters.providers == "direct":
        yield from _by_luck(case, failing)


def _observe(case: Case, path: str, resolutions: tuple[Resolution, ...]) -> Observation:
    facts = case.object(path)
    cause = _cause(facts, resolutions)
    names = names_of(resolutions)
    shown = shown_symbols((each.symbol, each.version) for each in resolutions)
    moment = when_it_fails(resolutions, facts, hosts_of(case))
    symbols = counted(len(names), "symbol")
    platforms = platforms_of(resolutions)
    condition = _unless(case, path, resolutions) if cause is _Cause.OLDER_RUNTIME else ""
    message = {
        _Cause.NO_PROVIDER: f"uses {symbols} of the C++ runtime and needs no library that has them, so that it fails "
        f"{moment}: {shown}",
        _Cause.INCOMPLETE_COPY: f"holds only part of a C++ runtime; {symbols} of it "
        f"{'is' if len(names) == 1 else 'are'} defined nowhere, so that it fails {moment}: {shown}",
        _Cause.OLDER_RUNTIME: f"uses {symbols} that the C++ runtime of {platforms[0] if platforms else 'the platform'} "
        f"does not have, so that it fails {moment} there{condition}: {shown}",
    }[cause]
    return Observation(
        file=path,
        subject=names[0],
        message=message,
        evidence=evidence(
            symbols=names,
            cause=cause.value,
            needed=facts.needed if facts is not None else (),
            candidates=tuple(sorted({each for resolution in resolutions for each in resolution.candidates})),
            roots=roots_of(resolutions),
            platforms=platforms,
            fails=moment,
            because=reasons_of(resolutions),
        ),
        remedy=_ASK_FIRST + _REMEDIES[cause] if condition else _REMEDIES[cause],
    )


def _unless(case: Case, path: str, resolutions: tuple[Resolution, ...]) -> str:
    """A library that was not found may define them by chance: said where one is missing."""
    if all(each.outcome is not Outcome.LIBRARY_MISSING for each in resolutions):
        return ""
    absent = sorted({edge.soname for edge in case.libraries if edge.needer == path and edge.provider is ProviderKind.NONE})
    return f" unless {listing(absent)}, not found, happen{'s' if len(absent) == 1 else ''} to define them" if absent else ""


def _cause(facts: ElfFacts | None, resolutions: tuple[Resolution, ...]) -> _Cause:
    """Whole runtimes lack the names that every C++ object asks for; partial copies have those and lack others."""
    needed = [soname for soname in facts.needed if is_cxx_runtime(soname)] if facts is not None else []
    unwinds = all(text(each.symbol).startswith("_Unwind_") for each in resolutions)
    # An unwinder alone, which gcc gives C as well, is no runtime of C++.
    if any(unwinds or not is_unwinder(soname) for soname in needed):
        return _Cause.OLDER_RUNTIME
    if any(text(each.symbol) in CORE for each in resolutions):
        return _Cause.NO_PROVIDER
    return _Cause.INCOMPLETE_COPY


_ASK_FIRST = "If another distribution brings what was not found, ask that first (--provider NAME=WHEEL). Otherwise: "

_REMEDIES = {
    _Cause.NO_PROVIDER: "Link with the g++ driver in place of gcc; with gcc, add -lstdc++ after the objects, or "
    "-l:libstdc++.a after the objects for a "
    "static copy (before them both are dropped; gcc ignores -static-libstdc++)",
    _Cause.INCOMPLETE_COPY: "Put the whole static runtime after all objects: g++ -static-libstdc++ -static-libgcc, or "
    "-l:libstdc++.a -l:libgcc_eh.a at the "
    "end of the gcc command; or link it dynamically: -Wl,--no-as-needed -lstdc++",
    _Cause.OLDER_RUNTIME: "Link with the g++ driver of the promised tag's container (its libstdc++_nonshared.a "
    "supplies what the system lacks), or "
    "statically with g++ -static-libstdc++ -static-libgcc; or promise only platforms whose C++ runtime has the symbols",
    _Cause.LUCK: "Link with the g++ driver, or add -Wl,--no-as-needed -lstdc++ after the objects, so that the C++ "
    "runtime stands in DT_NEEDED; for a "
    "static copy g++ -static-libstdc++ -static-libgcc",
}


def _by_luck(case: Case, failing: dict[str, tuple[Resolution, ...]]) -> Iterator[Observation]:
    """Objects that use the runtime and do not themselves need a library that supplies it, though all is found.

    A declared distribution's library, whose symbols are not seen, may well export the standard templates that it uses itself.
    """
    edges: dict[str, list[Edge]] = {}
    for edge in case.libraries:
        edges.setdefault(edge.needer, []).append(edge)
    for facts in case.objects:
        direct = edges.get(facts.path, [])
        if not (case.roots and facts.is_dynamic) or any(_is_runtime(edge) for edge in direct):
            continue
        suppliers = [supplier for edge in direct if (supplier := _member(case, edge)) is not None]
        told = {each.symbol for each in failing.get(facts.path, ())}
        declared = any(edge.provider is ProviderKind.DECLARED for edge in direct)
        lucky = [
            each
            for each in facts.each_import()
            if each.name not in told and _is_lucky(each, suppliers) and not (declared and is_template(text(each.name)))
        ]
        if lucky:
            yield _observe_luck(facts, lucky)


def _is_runtime(edge: Edge) -> bool:
    return is_cxx_runtime(edge.soname) and edge.provider is not ProviderKind.NONE


def _member(case: Case, edge: Edge) -> ElfFacts | None:
    return case.object(edge.path) if edge.provider is ProviderKind.MEMBER and edge.path is not None else None


def _is_lucky(each: Import, suppliers: list[ElfFacts]) -> bool:
    if each.weak or not each.uses or not is_cxx_runtime_symbol(text(each.name)):
        return False
    return not any(found.defined for supplier in suppliers for found in supplier.symbols.definitions(each.name))


def _observe_luck(facts: ElfFacts, lucky: list[Import]) -> Observation:
    names = tuple(sorted({versioned(each.name, each.version) for each in lucky}))
    shown = shown_symbols((each.name, each.version) for each in lucky)
    return Observation(
        file=facts.path,
        subject=names[0],
        message=f"uses {counted(len(names), 'symbol')} of the C++ runtime without needing it; they are found only "
        "because another library "
        f"needs it: {shown}",
        evidence=evidence(symbols=names, cause=_Cause.LUCK.value, needed=facts.needed),
        remedy=_REMEDIES[_Cause.LUCK],
    )


RULE = Rule(id="unresolved-cxx-runtime-symbol", family="symbols", parameters=Parameters, check=check, doc=__doc__ or "")
