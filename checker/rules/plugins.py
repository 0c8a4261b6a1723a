"""Libraries that are opened by a program of the same artifact: what they use is in that program's scope."""

from __future__ import annotations

from functools import cached_property

from checker.rules.extension_names import other_inits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from checker.model.case import Case
    from checker.model.resolution import Resolution

_OPENS = b"dlopen"


class Programs:
    """The programs of one artifact that open files, each with its scope."""

    def __init__(self, case: Case) -> None:
        """Nothing is looked at before the first question that needs it."""
        self._case = case

    @cached_property
    def _scopes(self) -> dict[str, set[str]]:
        """Program → the files of its closure, where one of them imports ``dlopen``."""
        scopes = {root.path: {root.path} for root in self._case.roots if root.host == "executable"}
        for edge in self._case.libraries:
            if edge.root in scopes and edge.path is not None:
                scopes[edge.root].add(edge.path)
        openers = {facts.path for facts in self._case.objects if _OPENS in facts.imports.names} if scopes else set()
        return {program: scope for program, scope in scopes.items() if not openers.isdisjoint(scope)}

    def that_opens(self, path: str, unresolved: Iterable[Resolution]) -> str | None:
        """The program whose plugin a file is: it, or a library of its closure, has all that the file lacks, and it opens files.

        PostgreSQL's modules use symbols that ``postgres`` exports, GAP's those of libgap. An extension module is Python's, and
        a file whose DT_SONAME begins with ``lib`` is made to be linked with: both need what they use.

        Args:
            path: of the file.
            unresolved: its imports that nothing it loads defines.
        """
        wanted = {frozenset(each.candidates) for each in unresolved}
        facts = self._case.object(path) if all(wanted) else None
        if facts is None or (facts.soname or "").startswith("lib") or other_inits(facts):
            return None
        return next(
            (
                program
                for program, scope in self._scopes.items()
                if program != path and not any(scope.isdisjoint(candidates) for candidates in wanted)
            ),
            None,
        )
