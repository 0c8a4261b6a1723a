"""Names of symbol versions such as ``GLIBC_2.34``, taken apart and compared."""

from __future__ import annotations

from checker.model.regex import regex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from checker.model.case import Case
    from checker.model.elf import ElfFacts

_NUMBERED = regex(r"([A-Z][A-Z0-9]*)_(\d{1,4}(?:\.\d{1,4}){0,3})")

RELR_MARKER = b"GLIBC_ABI_DT_RELR"
"""The version of libc.so.6 that an object with DT_RELR needs, so that loaders which do not apply it refuse the object."""

MARKERS = {RELR_MARKER: (2, 36)}
"""Nodes of libc that name a feature: the release of glibc that brought each (glibc 2.36 NEWS)."""

PRIVATE = b"GLIBC_PRIVATE"
"""The version of what glibc's libraries share among themselves; it changes with every build."""

Release = tuple[int, ...]


def parsed(version: bytes) -> tuple[str, Release] | None:
    """Namespace and numbers: ``GLIBC_2.2.5`` → ``("GLIBC", (2, 2, 5))``; ``None`` for names of any other form.

    A marker of libc counts as the release that brought it.
    """
    if version in MARKERS:
        return "GLIBC", MARKERS[version]
    found = _NUMBERED.fullmatch(version.decode("ascii", "replace"))
    return (found[1], numbers(found[2])) if found else None


def has_relr_marker(facts: ElfFacts) -> bool:
    """The object needs the version that keeps away the loaders which do not apply DT_RELR."""
    return any(version.name == RELR_MARKER for need in facts.version_needs for version in need.versions)


def numbers(dotted: str) -> Release:
    """``2.2.5`` → ``(2, 2, 5)``.

    Raises:
        ValueError: a part is no number.
    """
    return tuple(int(part) for part in dotted.split("."))


def dotted(release: Release) -> str:
    """``(2, 2, 5)`` → ``2.2.5``."""
    return ".".join(map(str, release))


def tag_ceiling(case: Case, namespace: str, architecture: str) -> Release | None:
    """The newest version of that namespace that every glibc promise for the architecture covers, if anything is known.

    For GLIBC the promise itself is the answer (PEP 600), so no platform data is needed.
    """
    ceilings: list[Release] = []
    for promise in case.promises:
        if promise.oldest.family != "glibc" or promise.oldest.architecture != architecture:
            continue
        if namespace == "GLIBC":
            ceilings.append(promise.oldest.release)
        elif promise.baseline is not None and (ceiling := promise.baseline.ceiling(namespace)) is not None:
            ceilings.append(ceiling)
    return min(ceilings, default=None)
