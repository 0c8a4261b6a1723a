"""Path globs: which members, or which sonames, a setting means.

The dialect, over paths whose separator is ``/``:

- A glob names the whole path: ``*.so`` is a file at the top, ``**/*.so`` one at any depth, the top included.
- ``*`` is any run of characters, ``?`` any one character, ``[abc]``, ``[a-z]`` and ``[!abc]`` one of (not of) a set; none of
  them ever matches ``/``.
- ``**`` as a whole component is any number of components, also none; ``a/**`` is everything beneath ``a``. In any other
  place it is the same as ``*``.
- Case counts, and there is no escape character: ``[*]`` is a star.

Paths come from artifacts, which are hostile, so matching takes time linear in the path for each component of the glob:
between two wildcards the leftmost match is taken and never revised, which is exact, since what stands between wildcards has
a fixed length. (``re`` has atomic groups only from Python 3.11 on; a lookahead and a backreference do the same.)
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_PART = r"\*+|\[!?\]?[^\]]*\]|."


def matches(glob: str, path: str) -> bool:
    """Whether the glob names that path."""
    head, tail, is_literal = _ends(glob)
    # Most globs are asked of paths that they do not name, and compiling a pattern costs more than a hundred such answers.
    if is_literal or not (path.startswith(head) and path.endswith(tail)):
        return is_literal and path == glob
    return _compiled(glob).fullmatch(path) is not None


def any_match(globs: Iterable[str], path: str) -> bool:
    """Whether one of the globs names that path."""
    return any(matches(glob, path) for glob in globs)


def literal(path: str) -> str:
    """The glob that names this path alone."""
    return re.sub(r"[*?\[]", r"[\g<0>]", path)


@lru_cache(maxsize=1024)
def _ends(glob: str) -> tuple[str, str, bool]:
    """What every path that the glob names begins and ends with, and whether the glob names no path but itself."""
    head = re.split(r"[*?\[]", glob, maxsplit=1)[0]
    tail = re.split(r"[*?\]]", glob)[-1]
    # Between "**" and a slash may be nothing: "**/x" names "x".
    return head, tail.removeprefix("/"), head == glob


@lru_cache(maxsize=1024)
def _compiled(glob: str) -> re.Pattern[str]:
    numbers = count()
    runs = _split_at_double_stars(glob)
    if len(runs) == 1:
        return re.compile(_components(runs[0], numbers), re.DOTALL)
    first, *middle, last = runs
    pattern = _components(first, numbers) + "/" if first else ""
    for run in middle:
        if run:
            pattern += _atomic(f"(?:[^/]*/)*?{_components(run, numbers)}/", numbers)
    pattern += "(?:[^/]*/)*" + (_components(last, numbers) if last else "[^/]+")
    return re.compile(pattern, re.DOTALL)


def _split_at_double_stars(glob: str) -> list[list[str]]:
    runs: list[list[str]] = [[]]
    for component in glob.split("/"):
        if component == "**":
            runs.append([])
        else:
            runs[-1].append(component)
    return runs


def _components(components: list[str], numbers: Iterator[int]) -> str:
    return "/".join(_component(component, numbers) for component in components)


def _component(component: str, numbers: Iterator[int]) -> str:
    pieces = [""]
    for part in re.findall(_PART, component, re.DOTALL):
        if part[0] == "*":
            pieces.append("")
        else:
            pieces[-1] += _one_character(part)
    if len(pieces) == 1:
        return pieces[0]
    first, *middle, last = pieces
    between = "".join(_atomic(f"[^/]*?{piece}", numbers) for piece in middle if piece)
    return f"{first}{between}[^/]*{last}(?=/|\\Z)"


def _one_character(part: str) -> str:
    if part == "?":
        return "[^/]"
    if part[0] == "[" and len(part) > 1:
        negated = part[1] == "!"
        members = part[1 + negated : -1]
        escaped = re.sub(r"([\\\[\]^&~|])", r"\\\1", members)
        return f"(?!/){_set(escaped, negated=bool(negated))}"
    return re.escape(part)


def _set(members: str, *, negated: bool) -> str:
    pattern = f"[{'^' if negated else ''}{members}]"
    try:
        re.compile(pattern)
    except re.error:
        # A range that runs backwards ([z-a]) holds no character.
        return "." if negated else r"(?!)"
    return pattern


def _atomic(pattern: str, numbers: Iterator[int]) -> str:
    name = f"g{next(numbers)}"
    return f"(?=(?P<{name}>{pattern}))(?P={name})"
