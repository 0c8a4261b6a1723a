"""Writes platform files: what a root file system supplies to the loader, as text.

The first lines of every file explain the format to whoever opens one; :mod:`checker.platforms.captured` reads it.
"""

from __future__ import annotations

import hashlib

from checker import __version__
from checker.model.elf import Binding, SymbolType, Visibility
from checker.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from checker.model.elf import Definition, ElfFacts
    from checker.model.platform import PlatformId

MAGIC = "wheelproof-platform"
FORMAT = 1
_PRINTABLE = frozenset(range(0x21, 0x7F)) - {ord("%")}
KINDS = {
    SymbolType.STT_NOTYPE.value: "N",
    SymbolType.STT_OBJECT.value: "D",
    SymbolType.STT_FUNC.value: "F",
    SymbolType.STT_COMMON.value: "C",
    SymbolType.STT_TLS.value: "T",
    SymbolType.STT_GNU_IFUNC.value: "I",
}
"""``ELF_ST_TYPE`` → letter; another type is written as its number."""
BINDINGS = {Binding.STB_WEAK.value: "weak", Binding.STB_GNU_UNIQUE.value: "unique"}
VISIBILITIES = {
    Visibility.STV_INTERNAL.value: "internal",
    Visibility.STV_HIDDEN.value: "hidden",
    Visibility.STV_PROTECTED.value: "protected",
}

_HEADER = """\
# What one system supplies to its loader, made by "wheelproof platform capture". Sections are parted by empty lines.
# Words are parted by spaces; a byte that is not printable ASCII, or "%", is written %XX.
#   tool VERSION             that made the file
#   system NAME VERSION      of /etc/os-release
#   libc glibc|musl RELEASE
#   architecture NAME        as in platform tags
#   library PATH             a library, and its path inside the root; or
#   interpreter PATH NAME    a file that an interpreter consists of, in load order
#   digest sha256:HEX        of the file
#   soname NAME              DT_SONAME
#   names NAME...            under which the loader finds it: in ld.so.cache, ld.so.conf and the default directories
#   private                  found through a library's own run path only
#   needed NAME...           DT_NEEDED
#   loads NAME...            what an interpreter brings besides itself, in load order
#   unmeasured REASON        nothing more is known than that it is there
#   version INDEX NAME [base|needed]     its version nodes, in file order; "needed" ones are other libraries'
#   symbols NUMBER           what its hash table leads to, one a line, sorted by name:
#   NAME[@VERSION|@@VERSION] KIND [weak|unique|binding=N] [protected|hidden|internal] [absolute] [undefined] [zero]
#     @@ is a default version, @ one that is not; #N is a version index without a name
#     KIND: N none, D data, F function, C common, T thread-local, I indirect function; zero: its value is 0
#   end NUMBER sha256:HEX    of sections; over all bytes before this line
"""


@record
class CapturedFile:
    """One library, or one file of an interpreter.

    Attributes:
        path: inside the root.
        digest: SHA-256 in hex.
        names: under which the loader finds it, sorted.
        facts: what it says; ``None`` where only its presence is known.
        unmeasured: why there are none; empty with facts.
        is_private: found through a run path only.
    """

    path: str
    digest: str
    names: tuple[str, ...]
    facts: ElfFacts | None
    unmeasured: str = ""
    is_private: bool = False


@record
class CapturedInterpreter:
    """An interpreter.

    Attributes:
        name: such as ``cpython-3.11``.
        files: program and shared library, in load order.
        loads: sonames that it brings besides.
    """

    name: str
    files: tuple[CapturedFile, ...]
    loads: tuple[str, ...]


@record
class Capture:
    """A root file system, captured; ``system`` is NAME and VERSION of os-release."""

    id: PlatformId
    system: tuple[str, str]
    libraries: tuple[CapturedFile, ...]
    interpreter: CapturedInterpreter | None


def quoted(text: str | bytes, extra: bytes = b"") -> str:
    """One word: every byte that is not printable ASCII, ``%`` and those of ``extra`` as %XX."""
    raw = text.encode("utf-8", "surrogateescape") if isinstance(text, str) else text
    if raw.isalnum():
        return raw.decode("ascii")
    return "".join(chr(byte) if byte in _PRINTABLE and byte not in extra else f"%{byte:02X}" for byte in raw)


def render(capture: Capture) -> Iterator[str]:
    """The file, section by section."""
    digest = hashlib.sha256()
    count = -1  # the head is none
    for section in _sections(capture):
        digest.update(section.encode("ascii"))
        count += 1
        yield section
    yield f"end {count} sha256:{digest.hexdigest()}\n"


