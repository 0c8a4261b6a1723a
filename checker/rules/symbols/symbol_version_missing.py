"""A version that a file wants is not defined by the library that it gets.

## What

A version need that the load-time check refuses, and a versioned symbol that the library found does
not define in that version. What is only newer than the platform tag promises is told by
`platform-tag-too-old`, GLIBC_PRIVATE by `private-platform-symbol`, and versions of a promised library
that are of no known kind by `unknown-version-namespace`.

## Why it breaks

The loader compares all wanted versions with the library it found, before any symbol is looked up:
"libshape.so.1: version `SHAPE_2' not found (required by …)". A need whose library was not loaded
under that name makes the loader abort the whole process.

## Causes and fixes

- The library in the wheel is older than the one that the file was linked with: package the very
  file that was on the link line.
- Two builds of one library in one wheel, under one SONAME: the first that is loaded serves both.
- `patchelf --replace-needed` or a rename left the version need behind under the old name: use
  patchelf 0.9 or later, which renames both, or link again.
- A library of the system that distributions patch (OpenSSL, libcurl): bundle it, `auditwheel
  repair`.

## References

glibc `elf/dl-version.c`, `_dl_check_map_versions`; `elf/dl-lookup.c`, `check_match`; LSB Core,
"Symbol Versioning".
"""

from __future__ import annotations

from checker.model.closure import ProviderKind
from checker.model.finding import Observation
from checker.model.rule import NoParameters, Rule
from checker.rules.fates import Fate, Fates, names_of, platforms_of, reasons_of, roots_of
from checker.rules.known_libraries import is_libc
from checker.rules.namespaces import Namespaces
from checker.rules.platform_needs import PlatformNeeds
from checker.rules.versions import PRIVATE, RELR_MARKER, has_relr_marker
from checker.rules.wording import counted, evidence, shown_symbols, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from checker.model.case import Case
    from checker.model.elf import ElfFacts
    from checker.model.resolution import MissingVersion, Resolution


def check(case: Case, parameters: NoParameters) -> Iterator[Observation]:  # noqa: ARG001 - every rule is asked in the same way
    """One observation for each object, library and version; one for each object and library of single symbols."""
    needs, namespaces = PlatformNeeds(case), Namespaces(case)
    seen: set[tuple[str, str, bytes]] = set()
    for missing in case.missing_versions:
        key = (missing.object, missing.file, missing.version)
        facts = case.object(missing.object)
        if key in seen or (facts is not None and needs.is_beyond_tag(facts, missing.file, missing.version)):
            continue
        seen.add(key)
        if not _is_told_elsewhere(missing, facts, namespaces):
            yield _version(missing)
    fates = Fates(case)
    for path, resolutions in fates.told_by(Fate.VERSION).items():
        groups: dict[str, list[Resolution]] = {}
        for resolution in resolutions:
            groups.setdefault(resolution.version_file or "", []).append(resolution)
        for file, group in sorted(groups.items()):
            yield _symbols(path, file, group)


def _is_told_elsewhere(missing: MissingVersion, facts: ElfFacts | None, namespaces: Namespaces) -> bool:
    """By ``private-platform-symbol``, ``dt-relr-without-marker`` or ``unknown-version-namespace``."""
    if missing.version == PRIVATE and missing.provider is ProviderKind.PLATFORM:
        return True
    if facts is None:
        return False
    if missing.version == RELR_MARKER and not has_relr_marker(facts):
        return True
    return namespaces.is_unknown_to(facts, missing.file, missing.version)


def _version(missing: MissingVersion) -> Observation:
    version = text(missing.version)
    library = missing.path or missing.file
    where = {ProviderKind.MEMBER: f"{library} in the artifact", ProviderKind.NONE: f"no loaded {missing.file}"}
    found = where.get(missing.provider, f"{library} of the {missing.provider.value}")
    message = f"needs version {version} of {missing.file}, which {found} does not define"
    if missing.aborts:
        message = (
            f"needs version {version} of {missing.file}, which is not loaded under that name: the loader aborts "
            "the whole process"
        )
    return Observation(
        file=missing.object,
        subject=version,
        message=message,
        evidence=evidence(
            library=missing.file,
            found=missing.path,
            provider=missing.provider.value,
            symbols=tuple(map(text, missing.symbols)),
            roots=missing.roots,
            platforms=tuple(map(str, missing.platforms)),
        ),
        remedy=_remedy(missing),
    )


def _remedy(missing: MissingVersion) -> str:
    if missing.aborts:
        return (
            f"Link {missing.object} again with the library under its final name, or rename it with a patchelf that "
            "renames version needs "
            "too (patchelf --replace-needed, 0.9 or later)"
        )
    if missing.provider is ProviderKind.MEMBER:
        return (
            f"Package the {missing.file} that {missing.object} was linked with in place of {missing.path}, or link "
            "again with that one"
        )
    if is_libc(missing.file):
        return "Build it on the oldest system on which it is to run: a C library cannot be bundled"
    return f"Bundle the {missing.file} that it was linked with: auditwheel repair WHEEL"


def _symbols(path: str, file: str, group: list[Resolution]) -> Observation:
    names = names_of(group)
    shown = shown_symbols((each.symbol, each.version) for each in group)
    return Observation(
        file=path,
        subject=names[0],
        message=f"uses {counted(len(names), 'symbol')} in versions that {file or 'no library in scope'} does not "
        f"define: {shown}",
        evidence=evidence(
            symbols=names,
            library=file,
            candidates=tuple(sorted({each for resolution in group for each in resolution.candidates})),
            roots=roots_of(group),
            platforms=platforms_of(group),
            because=reasons_of(group),
        ),
        remedy=f"Package the {file or 'library'} that {path} was linked with, or link again with the one in the package",
    )


RULE = Rule(id="symbol-version-missing", family="symbols", parameters=NoParameters, check=check, doc=__doc__ or "")
