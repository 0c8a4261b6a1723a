"""At which later releases an artifact can feel a change.

A tag promises every later platform too. Judging each release in full would cost dozens of resolutions, and nearly all would say
the same. Between two releases an answer changes only where a library that the artifact uses changed what it supplies under a
name that is asked for, or where the loader's own rules changed in a way that one of the artifact's objects meets.
"""

from __future__ import annotations

from checker.loaders import glibc
from checker.model.elf import Visibility
from checker.model.resolution import LoadOutcome, Outcome
from checker.resolve import ABORTED, PASSED_VERSION_FILE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from checker.judge import Judgement
    from checker.model.elf import ElfFacts
    from checker.model.platform import Baseline, PlatformId, PlatformLibrary

Release = tuple[int, ...]
Request = tuple[str, bytes, "bytes | None"]
"""A platform library's soname, and the symbol and version that are asked of it."""


def can_feel(judgements: Sequence[Judgement], later: Baseline) -> bool:
    """Whether a root that loads on the release judged may not load on a later one.

    Args:
        judgements: of the artifact on the earlier release, one for each process.
        later: the later release.
    """
    return any(
        any(load.outcome is not LoadOutcome.LOADS for load in judgement.loads.values())
        or any(_meets(judgement, later.id.release))
        or not _still_supplied(judgement, later)
        for judgement in judgements
    )


def _still_supplied(judgement: Judgement, later: Baseline) -> bool:
    """Every platform library, version and symbol that the artifact uses is there on the later release."""
    process = judgement.process
    libraries: dict[str, PlatformLibrary] = {}
    for _, library in process.objects.platform_libraries():
        found = later.library(library.soname)
        if found is None or (library.symbols_known and not found.symbols_known):
            return False
        libraries[library.soname] = found
    return all(
        version.name in libraries[need.file].versions or version.weak
        for facts in process.installation.objects[: process.installation.own]
        for need in facts.version_needs
        if need.file in libraries and libraries[need.file].symbols_known
        for version in need.versions
    ) and all(
        _defines(libraries[soname], name, version) or any(_defines(one, name, version) for one in _global(judgement, libraries))
        for soname, name, version in _requests(judgement)
    )


def _global(judgement: Judgement, libraries: dict[str, PlatformLibrary]) -> Iterator[PlatformLibrary]:
    """The libraries that every scope holds, to which symbols can have moved (libpthread to libc in 2.34)."""
    for number in judgement.process.global_scope:
        soname = judgement.process.objects.soname(number)
        if soname in libraries:
            yield libraries[soname]


def _defines(library: PlatformLibrary, name: bytes, version: bytes | None) -> bool:
    if not library.symbols_known:
        return True
    return any(version is None or entry.version is None or entry.version == version for entry in library.definitions(name))


def _requests(judgement: Judgement) -> set[Request]:
    """What the platform's libraries were found to supply."""
    process = judgement.process
    sonames = {number: library.soname for number, library in process.objects.platform_libraries()}
    requests: set[Request] = set()
    for (number, index), fates in judgement.fates.items():
        suppliers = {sonames[bound] for bound, outcome, _ in fates if outcome is Outcome.BOUND and bound in sonames}
        if suppliers:
            imports, versions = process.facts(number).imports, process.facts(number).symbols.version_names
            for position in judgement.resolver.groups(number)[index].positions:
                wanted = imports.version_indices[position]
                version = versions.get(wanted) if wanted > 1 else None
                requests.update((soname, imports.names[position], version) for soname in suppliers)
    return requests


def _meets(judgement: Judgement, release: Release) -> Iterator[bool]:
    """For each rule that a later release of the loader has and the one judged has not: whether an object meets it."""
    process = judgement.process
    own = process.installation.objects[: process.installation.own]
    for since, meets in _STRICTER.items():
        if process.release < since <= release:
            yield any(meets(facts) for facts in own)
    if process.release < glibc.LEGACY_SUBDIRECTORIES_END <= release or process.release < glibc.HWCAPS_DIRECTORIES <= release:
        yield any(_is_processor_directory(directory) for directory in process.installation.directories)


