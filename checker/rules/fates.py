"""Imports that nothing satisfies, sorted so that each is told by exactly one rule.

In this order:

1. The import wants a version that the load-time check already refuses: ``platform-tag-too-old`` or
   ``symbol-version-missing`` tell it.
2. ``Py…`` and ``_Py…``: ``missing-interpreter-symbol``.
3. A name of the C++ runtime: ``unresolved-cxx-runtime-symbol``.
4. A library of the platform has it, on a later release or out of the scope, or was named by the
   version need: ``symbol-not-on-platform``.
5. A version that the artifact's own (or a declared) library lacks: ``symbol-version-missing``.
6. All else: ``unresolved-symbol``.

While a needed library is missing, it may be the one that has the symbol: the missing library is
told and the symbol is not. Symbols of the C++ runtime that the object itself needs are told all the
same, unless the object also takes C++ of the missing library's own: a library with C++ exports may
export what it took of a newer runtime as well (``libstdc++_nonshared.a``), and a link against it
leaves just such unversioned references.
"""

from __future__ import annotations

from enum import Enum

from checker.model.closure import ProviderKind
from checker.model.elf import Use
from checker.model.regex import regex
from checker.model.resolution import Outcome, Via
from checker.rules.cxx_runtime import is_cxx_runtime_symbol
from checker.rules.known_libraries import is_cxx_runtime
from checker.rules.wording import counted, listing, text, versioned

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from checker.model.case import Case
    from checker.model.elf import ElfFacts
    from checker.model.resolution import Resolution

_INTERPRETER = regex(r"_?Py[A-Z_]")

_FAILED = frozenset({Outcome.VERSION_MISSING, Outcome.SYMBOL_MISSING, Outcome.LIBRARY_MISSING})


class Fate(Enum):
    """The rule that tells an unsatisfied import."""

    VERSION_CHECK = "load-time version check"
    MISSING_LIBRARY = "missing-library"
    INTERPRETER = "missing-interpreter-symbol"
    CXX_RUNTIME = "unresolved-cxx-runtime-symbol"
    PLATFORM = "symbol-not-on-platform"
    VERSION = "symbol-version-missing"
    SYMBOL = "unresolved-symbol"


class Fates:
    """The unsatisfied imports of one case."""

    def __init__(self, case: Case) -> None:
        """Index what sorting asks for."""
        self._case = case
        self._members = frozenset(member.path for member in case.inventory.members) | {facts.path for facts in case.objects}
        self._refused = frozenset((missing.object, missing.file, missing.version) for missing in case.missing_versions)
        self._judged = frozenset(platform for promise in case.promises for platform in promise.judged)
        self._suppliers: dict[tuple[str, str], ProviderKind] = {}
        self._files: dict[str, ProviderKind] = {}
        for edge in case.libraries:
            self._suppliers.setdefault((edge.needer, edge.soname), edge.provider)
            self._files.setdefault(edge.soname, edge.provider)
        self._takes_cxx: frozenset[str] | None = None

    def told_by(self, fate: Fate) -> dict[str, tuple[Resolution, ...]]:
        """Object → its imports with that fate, in the case's order."""
        found: dict[str, list[Resolution]] = {}
        for resolution in self._case.resolutions:
            if resolution.outcome in _FAILED and self.fate(resolution) is fate:
                found.setdefault(resolution.object, []).append(resolution)
        return {path: tuple(each) for path, each in found.items()}

    def undecided(self, fate: Fate) -> dict[str, tuple[Resolution, ...]]:
        """Object → its undecided imports whose failure would have that fate."""
        found: dict[str, list[Resolution]] = {}
        for resolution in self._case.resolutions:
            if resolution.outcome is Outcome.UNDECIDED and self.fate(resolution) is fate:
                found.setdefault(resolution.object, []).append(resolution)
        return {path: tuple(each) for path, each in found.items()}

    def fate(self, resolution: Resolution) -> Fate:
        """Which rule tells that import."""
        file, version = resolution.version_file, resolution.version
        if file is not None and version is not None and (resolution.object, file, version) in self._refused:
            return Fate.VERSION_CHECK
        name = text(resolution.symbol)
        missing = resolution.outcome is Outcome.LIBRARY_MISSING
        if is_cxx_runtime_symbol(name):
            return Fate.MISSING_LIBRARY if missing and self._may_come_from_missing(resolution.object) else Fate.CXX_RUNTIME
        if missing:
            return Fate.MISSING_LIBRARY
        if _INTERPRETER.match(name) and not self.members_among(resolution.candidates):
            return Fate.INTERPRETER
        return self._of_ordinary(resolution)

    def _of_ordinary(self, resolution: Resolution) -> Fate:
        file = resolution.version_file
        supplier = self._supplier(resolution.object, file) if file is not None else None
        if supplier is ProviderKind.PLATFORM:
            return Fate.PLATFORM
        if supplier in {None, ProviderKind.NONE} and self.is_elsewhere_on_platform(resolution):
            return Fate.PLATFORM
        if resolution.outcome is Outcome.VERSION_MISSING and resolution.version is not None:
            return Fate.VERSION
        return Fate.SYMBOL

    def is_elsewhere_on_platform(self, resolution: Resolution) -> bool:
        """A library of the platform has it outside the scope, or a later release has it."""
        if len(self.members_among(resolution.candidates)) < len(resolution.candidates):
            return True
        return bool(resolution.platforms) and bool(self._judged - frozenset(resolution.platforms))

    def members_among(self, candidates: tuple[str, ...]) -> tuple[str, ...]:
        """The candidates that lie in the artifact."""
        return tuple(path for path in candidates if path in self._members)

    def _supplier(self, needer: str, soname: str) -> ProviderKind | None:
        return self._suppliers.get((needer, soname)) or self._files.get(soname)

    def _may_come_from_missing(self, path: str) -> bool:
        """A missing library may well be what the linker took the object's symbols of the C++ runtime from."""
        if not self._has_cxx_runtime(path):
            return True
        if self._takes_cxx is None:
            self._takes_cxx = frozenset(
                each.object
                for each in self._case.resolutions
                if each.outcome is Outcome.LIBRARY_MISSING
                and each.symbol.startswith(b"_Z")
                and not is_cxx_runtime_symbol(text(each.symbol))
            )
        return path in self._takes_cxx

    def _has_cxx_runtime(self, path: str) -> bool:
        """The object itself needs a C++ runtime, and that is found: it is the one that is meant to bring the symbols."""
        return any(
            needer == path and is_cxx_runtime(soname) and supplier is not ProviderKind.NONE
            for (needer, soname), supplier in self._suppliers.items()
        )


