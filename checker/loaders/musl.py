"""musl's loader: where it searches and which definition it takes.

Written from musl's ``ldso/dynlink.c``; function names in comments are those of that file.
"""

from __future__ import annotations

from checker.loaders.reference import NO_MATCH, Effect, Match, Reference
from checker.model.elf import Binding, ElfType, Machine, SymbolType, Use

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from checker.model.elf import Definition, ElfFacts, ElfIdentity, SymbolTable

_RESERVED = ("c.", "pthread.", "rt.", "m.", "dl.", "util.", "xnet.")

# OK_TYPES: STT_GNU_IFUNC is not among them.
_DEFINABLE = frozenset(
    {
        SymbolType.STT_NOTYPE,
        SymbolType.STT_OBJECT,
        SymbolType.STT_FUNC,
        SymbolType.STT_COMMON,
        SymbolType.STT_TLS,
    }
)
_BINDABLE = frozenset({Binding.STB_GLOBAL, Binding.STB_WEAK, Binding.STB_GNU_UNIQUE})

_LFS64_ENDS = (1, 2, 4)
_LONG_NAME_RETURNS = (1, 2, 6)
_LFS64_BUFFER = 16


def is_reserved(name: str) -> bool:
    """The name is musl itself, whatever file bears it (``load_library``: reserved names)."""
    return name.startswith("lib") and name[3:].startswith(_RESERVED)


def match(reference: Reference, entries: Sequence[Definition]) -> Match:
    """Which of one object's entries under a name the loader takes (``find_sym2``): no version names, but the hidden bit.

    The hash lookup gives the first entry that is not hidden; where that one will not do, the object is passed over.

    Args:
        reference: what is asked for; its ``plt_class`` is ``need_def``.
        entries: the object's entries of that name, in the order of its hash chain.
    """
    first = next((entry for entry in entries if not entry.hidden), None)
    if first is None or not is_definition(first, plt_class=reference.plt_class):
        return NO_MATCH
    return Match(definition=first, other_version=False)


def is_definition(entry: Definition, *, plt_class: bool) -> bool:
    """``find_sym2``: the section, value, type and binding tests."""
    if not entry.defined and (plt_class or entry.type == SymbolType.STT_TLS):
        return False
    if entry.value == 0 and entry.type != SymbolType.STT_TLS:
        return False
    return entry.type in _DEFINABLE and entry.binding in _BINDABLE


def split_paths(text: str) -> tuple[str, ...]:
    """The elements of a path list in order; empty ones are skipped (``path_open``)."""
    return tuple(element for element in text.replace("\n", ":").split(":") if element)


def run_path_elements(text: str, origin: str) -> tuple[tuple[str, str], ...]:
    """(as written, with ``$ORIGIN`` replaced) of each element of a run path (``fixup_rpath``).

    Any ``$`` other than that of ``$ORIGIN`` or ``${ORIGIN}`` makes the whole path void; what follows the token stands as it is.
    An element that becomes longer than any path that can be opened is left out: it must not fill the memory.
    """
    remainder = text.replace("${ORIGIN}", "").replace("$ORIGIN", "")
    if "$" in remainder:
        return ()
    elements = (element for element in split_paths(text) if len(element) + element.count("$") * len(origin) <= _LONGEST)
    return tuple((element, _expand(element, origin)) for element in elements)


_LONGEST = 1 << 16
"""Far beyond PATH_MAX (4,096), where ``open`` fails by ENAMETOOLONG."""


def _expand(element: str, origin: str) -> str:
    return element.replace("${ORIGIN}", origin).replace("$ORIGIN", origin)


def candidate(wanted: ElfIdentity, met: ElfIdentity, *, is_dynamic: bool) -> tuple[Effect, str]:
    """What an ELF file that bears the wanted name does to the search, and why (``load_library``, ``map_library``).

    The first file that opens is final. Neither class nor machine is looked at, but a header of the other class or byte order
    has its fields elsewhere, which ends in ENOEXEC.
    """
    if wanted.bits != met.bits or wanted.little_endian != met.little_endian:
        return Effect.FATAL, "Exec format error"
    if met.type not in {ElfType.ET_DYN, ElfType.ET_EXEC} or not is_dynamic:
        return Effect.FATAL, "Exec format error"
    return Effect.TAKEN, "found" if wanted.machine == met.machine else "found (musl does not look at the machine)"


