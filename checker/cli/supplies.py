"""Which platforms define a symbol, and since when."""

from __future__ import annotations

from checker.model.platform import PlatformId
from checker.report.explain import Supply
from checker.report.text import decoded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from checker.model.case import Case, Promise
    from checker.model.platform import Baseline

_Key = tuple[str, tuple[str, ...]]
"""Soname, and the versions under which it defines the symbol."""


def supplies(case: Case, name: str) -> tuple[Supply, ...]:
    """Every library that defines the symbol on some known release of a promised platform, with those releases."""
    raw = name.encode("utf-8", "surrogateescape")
    rows: list[Supply] = []
    for promise in case.promises:
        found: dict[_Key, list[PlatformId]] = {}
        known: list[PlatformId] = []
        for baseline in _baselines(promise):
            known.append(baseline.id)
            for key in _definitions(baseline, raw):
                found.setdefault(key, []).append(baseline.id)
        rows += [
            Supply(library=library, versions=versions, platforms=_beside_libc(promise, library) or _told(known, held))
            for (library, versions), held in sorted(found.items())
        ]
    return tuple(rows)


def _baselines(promise: Promise) -> Iterator[Baseline]:
    from checker import platforms

    if promise.baseline is not None:
        from checker.platforms.captured import CapturedBaseline

        if isinstance(promise.baseline, CapturedBaseline):
            yield promise.baseline
            return
    oldest = promise.oldest
    for release in platforms.releases(oldest.family, oldest.architecture):
        platform = PlatformId(family=oldest.family, release=release, architecture=oldest.architecture)
        baseline = platforms.baseline(platform, promise.tag)
        if baseline is not None:
            yield baseline


def _definitions(baseline: Baseline, name: bytes) -> Iterator[_Key]:
    for soname in baseline.definers(name):
        library = baseline.library(soname)
        if library is not None:
            entries = [entry for entry in library.definitions(name) if entry.defined]
            yield soname, tuple(sorted(decoded(entry.version) for entry in entries if entry.version is not None))


def _beside_libc(promise: Promise, soname: str) -> str:
    """Where a library has it that the C library's release does not decide about, such as libstdc++; empty for all others."""
    from checker.platforms.assembly import PlatformBaseline

    if not isinstance(promise.baseline, PlatformBaseline) or promise.baseline.is_part_of_libc(soname):
        return ""
    return "in the newest build known" if promise.tag == str(promise.oldest) else f"as {promise.tag} promises it"


def _told(known: list[PlatformId], held: list[PlatformId]) -> str:
    """On every release known, from one on, up to one, or those that have it."""
    if held == known:
        return f"on {known[0]} and later" if len(known) > 1 else f"on {known[0]}"
    if held == known[-len(held) :]:
        return f"from {held[0]} on"
    if held == known[: len(held)]:
        return f"up to {held[-1]}"
    return f"on {', '.join(map(str, held))}"