def _exports_hidden(facts: ElfFacts) -> bool:
    """It defines a global symbol of hidden or internal visibility, which lookups met before 2.24."""
    return facts.symbols.has_global_of((Visibility.STV_HIDDEN, Visibility.STV_INTERNAL))


_STRICTER: dict[Release, Callable[[ElfFacts], bool]] = {
    glibc.VISIBILITY_IS_LOCAL: _exports_hidden,
    glibc.PIE_IS_REFUSED: lambda facts: bool(facts.flags_1 & glibc.DF_1_PIE),
    glibc.HWCAPS_DIRECTORIES: lambda facts: bool(facts.notes.x86_isa_needed),
    glibc.RELR_IS_APPLIED: lambda facts: facts.has_relr,
    glibc.EXECUTABLE_STACK_IS_REFUSED: glibc.wants_executable_stack,
}
"""Release → whether an object meets what became stricter there (LOADER rules by release: see :mod:`checker.loaders.glibc`)."""


def _is_processor_directory(directory: str) -> bool:
    name = directory.rpartition("/")[2]
    return name in {"glibc-hwcaps", "tls", "haswell", "xeon_phi", "x86_64", "avx512_1"}


def felt_releases(
    judgements: Sequence[Judgement], later: Sequence[Release], baseline_of: Callable[[PlatformId], Baseline | None]
) -> tuple[Release, ...]:
    """The later releases at which an answer given for the earlier one can change, ascending.

    Args:
        judgements: of the artifact on the earlier release.
        later: the later releases known, ascending.
        baseline_of: exact platform → what it supplies.
    """
    felt = {since for judgement in judgements for since in _rules_that_change(judgement) if since in later}
    for judgement in judgements:
        open_requests = _unsatisfied(judgement)
        sonames = tuple(library.soname for _, library in judgement.process.objects.platform_libraries())
        for release in later:
            if not open_requests:
                break
            baseline = baseline_of(_on(judgement.process.platform, release))
            if baseline is None:
                continue
            libraries = tuple(library for soname in sonames if (library := baseline.library(soname)) is not None)
            met = {request for request in open_requests if _is_met(baseline, request, libraries)}
            if met:
                felt.add(release)
                open_requests -= met
    return tuple(sorted(felt))


def _rules_that_change(judgement: Judgement) -> Iterator[Release]:
    process = judgement.process
    for since, meets in _STRICTER.items():
        if process.release < since and any(meets(facts) for facts in process.installation.objects[: process.installation.own]):
            yield since
    ends = {PASSED_VERSION_FILE, ABORTED}
    if any(fate[0] in ends for fates in judgement.fates.values() for fate in fates):
        yield glibc.VERSION_FILE_IS_FORGOTTEN
        yield glibc.VERSION_ASSERTION_ENDS
    if any(_is_processor_directory(directory) for directory in process.installation.directories):
        yield glibc.HWCAPS_DIRECTORIES
        yield glibc.LEGACY_SUBDIRECTORIES_END


def _unsatisfied(judgement: Judgement) -> set[Request]:
    """What failed on the earlier release: symbols (of no library in particular) and versions (without a symbol)."""
    process = judgement.process
    failed: set[Request] = {(failure.file, b"", failure.version) for failure in judgement.version_failures}
    for (number, index), fates in judgement.fates.items():
        if any(outcome in {Outcome.SYMBOL_MISSING, Outcome.VERSION_MISSING} for _, outcome, _ in fates):
            imports, versions = process.facts(number).imports, process.facts(number).symbols.version_names
            for position in judgement.resolver.groups(number)[index].positions:
                wanted = imports.version_indices[position]
                failed.add(("", imports.names[position], versions.get(wanted) if wanted > 1 else None))
    return failed


def _is_met(baseline: Baseline, request: Request, libraries: tuple[PlatformLibrary, ...]) -> bool:
    """A release supplies what failed before, in one of its libraries that the artifact has in its scopes."""
    soname, name, version = request
    if not name:
        library = baseline.library(soname)
        return library is not None and version in library.versions
    return any(_defines(library, name, version) for library in libraries)


def _on(platform: PlatformId, release: Release) -> PlatformId:
    from checker.model.record import replace

    return replace(platform, release=release)
