"""What can be asked of the writer, as plain values."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

UND, ABS, DEFINED = 0, 0xFFF1, 1  # st_shndx; DEFINED is the only "section" that we number
VER_NDX_LOCAL, VER_NDX_GLOBAL, VERSYM_HIDDEN = 0, 1, 0x8000
VER_FLG_BASE, VER_FLG_WEAK = 1, 2
PF_X, PF_W, PF_R = 1, 2, 4
ET_EXEC, ET_DYN = 2, 3
NT_GNU_BUILD_ID, NT_GNU_PROPERTY_TYPE_0 = 3, 5
GNU_PROPERTY_X86_ISA_1_NEEDED = 0xC0008002
PT_NOTE, PT_TLS, PT_GNU_PROPERTY = 4, 7, 0x6474E553
PT_GNU_STACK, PT_GNU_RELRO = 0x6474E551, 0x6474E552


class DT(int, Enum):
    """``d_tag`` of the entries that the writer makes itself."""

    NULL, NEEDED, PLTRELSZ, PLTGOT, HASH, STRTAB, SYMTAB = 0, 1, 2, 3, 4, 5, 6
    RELA, RELASZ, RELAENT, STRSZ, SYMENT, SONAME, RPATH = 7, 8, 9, 10, 11, 14, 15
    REL, RELSZ, RELENT, PLTREL, JMPREL = 17, 18, 19, 20, 23
    RUNPATH, FLAGS, RELRSZ, RELR, RELRENT = 29, 30, 35, 36, 37
    GNU_HASH, VERSYM, FLAGS_1 = 0x6FFFFEF5, 0x6FFFFFF0, 0x6FFFFFFB
    VERDEF, VERDEFNUM, VERNEED, VERNEEDNUM = 0x6FFFFFFC, 0x6FFFFFFD, 0x6FFFFFFE, 0x6FFFFFFF


class SHT(int, Enum):
    """``sh_type`` of the sections that the writer makes itself."""

    PROGBITS, SYMTAB, STRTAB, RELA, HASH, DYNAMIC, NOTE, REL = 1, 2, 3, 4, 5, 6, 7, 9
    DYNSYM, RELR, GNU_HASH = 11, 19, 0x6FFFFFF6
    VERDEF, VERNEED, VERSYM = 0x6FFFFFFD, 0x6FFFFFFE, 0x6FFFFFFF


class Binding(int, Enum):
    """The high half of ``st_info``."""

    LOCAL, GLOBAL, WEAK, GNU_UNIQUE = 0, 1, 2, 10


class Type(int, Enum):
    """The low half of ``st_info``."""

    NOTYPE, OBJECT, FUNC, SECTION, FILE, COMMON, TLS, GNU_IFUNC = 0, 1, 2, 3, 4, 5, 6, 10


class Visibility(int, Enum):
    """``st_other``'s low bits."""

    DEFAULT, INTERNAL, HIDDEN, PROTECTED = 0, 1, 2, 3


class Hash(Enum):
    """State of a hash table: the loader finds a symbol through it or not at all."""

    ABSENT = "absent"
    CORRECT = "correct"
    EMPTY = "empty"  # GNU: bloom filter of zeros; SysV: buckets of zeros. Nothing is found.
    WRONG = "wrong"  # GNU: hash values flipped; SysV: chains never end (a cycle)
    ENDLESS = "endless"  # GNU: no value has its end bit; SysV: nchain far beyond the table


@dataclass(frozen=True, slots=True)
class Machine:
    """A target: class, byte order, ``e_machine``, ``e_flags`` and its dynamic relocations."""

    name: str
    bits: int
    order: str  # "<" or ">", as in the struct module
    number: int
    flags: int = 0
    absolute: int = 1
    glob_dat: int = 6
    jump_slot: int = 7
    relative: int = 8
    rela: bool = True

    @property
    def word(self) -> int:
        """Bytes of an address."""
        return self.bits // 8


X86_64 = Machine("x86_64", 64, "<", 62)
I686 = Machine("i686", 32, "<", 3, rela=False)
AARCH64 = Machine("aarch64", 64, "<", 183, 0, 257, 1025, 1026, 1027)
ARMV7L = Machine("armv7l", 32, "<", 40, 0x05000400, 2, 21, 22, 23, rela=False)
PPC64LE = Machine("ppc64le", 64, "<", 21, 2, 38, 20, 21, 22)
PPC64 = Machine("ppc64", 64, ">", 21, 1, 38, 20, 21, 22)
S390X = Machine("s390x", 64, ">", 22, 0, 22, 10, 11, 12)
RISCV64 = Machine("riscv64", 64, "<", 243, 5, 2, 2, 5, 3)
LOONGARCH64 = Machine("loongarch64", 64, "<", 258, 0x43, 2, 2, 5, 3)
PPC32 = Machine("ppc", 32, ">", 20, 0, 1, 20, 21, 22)
MACHINES = (X86_64, I686, AARCH64, ARMV7L, PPC64LE, PPC64, S390X, RISCV64, LOONGARCH64, PPC32)


