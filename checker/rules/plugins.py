"""Libraries that are opened by a program of the same artifact: what they use is in that program's scope."""

from __future__ import annotations

from checker.rules.extension_names import other_inits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from checker.model.case import Case
    from checker.model.resolution import Resolution

_OPENS = b"dlopen"


def program_that_opens(case: Case, path: str, unresolved: Iterable[Resolution]) -> str | None:
    """The program whose plugin a file is: it, or a library of its closure, has all that the file lacks, and it opens files.

    PostgreSQL's modules use symbols that ``postgres`` exports, GAP's those of libgap. An extension module is Python's, and a
    file whose DT_SONAME begins with ``lib`` is made to be linked with: both need what they use.

    Args:
        case: the artifact.
        path: of the file.
        unresolved: its imports that nothing it loads defines.
    """
    wanted = [frozenset(each.candidates) for each in unresolved]
    facts = case.object(path)
    if facts is None or not all(wanted) or (facts.soname or "").startswith("lib") or other_inits(facts):
        return None
    for root in case.roots:
        if root.host == "executable" and root.path != path:
            scope = {root.path} | {edge.path for edge in case.libraries if edge.root == root.path}
            if all(scope & candidates for candidates in wanted) and _opens_files(case, scope):
                return root.path
    return None


def _opens_files(case: Case, scope: set[str | None]) -> bool:
    members = (case.object(path) for path in scope if path is not None)
    return any(_OPENS in facts.imports.names for facts in members if facts is not None)
