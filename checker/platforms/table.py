"""Reads one generated file of platform data: what a library exports, by version, release and architecture.

The format, one symbol and version a line, sorted by symbol::

    # comments: what it was made from, with digests
    needed SONAME… [since=R] [until=R] [on=ARCH,ARCH]
    versions ARCH NODE[=R][!R]…
                                            (an empty line)
    NAME VERSION KIND [hidden[=R]] [maybe] [since=R] [until=R] [on=ARCH,ARCH]

* ``versions`` has the version nodes of one architecture in file order, the base node left out; none for a library without
  versions. A
  library without such a line for an architecture does not exist on it. ``=R`` is the release that brought a node whose name
  does not tell, ``!R`` the one that dropped it.
* ``VERSION`` is ``-`` for a symbol without one. ``GLIBC_2.3+`` is GLIBC_2.3, or the architecture's first version where that
  is later.
* ``KIND`` is ``F`` function, ``D`` data, ``T`` thread-local data, ``U`` data of binding GNU_UNIQUE.
* ``hidden`` marks what is not the default version though no newer one exists. Of several versions the newest that is not
  hidden is the default.
* ``since`` and ``until`` are the first release with the symbol and the first without; a GLIBC version is itself a ``since``.
* ``maybe`` marks what only some builds of that release export.
* ``on`` names the architectures that have it; all of the file's without it.

Weak and global definitions are not told apart: no loader's choice depends on it (LD_DYNAMIC_WEAK aside).
"""

from __future__ import annotations

from functools import cache
from itertools import accumulate
from os.path import dirname, join  # pathlib costs 4 ms to import, at the start of every check

from checker.model.elf import Binding, Definition, SymbolType
from checker.model.record import record

Release = tuple[int, ...]

DATA = join(dirname(__file__), "data")  # noqa: PTH118, PTH120 - see the import

KINDS = {
    b"F": (Binding.STB_GLOBAL.value, SymbolType.STT_FUNC.value),
    b"D": (Binding.STB_GLOBAL.value, SymbolType.STT_OBJECT.value),
    b"T": (Binding.STB_GLOBAL.value, SymbolType.STT_TLS.value),
    b"U": (Binding.STB_GNU_UNIQUE.value, SymbolType.STT_OBJECT.value),
}
"""(binding, type) by kind letter."""


ANYWHERE: frozenset[bytes] = frozenset()


@record
class Row:
    """One line of the table.

    Attributes:
        version: name of the version node; ``None`` without one.
        older_too: the version was written with ``+``.
        kind: key of :data:`KINDS`.
        hidden: the release from which on it is not a default version; ``None`` for never.
        since, until: see the module; ``()`` and ``None`` when the line does not say.
        maybe: only some builds have it.
        architectures: those that have it; empty for all.
    """

    version: bytes | None
    older_too: bool
    kind: bytes
    hidden: Release | None
    since: Release
    until: Release | None
    architectures: frozenset[bytes]
    maybe: bool

    def holds(self, release: Release) -> bool:
        """The release is not before ``since`` and is before ``until``."""
        return self.since <= release and (self.until is None or release < self.until)


_LOOKUPS_BEFORE_INDEX = 24
"""A search through a table's bytes costs a fortieth of what its index does; a small wheel asks for fewer names than that."""


