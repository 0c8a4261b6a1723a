"""What a Python interpreter exports, and what it brings into the global scope."""

from __future__ import annotations

import re

from checker.platforms.catalogue import load_catalogue
from checker.platforms.table import Row, Table, load, parse_options, parse_release, platform_definition

TYPE_CHECKING = False
if TYPE_CHECKING:
    from checker.model.elf import Definition

Release = tuple[int, ...]

_TAG = re.compile(r"cp(\d)(\d{1,2})")


class CPython:
    """One minor version of CPython; implements ``Host``.

    Args:
        version: such as ``(3, 11)``.
        libraries: what it brings into the global scope.
        table: exports by version.
    """

    is_measured = True

    def __init__(self, version: Release, libraries: tuple[str, ...], table: Table) -> None:
        self.name = f"cpython-{version[0]}.{version[1]}"
        self.libraries = libraries
        self._version = version
        self._table = table
        self._found: dict[bytes, tuple[Definition, ...]] = {}

    def definitions(self, name: bytes) -> tuple[Definition, ...]:
        """What every measured build exports under that name; a name never measured is not exported."""
        found = self._found.get(name)
        if found is None:
            rows = self._rows(name)
            found = tuple(platform_definition(None, row.kind, 1, hidden=False) for row in rows if not row.maybe)
            self._found[name] = found
        return found

    def maybe(self, name: bytes) -> bool:
        """Some measured builds export that name and others do not."""
        return any(row.maybe for row in self._rows(name))

    def _rows(self, name: bytes) -> tuple[Row, ...]:
        return tuple(row for row in self._table.rows(name) if row.holds(self._version))


def measured_versions() -> tuple[Release, ...]:
    """The versions of CPython that were measured, oldest first."""
    table = load(load_catalogue().files["host", "cpython"])
    known = next(line for line in table.head if line.startswith(b"python ")).split(b" ")[1:]
    return tuple(sorted(map(parse_release, known)))


def open_host(python_tag: str, architecture: str, family: str, release: Release | None) -> CPython | None:
    """See :func:`checker.platforms.host`."""
    tag = _TAG.fullmatch(python_tag)
    if tag is None or (family, architecture) not in load_catalogue().architectures:
        return None
    version = (int(tag[1]), int(tag[2]))
    if version not in measured_versions():
        return None
    table = load(load_catalogue().files["host", "cpython"])
    # Without a release the newest is meant, which has fewest libraries: what is bound then is bound on every system.
    libraries = ("libc.so",) if family == "musl" else _libraries(table, release or load_catalogue().releases["glibc"][-1])
    return CPython(version, libraries, table)


def _libraries(table: Table, release: Release) -> tuple[str, ...]:
    for line in table.head:
        word, *rest = line.split(b" ")
        options = parse_options([item for item in rest if b"=" in item])
        since, until = options.get(b"since", b""), options.get(b"until")
        if word == b"libraries" and parse_release(since) <= release and (until is None or release < parse_release(until)):
            return tuple(item.decode() for item in rest if b"=" not in item)
    return ()
