"""The closure of a root: which objects the loader maps, in which order, and how it came to each.

One :class:`Process` stands for a running process on one exact platform with one artifact installed. Objects are numbered, since a
wheel with hundreds of extension modules on one big library asks the same questions hundreds of times: members of the artifact come
first, then whatever the platform, the interpreter or a declared distribution brings.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from checker.loaders import glibc, musl
from checker.model.closure import Attempt, Closure, Edge, FoundBy, ProviderKind, ScopeEntry
from checker.model.globs import any_match
from checker.model.layout import normalized

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from checker.model.artifact import FileKind
    from checker.model.elf import ElfFacts
    from checker.model.layout import Layout
    from checker.model.platform import Baseline, Host, PlatformId, PlatformLibrary
    from checker.model.policy import DeclaredProvider

Directory = tuple[str, FoundBy, str]
"""A directory to search, by which step it is searched, and the text that led there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Installation:
    """The artifact as an installer lays it out.

    Attributes:
        layout: where things land.
        objects: the ELF files that a loader can deal with (those with PT_DYNAMIC): the artifact's own, sorted by member path,
            then those of other distributions whose bytes were given.
        own: how many of them are the artifact's own.
        owners: distribution name of each of the others, by position after the own ones.
        places: installed path → index in ``objects``.
        other_files: installed path → kind, of every member that is no such object.
        directories: every installed directory.
    """

    layout: Layout
    objects: tuple[ElfFacts, ...]
    own: int
    owners: tuple[str, ...]
    places: dict[str, int]
    other_files: dict[str, FileKind]
    directories: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Distribution:
    """What is laid out: the ELF facts that could be read, and every (path, kind). ``name`` is empty for the artifact itself."""

    name: str
    objects: tuple[ElfFacts, ...]
    members: tuple[tuple[str, FileKind], ...]