def _sections(capture: Capture) -> Iterator[str]:
    platform = capture.id
    system = " ".join(quoted(word) or "-" for word in capture.system)
    release = ".".join(map(str, platform.release))
    facts = (
        f"tool {quoted(__version__)}\nsystem {system}\nlibc {platform.family} {release}\narchitecture {platform.architecture}\n"
    )
    yield f"{MAGIC} {FORMAT}\n{_HEADER}{facts}\n"
    interpreter = capture.interpreter
    for file in capture.libraries:
        yield "".join(f"{line}\n" for line in _section(f"library {quoted(file.path)}", file)) + "\n"
    for position, file in enumerate(interpreter.files if interpreter is not None else ()):
        lines = list(_section(f"interpreter {quoted(file.path)} {quoted(interpreter.name if interpreter else '')}", file))
        if position == 0 and interpreter is not None:
            lines.insert(1, _words("loads", interpreter.loads))
        yield "".join(f"{line}\n" for line in lines) + "\n"


def _section(first: str, file: CapturedFile) -> Iterator[str]:
    yield first
    if file.digest:
        yield f"digest sha256:{file.digest}"
    if file.facts is not None and file.facts.soname is not None:
        yield f"soname {quoted(file.facts.soname)}"
    if file.names:
        yield _words("names", file.names)
    if file.is_private:
        yield "private"
    if file.facts is None:
        yield f"unmeasured {quoted(file.unmeasured)}"
        return
    if file.facts.needed:
        yield _words("needed", file.facts.needed)
    entries = tuple(exports(file.facts))
    labels, versions = _versions(file.facts, entries)
    yield from versions
    yield f"symbols {len(entries)}"
    for name, entry in entries:
        yield _symbol(name, entry, labels)


def _words(word: str, values: Sequence[str]) -> str:
    return " ".join((word, *map(quoted, values)))


def exports(facts: ElfFacts) -> Iterator[tuple[bytes, Definition]]:
    """Every entry that a lookup could meet: by name, and for one name in the order of its hash chain.

    Raises:
        ValueError: the names overlap so much that they cannot be told.
    """
    table = facts.symbols
    offsets, chosen = table.columns_of_exports()
    left = 2 * len(table.strings) + (1 << 16)
    names: set[bytes] = set()
    for offset, is_export in zip(offsets, chosen, strict=True):
        if is_export:
            end = table.strings.find(b"\0", offset)
            left -= max(end - offset, 0)
            if left < 0:
                raise ValueError("the names of its symbols overlap")
            names.add(table.strings[offset:end] if end >= 0 else b"")
    for name in sorted(names - {b""}):
        for entry in table.definitions(name):
            if entry.defined or entry.value:
                yield name, entry


def _versions(facts: ElfFacts, entries: Sequence[tuple[bytes, Definition]]) -> tuple[dict[int, str], list[str]]:
    """Version index → how symbol lines name it, and the ``version`` lines."""
    lines = [f"version {one.index} {quoted(one.name)}{' base' if one.base else ''}" for one in facts.version_definitions]
    own = {one.index for one in facts.version_definitions}
    foreign = {entry.index: entry.version for _, entry in entries if entry.version is not None and entry.index not in own}
    lines += [f"version {index} {quoted(name)} needed" for index, name in sorted(foreign.items())]
    named = {one.index: one.name for one in facts.version_definitions if not one.base} | foreign
    labels: dict[int, str] = {}
    told: set[str] = set()
    for index, name in named.items():
        label = quoted(name, b"@#")
        if label and label not in told:
            labels[index] = label
            told.add(label)
    return labels, lines


def _symbol(name: bytes, entry: Definition, labels: dict[int, str]) -> str:
    version = ("@" if entry.hidden else "@@") + labels.get(entry.index, f"#{entry.index}")
    is_plain = entry.index == 1 and not entry.hidden
    words = [quoted(name, b"@") + ("" if is_plain else version), KINDS.get(entry.type, str(entry.type))]
    if entry.binding != Binding.STB_GLOBAL:
        words.append(BINDINGS.get(entry.binding, f"binding={entry.binding}"))
    if entry.visibility:
        words.append(VISIBILITIES[entry.visibility])
    words += [
        word
        for word, holds in (("absolute", entry.absolute), ("undefined", not entry.defined), ("zero", entry.value == 0))
        if holds
    ]
    return " ".join(words)
