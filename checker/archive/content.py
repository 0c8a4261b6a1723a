"""What every container hands to the scan: one file after another, each openable as a stream of chunks."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from checker.model.artifact import OddityKind
from checker.model.record import record

Note = Callable[[str], None]
"""Takes a reason: something of the artifact that could not be checked."""

Odd = Callable[[OddityKind, str], None]
"""Takes the kind of an oddity and a phrase: something that another reader may take differently."""


@record
class Content:
    """One file of a container.

    A container is a function that yields these; the scan does everything else. So a further form (tar, ar, an archive
    within an archive) is one more such function.

    Attributes:
        path: in the artifact, with ``/``.
        mode: permission bits; 0 when the container does not tell them.
        size: unpacked bytes, as the container claims: never trusted, and never allocated.
        packed: bytes that it takes in the container; equal to ``size`` where nothing is packed.
        crc: CRC-32 that the container records; ``None`` when it records none.
        is_link: the bytes are the target of a symbolic link.
        open: starts a pass over the bytes: non-empty chunks, not more than 256 KiB each; may be called several
            times. It is handed what takes the member's oddities, and raises
            :class:`~checker.archive.errors.MemberError` when it cannot go on.
    """

    path: str
    mode: int
    size: int
    packed: int
    crc: int | None
    is_link: bool
    open: Callable[[Odd], Iterator[bytes]]
