"""One member after another: streamed once, hashed, checked, told apart, and handed on."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from checker.archive.errors import ArchiveError, MemberError, phrase
from checker.archive.keep import Keep
from checker.model.artifact import FileKind, Member, Oddity, ReadProblem
from checker.model.sparse import SparseBytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol
else:
    Protocol = object  # structural types say nothing at run time, and typing is slow to import

if TYPE_CHECKING:
    from collections.abc import Iterator

    from checker.archive.codec import Codec
    from checker.archive.content import Content
    from checker.archive.limits import Limits
    from checker.model.artifact import OddityKind

HEAD = 1 << 16
"""A planner sees at least so many bytes of a file, or all of it."""
_LONGEST_LINK = 1 << 12
"""PATH_MAX of Linux: no longer target of a symbolic link can be created."""
_ELF_MAGIC = b"\x7fELF"
_ZIP_MAGICS = (b"PK\3\4", b"PK\5\6")
_AR_MAGICS = (b"!<arch>\n", b"!<thin>\n")

Ranges = Iterable[tuple[int, int]]
"""``(offset, size)`` pairs in a file, in any order."""


class Planner(Protocol):
    """Chooses what to keep of an ELF file."""

    def __call__(self, head: bytes, size: int, /) -> Ranges | None:
        """The ranges wanted; ``None`` to keep nothing.

        Args:
            head: the file's first bytes: at least the smaller of 64 KiB and all.
            size: the file's size as the container claims it.
        """


Reread = Callable[[Ranges], SparseBytes]
"""Streams the same member again for other ranges, no further than the last wanted byte.

Raises :class:`~checker.archive.errors.ArchiveError` when the member cannot be read again or a limit is reached.
Works only until the callback that was given it returns.
"""

OnElf = Callable[[Member, SparseBytes, Reread], None]
"""Takes each ELF member that could be read whole, its kept ranges, and the way to ask for more; then the bytes are dropped."""

OnProgress = Callable[[int, int], None]
"""Takes the bytes of the artifact that were done, and all of them (0 where that is not known: a directory)."""


def kind_of(head: bytes) -> FileKind:
    """What a file is, by its first bytes (8 of them tell)."""
    if head.startswith(_ELF_MAGIC):
        return FileKind.ELF
    if head.startswith(_AR_MAGICS):
        return FileKind.ARCHIVE
    if head.startswith(_ZIP_MAGICS):
        return FileKind.ZIP
    return FileKind.OTHER


class Reader:
    """Reads the members of one artifact and gathers what is told of them.

    Attributes:
        members: in the order of the artifact.
        problems: what could not be read.
        oddities: what two readers could see differently.
        texts: of the members that ``wants_text`` chose, whole, in the order of the artifact; ``None`` for one that is
            there and could not be read.
    """

    def __init__(
        self,
        name: str,
        codec: Codec,
        planner: Planner,
        on_elf: OnElf,
        limits: Limits,
        *,
        wants_text: Callable[[str, int], bool] = lambda _path, _size: False,
    ) -> None:
        """``name`` is the artifact's own, for problems of the whole; ``wants_text`` is asked with path and claimed size."""
        self.members: list[Member] = []
        self.problems: list[ReadProblem] = []
        self.oddities: list[Oddity] = []
        self.texts: list[tuple[str, bytes | None]] = []
        self._name = name
        self._codec = codec
        self._planner = planner
        self._on_elf = on_elf
        self._limits = limits
        self._wants_text = wants_text
        self._spent = 0

    def note(self, reason: str) -> None:
        """Record a problem of the whole artifact."""
        self.problems.append(ReadProblem(file=self._name, reason=reason))

    def note_member(self, path: str, reason: str) -> None:
        """Record a problem of one member."""
        self.problems.append(ReadProblem(file=path, reason=reason))

    def odd(self, kind: OddityKind, what: str) -> None:
        """Record an oddity of the whole artifact."""
        self.odd_member(self._name, kind, what)

    def odd_member(self, path: str, kind: OddityKind, what: str) -> None:
        """Record an oddity of one member."""
        self.oddities.append(Oddity(file=path, kind=kind, what=what))

    def run(self, contents: Iterable[Content], size: int, on_progress: OnProgress | None) -> None:
        """Read all members; ``size`` is the artifact's own, for the progress."""
        done = unread = 0
        for content in contents:
            if self._spent >= self._limits.total_size:
                unread += 1
                self.members.append(_member(content, 0, "", FileKind.OTHER, None))
                continue
            self._read(content)
            done += content.packed
            if on_progress is not None:
                on_progress(done, size)
        if unread:
            self.note(str(self._limits.exceeded("total_size", f"{unread} further members were not read")))

    def _read(self, content: Content) -> None:
        """Stream one member; whatever goes wrong with its bytes becomes a problem of this member alone."""
        is_text = self._wants_text(content.path, content.size)
        kind, keep, position, crc, digest, fault = FileKind.OTHER, None, 0, 0, self._codec.sha256(), ""
        cap = self._cap(content)
        update, crc32 = digest.update, self._codec.crc32
        try:
            chunks = content.open(lambda kind, what: self.odd_member(content.path, kind, what))
            chunk = _head(chunks)
            kind = FileKind.OTHER if content.is_link else kind_of(chunk)
            keep = self._keep(content, kind, chunk, is_text=is_text)
            while chunk:
                update(chunk)
                if content.crc is not None:
                    crc = crc32(chunk, crc)
                if keep is not None:
                    keep.feed(position, chunk)
                position += len(chunk)
                if position > cap:
                    raise self._crossed(content, cap)
                chunk = next(chunks, b"")
            _verify(content, position, crc)
        except (MemberError, ArchiveError) as error:
            fault = phrase(error.offset, error.message, error.value)
            self.note_member(content.path, fault)
        self._spent += position
        parts = keep.parts() if keep is not None and not fault else ()
        link = parts[0][1].decode("utf-8", "backslashreplace") if content.is_link and parts else None
        member = _member(content, position, "" if fault else digest.hexdigest(), kind, link)
        self.members.append(member)
        if is_text:
            self.texts.append((content.path, None if fault else b"".join(part for _, part in parts)))
        if kind is FileKind.ELF and not fault:
            self._on_elf(member, SparseBytes(size=position, parts=parts), _Rereader(content, position, self._limits))

    def _cap(self, content: Content) -> int:
        """No more bytes of this member are taken."""
        limits = self._limits
        left = limits.total_size - self._spent
        return min(content.size, limits.member_size, left, max(limits.ratio_from, limits.ratio * content.packed))

    def _crossed(self, content: Content, cap: int) -> MemberError:
        """Why this member ends at ``cap``."""
        limits = self._limits
        if cap == content.size:
            return MemberError(None, f"it holds more than the {cap} bytes that it is said to have; build the artifact again")
        told = f"it was read up to byte {cap} only"
        if cap == limits.member_size:
            return limits.exceeded("member_size", told)
        if cap == limits.total_size - self._spent:
            return limits.exceeded("total_size", told)
        return limits.exceeded("ratio", f"{told}, unpacked from {content.packed}: this may be a decompression bomb")

    def _keep(self, content: Content, kind: FileKind, head: bytes, *, is_text: bool) -> Keep | None:
        """What to hold of a member; ``None`` for nothing."""
        limits = self._limits
        if content.is_link:
            if content.size > _LONGEST_LINK:
                raise MemberError(None, f"a symbolic link's target has at most {_LONGEST_LINK} bytes", f"{content.size} bytes")
            return Keep([(0, content.size)], content.size)
        if is_text:
            if content.size > limits.text_size:
                raise limits.exceeded("text_size", f"it has {content.size} bytes of text")
            return Keep([(0, content.size)], content.size)
        if kind is not FileKind.ELF:
            return None
        ranges = self._planner(head, content.size)
        keep = Keep(ranges, content.size) if ranges is not None else None
        # Beyond the limit nothing is kept: a reader that can do with less asks for it, and else meets the limit there.
        return keep if keep is not None and keep.wanted <= limits.kept_size else None


