"""What an ELF file says, read as the dynamic loader reads it.

Names are those of the gABI (System V Application Binary Interface, chapters 4 and 5), of glibc's ``elf/elf.h`` and of the GNU
symbol versioning specification (LSB 5.0 Core, chapter 10.7). Symbol and reference tables are kept in columns: a large library
has half a million symbols, and a Python object for each would cost more than all the rest of an audit.
"""

from __future__ import annotations

import struct
import sys
from array import array
from enum import Enum, IntFlag
from itertools import compress
from operator import and_, gt, not_

from checker.model.openenum import OpenIntEnum
from checker.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from checker.model.hashes import GnuHash, SysvHash


_WIDE = 64
_SHN_ABS = 0xFFF1
_LONGEST_NAME = 1 << 16
_MOST_OVERLAP = 8
_NOT_LOCAL = bytes(1 if info >> 4 else 0 for info in range(256))


class Machine(OpenIntEnum):
    """``e_machine`` values of the manylinux and musllinux architectures, and of their usual neighbours."""

    EM_386 = 3
    EM_MIPS = 8
    EM_PPC = 20
    EM_PPC64 = 21
    EM_S390 = 22
    EM_ARM = 40
    EM_X86_64 = 62
    EM_AARCH64 = 183
    EM_CUDA = 190
    EM_AMDGPU = 224
    EM_RISCV = 243
    EM_BPF = 247
    EM_LOONGARCH = 258


class ElfType(OpenIntEnum):
    """``e_type``."""

    ET_NONE = 0
    ET_REL = 1
    ET_EXEC = 2
    ET_DYN = 3
    ET_CORE = 4


class Binding(OpenIntEnum):
    """``ELF_ST_BIND``."""

    STB_LOCAL = 0
    STB_GLOBAL = 1
    STB_WEAK = 2
    STB_GNU_UNIQUE = 10


class SymbolType(OpenIntEnum):
    """``ELF_ST_TYPE``."""

    STT_NOTYPE = 0
    STT_OBJECT = 1
    STT_FUNC = 2
    STT_SECTION = 3
    STT_FILE = 4
    STT_COMMON = 5
    STT_TLS = 6
    STT_GNU_IFUNC = 10


class Visibility(OpenIntEnum):
    """``ELF_ST_VISIBILITY``."""

    STV_DEFAULT = 0
    STV_INTERNAL = 1
    STV_HIDDEN = 2
    STV_PROTECTED = 3


class Use(IntFlag):
    """How relocations use a symbol; a reference that no relocation makes is ``NONE`` and is never looked up.

    The classes are those that the loader tells apart (glibc ``elf/do-rel.h`` and ``elf_machine_type_class`` of
    ``sysdeps/*/dl-machine.h``).
    """

    NONE = 0
    JUMP_SLOT = 1
    """A PLT slot, which may wait for the first call."""
    GLOB_DAT = 2
    """A GOT entry."""
    ABSOLUTE = 4
    """An address written into data, or a PC-relative reference from text."""
    COPY = 8
    """The executable's own copy of a library's data."""
    TLS_MODULE = 16
    """DTPMOD or DTPOFF: general dynamic thread-local storage."""
    TLS_OFFSET = 32
    """TPOFF: initial-exec thread-local storage."""
    TLS_DESCRIPTOR = 64
    OTHER = 128
    """A type that this program cannot name for the machine."""


class View(Enum):
    """Where the facts were read from."""

    DYNAMIC = "dynamic"
    """Program headers and PT_DYNAMIC, as the loader does."""
    SECTIONS = "sections"
    """No PT_DYNAMIC: a static executable or a relocatable object; only headers and notes are told."""


class Stack(Enum):
    """What PT_GNU_STACK asks for."""

    NOT_EXECUTABLE = "not executable"
    EXECUTABLE = "executable"
    ABSENT = "absent"
    """No PT_GNU_STACK: the architecture's default, executable on x86."""


class Relro(Enum):
    """How much of the relocated data is made read-only after relocation."""

    NONE = "none"
    PARTIAL = "partial"
    FULL = "full"


