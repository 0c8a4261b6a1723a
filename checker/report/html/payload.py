"""What the page's script draws, as plain values: load-order graphs and the sizes of members, with every text told once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from checker.model.closure import ProviderKind
from checker.report.text import safe

if TYPE_CHECKING:
    from collections.abc import Iterator

    from checker.model.closure import Closure, Edge
    from checker.model.report import ArtifactReport


class _Texts:
    """Texts by number, each once: a wheel of hundreds of modules repeats the same few."""

    def __init__(self) -> None:
        self.all: list[str] = []
        self._numbers: dict[str, int] = {}

    def number(self, text: str) -> int:
        """The text's number."""
        shown = safe(text)
        if shown not in self._numbers:
            self._numbers[shown] = len(self.all)
            self.all.append(shown)
        return self._numbers[shown]


def payload(artifact: ArtifactReport) -> dict[str, Any]:
    """One artifact.

    Returns:
        ``texts``: all texts; whatever follows refers to them by number. ``edges``: [needer, soname, provider, path or -1, how,
        story] each once. ``graphs``: for each root, sorted, [root, platform, its edges' numbers in the loader's order].
        ``members``: [path, bytes, kind].
    """
    texts = _Texts()
    numbers: dict[tuple[int, ...], int] = {}
    graphs = []
    for closure in sorted(artifact.closures or (), key=lambda one: one.root):
        rows = [numbers.setdefault(row, len(numbers)) for row in _edges(closure, texts)]
        graphs.append([texts.number(closure.root), texts.number(str(closure.platform)), rows])
    members = [[texts.number(each.path), each.size, texts.number(each.kind.value)] for each in artifact.case.inventory.members]
    return {"texts": texts.all, "edges": [list(row) for row in numbers], "graphs": graphs, "members": members}


def _edges(closure: Closure, texts: _Texts) -> Iterator[tuple[int, ...]]:
    for edge in closure.edges:
        path = -1 if edge.path is None or edge.provider is ProviderKind.NONE else texts.number(edge.path)
        yield (
            texts.number(edge.needer),
            texts.number(edge.soname),
            texts.number(edge.provider.value),
            path,
            texts.number(edge.how.value),
            texts.number(_story(edge)),
        )


def _story(edge: Edge) -> str:
    """Where was looked, a place a line."""
    return " · ".join(f"{attempt.place} ({attempt.source}): {attempt.outcome}" for attempt in edge.looked_in)


def origins(artifact: ArtifactReport) -> dict[str, dict[str, int]]:
    """Object → provider's kind → number of its imports that bind there, or whose outcome is another; of all roots together."""
    found: dict[str, dict[str, int]] = {}
    for row in artifact.bindings or ():
        kind = row.provider.value if row.provider is not ProviderKind.NONE else row.outcome.value.replace("_", " ").lower()
        counts = found.setdefault(row.object, {})
        counts[kind] = counts.get(kind, 0) + 1
    return found