class Table:
    """One file, not parsed: a line is parsed when its symbol is asked for.

    The first few symbols are found by searching the bytes; then the lines are indexed.

    Attributes:
        head: the lines before the empty one, comments left out.
    """

    __slots__ = ("_asked", "_body", "_index", "head")

    def __init__(self, head: tuple[bytes, ...], body: bytes) -> None:
        """``body`` is everything after the empty line, each line ended by a line feed."""
        self.head = head
        self._body = b"\n" + body
        self._asked = 0
        self._index: dict[bytes, int] | None = None

    def rows(self, name: bytes) -> tuple[Row, ...]:
        """The lines of one symbol."""
        start = b"\n" + name + b" "
        at = self._position(name, start)
        found = []
        while self._body.startswith(start, at):
            end = self._body.index(b"\n", at + 1)
            found.append(parse_row(self._body[at + 1 : end]))
            at = end
        return tuple(found)

    def __contains__(self, name: bytes) -> bool:
        """Some line is for that symbol."""
        if self._index is not None:  # a large wheel asks each library for all its imports, and most are another's
            return name in self._index
        return self._position(name, b"\n" + name + b" ") < len(self._body)

    def names(self) -> tuple[bytes, ...]:
        """Every symbol, in file order."""
        return tuple(self._indexed())

    def lines(self) -> list[bytes]:
        """Every line, in file order."""
        return self._body[1:].splitlines()

    def _position(self, name: bytes, start: bytes) -> int:
        """Where the line feed before the symbol's first line is; beyond the end where there is no such line."""
        self._asked += 1
        if self._index is None and self._asked <= _LOOKUPS_BEFORE_INDEX:
            # No name holds a line feed or a space: what is found so is a whole name at the start of a line.
            at = self._body.find(start) if b"\n" not in name and b" " not in name else -1
            return at if at >= 0 else len(self._body)
        return self._indexed().get(name, len(self._body))

    def _indexed(self) -> dict[bytes, int]:
        if self._index is None:
            positions = accumulate((len(line) + 1 for line in self.lines()), initial=0)
            names = [line[: line.index(b" ")] for line in self.lines()]
            # Of several lines for a symbol the first one stays.
            self._index = {}
            for name, at in zip(names, positions, strict=False):
                self._index.setdefault(name, at)
        return self._index


def read(path: str) -> bytes:
    """The bytes of the file ``path`` below ``data/``; a path comes from the catalogue, never from an artifact."""
    with open(join(DATA, path), "rb") as stream:  # noqa: PTH118, PTH123 - see the import
        return stream.read()


@cache
def load(path: str) -> Table:
    """The table in the file ``path`` below ``data/``."""
    head, _, body = read(path).partition(b"\n\n")
    return Table(tuple(line for line in head.splitlines() if not line.startswith(b"#")), body)


def parse_row(line: bytes) -> Row:
    """Parses one line of the table."""
    _, version, kind, *words = line.split(b" ")
    if not words and version[-1:] != b"+":
        return Row(
            version=None if version == b"-" else version,
            older_too=False,
            kind=kind,
            hidden=None,
            since=(),
            until=None,
            architectures=ANYWHERE,
            maybe=False,
        )
    options = parse_options(words)
    hidden = options.get(b"hidden")
    until = options.get(b"until")
    return Row(
        version=None if version == b"-" else version.removesuffix(b"+"),
        older_too=version.endswith(b"+"),
        kind=kind,
        hidden=None if hidden is None else parse_release(hidden),
        since=parse_release(options.get(b"since", b"")),
        until=parse_release(until) if until is not None else None,
        architectures=frozenset(options[b"on"].split(b",")) if b"on" in options else ANYWHERE,
        maybe=b"maybe" in options,
    )


def parse_options(words: list[bytes]) -> dict[bytes, bytes]:
    """``[b"hidden", b"since=2.34"]`` → ``{b"hidden": b"", b"since": b"2.34"}``."""
    return {word: value for word, _, value in (item.partition(b"=") for item in words)}


def parse_release(text: bytes) -> Release:
    """``b"2.34"`` → ``(2, 34)``; ``()`` for nothing."""
    return tuple(map(int, text.split(b"."))) if text else ()


def platform_definition(version: bytes | None, kind: bytes, index: int, *, hidden: bool) -> Definition:
    """An entry as a lookup meets it; its address, which data does not have, is 1."""
    binding, symbol_type = KINDS[kind]
    return Definition(
        version=version,
        index=index,
        hidden=hidden,
        binding=binding,
        type=symbol_type,
        visibility=0,
        defined=True,
        absolute=False,
        value=1,
        symbol=-1,
    )


def version_number(version: bytes) -> Release | None:
    """``GLIBC_2.3.4`` → ``(2, 3, 4)``; ``None`` for a version whose name does not end in a number."""
    tail = version.rpartition(b"_")[2]
    return tuple(map(int, tail.split(b"."))) if tail.replace(b".", b"").isdigit() else None
