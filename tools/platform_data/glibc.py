"""Merges what the ziglang wheel tells of every glibc release with what packages of some releases export."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from measure import Package, measure
from tables import ARCHITECTURES, Release, Row, dotted, number

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from abilists import Inclusion
    from measure import Export, Measured

TARGETS = {
    "x86_64": "x86_64-linux-gnu",
    "i686": "x86-linux-gnu",
    "aarch64": "aarch64-linux-gnu",
    "armv7l": "arm-linux-gnueabihf",
    "ppc64le": "powerpc64le-linux-gnu",
    "s390x": "s390x-linux-gnu",
    "riscv64": "riscv64-linux-gnu",
    "loongarch64": "loongarch64-linux-gnu",
}

LOADERS = {
    "x86_64": "ld-linux-x86-64.so.2",
    "i686": "ld-linux.so.2",
    "aarch64": "ld-linux-aarch64.so.1",
    "armv7l": "ld-linux-armhf.so.3",
    "ppc64le": "ld64.so.2",
    "s390x": "ld64.so.1",
    "riscv64": "ld-linux-riscv64-lp64d.so.1",
    "loongarch64": "ld-linux-loongarch-lp64d.so.1",
}

LIBRARIES = {
    "pthread": "libpthread.so.0",
    "dl": "libdl.so.2",
    "rt": "librt.so.1",
    "util": "libutil.so.1",
    "resolv": "libresolv.so.2",
    "anl": "libanl.so.1",
    "ld": "ld.so",
    "m": "libm.so.6",
    "mvec": "libmvec.so.1",
    "nsl": "libnsl.so.1",
    "BrokenLocale": "libBrokenLocale.so.1",
    "thread_db": "libthread_db.so.1",
    "c": "libc.so.6",
}
"""The C library's parts that a program may need, libc last: it takes over what leaves the others. ``ld.so`` is the loader,
whose soname is the architecture's own."""

FIRST_KNOWN: Release = (2, 5)

ABI_NODES: dict[str, Release] = {
    "GLIBC_ABI_DT_RELR": (2, 36),
    "GLIBC_ABI_GNU_TLS": (2, 43),
    "GLIBC_ABI_GNU2_TLS": (2, 43),
    "GLIBC_ABI_DT_X86_64_PLT": (2, 43),
}
"""Nodes without symbols and the upstream release that brought them; Debian has the later ones in its 2.41 already."""


MERGED: Release = (2, 34)
MERGED_LIBRARIES = {"libpthread.so.0", "libdl.so.2", "librt.so.1", "libutil.so.1", "libanl.so.1"}

OLDEST_MEASURED: Release = (2, 31)


