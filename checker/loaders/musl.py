"""musl's loader: where it searches and which definition it takes.

Written from musl's ``ldso/dynlink.c``; function names in comments are those of that file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from checker.loaders.reference import NO_MATCH, Match
from checker.model.elf import Binding, SymbolType

if TYPE_CHECKING:
    from collections.abc import Sequence

    from checker.loaders.reference import Reference
    from checker.model.elf import Definition

_RESERVED = ("c.", "pthread.", "rt.", "m.", "dl.", "util.", "xnet.")

# OK_TYPES: STT_GNU_IFUNC is not among them.
_DEFINABLE = frozenset({
    SymbolType.STT_NOTYPE,
    SymbolType.STT_OBJECT,
    SymbolType.STT_FUNC,
    SymbolType.STT_COMMON,
    SymbolType.STT_TLS,
})
_BINDABLE = frozenset({Binding.STB_GLOBAL, Binding.STB_WEAK, Binding.STB_GNU_UNIQUE})

_LFS64_ENDS = (1, 2, 4)
_LONG_NAME_RETURNS = (1, 2, 6)
_LFS64_BUFFER = 16


def is_reserved(name: str) -> bool:
    """The name is musl itself, whatever file bears it (``load_library``: reserved names)."""
    return name.startswith("lib") and name[3:].startswith(_RESERVED)


def match(reference: Reference, entries: Sequence[Definition], *, architecture_defines_undefined: bool = True) -> Match:
    """Which of one object's entries under a name the loader takes (``find_sym2``): version names do not exist, the hidden bit does.

    Args:
        reference: what is asked for.
        entries: the object's entries of that name, in the order of its hash chain.
        architecture_defines_undefined: undefined entries of non-zero value count for references other than calls (all but MIPS).
    """
    for entry in entries:
        if entry.hidden or entry.type not in _DEFINABLE or entry.binding not in _BINDABLE:
            continue
        if not entry.defined and (reference.plt_class or not architecture_defines_undefined):
            continue
        if entry.value == 0 and entry.type != SymbolType.STT_TLS:
            continue
        return Match(definition=entry, other_version=False)
    return NO_MATCH


def run_path_elements(text: str) -> tuple[str, ...]:
    """The elements of a run path, in order; empty ones are skipped (``path_open``).

    Any ``$`` other than that of ``$ORIGIN`` or ``${ORIGIN}`` makes the whole path void (``fixup_rpath``).
    """
    remainder = text.replace("${ORIGIN}", "").replace("$ORIGIN", "")
    if "$" in remainder:
        return ()
    return tuple(element for element in text.split(":") if element)


def expand(element: str, origin: str) -> str:
    """An element with ``$ORIGIN`` replaced; what follows the token is taken as it stands."""
    return element.replace("${ORIGIN}", origin).replace("$ORIGIN", origin)


def lfs64_name(name: bytes, release: tuple[int, ...]) -> bytes | None:
    """The plain name under which an LFS64 name (``open64``) still resolves from 1.2.4 on, or ``None``.

    Up to 1.2.3 musl exports these names itself. From 1.2.4 ``do_dlsym``'s remapping strips ``64`` after a failed lookup, through
    a buffer of 16 bytes until 1.2.6 (``posix_fallocate64`` does not fit).
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
