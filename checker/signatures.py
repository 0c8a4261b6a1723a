"""Looks for what runtimes say of themselves in read-only data: version lines and messages that only their own code has.

Such a text is there even where every name is hidden (``-Wl,--exclude-libs,ALL``) and the file is stripped. It tells that the
code is linked in; that nothing is found tells little, since a build can leave messages out.
"""

from __future__ import annotations

import re

from checker.elf.source import PT_LOAD
from checker.model.signature import Signatures

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from checker.archive import Reread
    from checker.model.elf import ElfFacts, Segment
    from checker.model.sparse import SparseBytes

TEXTS: tuple[tuple[str, bytes, bytes], ...] = (
    # GCC libstdc++-v3/libsupc++/vterminate.cc; LLVM libcxxabi/src/cxa_default_handlers.cpp.
    ("cxx", b"terminate called ", rb"terminate called after throwing an instance of '"),
    ("cxx", b"libc++abi", rb"libc\+\+abi: "),
    # GCC libgomp/error.c; LLVM openmp/runtime/src/kmp_version.cpp.
    ("openmp", b"libgomp: ", rb"\nlibgomp: |\x00libgomp: "),
    ("openmp", b" OMP version: ", rb"(?:LLVM|Intel\(R\)) OMP version: [\w. ]{0,40}"),
    # OpenBLAS driver/others/openblas_get_config.c.
    ("blas", b"OpenBLAS ", rb"OpenBLAS \d+\.\d+\.\d+[\w.]*"),
    # OpenSSL include/openssl/opensslv.h; BoringSSL include/openssl/base.h.
    ("openssl", b"OpenSSL ", rb"OpenSSL \d+\.\d+\.\d+[a-z]* {1,2}\d{1,2} [A-Z][a-z]{2} \d{4}"),
    ("openssl", b"BoringSSL", rb"\x00BoringSSL\x00"),
    # zlib inftrees.c and deflate.c; zlib-ng keeps the form.
    ("zlib", b" inflate ", rb" inflate \d+\.\d+[\w.]* Copyright"),
    ("zlib", b" deflate ", rb" deflate \d+\.\d+[\w.]* Copyright"),
    # Protocol Buffers src/google/protobuf/stubs/common.cc, up to 21.
    ("protobuf", b"[libprotobuf ", rb"\[libprotobuf %s %s:%d\]"),
)
"""Family, a part that is searched for first, and the whole text as a pattern."""

_PF_W = 2
_CHUNK = 1 << 25
"""Bytes that a further pass brings at a time."""
_OVERLAP = 1 << 8
"""Bytes of one chunk that the next one repeats: longer than any of the texts."""
_AROUND = 80
"""Bytes around a part in which its text must stand."""
_MOST_HITS = 1 << 12


class SignatureSearch:
    """Looks at one file after the other and keeps what it found."""

    def __init__(self) -> None:
        self._found: list[Signatures] = []

    def look(self, facts: ElfFacts, content: SparseBytes, reread: Reread) -> None:
        """Search the read-only segments of one file.

        Raises:
            ArchiveError: what was not kept could not be read again.
        """
        self._found.append(Signatures(file=facts.path, texts=tuple(sorted(_texts_of(facts, content, reread)))))

    def found(self) -> tuple[Signatures, ...]:
        """What was found, by file."""
        return tuple(sorted(self._found, key=lambda one: one.file))


def _texts_of(facts: ElfFacts, content: SparseBytes, reread: Reread) -> set[tuple[str, str]]:
    read_only = (segment for segment in facts.segments if segment.type == PT_LOAD and not segment.flags & _PF_W)
    return {text for segment in read_only for part in _parts(segment, content, reread) for text in _texts(part)}


def _parts(segment: Segment, content: SparseBytes, reread: Reread) -> Iterator[bytes]:
    """The bytes of a segment, as they were kept, or read again in chunks that overlap."""
    end = min(segment.offset + segment.file_size, content.size)
    for start, part in content.parts:
        if start <= segment.offset and end <= start + len(part):
            yield part[segment.offset - start : end - start]
            return
    for start in range(segment.offset, end, _CHUNK):
        for _, part in reread([(start, min(_CHUNK + _OVERLAP, end - start))]).parts:
            yield part


def _texts(data: bytes) -> Iterator[tuple[str, str]]:
    for family, needle, pattern in TEXTS:
        position = data.find(needle)
        for _ in range(_MOST_HITS):
            if position < 0:
                break
            found = re.search(pattern, data[max(position - _AROUND, 0) : position + _AROUND])
            if found is not None:
                yield family, found[0].strip(b"\0\n ").decode("ascii")
                break
            position = data.find(needle, position + 1)