@record
class ElfIdentity:
    """The ELF header's identification.

    Attributes:
        bits: 32 or 64 (``EI_CLASS``).
        little_endian: ``EI_DATA`` is ELFDATA2LSB.
        machine: ``e_machine``.
        type: ``e_type``.
        os_abi: ``EI_OSABI``.
        abi_version: ``EI_ABIVERSION``.
        flags: ``e_flags``, whose meaning is the machine's.
    """

    bits: int
    little_endian: bool
    machine: Machine
    type: ElfType
    os_abi: int
    abi_version: int
    flags: int

    @property
    def architecture(self) -> str:
        """As in platform tags (``x86_64``, ``armv7l``, ``ppc64le`` …); ``EM_…-bits-endianness`` for what no tag names."""
        known = ARCHITECTURES.get((self.machine, self.bits, self.little_endian))
        return known or f"{self.machine}-{self.bits}-{'little' if self.little_endian else 'big'}"


ARCHITECTURES = {
    (Machine.EM_386, 32, True): "i686",
    (Machine.EM_X86_64, 64, True): "x86_64",
    (Machine.EM_AARCH64, 64, True): "aarch64",
    (Machine.EM_ARM, 32, True): "armv7l",
    (Machine.EM_PPC64, 64, True): "ppc64le",
    (Machine.EM_PPC64, 64, False): "ppc64",
    (Machine.EM_S390, 64, False): "s390x",
    (Machine.EM_RISCV, 64, True): "riscv64",
    (Machine.EM_LOONGARCH, 64, True): "loongarch64",
}
"""Machine, bits and byte order (little-endian?) → the name that platform tags have for it."""


@record
class Segment:
    """One program header; offsets, addresses and sizes in bytes."""

    type: int
    flags: int
    offset: int
    address: int
    file_size: int
    memory_size: int
    alignment: int


@record
class NeededVersion:
    """One ``Elf_Vernaux``: a version wanted of a file.

    Attributes:
        name: version name, such as ``GLIBC_2.34``.
        hash: ``vna_hash`` as written.
        weak: ``VER_FLG_WEAK`` is set: its absence is forgiven at the load-time check.
        index: low 15 bits of ``vna_other``: the version index that symbols use.
        hidden: bit 15 of ``vna_other``.
    """

    name: bytes
    hash: int
    weak: bool
    index: int
    hidden: bool


@record
class VersionNeed:
    """One ``Elf_Verneed``: the versions wanted of one file."""

    file: str
    versions: tuple[NeededVersion, ...]


@record
class VersionDefinition:
    """One ``Elf_Verdef``, in file order; ``base`` is ``VER_FLG_BASE``, the file's own name."""

    name: bytes
    hash: int
    index: int
    base: bool
    weak: bool


@record
class Definition:
    """One entry of an object's dynamic symbols under a name, as a lookup meets it.

    Attributes:
        version: the version's name; ``None`` where the index names none (0 local, 1 base, or no version table).
        index: version index without the hidden bit; 1 where the object has no version table.
        hidden: the hidden bit: a versioned ``name@V`` that an unversioned reference should not meet.
        binding, type, visibility: as in the symbol.
        defined: ``st_shndx`` is not SHN_UNDEF.
        absolute: ``st_shndx`` is SHN_ABS.
        value: ``st_value``.
        symbol: index in the dynamic symbol table; -1 in platform data, which has none.
    """

    version: bytes | None
    index: int
    hidden: bool
    binding: int
    type: int
    visibility: int
    defined: bool
    absolute: bool
    value: int
    symbol: int