@dataclass(slots=True, kw_only=True)
class Library:
    """One library on one architecture.

    Attributes:
        rows: its symbols.
        versions: the version nodes in file order, base left out, each with what its name does not tell: ``=R`` the release
            that brought it, ``!R`` the release that dropped it.
        first_measured: the oldest measured release.
        needed: (release, DT_NEEDED) as measured, oldest first.
        notes: what the sources disagree about.
    """

    rows: list[Row] = field(default_factory=list)
    versions: tuple[str, ...] = ()
    first_measured: Release = ()
    needed: list[tuple[Release, tuple[str, ...]]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def exists(self) -> bool:
        """Some package of the architecture holds it."""
        return bool(self.versions)


def first_versions(inclusions: Iterable[Inclusion]) -> dict[str, Release]:
    """Architecture → its oldest GLIBC version."""
    oldest: dict[str, Release] = {}
    for inclusion in inclusions:
        for architecture, target in TARGETS.items():
            if target in inclusion.targets:
                oldest[architecture] = min(oldest.get(architecture, (99,)), inclusion.versions[0])
    return oldest


def release_of(version: str) -> Release | None:
    """The release that brought a version node: ``GLIBC_2.3.4`` → ``(2, 3)``."""
    if version in ABI_NODES:
        return ABI_NODES[version]
    found = number(version) if version.startswith("GLIBC_") else None
    return found[:2] if found else None


class Merger:
    """Builds the libraries of one architecture."""

    def __init__(
        self,
        architecture: str,
        inclusions: Iterable[Inclusion],
        left: Mapping[tuple[str, str], Release],
        measured: Mapping[Release, Mapping[str, Measured]],
    ) -> None:
        """Keeps the sources.

        Args:
            architecture: such as ``x86_64``.
            inclusions: all of the ziglang wheel.
            left: (library as in ``LIBRARIES``, symbol) → release from which on it is gone.
            measured: release → soname → what a package's library holds.
        """
        self.left = left
        self.measured = {release: measured[release] for release in sorted(measured)}
        self.public: dict[str, dict[tuple[str, str], str]] = defaultdict(dict)
        target = TARGETS[architecture]
        for inclusion in inclusions:
            if target in inclusion.targets:
                for version in inclusion.versions:
                    node = "GLIBC_" + ".".join(map(str, version))
                    self.public[inclusion.library][inclusion.name, node] = inclusion.kind
        self.moved: dict[tuple[str, str], Release] = {}

    def library(self, short: str) -> Library:
        """Merges one library; ``c`` must come last."""
        soname = LIBRARIES[short]
        found = {release: libraries[soname] for release, libraries in self.measured.items() if soname in libraries}
        exports = {release: {(e.name, e.version): e for e in library.exports} for release, library in found.items()}
        result = Library()
        keys = set(self.public[short]).union(*exports.values())
        keys |= self._departed(short, {name for name, _ in keys})
        for name, version in sorted(keys):
            row = self._row(short, name, version, exports, result.notes)
            result.rows += row
        result.rows = mark_hidden(result.rows, exports, result.notes)
        result.versions = nodes(soname, found)
        result.first_measured = min(found, default=())
        for release, library in found.items():
            if not result.needed or result.needed[-1][1] != library.needed:
                result.needed.append((release, library.needed))
        return result

    def _departed(self, short: str, known: set[str]) -> set[tuple[str, str]]:
        """What left a library that the wheel does not list: libc took it over under its old versions."""
        if self.public[short]:
            return set()
        gone = {name: release for (library, name), release in self.left.items() if library == short and name not in known}
        libc = [libraries["libc.so.6"] for libraries in self.measured.values()]
        return {
            (export.name, export.version)
            for library in libc
            for export in library.exports
            if export.name in gone and (release_of(export.version) or (99,)) < gone[export.name]
        }

    def _row(
        self, short: str, name: str, version: str, exports: Mapping[Release, Mapping[tuple[str, str], Export]], notes: list[str]
    ) -> list[Row]:
        key = (name, version)
        present = [release for release, library in exports.items() if key in library]
        kind = exports[present[-1]][key].kind if present else self.public[short].get(key, "F")
        born = release_of(version)
        if key in self.public[short] or not present:
            since = None
        elif short == "c" and key in self.moved and present:
            since = self.moved[key]
        else:
            since = _first_seen(LIBRARIES[short], present[0], list(exports), born)
        until = self.left.get((short, name))
        after = [release for release in exports if release > (present[-1] if present else max(born or (0,), since or (0,)))]
        if until is None and after:
            until = _when(LIBRARIES[short], after[0])
            if version != "GLIBC_PRIVATE" and version:
                notes.append(f"{name}@{version} is gone from {LIBRARIES[short]} at {until}, but no listing says so")
        if until is not None and born is not None and until <= born:
            return []
        if short != "c" and until is not None and version != "GLIBC_PRIVATE":
            self.moved.setdefault(key, until)
        return [Row(name=name, version=version, kind=kind, since=since if since != born else None, until=until)]


def _first_seen(soname: str, first: Release, measured: list[Release], born: Release | None) -> Release | None:
    """The first release with a symbol that only packages tell of; ``None`` where its version or the oldest package tells."""
    earlier = [release for release in measured if release < first]
    if not earlier or (born is not None and born > earlier[-1]):
        return None
    return _when(soname, first)


def mark_hidden(rows: list[Row], exports: Mapping[Release, Mapping[tuple[str, str], Export]], notes: list[str]) -> list[Row]:
    """Marks the rows that are not default versions although no newer version of the name exists in that release."""
    by_name: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_name[row.name].append(row)
    result: list[Row] = []
    for row in rows:
        hidden_from = None
        for release, library in exports.items():
            entry = library.get((row.name, row.version))
            if entry is None:
                continue
            there = [library[r.name, r.version] for r in by_name[row.name] if (r.name, r.version) in library]
            newest = max((e.version for e in there), key=order) == row.version
            default = max((e.version for e in there if not e.hidden), key=order, default=None)
            if entry.hidden and hidden_from is None and (newest or default is None or order(row.version) > order(default)):
                hidden_from = release
            if not entry.hidden and (default != row.version or hidden_from):
                notes.append(f"{row.name}@{row.version} is the default at {release}")
        first = next((release for release, library in exports.items() if (row.name, row.version) in library), None)
        word = "" if hidden_from is None else "hidden" if hidden_from == first else f"hidden={'.'.join(map(str, hidden_from))}"
        result.append(replace(row, hidden=word))
    return result


def order(version: str) -> tuple[bool, Release]:
    """Sorts the versions of one symbol, oldest first; what has no number (GLIBC_PRIVATE) counts as older than any number."""
    found = number(version)
    return (found is not None, found or ())


def merge_architecture(
    architecture: str,
    inclusions: Iterable[Inclusion],
    left: Mapping[tuple[str, str], Release],
    measured: Mapping[Release, Mapping[str, Measured]],
) -> dict[str, Library]:
    """Every library of one architecture, by short name."""
    merger = Merger(architecture, inclusions, left, measured)
    return {short: merger.library(short) for short in LIBRARIES}


def measure_package(path: Path, architecture: str) -> dict[str, Measured]:
    """The libraries of one libc6 package, by soname (``ld.so`` for the loader)."""
    found: dict[str, Measured] = {}
    with Package(path) as package:
        for soname in LIBRARIES.values():
            file = package.find(LOADERS[architecture] if soname == "ld.so" else soname)
            if file is not None:
                found[soname] = measure(file)
    return found


def share_dates(built: dict[str, dict[str, Library]]) -> None:
    """Dates a change by other architectures where an architecture's first package is too new to tell when it happened.

    Two changes are concerned: a symbol became hidden, and a symbol that no listing tells of appeared.
    """
    for short in LIBRARIES:
        libraries = [library[short] for library in built.values()]
        early = [row for library in libraries if library.first_measured == OLDEST_MEASURED for row in library.rows]
        hidden = {row.name: row.hidden for row in early if row.hidden.startswith("hidden=")}
        always = {row.name for row in early if row.since is None}
        since = {row.name: row.since for row in early if row.since is not None and row.name not in always}
        for library in libraries:
            if library.first_measured > OLDEST_MEASURED:
                library.rows = [_dated(row, hidden, since) for row in library.rows]
            date_nodes(library)


def date_nodes(library: Library) -> None:
    """Dates the nodes that a library got only with symbols from another: libc has GLIBC_2.31 since 2.34, from libpthread."""
    earliest: dict[str, Release] = {}
    for row in library.rows:
        came = row.since or release_of(row.version)
        if came is not None:
            earliest[row.version] = min(earliest.get(row.version, came), came)
    library.versions = tuple(
        f"{node}={dotted(earliest[node])}" if earliest.get(node, ()) > (release_of(node) or earliest.get(node, ())) else node
        for node in library.versions
    )


def _dated(row: Row, hidden: Mapping[str, str], since: Mapping[str, Release]) -> Row:
    if row.hidden == "hidden" and row.name in hidden:
        row = replace(row, hidden=hidden[row.name])
    if row.since is None and row.name in since and since[row.name] > (release_of(row.version) or ()):
        row = replace(row, since=since[row.name])
    return row


def head(soname: str, libraries: dict[str, Library]) -> list[str]:
    """The ``needed`` and ``versions`` lines of a data file."""
    lines: dict[str, set[str]] = defaultdict(set)
    for architecture, library in libraries.items():
        steps = [(_when(soname, release), needed) for release, needed in library.needed]
        for position, (release, needed) in enumerate(steps):
            names = ["ld.so" if name == LOADERS[architecture] else name for name in needed]
            since = [f"since={dotted(release)}"] if position else []
            until = [f"until={dotted(steps[position + 1][0])}"] if position + 1 < len(steps) else []
            lines[" ".join(["needed", *names, *since, *until])].add(architecture)
    result = [f"{line} on={','.join(a for a in ARCHITECTURES if a in on)}" for line, on in sorted(lines.items())]
    for architecture, library in libraries.items():
        result.append(" ".join(("versions", architecture, *library.versions)))
    return result


def nodes(soname: str, found: Mapping[Release, Measured]) -> tuple[str, ...]:
    """The version nodes of the newest measured release in file order, base left out; then those that only older ones have."""
    if not found:
        return ()
    newest = found[max(found)].versions[1:]
    result = []
    for node in newest:
        first = min(release for release, library in found.items() if node in library.versions)
        late = soname in MERGED_LIBRARIES and any((release_of(node) or MERGED) <= release < first for release in found)
        came = ABI_NODES.get(node) or (_when(soname, first) if late else None)
        result.append(f"{node}={dotted(came)}" if came else node)
    for release, library in found.items():
        for node in library.versions[1:]:
            if node not in newest and not any(node == known.partition("!")[0] for known in result):
                gone = next(later for later in found if later > release and node not in found[later].versions)
                result.append(f"{node}!{dotted(_when(soname, gone))}")
    return tuple(result)


def _when(soname: str, measured: Release) -> Release:
    """The release of a change that only packages tell of: the first measured, but 2.34 for what was merged into libc then."""
    return min(measured, MERGED) if soname in MERGED_LIBRARIES else measured
