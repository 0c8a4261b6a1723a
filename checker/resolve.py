"""Resolution: what becomes of every import in every root's scope, and whether each root loads.

The search in one scope is the loader's (glibc ``elf/dl-lookup.c``, musl ``ldso/dynlink.c``), reordered so that it is done once: which
objects would satisfy a reference does not depend on the root, only which of them comes first in the scope does. So the imports of an
object are grouped by their candidates, and each root asks a question per group instead of one per symbol.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from checker.loaders import glibc, musl
from checker.loaders.reference import Match, Reference
from checker.model.closure import ProviderKind
from checker.model.elf import Use
from checker.model.resolution import Outcome, Via

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from checker.closure import Mapped, Process
    from checker.exports import Entries, Exports

_PLT_CLASS = Use.JUMP_SLOT | Use.TLS_MODULE | Use.TLS_OFFSET | Use.TLS_DESCRIPTOR

MISSING = -1
OTHER_VERSION = -2
BEHIND_MISSING_LIBRARY = -3
UNKNOWN_SYMBOLS = -4
PASSED_VERSION_FILE = -5
"""What a lookup comes to when it binds to no object."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Imports of one object that have the same fate in every scope.

    Attributes:
        candidates: numbers of the objects with an acceptable definition.
        other_version: numbers of the objects that have the name in other versions only.
        weak: STB_WEAK.
        version_file: the file of the version need, where the release ends the scan there; else ``None``.
        positions: in the object's columns of imports.
    """

    candidates: tuple[int, ...]
    other_version: tuple[int, ...]
    weak: bool
    version_file: str | None
    positions: tuple[int, ...]


_Key = tuple[bytes, "bytes | None", bool, bool]
"""Name, version, whether only an exact match will do, whether every use is a call or thread-local."""
_Row = tuple[int, _Key, int, "str | None"]
"""Position, what is asked for, 1 for a weak reference, file of the version need where it matters."""
_Holders = tuple[tuple[int, ...], tuple[int, ...]]
"""Objects with an acceptable definition, and those with the name in other versions only."""


class Resolver:
    """Answers for one process; remembers what each object's imports could bind to."""

    def __init__(self, process: Process, exports: Exports) -> None:
        """``exports`` must cover every name that the objects import."""
        self._process = process
        self._exports = exports
        self._matches: dict[_Key, _Holders] = {}
        self._groups: dict[int, tuple[Group, ...]] = {}
        self._outsider_entries: dict[bytes, dict[int, Entries]] = {}

    def groups(self, number: int) -> tuple[Group, ...]:
        """The imports of a member that relocations use, grouped; positions are those of its columns of imports."""
        known = self._groups.get(number)
        if known is None:
            known = self._groups[number] = tuple(self._grouped(self._import_rows(number)))
        return known

    def self_groups(self, number: int) -> tuple[Group, ...]:
        """The symbols that a member defines and its relocations refer to by name; positions are those of ``self_references``."""
        return tuple(self._grouped(self._self_rows(number)))

    def _import_rows(self, number: int) -> Iterator[_Row]:
        imports = self._process.facts(number).imports
        version_of, file_of = self._version_columns(number)
        columns = zip(imports.names, imports.version_indices, imports.weak, imports.uses, strict=True)
        for position, (name, index, weak, uses) in enumerate(columns):
            if uses:
                version, hidden = version_of.get(index, _UNVERSIONED)
                yield position, (name, version, hidden, not uses & ~_PLT_CLASS), weak, file_of.get(index)

    def _self_rows(self, number: int) -> Iterator[_Row]:
        """A defined symbol's own version is what its references want; it names no file (glibc ``elf/dl-version.c``)."""
        facts = self._process.facts(number)
        symbols = facts.symbols
        base = {definition.index for definition in facts.version_definitions if definition.base}
        for position, (symbol, uses) in enumerate(zip(facts.self_references, facts.self_uses, strict=True)):
            entry = symbols.definition(symbol)
            version = None if self._process.is_musl or entry.index in base else entry.version
            yield position, (symbols.name(symbol), version, False, not uses & ~_PLT_CLASS), 0, None

    def _grouped(self, rows: Iterator[_Row]) -> Iterator[Group]:
        collected: dict[tuple[_Holders, int, str | None], list[int]] = {}
        matches = self._matches
        for position, key, weak, version_file in rows:
            found = matches.get(key)
            if found is None:
                found = matches[key] = self._match_everywhere(*key)
            collected.setdefault((found, weak, version_file), []).append(position)
        for ((candidates, other_version), weak, version_file), positions in collected.items():
            yield Group(
                candidates=candidates,
                other_version=other_version,
                weak=bool(weak),
                version_file=version_file,
                positions=tuple(positions),
            )

    def _version_columns(self, number: int) -> tuple[dict[int, tuple[bytes, bool]], dict[int, str]]:
        """Version index → (version, hidden) and, where the release asks for it, → file, from the object's needs."""
        if self._process.is_musl:
            return {}, {}
        version_of: dict[int, tuple[bytes, bool]] = {}
        file_of: dict[int, str] = {}
        scan_ends = glibc.scan_ends_at_version_file(self._process.release)
        for need in self._process.facts(number).version_needs:
            for version in need.versions:
                version_of[version.index] = (version.name, version.hidden)
                if scan_ends:
                    file_of[version.index] = need.file
        return version_of, file_of

    def _match_everywhere(
        self,
        name: bytes,
        version: bytes | None,
        hidden: bool,  # noqa: FBT001 (these are the key of a table)
        plt_class: bool,  # noqa: FBT001
    ) -> _Holders:
        """The objects that would satisfy a reference, and those that have its name in other versions only."""
        reference = Reference(name=name, version=version, version_hidden=hidden, plt_class=plt_class)
        candidates: list[int] = []
        other_version: list[int] = []
        for number, entries in self._holders(name):
            match = self._match(reference, number, entries)
            if match.definition is not None:
                candidates.append(number)
            elif match.other_version:
                other_version.append(number)
        if not candidates and self._process.is_musl:
            plain = musl.lfs64_name(name, self._process.release)
            if plain is not None:
                return tuple(self._entries_outside(plain)), ()
        return tuple(candidates), tuple(other_version)

    def _holders(self, name: bytes) -> Iterator[tuple[int, Entries]]:
        yield from self._exports.holders(name).items()
        yield from self._entries_outside(name).items()

    def _entries_outside(self, name: bytes) -> dict[int, Entries]:
        """The entries of that name in the platform's libraries and the interpreter."""
        known = self._outsider_entries.get(name)
        if known is None:
            libraries = self._process.platform_libraries()
            known = {number: entries for number, library in libraries if (entries := library.definitions(name))}
            host = self._process.host
            if host is not None and (entries := host.definitions(name)):
                known[self._process.global_scope[0]] = entries
            self._outsider_entries[name] = known
        return known

    def _match(self, reference: Reference, number: int, entries: Entries) -> Match:
        if self._process.is_musl:
            return musl.match(reference, entries)
        return glibc.match(
            reference, entries, has_versions=self._process.has_versions(number), release=self._process.release
        )

    def version_taken(self, name: bytes, version: bytes | None, number: int) -> bytes | None:
        """The version of the definition that a reference binds to in one object; ``None`` where it has none."""
        reference = Reference(name=name, version=version, version_hidden=False, plt_class=False)
        entries = dict(self._holders(name)).get(number, ())
        taken = self._match(reference, number, entries).definition
        return taken.version if taken is not None else None

    # Asking in one scope

    def scope(self, mapped: Mapped) -> dict[int, int]:
        """Object number → its position in the search list of that root: the global scope first, then the local one."""
        positions: dict[int, int] = {}
        for number in (*self._process.global_scope, *mapped.order):
            positions.setdefault(number, len(positions))
        return positions

    def bind(self, number: int, group: Group, positions: dict[int, int], scope: ScopeFacts) -> int:
        """The object that a group's imports bind to in one scope, or one of the negative outcomes."""
        best = len(positions)
        provider = MISSING
        symbolic = self._process.facts(number).symbolic and not self._process.is_musl
        for candidate in group.candidates:
            position = positions.get(candidate)
            if position is None:
                continue
            if symbolic and candidate == number:
                position = -1
            if position < best:
                best, provider = position, candidate
        if group.version_file is not None and not self._reached_before_file(best, group.version_file, scope):
            return PASSED_VERSION_FILE
        if provider >= 0:
            return provider
        if scope.unknown is not None:
            return UNKNOWN_SYMBOLS
        if scope.lacks_library:
            return BEHIND_MISSING_LIBRARY
        if any(holder in positions for holder in group.other_version):
            return OTHER_VERSION
        return MISSING

    def _reached_before_file(self, best: int, version_file: str, scope: ScopeFacts) -> bool:
        """Before glibc 2.30 the scan fails once it has passed the object that the version need names."""
        end = scope.file_positions.get(version_file)
        return end is None or best <= end


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopeFacts:
    """What a lookup must know of one root's scope besides its order.

    Attributes:
        lacks_library: some needed library of the closure was not found.
        unknown: number of the first object whose symbols are not known (declared, or a platform library known by name only).
        file_positions: requested name → position of the object loaded under it.
    """

    lacks_library: bool
    unknown: int | None
    file_positions: dict[str, int]


_UNVERSIONED: tuple[None, bool] = (None, False)