@record
class SymbolTable:
    """The dynamic symbols, as bytes and columns.

    Attributes:
        count: number of entries, entry 0 (the null symbol) included.
        raw: the ``Elf32_Sym`` or ``Elf64_Sym`` entries as in the file.
        strings: the whole DT_STRTAB.
        versions: DT_VERSYM, one 16-bit value an entry; ``None`` without DT_VERSYM.
        version_names: version index → name, from verneed and verdef together; index 0, 1 and unknown ones are absent.
        bits: 32 or 64.
        little_endian: byte order of ``raw``.
        gnu_hash, sysv_hash: the hash tables; the loader finds definitions through these only.
    """

    count: int
    raw: bytes
    strings: bytes
    versions: Sequence[int] | None
    version_names: dict[int, bytes]
    bits: int
    little_endian: bool
    gnu_hash: GnuHash | None
    sysv_hash: SysvHash | None

    @property
    def _entry_size(self) -> int:
        return 24 if self.bits == _WIDE else 16

    def name(self, symbol: int) -> bytes:
        """The name of entry ``symbol``; empty where its offset lies outside the string table."""
        order = "<" if self.little_endian else ">"
        (offset,) = struct.unpack_from(order + "I", self.raw, symbol * self._entry_size)
        end = self.strings.find(b"\0", offset)
        return self.strings[offset:end] if end >= 0 else b""

    def definition(self, symbol: int) -> Definition:
        """Entry ``symbol`` as a :class:`Definition`."""
        info, visibility, section, value = self.fields(symbol)
        version = self.versions[symbol] if self.versions is not None else 1
        index = version & 0x7FFF
        return Definition(
            version=self.version_names.get(index),
            index=index,
            hidden=bool(version & 0x8000),
            binding=info >> 4,
            type=info & 15,
            visibility=visibility,
            defined=section != 0,
            absolute=section == _SHN_ABS,
            value=value,
            symbol=symbol,
        )

    def fields(self, symbol: int) -> tuple[int, int, int, int]:
        """``st_info``, the visibility, ``st_shndx`` and ``st_value`` of entry ``symbol``."""
        order = "<" if self.little_endian else ">"
        if self.bits == _WIDE:
            _, info, other, section, value, _ = struct.unpack_from(order + "IBBHQQ", self.raw, symbol * 24)
        else:
            _, value, _, info, other, section = struct.unpack_from(order + "IIIBBH", self.raw, symbol * 16)
        return info, other & 3, section, value

    def other(self, symbol: int) -> int:
        """``st_other`` of entry ``symbol``: the visibility, and what the machine keeps beside it."""
        return self.raw[symbol * 24 + 5] if self.bits == _WIDE else self.raw[symbol * 16 + 13]

    def definitions(self, name: bytes) -> tuple[Definition, ...]:
        """Every entry of that name that the object's hash table leads to, in the order of its chain.

        GNU hash is used where present, else SysV (glibc ``elf/dl-lookup.c``, ``do_lookup_x``); with no table, nothing is found.
        Undefined entries can be among them (canonical PLT entries): the loader's rules sort them out.
        """
        if self.gnu_hash is not None:
            found = self.gnu_hash.candidates(name)
        elif self.sysv_hash is not None:
            found = self.sysv_hash.candidates(name)
        else:
            return ()
        matches = (symbol for symbol in found if symbol < self.count and self._is_named(symbol, name))
        return tuple(self.definition(symbol) for symbol in matches)

    def columns(self) -> tuple[bytes, bytes, Sequence[int], Sequence[int]]:
        """``st_info``, ``st_other``, ``st_shndx`` and ``st_value`` of every entry."""
        if self.bits == _WIDE:
            return self.raw[4::24], self.raw[5::24], self._column("H", self.raw)[3::12], self._column("Q", self.raw)[1::3]
        return self.raw[12::16], self.raw[13::16], self._column("H", self.raw)[7::8], self._column("I", self.raw)[1::4]

    def columns_of_exports(self) -> tuple[Sequence[int], bytes]:
        """Name offset of every entry, and 1 for each entry that a lookup could take: not local, and defined or with a value."""
        wide = self.bits == _WIDE
        words = self._column("I", self.raw)
        offsets = words[0 :: 6 if wide else 4]
        sections = self._column("H", self.raw)[3::12] if wide else self._column("H", self.raw)[7::8]
        infos = self.raw[4::24] if wide else self.raw[12::16]
        values = self._column("Q", self.raw)[1::3] if wide else words[1::4]
        undefined = bytes(map(not_, sections))
        if any(compress(values, undefined)):
            # Only an executable's canonical PLT entries have a value without a section.
            undefined = bytes(map(and_, undefined, map(not_, values)))
        return offsets, bytes(map(gt, infos.translate(_NOT_LOCAL), undefined))

    def exported(self) -> Iterator[tuple[int, bytes]]:
        """Index and name of every definition that is not local, in table order; for seldom questions, as each name costs.

        It ends early where names overlap beyond what any linker does.
        """
        offsets, chosen = self.columns_of_exports()
        left = _MOST_OVERLAP * len(self.strings) + _LONGEST_NAME
        for symbol in compress(range(self.count), chosen):
            end = self.strings.find(b"\0", offsets[symbol], offsets[symbol] + _LONGEST_NAME)
            left -= max(end - offsets[symbol], 0)
            if left < 0:
                return
            if end > offsets[symbol]:
                yield symbol, self.strings[offsets[symbol] : end]

    def has_global_of(self, visibilities: Iterable[int]) -> bool:
        """Some entry that is neither local nor undefined has one of these visibilities."""
        wanted = bytes(1 if other & 3 in set(visibilities) else 0 for other in range(256))
        others = (self.raw[5::24] if self.bits == _WIDE else self.raw[13::16]).translate(wanted)
        if 1 not in others:
            return False
        _, chosen = self.columns_of_exports()
        return any(compress(others, chosen))

    def _column(self, code: str, raw: bytes) -> array[int]:
        column = array(code, raw)
        if self.little_endian != (sys.byteorder == "little"):
            column.byteswap()
        return column

    def _is_named(self, symbol: int, name: bytes) -> bool:
        order = "<" if self.little_endian else ">"
        (offset,) = struct.unpack_from(order + "I", self.raw, symbol * self._entry_size)
        return self.strings.startswith(name + b"\0", offset)


