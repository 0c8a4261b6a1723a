"""Resolution: what becomes of every reference of an object in every root's scope.

The search in one scope is the loader's (glibc ``elf/dl-lookup.c``, musl ``ldso/dynlink.c``), reordered so that it is done once:
which objects would satisfy a reference does not depend on the root, only which of them comes first in the scope does. So the
references of an object are grouped by their candidates, and each root asks a question per group instead of one per symbol.
"""

from __future__ import annotations

from checker.loaders import glibc, musl
from checker.loaders.reference import Match, Reference
from checker.model.elf import Binding, Use, Visibility
from checker.model.hashes import sysv_hash
from checker.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from checker.closure import Mapped, Process
    from checker.exports import Entries, Exports

_THREAD_LOCAL = Use.TLS_MODULE | Use.TLS_OFFSET | Use.TLS_DESCRIPTOR
_GLIBC_PLT_CLASS = int(Use.JUMP_SLOT | _THREAD_LOCAL)
"""ELF_RTYPE_CLASS_PLT (``elf_machine_type_class``)."""
_MUSL_PLT_CLASS = int(Use.JUMP_SLOT)
"""``need_def`` of ``find_sym``: REL_PLT."""

MISSING = -1
OTHER_VERSION = -2
BEHIND_MISSING_LIBRARY = -3
UNKNOWN_SYMBOLS = -4
PASSED_VERSION_FILE = -5
ABORTED = -6
"""What a lookup comes to when it binds to no object."""


@record
class Group:
    """References of one object that have the same fate in every scope.

    Attributes:
        candidates: numbers of the objects with an acceptable definition.
        other_version: numbers of the objects that have the name in other versions only.
        weak: STB_WEAK.
        protected: STV_PROTECTED, where it counts: whoever is found, the reference stays with its own object.
        copy: a COPY relocation: the program itself is passed over.
        version_file: the file of the version need, where the release minds it; else ``None``.
        interpreter: names of an interpreter that was not measured; its stand-in may lack what it has.
        unique: the name, where a candidate is STB_GNU_UNIQUE and somebody else may own the name; else ``None``.
        unique_in: numbers of those candidates.
        positions: in the object's columns of imports, or in its ``self_references``.
    """

    candidates: tuple[int, ...]
    other_version: tuple[int, ...]
    weak: bool
    protected: bool
    copy: bool
    interpreter: bool
    version_file: str | None
    unique: bytes | None
    unique_in: tuple[int, ...]
    positions: tuple[int, ...]


@record
class Holders:
    """What all objects offer for a reference: who has an acceptable definition, and who has the name in other versions only.

    Attributes:
        number: equal values have one number.
        candidates, other_version: numbers of the objects, as in :class:`Group`.
        lacks_versions: some candidate has no version tables.
        unique_in: those candidates whose definition is STB_GNU_UNIQUE.
    """

    number: int
    candidates: tuple[int, ...]
    other_version: tuple[int, ...]
    lacks_versions: bool
    unique_in: tuple[int, ...]


class Scope:
    """What lookups in one root's scope must know.

    Attributes:
        positions: object number → its position in the search list: the global scope first, then the local one.
        lacks_library: some needed library of the closure was not found.
        unknown: number of the first object whose symbols are not known (declared, or a platform library known by name only).
        files: requested name → number of the object loaded under it.
        crash: position of the first object without a hash table, at which musl's lookup crashes.
    """

    __slots__ = ("crash", "files", "lacks_library", "positions", "unknown")

    def __init__(self, process: Process, mapped: Mapped) -> None:
        order = dict.fromkeys((*mapped.global_scope, *mapped.order))
        self.positions = {number: position for position, number in enumerate(order)}
        self.lacks_library = any(missing is not None for _, missing in mapped.events)
        objects = process.objects
        self.unknown = next((number for number in mapped.order if not objects.has_known_symbols(number)), None)
        self.files = mapped.requested
        self.crash: int | None = None
        if process.is_musl:
            self.crash = next((self.positions[number] for number in order if _lacks_hash_table(process, number)), None)


def _lacks_hash_table(process: Process, number: int) -> bool:
    if not process.is_member(number):
        return False
    symbols = process.facts(number).symbols
    return symbols.gnu_hash is None and symbols.sysv_hash is None


_Key = tuple[bytes, "bytes | None", bool, bool]
"""Name, version, whether only an exact match will do, whether every use is a call or thread-local."""
_Row = tuple[int, _Key, int, "str | None"]
"""Position, what is asked for, flags, file of the version need."""
_WEAK, _PROTECTED, _COPY, _INTERPRETER = 1, 2, 4, 8
_INTERPRETER_PREFIXES = (b"Py", b"_Py")
_UNIQUE = int(Binding.STB_GNU_UNIQUE)
_Wanted = tuple["bytes | None", bool, "str | None"]
"""Version wanted by a version index, whether only an exact match will do, and the file of the need."""
_UNVERSIONED: _Wanted = (None, False, None)


