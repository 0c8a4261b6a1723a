"""Since when and until when something holds, over the releases on which a verdict was taken."""

from __future__ import annotations

from itertools import groupby

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from checker.model.platform import PlatformId


def spans(held: Iterable[PlatformId], judged: Iterable[PlatformId]) -> str:
    """``before glibc-2.34-x86_64``, ``from glibc-2.34-x86_64 on``, or the platform where one alone was judged.

    Between two judged releases nothing changes that the artifact can feel, so what holds on one holds until the next.
    """
    kept = set(held)
    texts = []
    ordered = sorted({*judged, *kept}, key=lambda one: (one.family, one.architecture, one.release))
    for _, group in groupby(ordered, key=lambda one: (one.family, one.architecture)):
        texts += _of_one(kept, list(group))
    return " and ".join(texts)


def _of_one(held: set[PlatformId], judged: list[PlatformId]) -> list[str]:
    """Of the judged releases of one C library on one architecture, ascending."""
    if len(judged) == 1:
        return [f"on {judged[0]}"] if judged[0] in held else []
    texts = []
    position = 0
    for holds, run in groupby(judged, key=held.__contains__):
        releases = list(run)
        end = position + len(releases)
        if holds:
            texts.append(_run(judged, position, end))
        position = end
    return texts


def _run(judged: list[PlatformId], start: int, end: int) -> str:
    first = judged[start]
    if end == len(judged):
        return f"on {first} and later" if start == 0 else f"from {first} on"
    return f"before {judged[end]}" if start == 0 else f"from {first} until before {judged[end]}"
