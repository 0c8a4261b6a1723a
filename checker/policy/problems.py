"""What is wrong with a policy, told all at once."""

from __future__ import annotations

from checker.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

KeyPath = tuple[str | int, ...]
"""Where a value stands in a TOML document: keys, and indices (from 0) into arrays."""


@record
class PolicyProblem:
    """One mistake.

    Attributes:
        file: the policy as the user named it: a path, or the name of a shipped policy.
        line: from 1; 0 where no line is to blame (a file that cannot be read).
        path: dotted path of the key concerned, such as ``rules.missing-library.level`` or ``waiver[0].reason``; empty for the
            whole file.
        message: what is wrong, without a full stop at the end, with the nearest right name where there is one.
    """

    file: str
    line: int
    path: str
    message: str

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        return f"{place}: {self.path}: {self.message}" if self.path else f"{place}: {self.message}"


class PolicyError(Exception):
    """A policy cannot be used.

    Attributes:
        problems: every mistake in every file concerned; files in the order of reading, lines ascending.
    """

    def __init__(self, problems: tuple[PolicyProblem, ...]) -> None:
        super().__init__(problems)
        self.problems = problems

    def __str__(self) -> str:
        return "\n".join(map(str, self.problems))


def dotted(path: KeyPath) -> str:
    """A key path as text; keys that TOML would want quoted are quoted."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            key = part if part and part.replace("-", "").replace("_", "").isalnum() and part.isascii() else f'"{part}"'
            text += f".{key}" if text else key
    return text


def hint(wrong: str, right: Iterable[str]) -> str:
    """The words ``; did you mean …?`` with the nearest right name, or nothing when none is near."""
    import difflib

    names = {name.casefold().replace("_", "-"): name for name in right}
    near = difflib.get_close_matches(wrong.casefold().replace("_", "-"), names, n=1, cutoff=0.6)
    return f'; did you mean "{names[near[0]]}"?' if near else ""
