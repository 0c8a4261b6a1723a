"""The errors of reading an artifact."""

from __future__ import annotations


class ArchiveError(Exception):
    """The artifact, or one of its members, cannot be read at all.

    Attributes:
        path: of the artifact, or of the member in it.
        offset: where in the file, in bytes; ``None`` when no byte is to blame.
        message: what is wrong and what a user can do.
        value: the offending value as it was met; empty when there is none.
    """

    def __init__(self, path: str, offset: int | None, message: str, value: str = "") -> None:
        super().__init__(path, offset, message, value)
        self.path = path
        self.offset = offset
        self.message = message
        self.value = value

    @property
    def reason(self) -> str:
        """Message, value and offset in one line, without the path."""
        return phrase(self.offset, self.message, self.value)

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}"


class MemberError(Exception):
    """One member cannot be read (further); the others can. Stays within this layer, which turns it into a ``ReadProblem``.

    Attributes:
        offset: in the file that is read: the archive for a packed member, the file itself in a folder; ``None`` when unknown.
        message: what is wrong and what a user can do.
        value: the offending value as it was met; empty when there is none.
    """

    def __init__(self, offset: int | None, message: str, value: str = "") -> None:
        super().__init__(offset, message, value)
        self.offset = offset
        self.message = message
        self.value = value

    def __str__(self) -> str:
        return phrase(self.offset, self.message, self.value)


def phrase(offset: int | None, message: str, value: str) -> str:
    """Message, value and place in one line, as reports print it."""
    told = f"{message} (found {value})" if value else message
    return told if offset is None else f"{told}, at offset {offset}"
