"""What a Python interpreter exports, and what it brings into the global scope."""

from __future__ import annotations

from checker.model.regex import regex
from checker.platforms.catalogue import load_catalogue
from checker.platforms.table import Row, Table, load, parse_options, parse_release, platform_definition

TYPE_CHECKING = False
if TYPE_CHECKING:
    from checker.model.elf import Definition

Release = tuple[int, ...]

_CPYTHON = regex(r"cp(\d)(\d{1,2})(t?)")
_PYPY = regex(r"pp(\d)(\d{1,2})(?:_pp(\d)(\d{1,2}))?")

_NAMES = {"cpython": "cpython-{0}.{1}", "cpython-t": "cpython-{0}.{1}t", "pypy": "pypy-{0}.{1} (pp{2}{3})"}
"""Data file below ``host`` → name of an interpreter. PyPy's versions are those of Python and of its ABI, as in ``pp73``."""


class Interpreter:
    """One measured version of an interpreter; implements ``Host``.

    Args:
        kind: its data file: ``cpython``, ``cpython-t`` (free-threaded) or ``pypy``.
        version: such as ``(3, 11)``; of PyPy ``(3, 11, 7, 3)``.
        libraries: what it brings into the global scope.
        table: exports by version.
    """

    is_measured = True

    def __init__(self, kind: str, version: Release, libraries: tuple[str, ...], table: Table) -> None:
        self.name = _NAMES[kind].format(*version)
        self.libraries = libraries
        self._version = version
        self._table = table
        self._found: dict[bytes, tuple[Definition, ...]] = {}

    def definitions(self, name: bytes) -> tuple[Definition, ...]:
        """What every measured build exports under that name; a name never measured is not exported."""
        found = self._found.get(name)
        if found is None:
            if name not in self._table:  # not remembered: an artifact may ask for any number of names
                return ()
            rows = self._rows(name)
            found = tuple(platform_definition(None, row.kind, 1, hidden=False) for row in rows if not row.maybe)
            self._found[name] = found
        return found

    def maybe(self, name: bytes) -> bool:
        """Some measured builds export that name and others do not."""
        return any(row.maybe for row in self._rows(name))

    def _rows(self, name: bytes) -> tuple[Row, ...]:
        return tuple(row for row in self._table.rows(name) if row.holds(self._version))


def measured_interpreters() -> tuple[str, ...]:
    """The names of all interpreters that were measured; each kind's oldest first."""
    return tuple(name.format(*version) for kind, name in _NAMES.items() for version in _versions(kind))


def suffixes(kind: str) -> tuple[tuple[Release, str, tuple[str, ...]], ...]:
    """(version, architecture, suffixes of extension modules) as they stand in the measured interpreters, all for glibc.

    Plain ``.so``, which every interpreter imports, is left out.
    """
    lines = (line.decode().split(" ") for line in _table(kind).head if line.startswith(b"suffixes "))
    return tuple((parse_release(version.encode()), architecture, tuple(each)) for _, version, architecture, *each in lines)


def open_host(python_tag: str, architecture: str, family: str, release: Release | None) -> Interpreter | None:
    """See :func:`checker.platforms.host`."""
    wanted = _wanted(python_tag)
    if wanted is None or (family, architecture) not in load_catalogue().architectures:
        return None
    kind, version = wanted
    # Of a PyPy without an ABI the oldest is meant.
    known = next((one for one in _versions(kind) if one[: len(version)] == version), None)
    if known is None:
        return None
    # Without a release the newest is meant, which has fewest libraries: what is bound then is bound on every system.
    table = _table(kind)
    libraries = ("libc.so",) if family == "musl" else _libraries(table, release or load_catalogue().releases["glibc"][-1])
    return Interpreter(kind, known, libraries, table)


def _wanted(python_tag: str) -> tuple[str, Release] | None:
    """Kind and version (of PyPy perhaps without its ABI's) of a tag; ``None`` for another interpreter's."""
    cpython = _CPYTHON.fullmatch(python_tag)
    if cpython is not None:
        return ("cpython-t" if cpython[3] else "cpython"), (int(cpython[1]), int(cpython[2]))
    pypy = _PYPY.fullmatch(python_tag)
    return ("pypy", tuple(int(part) for part in pypy.groups() if part is not None)) if pypy is not None else None


def _table(kind: str) -> Table:
    return load(load_catalogue().files["host", kind])


def _versions(kind: str) -> tuple[Release, ...]:
    known = next(line for line in _table(kind).head if line.startswith(b"python ")).split(b" ")[1:]
    return tuple(sorted(map(parse_release, known)))


def _libraries(table: Table, release: Release) -> tuple[str, ...]:
    for line in table.head:
        word, *rest = line.split(b" ")
        options = parse_options([item for item in rest if b"=" in item])
        since, until = options.get(b"since", b""), options.get(b"until")
        if word == b"libraries" and parse_release(since) <= release and (until is None or release < parse_release(until)):
            return tuple(item.decode() for item in rest if b"=" not in item)
    return ()
