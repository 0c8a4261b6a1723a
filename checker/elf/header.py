"""The file header and the program headers (gABI chapters 4 and 5)."""

from __future__ import annotations

from checker.elf.encoding import encoding
from checker.model.elf import ElfIdentity, ElfReadError, ElfType, Machine, Segment
from checker.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from checker.elf.encoding import Encoding
    from checker.model.sparse import SparseBytes

MAGIC = b"\x7fELF"
_IDENT_SIZE = 16
_CLASSES = {1: 32, 2: 64}
_ORDERS = {1: True, 2: False}
_EV_CURRENT = 1
_PN_XNUM = 0xFFFF
_LIMIT = 0xFFFF
"""Program headers that are read at most. Loaders know no more than ``e_phnum`` can tell; only core dumps go beyond it."""


@record
class Header:
    """The file header.

    Attributes:
        identity: what the facts keep of it.
        encoding: class and byte order.
        program_headers: file offset of the program headers.
        program_header_count: ``e_phnum``, not yet resolved when it is PN_XNUM.
        section_headers: file offset of the section headers; 0 when there are none.
        section_header_size: ``e_shentsize``.
        section_header_count: ``e_shnum``.
        section_names: ``e_shstrndx``.
    """

    identity: ElfIdentity
    encoding: Encoding
    program_headers: int
    program_header_count: int
    section_headers: int
    section_header_size: int
    section_header_count: int
    section_names: int


def read_header(content: SparseBytes) -> Header:
    """The file header, checked as far as the loader checks it (glibc ``elf/dl-load.c``, ``open_verify``).

    Raises:
        ElfReadError: no ELF file, or one of a class, byte order, version or program header size that nothing reads.
    """
    ident = _read(content, 0, _IDENT_SIZE, "the file header")
    if not ident.startswith(MAGIC):
        raise ElfReadError(0, "not an ELF file, which begins with 7f 45 4c 46", ident[:4].hex(" "))
    bits = _CLASSES.get(ident[4])
    if bits is None:
        raise ElfReadError(4, "unknown file class (EI_CLASS)", ident[4])
    little_endian = _ORDERS.get(ident[5])
    if little_endian is None:
        raise ElfReadError(5, "unknown byte order (EI_DATA)", ident[5])
    if ident[6] != _EV_CURRENT:
        raise ElfReadError(6, "unknown ELF version (EI_VERSION)", ident[6])
    code = encoding(bits, little_endian)
    fields = code.file_header.unpack(_read(content, _IDENT_SIZE, code.file_header.size, "the file header"))
    kind, machine, version, _, phoff, shoff, flags, _, phentsize, phnum, shentsize, shnum, shstrndx = fields
    if version != _EV_CURRENT:
        raise ElfReadError(20, "unknown ELF version (e_version)", version)
    if phnum and phentsize != code.program_header.size:
        at = 42 if bits == 32 else 54  # noqa: PLR2004
        raise ElfReadError(at, f"a program header's size (e_phentsize) is not {code.program_header.size}", phentsize)
    return Header(
        identity=ElfIdentity(
            bits=bits,
            little_endian=little_endian,
            machine=Machine(machine),
            type=ElfType(kind),
            os_abi=ident[7],
            abi_version=ident[8],
            flags=flags,
        ),
        encoding=code,
        program_headers=phoff,
        program_header_count=phnum,
        section_headers=shoff,
        section_header_size=shentsize,
        section_header_count=shnum,
        section_names=shstrndx,
    )


def read_segments(content: SparseBytes, header: Header) -> tuple[Segment, ...]:
    """The program headers, in file order.

    Raises:
        ElfReadError: the table does not lie in the file.
        RangeMissing: it was not kept.
    """
    count = _program_header_count(content, header)
    if count == 0:
        return ()
    record = header.encoding.program_header
    table = _read(content, header.program_headers, count * record.size, "the program header table")
    if header.identity.bits == 64:  # noqa: PLR2004
        rows = record.iter_unpack(table)
    else:
        rows = ((kind, flags, *where, align) for kind, *where, flags, align in record.iter_unpack(table))
    return tuple(
        Segment(
            type=kind,
            flags=flags,
            offset=offset,
            address=address,
            file_size=file_size,
            memory_size=memory_size,
            alignment=alignment,
        )
        for kind, flags, offset, address, _, file_size, memory_size, alignment in rows
    )


def _program_header_count(content: SparseBytes, header: Header) -> int:
    """``e_phnum``, or ``sh_info`` of the first section header where ``e_phnum`` is PN_XNUM (gABI, "ELF Header")."""
    if header.program_header_count != _PN_XNUM or header.section_headers == 0:
        return header.program_header_count
    record = header.encoding.section_header
    raw = _read(content, header.section_headers, record.size, "the first section header, which counts the program headers,")
    count: int = record.unpack(raw)[7]
    if count > _LIMIT:
        raise ElfReadError(header.section_headers, f"more than {_LIMIT} program headers", count)
    return count


def _read(content: SparseBytes, offset: int, size: int, what: str) -> bytes:
    try:
        return content.read(offset, size)
    except EOFError:
        raise ElfReadError(offset, f"{what} ends outside the file, which has {content.size} bytes", f"{size} bytes") from None
