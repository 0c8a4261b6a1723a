"""Which platforms define a symbol, and since when."""

from __future__ import annotations

from typing import TYPE_CHECKING

from checker.report.explain import Supply
from checker.report.text import decoded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from checker.model.case import Case, Promise
    from checker.model.platform import Baseline, PlatformId

_Key = tuple[str, tuple[str, ...]]
"""Soname, and the versions under which it defines the symbol."""


def supplies(case: Case, name: str) -> tuple[Supply, ...]:
    """Every library of the platforms judged that defines the symbol, with the platforms where it does so."""
    raw = name.encode("utf-8", "surrogateescape")
    rows: list[Supply] = []
    for promise in case.promises:
        found: dict[_Key, list[PlatformId]] = {}
        judged: list[PlatformId] = []
        for baseline in _baselines(promise):
            judged.append(baseline.id)
            for key in _definitions(baseline, raw):
                found.setdefault(key, []).append(baseline.id)
        rows += [
            Supply(library=library, versions=versions, platforms=_told(judged, held))
            for (library, versions), held in sorted(found.items())
        ]
    return tuple(rows)


def _baselines(promise: Promise) -> Iterator[Baseline]:
    from checker import platforms

    for platform in promise.judged:
        baseline = promise.baseline if platform == promise.oldest else platforms.baseline(platform, promise.tag)
        if baseline is not None:
            yield baseline


def _definitions(baseline: Baseline, name: bytes) -> Iterator[_Key]:
    for soname in baseline.definers(name):
        library = baseline.library(soname)
        if library is not None:
            entries = [entry for entry in library.definitions(name) if entry.defined]
            yield soname, tuple(sorted(decoded(entry.version) for entry in entries if entry.version is not None))


def _told(judged: list[PlatformId], held: list[PlatformId]) -> str:
    """``on all platforms judged``, ``from X on``, ``up to Y``, or the platforms one by one."""
    if held == judged:
        return f"on {judged[0]} and later" if len(judged) > 1 else f"on {judged[0]}"
    if held == judged[-len(held) :]:
        return f"from {held[0]} on, not on {judged[-len(held) - 1]}"
    if held == judged[: len(held)]:
        return f"up to {held[-1]}, not on {judged[len(held)]}"
    return f"on {', '.join(map(str, held))}"