@record
class Import:
    """One undefined dynamic symbol.

    Attributes:
        symbol: index in the dynamic symbol table.
        name: as in the string table.
        version: the wanted version's name; ``None`` for an unversioned reference (index 0 or 1, or no DT_VERSYM).
        version_index: low 15 bits of the DT_VERSYM entry; 1 without a table.
        weak: STB_WEAK.
        visibility: ``ELF_ST_VISIBILITY``.
        uses: how relocations use it; ``Use.NONE`` when none does.
    """

    symbol: int
    name: bytes
    version: bytes | None
    version_index: int
    weak: bool
    visibility: int
    uses: Use


@record
class Imports:
    """The undefined dynamic symbols of binding GLOBAL or WEAK (entry 0 left out), by column, in table order.

    Attributes:
        symbols: indices in the dynamic symbol table.
        names: their names.
        version_indices: low 15 bits of their DT_VERSYM entries (1 without a table).
        weak: 1 where STB_WEAK, else 0.
        visibilities: ``ELF_ST_VISIBILITY`` of each.
        uses: the :class:`Use` bits of each; 0 when no relocation uses it.
    """

    symbols: Sequence[int]
    names: tuple[bytes, ...]
    version_indices: Sequence[int]
    weak: bytes
    visibilities: bytes
    uses: bytes

    def __len__(self) -> int:
        return len(self.names)


@record
class Note:
    """A note that has no field of its own: owner name, type, description bytes (cut at 4 KiB)."""

    owner: str
    type: int
    description: bytes


@record
class DlopenNote:
    """One entry of a ``.note.dlopen`` (systemd's ELF dlopen metadata): sonames tried in order."""

    sonames: tuple[str, ...]
    feature: str
    priority: str
    description: str


@record
class Notes:
    """What PT_NOTE segments tell.

    Attributes:
        build_id: NT_GNU_BUILD_ID in lower-case hex.
        abi_tag: NT_GNU_ABI_TAG as (operating system, major, minor, patch): the oldest kernel.
        x86_isa_needed: GNU_PROPERTY_X86_ISA_1_NEEDED bits; 0 without.
        properties: every GNU property as (type, data bytes).
        dlopen: libraries that the code may open by name.
        others: all other notes.
    """

    build_id: str | None
    abi_tag: tuple[int, int, int, int] | None
    x86_isa_needed: int
    properties: tuple[tuple[int, bytes], ...]
    dlopen: tuple[DlopenNote, ...]
    others: tuple[Note, ...]


@record
class Strippable:
    """What an executable or shared object holds that nothing needs which runs it; 0 for relocatable objects, which need it.

    Attributes:
        symbols: bytes of the SHT_SYMTAB sections and of their string tables.
        debug: bytes of the sections for debuggers (DWARF and stabs), as they are in the file: often compressed. What is less
            than 64 KiB in all may be told as 0.
    """

    symbols: int
    debug: int


@record
class CutPart:
    """A part that the headers tell of and that lies beyond the end of the file, in whole or in part; no loader reads it.

    Attributes:
        what: ``section header table``, a section's name or ``section 5``, or ``segment of type 0x…``.
        offset, size: as the headers have them, in bytes.
    """

    what: str
    offset: int
    size: int