@dataclass(frozen=True, slots=True, kw_only=True)
class Symbol:
    """A dynamic symbol; ``version`` is a versym index, written only if there are versions."""

    name: str
    binding: int = Binding.GLOBAL
    type: int = Type.FUNC
    visibility: int = Visibility.DEFAULT
    shndx: int = UND
    value: int | None = None  # None: 0 if undefined or TLS, otherwise the address of ``text``
    size: int = 0
    version: int = VER_NDX_GLOBAL
    hidden: bool = False
    hashed: bool | None = None  # None: hashed if it is defined and not local, as linkers do


@dataclass(frozen=True, slots=True)
class NeededVersion:
    """One vernaux entry; ``hash`` None is the right one."""

    name: str
    index: int
    flags: int = 0
    hash: int | None = None


@dataclass(frozen=True, slots=True)
class VersionNeed:
    """One verneed entry: versions wanted of one file."""

    file: str
    versions: tuple[NeededVersion, ...]


@dataclass(frozen=True, slots=True)
class VersionDefinition:
    """One verdef entry; the base definition is written only if it is given."""

    name: str
    index: int
    flags: int = 0
    parents: tuple[str, ...] = ()
    hash: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Relocation:
    """One relocation; ``symbol`` is a name, or 1 + the place in ``Elf.symbols``, or 0 for none."""

    type: int
    symbol: str | int = 0
    addend: int = 0
    offset: int | None = None  # None: a slot of its own in the data


@dataclass(frozen=True, slots=True)
class Note:
    """One note, in a PT_NOTE segment of its own."""

    owner: bytes
    type: int
    description: bytes


@dataclass(frozen=True, slots=True)
class Section:
    """One more section without an address (``.comment``, ``.symtab``)."""

    name: str
    data: bytes
    type: int = SHT.PROGBITS
    link: str = ""  # name of the section that sh_link refers to


@dataclass(frozen=True, slots=True, kw_only=True)
class Elf:
    """What the file shall say. Everything absent is left out of the file."""

    machine: Machine = X86_64
    type: int = ET_DYN
    osabi: int = 0
    base: int = 0  # address of the first byte
    alignment: int = 0x1000  # p_align of the PT_LOADs
    interpreter: str | None = None  # also gives PT_PHDR
    needed: tuple[str, ...] = ()
    soname: str | None = None
    rpath: str | None = None
    runpath: str | None = None
    flags: int | None = None
    flags_1: int | None = None
    strings: tuple[tuple[int, str], ...] = ()  # further entries with a string (DT_FILTER …)
    entries: tuple[tuple[int, int], ...] = ()  # further entries, after all others
    entries_after_null: tuple[tuple[int, int], ...] = ()  # the loader never sees these
    symbols: tuple[Symbol, ...] = ()
    version_needs: tuple[VersionNeed, ...] = ()
    version_definitions: tuple[VersionDefinition, ...] = ()
    gnu_hash: Hash = Hash.CORRECT
    sysv_hash: Hash = Hash.ABSENT
    relocations: tuple[Relocation, ...] = ()  # DT_RELA or DT_REL, by machine
    plt_relocations: tuple[Relocation, ...] = ()  # DT_JMPREL
    relr: tuple[int, ...] = ()  # encoded words
    notes: tuple[Note, ...] = ()
    stack: int | None = PF_R | PF_W  # p_flags of PT_GNU_STACK, None: no such segment
    relro: bool = False
    tls: tuple[bytes, int] | None = None  # initial bytes and size in memory
    text: bytes = b"\0" * 16
    segments: tuple[tuple[int, int, int, int, int], ...] = ()  # type, flags, offset, vaddr, size
    dynamic: bool = True  # False: neither PT_DYNAMIC nor its entries (a static file)
    tail_merge: bool = False  # share the ends of strings in .dynstr, as GNU ld does
    sections: tuple[Section, ...] | None = None  # None: no section headers at all


@dataclass(frozen=True, slots=True)
class Place:
    """Where a part of the file lies."""

    offset: int
    address: int
    size: int


@dataclass(frozen=True, slots=True)
class Image:
    """A written file, its parts by section name, and the names in .dynsym's order."""

    data: bytes
    parts: Mapping[str, Place]
    symbols: tuple[str, ...]

    def patched(self, part: str, offset: int, replacement: bytes) -> bytes:
        """Return the file with ``replacement`` put ``offset`` bytes into a part."""
        start = self.parts[part].offset + offset
        return self.data[:start] + replacement + self.data[start + len(replacement) :]


def build_id(value: bytes) -> Note:
    """Return the GNU build-id note."""
    return Note(b"GNU", NT_GNU_BUILD_ID, value)


def gnu_properties(*words: tuple[int, int]) -> Note:
    """Return an ELF64 GNU property note of 32-bit words, as (type, value) pairs in ascending order."""
    written = b"".join(struct.pack("<IIII", kind, 4, value, 0) for kind, value in words)
    return Note(b"GNU", NT_GNU_PROPERTY_TYPE_0, written)


def x86_isa_needed(mask: int) -> Note:
    """Return an ELF64 GNU property note that asks for x86 ISA levels (1 base, 2 v2, 4 v3, 8 v4)."""
    return gnu_properties((GNU_PROPERTY_X86_ISA_1_NEEDED, mask))