class Resolver:
    """Answers for one process; remembers what each object's references could bind to."""

    def __init__(self, process: Process, exports: Exports, programs: frozenset[int] = frozenset()) -> None:
        """Roots are mapped before.

        Args:
            process: its platform's libraries are those that a mapping has brought in by now.
            exports: must cover every name that is asked for.
            programs: those objects that run as programs.
        """
        self._process = process
        self._has_versions = process.objects.has_versions
        self._libraries = tuple(process.objects.platform_libraries())
        self.programs = programs | ({process.program} if process.program is not None else frozenset())
        self._exports = exports
        self._matches: dict[_Key, Holders] = {}
        self._shared_holders: dict[tuple[tuple[int, ...], tuple[int, ...], bool, tuple[int, ...]], Holders] = {}
        self._groups: dict[int, tuple[Group, ...]] = {}
        self._all_groups: dict[int, tuple[Group, ...]] = {}
        self._doubtful_groups: dict[int, tuple[Group, ...]] = {}
        self._outsider_entries: dict[bytes, dict[int, Entries]] = {}
        plt_class = _MUSL_PLT_CLASS if process.is_musl else _GLIBC_PLT_CLASS
        self._is_plt_class = [not uses & ~plt_class for uses in range(256)]
        self.tracks_unique = not process.is_musl and self._unique_may_be_owned()
        self._scan_ends_at_file = not process.is_musl and glibc.scan_ends_at_version_file(process.release)
        self._asserts_versions = not process.is_musl and process.release < glibc.VERSION_ASSERTION_ENDS

    def _unique_may_be_owned(self) -> bool:
        """Someone may bind a UNIQUE symbol otherwise than by the order of the scope: a preload, or a DT_SYMBOLIC object."""
        process = self._process
        return bool(process.preloaded) or any(facts.symbolic for facts in process.installation.objects)

    # Grouping

    def groups(self, number: int) -> tuple[Group, ...]:
        """The imports of a member that relocations use, grouped; positions are those of its columns of imports."""
        known = self._groups.get(number)
        if known is None:
            known = self._groups[number] = tuple(self._grouped(self._import_rows(number)))
        return known

    def self_groups(self, number: int, positions: Iterable[int] | None = None) -> tuple[Group, ...]:
        """The symbols that a member defines and its relocations refer to by name; positions are those of ``self_references``.

        Args:
            number: the member.
            positions: only these; ``None`` for all.
        """
        if positions is None:
            positions = range(len(self._process.facts(number).self_references))
        return tuple(self._grouped(self._self_rows(number, positions)))

    def all_groups(self, number: int) -> tuple[Group, ...]:
        """:meth:`groups`, then all of :meth:`self_groups`."""
        known = self._all_groups.get(number)
        if known is None:
            known = self._all_groups[number] = (*self.groups(number), *self.self_groups(number))
        return known

    def doubtful_self_groups(self, number: int) -> tuple[Group, ...]:
        """Those of :meth:`self_groups` that could fail: not found by their own hash table, or copies of another's data."""
        known = self._doubtful_groups.get(number)
        if known is None:
            doubtful = self._exports.doubtful(number)
            known = self._doubtful_groups[number] = self.self_groups(number, doubtful) if doubtful else ()
        return known

    def _import_rows(self, number: int) -> Iterator[_Row]:
        imports = self._process.facts(number).imports
        wanted = self._wanted_versions(number)
        is_plt_class, canonical = self._is_plt_class, self._exports.canonical
        host = self._process.host
        stands_in = host is not None and not host.is_measured
        visibilities = imports.visibilities if any(imports.visibilities) else None
        columns = zip(imports.names, imports.version_indices, imports.weak, imports.uses, strict=True)
        for position, (name, index, flags, uses) in enumerate(columns):
            if not uses:
                continue
            version, exact, file = wanted.get(index, _UNVERSIONED)
            if visibilities is not None:
                visibility = visibilities[position]
                if not self._looks_up(visibility):
                    continue
                flags |= self._protection(visibility)  # noqa: PLW2901 (weak is the first of the flags)
            if stands_in and name.startswith(_INTERPRETER_PREFIXES):
                flags |= _INTERPRETER  # noqa: PLW2901
            plt_class = is_plt_class[uses]
            if canonical and not plt_class and uses & _GLIBC_PLT_CLASS and name in canonical:
                # A canonical PLT entry answers for the address and not for the call.
                yield position, (name, version, exact, False), flags, file
                plt_class = True
            yield position, (name, version, exact, plt_class), flags, file

    def _self_rows(self, number: int, positions: Iterable[int]) -> Iterator[_Row]:
        """A defined symbol's own version is what references to it want (``elf/do-rel.h``: ``l_versions`` by its index)."""
        facts = self._process.facts(number)
        symbols = facts.symbols
        wanted = self._wanted_versions(number)
        for position in positions:
            symbol, uses = facts.self_references[position], facts.self_uses[position]
            info, visibility, _, _ = symbols.fields(symbol)
            if not self._looks_up(visibility):
                continue
            index = symbols.versions[symbol] & 0x7FFF if symbols.versions is not None else 1
            version, exact, file = wanted.get(index, _UNVERSIONED)
            name = symbols.name(symbol)
            # musl forgives an undefined weak reference only; a defined weak symbol that no table leads to is an error.
            flags = _WEAK if info >> 4 == Binding.STB_WEAK and not self._process.is_musl else 0
            flags |= self._protection(visibility)
            if uses & Use.COPY:
                yield position, (name, version, exact, False), flags | _COPY, file
                uses &= ~Use.COPY
            if uses:
                yield position, (name, version, exact, self._is_plt_class[uses]), flags, file

    def _looks_up(self, visibility: int) -> bool:
        return self._process.is_musl or glibc.looks_up(visibility, self._process.release)

    def _protection(self, visibility: int) -> int:
        return _PROTECTED if visibility == Visibility.STV_PROTECTED and not self._process.is_musl else 0

    def _wanted_versions(self, number: int) -> dict[int, _Wanted]:
        """Version index → what a reference with it wants, from the object's needs and definitions (``l_versions``)."""
        if self._process.is_musl:
            return {}
        facts = self._process.facts(number)
        wanted: dict[int, _Wanted] = {}
        minds_file = self._scan_ends_at_file or self._asserts_versions
        for need in facts.version_needs:
            for version in need.versions:
                # Names are compared only where hashes are equal: a wrong hash matches nothing.
                name = version.name if version.hash == sysv_hash(version.name) else b"\0" + version.name
                wanted[version.index] = (name, version.hidden, need.file if minds_file else None)
        for definition in facts.version_definitions:
            if not definition.base:
                wanted[definition.index] = (definition.name, False, None)
        return wanted

    def _grouped(self, rows: Iterator[_Row]) -> Iterator[Group]:
        collected: dict[object, tuple[Holders, int, str | None, bytes | None, list[int]]] = {}
        matches, tracks_unique = self._matches, self.tracks_unique
        for position, key, flags, version_file in rows:
            found = matches.get(key)
            if found is None:
                found = matches[key] = self._match_everywhere(*key)
            kind: object = found.number << 4 | flags
            file = version_file if version_file is not None and (self._scan_ends_at_file or found.lacks_versions) else None
            unique = key[0] if tracks_unique and found.unique_in else None
            if file is not None or unique is not None:
                kind = (kind, file, unique)
            known = collected.get(kind)
            if known is None:
                collected[kind] = (found, flags, file, unique, [position])
            else:
                known[4].append(position)
        for found, flags, file, unique, positions in collected.values():
            yield Group(
                candidates=found.candidates,
                other_version=found.other_version,
                weak=bool(flags & _WEAK),
                protected=bool(flags & _PROTECTED),
                copy=bool(flags & _COPY),
                interpreter=bool(flags & _INTERPRETER),
                version_file=file,
                unique=unique,
                unique_in=found.unique_in if unique is not None else (),
                positions=tuple(positions),
            )

    # Matching

    def _match_everywhere(
        self,
        name: bytes,
        version: bytes | None,
        exact: bool,  # noqa: FBT001 (these are the key of a table)
        plt_class: bool,  # noqa: FBT001
    ) -> Holders:
        """What every object offers for a reference."""
        candidates = () if exact else tuple(self._exports.plain(name))
        others = self._exports.holders(name) if exact else self._exports.other(name)
        outside = self._entries_outside(name)
        other_version: tuple[int, ...] = ()
        unique_in: tuple[int, ...] = ()
        if others or outside:
            reference = Reference(name=name, version=version, version_hidden=exact, plt_class=plt_class)
            matches = [
                (number, self._match(reference, number, entries)) for number, entries in (*others.items(), *outside.items())
            ]
            candidates += tuple(number for number, match in matches if match.definition is not None)
            other_version = tuple(number for number, match in matches if match.other_version)
            unique_in = tuple(
                number for number, match in matches if match.definition is not None and match.definition.binding == _UNIQUE
            )
        if not candidates and self._process.is_musl:
            plain = musl.lfs64_name(name, self._process.release)
            candidates = tuple(self._entries_outside(plain)) if plain is not None else ()
        lacks_versions = self._asserts_versions and version is not None and not all(map(self._has_versions, candidates))
        return self._shared(candidates, other_version, lacks_versions=lacks_versions, unique_in=unique_in)

    def _shared(
        self, candidates: tuple[int, ...], other_version: tuple[int, ...], *, lacks_versions: bool, unique_in: tuple[int, ...]
    ) -> Holders:
        """One value for equal contents, so that groups can go by its number."""
        key = (candidates, other_version, lacks_versions, unique_in)
        known = self._shared_holders.get(key)
        if known is None:
            known = self._shared_holders[key] = Holders(
                number=len(self._shared_holders),
                candidates=candidates,
                other_version=other_version,
                lacks_versions=lacks_versions,
                unique_in=unique_in,
            )
        return known

    def _entries_outside(self, name: bytes) -> dict[int, Entries]:
        """The entries of that name in the platform's libraries and the interpreter."""
        known = self._outsider_entries.get(name)
        if known is None:
            known = {number: entries for number, library in self._libraries if (entries := library.definitions(name))}
            host = self._process.host
            if host is not None and (entries := host.definitions(name)):
                known[self._process.global_scope[0]] = entries
            self._outsider_entries[name] = known
        return known

    def _match(self, reference: Reference, number: int, entries: Entries) -> Match:
        if self._process.is_musl:
            return musl.match(reference, entries)
        return glibc.match(
            reference, entries, has_versions=self._process.objects.has_versions(number), release=self._process.release
        )

    def version_taken(self, name: bytes, version: bytes | None, number: int) -> bytes | None:
        """The version of the definition that a reference binds to in one object; ``None`` where it has none."""
        entries = self._exports.other(name).get(number) or self._entries_outside(name).get(number)
        if entries is None:
            # What is plain has no version's name.
            return None
        reference = Reference(name=name, version=version, version_hidden=False, plt_class=False)
        taken = self._match(reference, number, entries).definition
        return taken.version if taken is not None else None

    # Asking in one scope

    def bind(self, number: int, group: Group, scope: Scope) -> int:
        """The object that a group's references bind to in one scope, or one of the negative outcomes."""
        provider, position = self._first(number, group, scope.positions)
        if scope.crash is not None and position > scope.crash:
            return ABORTED
        file = scope.files.get(group.version_file) if group.version_file is not None else None
        if file is not None:
            if not self._process.objects.has_known_symbols(file):
                if position > scope.positions.get(file, position):
                    # The file that the version names may well have it, and would then be met first.
                    return UNKNOWN_SYMBOLS
            elif self._scan_ends_at_file and position > self._end_of_scan(file, scope.positions):
                return PASSED_VERSION_FILE
            elif file == provider and not self._has_versions(file):
                return ABORTED
        if provider < 0:
            return self._why_unbound(group, scope)
        return number if group.protected else provider

    def _first(self, number: int, group: Group, positions: dict[int, int]) -> tuple[int, int]:
        """The first object of the scope with an acceptable definition, and its position; (MISSING, the end) without one."""
        provider, best = MISSING, len(positions)
        symbolic = self._looks_at_home_first(number)
        for candidate in group.candidates:
            position = positions.get(candidate)
            if position is None or (group.copy and candidate == number):
                continue
            if symbolic and candidate == number:
                position = -1
            if position < best:
                provider, best = candidate, position
        return provider, best

    @staticmethod
    def _why_unbound(group: Group, scope: Scope) -> int:
        if scope.unknown is not None or group.interpreter:
            return UNKNOWN_SYMBOLS
        if scope.lacks_library:
            return BEHIND_MISSING_LIBRARY
        return OTHER_VERSION if any(holder in scope.positions for holder in group.other_version) else MISSING

    def _looks_at_home_first(self, number: int) -> bool:
        """DT_SYMBOLIC (glibc ``elf/dl-load.c``: the object itself before all scopes), which a program and musl do not know."""
        if self._process.is_musl or number in self.programs:
            return False
        return self._process.facts(number).symbolic

    def _end_of_scan(self, file: int, positions: dict[int, int]) -> int:
        """Position behind which a versioned lookup before 2.30 does not go; an object without a hash table does not end it."""
        if file not in positions or _lacks_hash_table(self._process, file):
            return len(positions)
        return positions[file]