def named_library_defines(case: Case, resolution: Resolution) -> bool | None:
    """The file that the version need names, as the oldest promised platform has it, exports the symbol.

    ``None`` where no file is named, or it is not the platform's, or its symbols are not known.
    """
    if resolution.version is None or resolution.version_file is None:
        return None
    answers: list[bool] = []
    for promise in case.promises:
        library = promise.baseline.library(resolution.version_file) if promise.baseline is not None else None
        if library is not None and library.symbols_known:
            answers.append(bool(library.definitions(resolution.symbol)))
    return any(answers) if answers else None


def wrongly_bound(case: Case) -> dict[str, tuple[Resolution, ...]]:
    """Object → its imports whose version need names a library of the platform that does not have them.

    They bind all the same while the interpreter or a neighbour brings the right library in time; up to glibc 2.29 the search
    may end at the file that is named (``elf/dl-lookup.c``). Left out: what a version need tells already, and a program's own
    copy of a library's data, to which the library's own references are meant to bind (COPY relocations).
    """
    found: dict[str, list[Resolution]] = {}
    lucky = {Via.INTERPRETER_DEPENDENCY, Via.SIBLING}
    refused = {(missing.object, missing.file, missing.version) for missing in case.missing_versions}
    programs = {path for path, host in hosts_of(case).items() if host == "executable"}
    for resolution in case.resolutions:
        if resolution.outcome is not Outcome.BOUND or resolution.via not in lucky or resolution.path in programs:
            continue
        told = (resolution.object, resolution.version_file, resolution.version) in refused
        if not told and named_library_defines(case, resolution) is False:
            found.setdefault(resolution.object, []).append(resolution)
    return {path: tuple(each) for path, each in found.items()}


def when_it_fails(resolutions: Iterable[Resolution], facts: ElfFacts | None, hosts: dict[str, str]) -> str:
    """``at load``, or ``at the first call`` for plain calls of a program that binds lazily.

    ``hosts`` tells each root's host. Python opens extension modules with RTLD_NOW, and ctypes adds it, so that only programs
    started by the kernel bind at the first call (glibc ``elf/dl-reloc.c``, ``lazy``).
    """
    for resolution in resolutions:
        lazy = resolution.uses == Use.JUMP_SLOT and all(hosts.get(root) == "executable" for root in resolution.roots)
        if not lazy or facts is None or facts.bind_now:
            return "at load"
    return "at the first call"


def hosts_of(case: Case) -> dict[str, str]:
    """Root → its host."""
    return {root.path: root.host for root in case.roots}


def names_of(resolutions: Iterable[Resolution]) -> tuple[str, ...]:
    """The symbols as they stand in the file, with versions, sorted and each once: evidence."""
    return tuple(sorted({versioned(each.symbol, each.version) for each in resolutions}))


def roots_of(resolutions: Iterable[Resolution]) -> tuple[str, ...]:
    """All roots in whose closure one of them fails, sorted."""
    return tuple(sorted({root for each in resolutions for root in each.roots}))


def platforms_of(resolutions: Iterable[Resolution]) -> tuple[str, ...]:
    """All platforms on which one of them fails, ascending."""
    return tuple(map(str, sorted({platform for each in resolutions for platform in each.platforms})))


def reasons_of(resolutions: Iterable[Resolution]) -> tuple[str, ...]:
    """What the resolver said of them, sorted and each once."""
    return tuple(sorted({each.reason for each in resolutions if each.reason}))


def undecided_reason(resolutions: tuple[Resolution, ...]) -> str:
    """The reason of a "could not check" for one object."""
    names = listing(names_of(resolutions))
    why = "; ".join(reasons_of(resolutions)) or "a library's symbols are not known"
    return f"{counted(len(resolutions), 'import')} could not be resolved ({names}): {why}"


def grouped_by_candidate(resolutions: Iterable[Resolution]) -> Iterator[tuple[str, tuple[Resolution, ...]]]:
    """(first candidate or empty, the imports that have it), so that one cause is told once."""
    groups: dict[str, list[Resolution]] = {}
    for resolution in resolutions:
        groups.setdefault(resolution.candidates[0] if resolution.candidates else "", []).append(resolution)
    for candidate in sorted(groups):
        yield candidate, tuple(groups[candidate])