def _head(chunks: Iterator[bytes]) -> bytes:
    """The first chunk, joined with those after it until it is long enough to be judged by."""
    head = next(chunks, b"")
    while head and len(head) < HEAD:
        more = next(chunks, b"")
        if not more:
            break
        head += more
    return head


def _verify(content: Content, size: int, crc: int) -> None:
    if size != content.size:
        raise MemberError(None, f"it has {size} bytes, and is said to have {content.size}; build the artifact again")
    if content.crc is not None and crc != content.crc:
        raise MemberError(
            None,
            "its CRC-32 is wrong: the bytes are damaged; build or download again",
            f"{crc:08x}, recorded {content.crc:08x}",
        )


def _member(content: Content, size: int, digest: str, kind: FileKind, link: str | None) -> Member:
    return Member(path=content.path, size=size, mode=content.mode, sha256=digest, kind=kind, link=link)


class _Rereader:
    """Further passes over one member, counted."""

    def __init__(self, content: Content, size: int, limits: Limits) -> None:
        self._content = content
        self._size = size
        self._limits = limits
        self._passes = 0

    def __call__(self, ranges: Ranges) -> SparseBytes:
        """See ``Reread``."""
        limits = self._limits
        path = self._content.path
        keep = Keep(ranges, self._size)
        self._passes += 1
        if self._passes > limits.passes:
            raise ArchiveError(path, None, limits.exceeded("passes", "its tables lie too far apart").message)
        if keep.wanted > limits.kept_size:
            raise ArchiveError(path, None, limits.exceeded("kept_size", f"its tables take {keep.wanted} bytes").message)
        position = 0
        try:
            chunks = self._content.open(lambda _kind, _what: None)
            while position < keep.last:
                chunk = next(chunks, b"")
                if not chunk:
                    break
                keep.feed(position, chunk)
                position += len(chunk)
        except MemberError as error:
            raise ArchiveError(path, error.offset, error.message, error.value) from None
        if position < keep.last:
            raise ArchiveError(path, None, "the file changed while it was read; start again when it is complete")
        return SparseBytes(size=self._size, parts=keep.parts())