def stands_for_libc(symbols: SymbolTable) -> bool:
    """The file is some C library, in whose place musl itself is taken (``load_library``, "two versions of libc")."""
    probes = (
        Reference(name=name, version=None, version_hidden=False, plt_class=True) for name in (b"__libc_start_main", b"stdin")
    )
    return all(match(probe, symbols.definitions(probe.name)).definition is not None for probe in probes)


_RELR_IS_APPLIED = (1, 2, 4)


def leaves_relr_unapplied(facts: ElfFacts, release: tuple[int, ...]) -> bool:
    """The loader does not know DT_RELR: its addresses stay unrelocated, and the first use of one kills the process."""
    return facts.has_relr and release < _RELR_IS_APPLIED


def unsupported_relocation(facts: ElfFacts, machine: Machine) -> int | None:
    """A relocation type that ``do_relocs`` ends at; ``None`` without one, or for a machine that is not known here.

    ``arch/*/reloc.h`` names the types of each machine: no IRELATIVE anywhere, since musl has no IFUNC.
    """
    known = _RELOCATIONS.get(machine)
    if known is None:
        return None
    return next((kind for kind in facts.relocation_types if kind not in known), None)


_RELOCATIONS = {
    Machine.EM_X86_64: frozenset({0, 1, 2, 5, 6, 7, 8, 16, 17, 18, 36}),
    Machine.EM_386: frozenset({0, 1, 2, 5, 6, 7, 8, 14, 35, 36, 37, 41}),
    Machine.EM_AARCH64: frozenset({0, 257, 1024, 1025, 1026, 1027, 1028, 1029, 1030, 1031}),
    Machine.EM_ARM: frozenset({0, 2, 17, 18, 19, 20, 21, 22, 23}),
    Machine.EM_PPC64: frozenset({0, 19, 20, 21, 22, 38, 68, 73, 78}),
    Machine.EM_S390: frozenset({0, 9, 10, 11, 12, 22, 54, 55, 56}),
    Machine.EM_RISCV: frozenset({0, 2, 3, 4, 5, 7, 9, 11}),
}

_POSTPONED = Use.JUMP_SLOT | Use.GLOB_DAT


def may_wait(uses: int) -> bool:
    """Under RTLD_LAZY an unresolved reference of these uses is left to the next ``dlopen`` (``do_relocs``, ``lazy``)."""
    return not uses & ~_POSTPONED


def lfs64_name(name: bytes, release: tuple[int, ...]) -> bytes | None:
    """The plain name under which an LFS64 name (``open64``) still resolves from 1.2.4 on, or ``None``.

    Up to 1.2.3 musl exports these names itself. From 1.2.4 the loader strips ``64`` after a failed lookup (``get_lfs64``),
    through a buffer of 16 bytes until 1.2.6 (``posix_fallocate64`` does not fit).
    """
    if release < _LFS64_ENDS or name not in LFS64_NAMES:
        return None
    if len(name) > _LFS64_BUFFER and release < _LONG_NAME_RETURNS:
        return None
    position = name.find(b"64")
    return name[:position] + name[position + 2 :]


LFS64_NAMES = frozenset(
    b"""aio_cancel64 aio_error64 aio_fsync64 aio_read64 aio_return64 aio_suspend64 aio_write64 alphasort64 creat64 fallocate64
    fgetpos64 fopen64 freopen64 fseeko64 fsetpos64 fstat64 fstatat64 fstatfs64 fstatvfs64 ftello64 ftruncate64 ftw64
    getdents64 getrlimit64 glob64 globfree64 lio_listio64 lockf64 lseek64 lstat64 mkostemp64 mkostemps64 mkstemp64 mkstemps64
    mmap64 nftw64 open64 openat64 posix_fadvise64 posix_fallocate64 pread64 preadv64 prlimit64 pwrite64 pwritev64 readdir64
    readdir64_r scandir64 sendfile64 setrlimit64 stat64 statfs64 statvfs64 tmpfile64 truncate64 versionsort64
    __fxstat64 __fxstatat64 __lxstat64 __xstat64""".split()
)
"""musl ``src/include/features.h`` and ``ldso/dynlink.c`` (``lfs64_list``): the names that are remapped."""
