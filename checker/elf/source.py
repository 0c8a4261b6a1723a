"""The file as the reader asks it: by file offset, or by address through the PT_LOAD segments."""

from __future__ import annotations

from checker.model.elf import ElfReadError
from checker.model.record import record, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from checker.elf.encoding import Encoding
    from checker.model.elf import Segment
    from checker.model.sparse import SparseBytes

PT_LOAD = 1
_PAGE = 4096
"""The smallest page of the architectures that wheels are for: a larger one maps more."""


@record
class Source:
    """One file, its encoding and its loadable segments.

    Attributes:
        content: the kept bytes.
        encoding: class and byte order.
        loads: what the loader maps of the PT_LOAD segments that have bytes in the file, in file order; see
            :func:`mapped_loads`.
    """

    content: SparseBytes
    encoding: Encoding
    loads: tuple[Segment, ...]

    def read(self, offset: int, size: int, what: str) -> bytes:
        """The bytes ``[offset, offset + size)`` of the file.

        Raises:
            ElfReadError: they do not lie in the file.
            RangeMissing: they were not kept.
        """
        try:
            return self.content.read(offset, size)
        except EOFError:
            raise ElfReadError(offset, f"{what} ends outside the file", f"{size} bytes") from None

    def locate(self, address: int, what: str, referrer: int) -> tuple[int, int]:
        """File offset of an address, and how many mapped bytes of the file follow.

        Only the file-backed part of a segment counts: the loader fills the rest with zeros, and no table is made of those.

        Args:
            address: virtual address.
            what: name of what should be there, for the error.
            referrer: file offset of the field that holds the address, for the error.

        Raises:
            ElfReadError: no segment holds the address.
        """
        for load in self.loads:
            inside = address - load.address
            if 0 <= inside < load.file_size:
                return load.offset + inside, load.file_size - inside
        raise ElfReadError(referrer, f"the address of {what} lies in no loadable segment", hex(address))


def mapped_loads(loads: Iterable[Segment], file_size: int) -> tuple[Segment, ...]:
    """Segments in whole pages, and those of which one begins where the last one ends, in memory and in the file, as one.

    The loader reads tables by address and knows no end of a segment. patchelf puts a new first segment right before an old one,
    and what it moves there may reach into that, or into the rest of the page.
    """
    joined: list[Segment] = []
    for load in loads:
        pages = _whole_pages(load, file_size)
        last = joined[-1] if joined else None
        if last is not None and (pages.address, pages.offset) == (last.address + last.file_size, last.offset + last.file_size):
            joined[-1] = replace(last, file_size=last.file_size + pages.file_size)
        else:
            joined.append(pages)
    return tuple(joined)


def _whole_pages(load: Segment, file_size: int) -> Segment:
    """A segment with what else the file has in its pages.

    mmap takes whole pages only, so the kernel and glibc's elf/dl-load.c round both ends; behind the last byte they clear the
    page only where p_memsz exceeds p_filesz. A segment that cannot be mapped so stays as it is.
    """
    before = load.address % _PAGE
    if load.offset % _PAGE != before:
        return load
    after = -(load.address + load.file_size) % _PAGE if load.memory_size == load.file_size else 0
    offset = load.offset - before
    return replace(
        load, offset=offset, address=load.address - before, file_size=min(before + load.file_size + after, file_size - offset)
    )