def install(layout: Layout, artifact: Distribution, others: Iterable[Distribution] = ()) -> Installation:
    """Lay the artifact out, and beside it the other distributions whose bytes were given."""
    distributions = (artifact, *others)
    objects: list[ElfFacts] = []
    owners: list[str] = []
    places: dict[str, int] = {}
    for distribution in distributions:
        for facts in distribution.objects:
            if facts.is_dynamic:
                places.setdefault(layout.installed(facts.path), len(objects))
                objects.append(facts)
                owners.append(distribution.name)
    other_files: dict[str, FileKind] = {}
    directories: set[str] = set()
    for path, kind in (member for distribution in distributions for member in distribution.members):
        place = layout.installed(path)
        if place not in places:
            other_files[place] = kind
        parent = place.rpartition("/")[0]
        while parent and parent not in directories:
            directories.add(parent)
            parent = parent.rpartition("/")[0]
    own = owners.count(artifact.name)
    return Installation(
        layout=layout,
        objects=tuple(objects),
        own=own,
        owners=tuple(owners[own:]),
        places=places,
        other_files=other_files,
        directories=frozenset(directories),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Outsider:
    """An object that does not come from the artifact.

    Attributes:
        provider: HOST, PLATFORM or DECLARED.
        path: host name, soname, or ``requirement:soname``.
        library: the platform's library; ``None`` for the other kinds.
    """

    provider: ProviderKind
    path: str
    library: PlatformLibrary | None


@dataclass(slots=True, kw_only=True)
class Mapped:
    """The outcome of mapping one root, in numbers.

    Attributes:
        root: number of the root.
        order: numbers of the objects of the local scope, breadth first.
        chains: object number → the run path chain with which its needs are searched.
        edges: (needer, soname, target or -1, how), in the order in which they were followed; members only.
        requested: every name by which an object of the process was asked for → object.
    """

    root: int
    order: list[int]
    chains: dict[int, int]
    edges: list[tuple[int, str, int, FoundBy]]
    requested: dict[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """How the process was started, beyond the artifact and the platform.

    Attributes:
        library_path: directories of LD_LIBRARY_PATH, installed paths.
        tokens: values of ``LIB`` and ``PLATFORM``.
    """

    library_path: tuple[str, ...] = ()
    tokens: dict[str, str] = field(default_factory=lambda: {"LIB": "lib64", "PLATFORM": ""})


class Process:
    """One platform, one host, one artifact: maps roots and remembers what it has already searched."""

    def __init__(
        self,
        installation: Installation,
        *,
        platform: PlatformId,
        baseline: Baseline | None,
        host: Host | None,
        providers: tuple[DeclaredProvider, ...] = (),
        setup: Setup | None = None,
    ) -> None:
        """Start a process on ``platform``; ``host`` is ``None`` for an executable or where the interpreter is not known."""
        self.installation = installation
        self.platform = platform
        self.baseline = baseline
        self.host = host
        self.providers = providers
        self.setup = setup or Setup()
        self.release = platform.release
        self.is_musl = platform.family == "musl"
        self.outsiders: list[Outsider] = []
        self._numbers: dict[tuple[ProviderKind, str], int] = {}
        self._members = len(installation.objects)
        self._origins = _origins(installation)
        self._given = _names_given(installation)
        self._chains: list[tuple[Directory, ...]] = [()]
        self._chain_numbers: dict[tuple[Directory, ...], int] = {(): 0}
        self._needs: dict[tuple[int, int], tuple[tuple[str, int, FoundBy], ...]] = {}
        self._child_chains: dict[tuple[int, int], int] = {}
        self._mapped: dict[int, Mapped] = {}
        self._own_closures: dict[tuple[int, int], frozenset[int]] = {}
        self.global_scope: tuple[int, ...] = ()
        self._global_names: dict[str, int] = {}
        if host is not None:
            self._map_host(host)

    # Objects

    def is_member(self, number: int) -> bool:
        """The object's bytes were read: it is the artifact's, or another distribution's that was given."""
        return number < self._members

    def is_own(self, number: int) -> bool:
        """The object comes from the artifact itself."""
        return number < self.installation.own

    def facts(self, number: int) -> ElfFacts:
        """Facts of a member."""
        return self.installation.objects[number]

    def outsider(self, number: int) -> Outsider:
        """What is known of an object that is no member."""
        return self.outsiders[number - self._members]

    def entry(self, number: int) -> ScopeEntry:
        """Provider and path of any object."""
        if self.is_own(number):
            return ScopeEntry(provider=ProviderKind.MEMBER, path=self.facts(number).path)
        if self.is_member(number):
            owner = self.installation.owners[number - self.installation.own]
            return ScopeEntry(provider=ProviderKind.DECLARED, path=f"{owner}:{self.facts(number).path}")
        outsider = self.outsider(number)
        return ScopeEntry(provider=outsider.provider, path=outsider.path)

    def has_versions(self, number: int) -> bool:
        """The object has DT_VERNEED or DT_VERDEF, so that its symbols' versions count."""
        if self.is_member(number):
            facts = self.facts(number)
            return bool(facts.version_needs or facts.version_definitions)
        library = self.outsider(number).library
        return library is not None and bool(library.versions)

    def platform_libraries(self) -> Iterator[tuple[int, PlatformLibrary]]:
        """Every library of the platform that a mapping has brought in, with its number."""
        for position, outsider in enumerate(self.outsiders):
            if outsider.library is not None:
                yield self._members + position, outsider.library

    def has_known_symbols(self, number: int) -> bool:
        """The object's exports can be asked for; not so for a declared library or one known by name only."""
        if self.is_member(number):
            return True
        outsider = self.outsider(number)
        return outsider.provider is ProviderKind.HOST or (outsider.library is not None and outsider.library.symbols_known)

    def _number(self, provider: ProviderKind, path: str, library: PlatformLibrary | None = None) -> int:
        known = self._numbers.get((provider, path))
        if known is None:
            known = self._numbers[provider, path] = self._members + len(self.outsiders)
            self.outsiders.append(Outsider(provider=provider, path=path, library=library))
        return known

    def _map_host(self, host: Host) -> None:
        """The interpreter and its libraries, breadth first: the head of the global scope."""
        order = [self._number(ProviderKind.HOST, host.name)]
        names: dict[str, int] = {}
        for soname in host.libraries:
            self._map_platform_library(soname, order, names)
        self._follow_platform_needs(order, names, start=1)
        self.global_scope = tuple(order)
        self._global_names = names

    def _map_platform_library(self, soname: str, order: list[int], names: dict[str, int]) -> None:
        library = self.baseline.library(soname) if self.baseline is not None else None
        if library is None or soname in names:
            return
        number = self._number(ProviderKind.PLATFORM, library.soname, library)
        names[soname] = names[library.soname] = number
        if number not in order:
            order.append(number)

    def _follow_platform_needs(self, order: list[int], names: dict[str, int], *, start: int) -> None:
        position = start
        while position < len(order):
            library = self.outsider(order[position]).library
            for soname in library.needed if library is not None else ():
                self._map_platform_library(soname, order, names)
            position += 1

    # Mapping (glibc elf/dl-deps.c, _dl_map_object_deps; musl ldso/dynlink.c, load_deps: breadth first)

    def map(self, root: int) -> Mapped:
        """Map a root, opened by its path, and its closure into this process."""
        known = self._mapped.get(root)
        if known is None:
            known = self._mapped[root] = self._map(root)
        return known

    def _map(self, root: int) -> Mapped:
        names = dict(self._global_names)
        self._remember(root, names)
        mapped = Mapped(
            root=root, order=[root], chains={root: self._child_chain(root, 0)}, edges=[], requested=dict(self._global_names)
        )
        present = {root}
        # The list grows while it is walked: that is what makes the order breadth first.
        for needer in mapped.order:
            for soname, found, found_by in self._needs_of(needer, mapped.chains.get(needer, 0)):
                loaded = names.get(soname, found)
                how = found_by if loaded == found else FoundBy.ALREADY_LOADED
                if self.is_own(needer):
                    mapped.edges.append((needer, soname, loaded, how))
                if loaded < 0:
                    continue
                names.setdefault(soname, loaded)
                mapped.requested.setdefault(soname, loaded)
                if loaded not in present:
                    present.add(loaded)
                    mapped.order.append(loaded)
                    self._remember(loaded, names)
                    if self.is_member(loaded):
                        mapped.chains[loaded] = self._child_chain(loaded, mapped.chains[needer])
        return mapped

    def own_closure(self, number: int, chain: int) -> frozenset[int]:
        """The objects that a member's own needs lead to, with the run path chain by which it was loaded."""
        known = self._own_closures.get((number, chain))
        if known is None:
            reached = [number]
            chains = {number: chain}
            seen = {number}
            for needer in reached:
                for _, target, _ in self._needs_of(needer, chains.get(needer, 0)):
                    if target >= 0 and target not in seen:
                        seen.add(target)
                        reached.append(target)
                        if self.is_member(target):
                            chains[target] = self._child_chain(target, chains[needer])
            known = self._own_closures[number, chain] = frozenset(seen)
        return known

    def defined_versions(self, number: int) -> frozenset[bytes] | None:
        """The version names that an object defines, its base name among them; ``None`` where that is not asked of it.

        An object without DT_VERDEF passes every check (``match_symbol``: "no symbol version information").
        """
        if self.is_member(number):
            definitions = self.facts(number).version_definitions
            return frozenset(definition.name for definition in definitions) if definitions else None
        library = self.outsider(number).library
        if library is None or not library.symbols_known or not library.versions:
            return None
        return frozenset(library.versions)

    def _remember(self, number: int, names: dict[str, int]) -> None:
        """glibc knows an object by its DT_SONAME too (``_dl_map_object``); musl only by the name that a search found it by."""
        if self.is_musl:
            return
        if self.is_member(number):
            soname = self.facts(number).soname
        else:
            library = self.outsider(number).library
            soname = library.soname if library is not None else None
        if soname:
            names.setdefault(soname, number)

    def _needs_of(self, needer: int, chain: int) -> tuple[tuple[str, int, FoundBy], ...]:
        """(soname, object or -1, how) of every DT_NEEDED, as a search of its own would find it."""
        known = self._needs.get((needer, chain))
        if known is None:
            if self.is_member(needer):
                known = tuple((soname, *self._find(needer, chain, soname)) for soname in self.facts(needer).needed)
            else:
                library = self.outsider(needer).library
                known = tuple(
                    (soname, *found)
                    for soname in (library.needed if library is not None else ())
                    # A platform finds its own libraries' needs, also those that it is not known to have.
                    if (found := self._system(soname))[0] >= 0
                )
            self._needs[needer, chain] = known
        return known

    # Searching (glibc elf/dl-load.c, _dl_map_object; musl ldso/dynlink.c, load_library)

    def _child_chain(self, number: int, loader_chain: int) -> int:
        """The run path chain with which a member's needs are searched: its own directories, then its loader's chain.

        glibc: DT_RPATH only, and none where the object has DT_RUNPATH (but the loader's remain for *its* needs' needs);
        musl: either tag. Chains are numbered, so that equal ones share their answers.
        """
        known = self._child_chains.get((number, loader_chain))
        if known is None:
            own = () if self._inherits_nothing(number) else self._own_directories(number)
            inherited = tuple(
                (place, FoundBy.INHERITED_RPATH if by is FoundBy.RPATH else by, text)
                for place, by, text in self._chains[loader_chain]
            )
            chain = _without_repeats((*own, *inherited))
            known = self._chain_numbers.setdefault(chain, len(self._chains))
            if known == len(self._chains):
                self._chains.append(chain)
            self._child_chains[number, loader_chain] = known
        return known

    def _inherits_nothing(self, number: int) -> bool:
        return not self.is_musl and self.facts(number).runpath is not None

    def _own_directories(self, number: int) -> tuple[Directory, ...]:
        """The object's own run path, DT_RUNPATH before DT_RPATH where it has both."""
        facts = self.facts(number)
        text = facts.runpath if facts.runpath is not None else facts.rpath
        if text is None:
            return ()
        tag, by = ("DT_RUNPATH", FoundBy.RUNPATH) if facts.runpath is not None else ("DT_RPATH", FoundBy.RPATH)
        origin = self._origins[number]
        loader = musl if self.is_musl else glibc
        directories: list[Directory] = []
        for element in loader.run_path_elements(text):
            expanded = (
                musl.expand(element, origin)
                if self.is_musl
                else glibc.expand(element, {"ORIGIN": origin, **self.setup.tokens})
            )
            place = normalized(expanded) if expanded.startswith("/") else expanded or "."
            directories.append((place, by, f"{tag} {element or '(empty)'} of {facts.path}"))
        return tuple(directories)

    def _search_path(self, needer: int, chain: int) -> tuple[Directory, ...]:
        """Every directory searched before the system's, in order."""
        environment = tuple((place, FoundBy.LIBRARY_PATH, "LD_LIBRARY_PATH") for place in self.setup.library_path)
        if self.is_musl:
            return (*environment, *self._chains[chain])
        if self.facts(needer).runpath is not None:
            return (*environment, *self._own_directories(needer))
        return (*self._chains[chain], *environment)

    def _find(self, needer: int, chain: int, soname: str) -> tuple[int, FoundBy]:
        """Who answers a need, as a search of its own would find it: (object or -1, how)."""
        for step in self._steps(needer, chain, soname):
            if step.target >= 0 or step.fatal:
                return step.target, step.how if step.target >= 0 else FoundBy.NOT_FOUND
        return -1, FoundBy.NOT_FOUND

    def attempts(self, needer: int, chain: int, soname: str) -> tuple[Attempt, ...]:
        """Every place looked at for a need, in order, and what was met there."""
        told: list[Attempt] = []
        for step in self._steps(needer, chain, soname):
            told.append(Attempt(place=self.installation.layout.shown(step.place), source=step.source, outcome=step.outcome))
            if step.target >= 0 or step.fatal:
                break
        return tuple(told)

    def _steps(self, needer: int, chain: int, soname: str) -> Iterator[_Step]:
        """The places at which a need is looked for, in the loader's order."""
        yield from self._already_there(soname)
        if "/" in soname:
            yield self._open_as_it_stands(needer, soname)
            return
        for place, how, source in self._search_path(needer, chain):
            yield self._try_directory(needer, place, how, source, soname)
        target, how = self._system(soname)
        if target >= 0:
            yield _Step(place="the platform", source="system search", outcome="found", how=how, target=target)
        else:
            yield _Step(place="the platform", source="system search", outcome=f"not known to {self.platform}", how=how)

    def _already_there(self, soname: str) -> Iterator[_Step]:
        """What the process has before the root is opened, under names that no search is made for."""
        if self.is_musl:
            if musl.is_reserved(soname) and self.baseline is not None and (library := self.baseline.library("libc.so")):
                target = self._number(ProviderKind.PLATFORM, library.soname, library)
                yield _Step(place="musl itself", source="reserved name", outcome="found", how=FoundBy.ALREADY_LOADED, target=target)
            return
        if self.host is not None and soname.startswith("libpython"):
            target = self._number(ProviderKind.HOST, self.host.name)
            yield _Step(place=self.host.name, source="the interpreter", outcome="found", how=FoundBy.ALREADY_LOADED, target=target)
        for provider in self.providers:
            if provider.how == "preloaded" and any_match(provider.libraries, soname):
                yield self._declared(provider, soname, "imported before", FoundBy.DECLARED)

    def _declared(self, provider: DeclaredProvider, soname: str, source: str, how: FoundBy) -> _Step:
        """A library of another distribution: its own object where its bytes were given, else a name to be believed."""
        place = f"distribution {provider.requirement}"
        given = self._given.get((provider.requirement, soname))
        if given is not None:
            return _Step(place=place, source=source, outcome="found", how=how, target=given)
        target = self._number(ProviderKind.DECLARED, f"{provider.requirement}:{soname}")
        return _Step(place=place, source=source, outcome="declared by the policy", how=how, target=target)

    def _system(self, soname: str) -> tuple[int, FoundBy]:
        library = self.baseline.library(soname) if self.baseline is not None else None
        if library is None:
            return -1, FoundBy.NOT_FOUND
        return self._number(ProviderKind.PLATFORM, library.soname, library), FoundBy.SYSTEM

    def _open_as_it_stands(self, needer: int, soname: str) -> _Step:
        """A needed name with a slash is opened as it stands, with glibc's tokens expanded (``_dl_map_object``)."""
        origin = self._origins[needer]
        path = soname if self.is_musl else glibc.expand(soname, {"ORIGIN": origin, **self.setup.tokens})
        if not path.startswith("/"):
            return _Step(place=path, source="needed name with a slash", outcome="relative to the current directory", how=FoundBy.PATH)
        directory, _, name = normalized(path).rpartition("/")
        return self._try_directory(needer, directory, FoundBy.PATH, "needed name with a slash", name)

    def _try_directory(self, needer: int, place: str, how: FoundBy, source: str, soname: str) -> _Step:
        """One directory: the subdirectories for the processor first, then the directory itself (``open_path``)."""
        if not place.startswith("/"):
            return _Step(place=place, source=source, outcome="the current directory: not relied upon", how=how)
        known = self.installation.directories
        if place not in known:
            return self._try_foreign_directory(place, how, source, soname)
        if not self.is_musl and how is not FoundBy.PATH:
            for subdirectory in glibc.subdirectories(self.platform.architecture, self.release):
                if f"{place}/{subdirectory}" in known:
                    step = self._try_file(needer, f"{place}/{subdirectory}", how, source, soname)
                    if step.target >= 0 or step.fatal:
                        return step
        return self._try_file(needer, place, how, source, soname)

    def _try_foreign_directory(self, place: str, how: FoundBy, source: str, soname: str) -> _Step:
        """A directory that is not the artifact's: another distribution's, or the system's."""
        if place.startswith(self.installation.layout.site_packages + "/"):
            for provider in self.providers:
                if provider.how == "rpath" and any_match(provider.libraries, soname):
                    return self._declared(provider, soname, source, how)
            return _Step(place=place, source=source, outcome="not in the artifact", how=how)
        return _Step(place=place, source=source, outcome="outside the installation: not relied upon", how=how)

    def _try_file(self, needer: int, directory: str, how: FoundBy, source: str, soname: str) -> _Step:
        """One candidate (``open_verify``): what it does to the search differs by what it is."""
        path = f"{directory}/{soname}"
        target = self.installation.places.get(path)
        if target is not None:
            wanted, met = self.facts(needer).identity, self.facts(target).identity
            if (wanted.bits, wanted.machine) == (met.bits, met.machine):
                return _Step(place=directory, source=source, outcome="found", how=how, target=target)
            if self.is_musl and wanted.bits != met.bits:
                return _Step(place=directory, source=source, outcome="wrong ELF class (fatal)", how=how, fatal=True)
            if not self.is_musl:
                return _Step(place=directory, source=source, outcome="other ELF class or machine (passed over)", how=how)
            return _Step(place=directory, source=source, outcome="found (musl does not look at the machine)", how=how, target=target)
        kind = self.installation.other_files.get(path)
        if kind is None:
            return _Step(place=directory, source=source, outcome="no such file", how=how)
        return _Step(place=directory, source=source, outcome="not a shared ELF object (fatal)", how=how, fatal=True)

    # Telling

    def closure(self, mapped: Mapped) -> Closure:
        """The outcome of :meth:`map`, in names."""
        root = self.facts(mapped.root).path
        edges = tuple(self.edge(mapped, position) for position in range(len(mapped.edges)))
        return Closure(
            root=root,
            platform=self.platform,
            scope=tuple(self.entry(number) for number in mapped.order),
            edges=edges,
            fatal=tuple(edge.soname for edge in edges if edge.provider is ProviderKind.NONE),
        )

    def edge(self, mapped: Mapped, position: int) -> Edge:
        """One followed need, with every place looked at."""
        needer, soname, target, how = mapped.edges[position]
        provider = self.entry(target) if target >= 0 else None
        looked_in = self.attempts(needer, mapped.chains[needer], soname)
        if how is FoundBy.ALREADY_LOADED and provider is not None:
            looked_in = (Attempt(place=provider.path, source="loaded before under that name", outcome="found"),)
        return Edge(
            root=self.facts(mapped.root).path,
            needer=self.facts(needer).path,
            soname=soname,
            provider=provider.provider if provider is not None else ProviderKind.NONE,
            path=provider.path if provider is not None else None,
            how=how,
            looked_in=looked_in,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Step:
    """One place of a search: what was met there, and the object found (-1: none). ``fatal`` ends the search."""

    place: str
    source: str
    outcome: str
    how: FoundBy
    target: int = -1
    fatal: bool = False


def _without_repeats(directories: tuple[Directory, ...]) -> tuple[Directory, ...]:
    """Each place once, where it stands first: the first hit wins, so a repetition finds nothing new."""
    first: dict[str, Directory] = {}
    for directory in directories:
        first.setdefault(directory[0], directory)
    return tuple(first.values())


def _origins(installation: Installation) -> list[str]:
    """Directory of each object, by number: the value of ``$ORIGIN`` (the path as opened; symbolic links are not resolved)."""
    origins = [""] * len(installation.objects)
    for place, number in installation.places.items():
        origins[number] = place.rpartition("/")[0]
    return origins


def _names_given(installation: Installation) -> dict[tuple[str, str], int]:
    """(distribution, SONAME or file name) → number, of the other distributions' libraries whose bytes were given."""
    names: dict[tuple[str, str], int] = {}
    for position, owner in enumerate(installation.owners):
        number = installation.own + position
        facts = installation.objects[number]
        for name in (facts.soname, facts.path.rpartition("/")[2]):
            if name:
                names.setdefault((owner, name), number)
    return names