@record
class ElfFacts:
    """Everything that the checks ask of one ELF file.

    Attributes:
        path: the member's path in the artifact.
        size: bytes of the file.
        identity: the ELF header.
        view: where the facts come from.
        segments: the program headers, in file order.
        interpreter: PT_INTERP.
        dynamic: every (tag, value) before DT_NULL, in order.
        needed: DT_NEEDED in order.
        soname, rpath, runpath: DT_SONAME, DT_RPATH and DT_RUNPATH as written; ``None`` when absent. (The loader ignores
            DT_RPATH beside DT_RUNPATH; the facts keep both.)
        auxiliary, filter: DT_AUXILIARY and DT_FILTER, in order.
        flags, flags_1: DT_FLAGS and DT_FLAGS_1; 0 when absent.
        bind_now: DT_BIND_NOW, DF_BIND_NOW or DF_1_NOW.
        symbolic: DT_SYMBOLIC or DF_SYMBOLIC.
        text_relocations: DT_TEXTREL or DF_TEXTREL.
        static_tls: DF_STATIC_TLS, or a relocation of the initial-exec model.
        stack, relro: see the enums.
        has_relr: DT_RELR is present with a size.
        symbols: the dynamic symbols.
        imports: the undefined ones.
        self_references: indices of *defined* symbols of binding other than LOCAL that relocations refer to by name (they
            can be preempted), ascending.
        self_uses: a :class:`Use` for each of ``self_references``, as a byte.
        relocation_types: the relocation types that occur, ascending.
        version_needs, version_definitions: DT_VERNEED and DT_VERDEF.
        notes: PT_NOTE.
        comment: the strings of ``.comment`` where section headers tell it; empty otherwise.
        strippable: what a strip would remove, where section headers tell it (nothing without any); ``None`` where there are
            some that cannot be read.
        cut: what the file lacks at its end though the loader does not miss it, in the order of the headers; the first of many.
        opened_names: literals in read-only data that look like library names, where the object imports ``dlopen``, sorted;
            ``None`` where it does and that data was not kept (files above 8 MiB).
    """

    path: str
    size: int
    identity: ElfIdentity
    view: View
    segments: tuple[Segment, ...]
    interpreter: str | None
    dynamic: tuple[tuple[int, int], ...]
    needed: tuple[str, ...]
    soname: str | None
    rpath: str | None
    runpath: str | None
    auxiliary: tuple[str, ...]
    filter: tuple[str, ...]
    flags: int
    flags_1: int
    bind_now: bool
    symbolic: bool
    text_relocations: bool
    static_tls: bool
    stack: Stack
    relro: Relro
    has_relr: bool
    symbols: SymbolTable
    imports: Imports
    self_references: Sequence[int]
    self_uses: bytes
    relocation_types: tuple[int, ...]
    version_needs: tuple[VersionNeed, ...]
    version_definitions: tuple[VersionDefinition, ...]
    notes: Notes
    comment: tuple[str, ...]
    strippable: Strippable | None
    cut: tuple[CutPart, ...] = ()
    opened_names: tuple[str, ...] | None = ()

    @property
    def is_dynamic(self) -> bool:
        """It has a PT_DYNAMIC: a loader deals with it."""
        return self.view is View.DYNAMIC

    def each_import(self) -> Iterator[Import]:
        """The imports as objects, in table order; for messages and small files (the columns are for bulk work)."""
        columns = self.imports
        for position, name in enumerate(columns.names):
            index = columns.version_indices[position]
            yield Import(
                symbol=columns.symbols[position],
                name=name,
                version=self.symbols.version_names.get(index) if index > 1 else None,
                version_index=index,
                weak=bool(columns.weak[position]),
                visibility=columns.visibilities[position],
                uses=Use(columns.uses[position]),
            )


class ElfReadError(Exception):
    """An ELF file that cannot be read.

    Attributes:
        offset: byte in the file where reading stopped.
        message: what is wrong, as a phrase.
        value: the offending value, as text; empty when there is none.
    """

    def __init__(self, offset: int, message: str, value: object = "") -> None:
        super().__init__(offset, message, value)
        self.offset = offset
        self.message = message
        self.value = str(value)

    def __str__(self) -> str:
        tail = f": {self.value}" if self.value else ""
        return f"byte {self.offset:#x}: {self.message}{tail}"
