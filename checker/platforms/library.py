"""One library of one platform: the rows of a table that hold for an architecture, a release and a promise."""

from __future__ import annotations

from functools import cache, cached_property

from checker.platforms.table import Row, Table, parse_options, parse_release, platform_definition, version_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from checker.model.elf import Definition
    from checker.model.platform import PlatformId

Release = tuple[int, ...]


class TableLibrary:
    """A library whose symbols are known; implements ``PlatformLibrary``.

    Args:
        soname: its name on the platform.
        table: its data.
        platform: which rows hold.
        first_version: number of the architecture's oldest GLIBC version, for versions written with ``+``.
        covers: whether the promise covers a version node.
        loader: the soname that ``ld.so`` stands for in the table.
    """

    symbols_known = True

    def __init__(
        self,
        soname: str,
        table: Table,
        *,
        platform: PlatformId,
        first_version: Release,
        covers: Callable[[bytes], bool],
        loader: str,
    ) -> None:
        self.soname = soname
        self._table = table
        self._release = platform.release
        self._is_musl = platform.family == "musl"
        self._architecture = platform.architecture.encode()
        self._first_version = first_version
        self._covers = covers
        self._loader = loader
        self._found: dict[bytes, tuple[Definition, ...]] = {}
        self._nodes: dict[bytes, bool] = {}

    @cached_property
    def needed(self) -> tuple[str, ...]:
        """Its own DT_NEEDED."""
        for line in self._table.head:
            word, *rest = line.split(b" ")
            options = parse_options([item for item in rest if b"=" in item])
            if word == b"needed" and self._holds(options):
                if self._is_musl:
                    return (self._loader,)  # in place of glibc's parts, with which the library was measured
                names = (item.decode() for item in rest if b"=" not in item)
                return tuple(self._loader if name == "ld.so" else name for name in names)
        return ()

    @cached_property
    def versions(self) -> tuple[bytes, ...]:
        """The version nodes in file order, the base first; empty for a library without any."""
        nodes = nodes_of(self._table, self._architecture) or ()
        kept = tuple(
            name
            for name, since, until in nodes
            if since <= self._release and (until is None or self._release < until) and self._covers(name)
        )
        return (self.soname.encode(), *kept) if kept else ()

    def definitions(self, name: bytes) -> tuple[Definition, ...]:
        """Its exported entries under that name, the default version last."""
        found = self._found.get(name)
        if found is None:
            if name not in self._table:  # not remembered: an artifact may ask for any number of names
                return ()
            found = self._found[name] = self._define(name)
        return found

    def symbol_count(self) -> int:
        """How many entries it exports on this platform, each version counted; slow, for people only."""
        return sum(len(self.definitions(name)) for name in self._table.names())

    @cached_property
    def _indices(self) -> dict[bytes | None, int]:
        return {version: position for position, version in enumerate(self.versions[1:], 2)}

    def _define(self, name: bytes) -> tuple[Definition, ...]:
        rows: dict[bytes | None, Row] = {}
        for row in self._table.rows(name):
            if row.architectures and self._architecture not in row.architectures:
                continue
            version = self._version(row)
            if self._is_present(row, version):
                rows[version] = row
        ordered = sorted(rows, key=_age) if len(rows) > 1 else list(rows)
        default = None
        for version in ordered:
            hidden = rows[version].hidden
            if hidden is None or hidden > self._release:
                default = version
        return tuple(
            platform_definition(
                version,
                rows[version].kind,
                self._indices.get(version, 1),
                hidden=version is not None and version != default,
            )
            for version in ordered
        )

    def _version(self, row: Row) -> bytes | None:
        if row.version is None or not row.older_too:
            return row.version
        number = version_number(row.version)
        if number is not None and number < self._first_version:
            return b"GLIBC_" + b".".join(b"%d" % part for part in self._first_version)
        return row.version

    def _is_present(self, row: Row, version: bytes | None) -> bool:
        if not row.holds(self._release):
            return False
        return version is None or self._has_node(version)

    def _has_node(self, version: bytes) -> bool:
        """Thousands of symbols share some dozen nodes."""
        known = self._nodes.get(version)
        if known is None:
            known = self._nodes[version] = release_of(version) <= self._release and self._covers(version)
        return known

    def _holds(self, options: dict[bytes, bytes]) -> bool:
        on = options.get(b"on")
        until = options.get(b"until")
        return (
            (on is None or self._architecture in on.split(b","))
            and parse_release(options.get(b"since", b"")) <= self._release
            and (until is None or self._release < parse_release(until))
        )


class UnmeasuredLibrary:
    """A library that the platform promises, but whose symbols no package told; implements ``PlatformLibrary``."""

    symbols_known = False
    needed: tuple[str, ...] = ()
    versions: tuple[bytes, ...] = ()

    def __init__(self, soname: str) -> None:
        self.soname = soname

    def definitions(self, name: bytes) -> tuple[Definition, ...]:  # noqa: ARG002 - the protocol's signature
        """Nothing is known: always empty."""
        return ()


def nodes_of(table: Table, architecture: bytes) -> tuple[tuple[bytes, Release, Release | None], ...] | None:
    """The version nodes of a library on an architecture, in file order.

    Each is told with the release that brought it and the one that dropped it.
    ``None`` where the library does not exist on that architecture.
    """
    for line in table.head:
        word, *rest = line.split(b" ")
        if word == b"versions" and rest[0] == architecture:
            return tuple(_node(item) for item in rest[1:])
    return None


def _node(item: bytes) -> tuple[bytes, Release, Release | None]:
    item, _, until = item.partition(b"!")
    name, _, since = item.partition(b"=")
    return name, parse_release(since) if since else release_of(name), parse_release(until) if until else None


@cache
def release_of(version: bytes) -> Release:
    """The release that brought a version node of a table: ``(2, 3)`` for GLIBC_2.3.4, ``()`` where its name does not tell."""
    number = version_number(version) if version.startswith(b"GLIBC_") else None
    return number[:2] if number else ()


def _age(version: bytes | None) -> tuple[bool, Release]:
    """Sorts versions of one symbol, oldest first; what has no number (GLIBC_PRIVATE) counts as older than any number."""
    number = None if version is None else version_number(version)
    return (number is not None, number or ())
