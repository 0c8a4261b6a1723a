"""The closure of a root: which objects the loader maps, in which order, and how it came to each.

One :class:`Process` stands for a running process on one exact platform with one artifact installed. What it has when a root is
opened (program, interpreter, preloads) is worked out once; each root is then mapped on top of that, as if it came first.
"""

from __future__ import annotations

import sys

from checker.installation import Distribution, Installation, install
from checker.model.closure import Attempt, Closure, Edge, FoundBy, ProviderKind, ScopeEntry
from checker.model.hashes import sysv_hash
from checker.model.record import record
from checker.objects import Objects
from checker.search import AUXILIARY, NEEDED, Looks, Search
from checker.setup import Preload, Setup

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from checker.model.elf import ElfFacts
    from checker.model.platform import Baseline, Host, PlatformId
    from checker.model.policy import DeclaredProvider
    from checker.search import EdgeRow

__all__ = ["Distribution", "Installation", "Mapped", "Preload", "Process", "Setup", "install"]

_WITHOUT_SEARCH = {
    FoundBy.ALREADY_LOADED: "loaded before under that name",
    FoundBy.PRELOADED: "loaded before the root under that name, and found by no search",
}


class _Loaded:
    """The objects that a process has, by every name under which it knows them.

    Attributes:
        chains: object → the run path chain with which its needs are searched: that of its first loader counts.
        loaders: object → the object that brought it in first; absent for what was opened by path.
        opened: object → the path by which it was opened, where that is a symbolic link.
        requested: every name by which an object was asked for → object (``l_libname``; musl: its short name).
        sonames: DT_SONAME → object; glibc only, of the objects in load order the first.
    """

    __slots__ = ("chains", "loaders", "opened", "requested", "sonames")

    def __init__(self, other: _Loaded | None = None) -> None:
        self.chains: dict[int, int] = dict(other.chains) if other else {}
        self.loaders: dict[int, int] = dict(other.loaders) if other else {}
        self.opened: dict[int, str] = dict(other.opened) if other else {}
        self.requested: dict[str, int] = dict(other.requested) if other else {}
        self.sonames: dict[str, int] = dict(other.sonames) if other else {}


class Mapped:
    """The outcome of mapping one root, in numbers.

    Attributes:
        root: number of the root.
        order: numbers of the objects of the local scope, breadth first.
        edges: (needer, name, target or -1, how), in the order in which they were followed; the artifact's own needers only.
        events: what the loader did, in order: (object, None) for one newly mapped, (needer, name) for a need that is missing.
        chains, loaders, opened, requested: what the process knows once the root is mapped; see ``_Loaded``.
        global_scope: the global scope in which it is relocated.
    """

    __slots__ = ("_loaded", "edges", "events", "global_scope", "order", "root")

    def __init__(self, root: int, loaded: _Loaded, global_scope: tuple[int, ...]) -> None:
        self.root = root
        self.order: list[int] = []
        self.edges: list[EdgeRow] = []
        self.events: list[tuple[int, str | None]] = []
        self.global_scope = global_scope
        self._loaded = loaded

    @property
    def chains(self) -> dict[int, int]:
        """Object number → the run path chain with which its needs are searched."""
        return self._loaded.chains

    @property
    def loaders(self) -> dict[int, int]:
        """Object number → who brought it in."""
        return self._loaded.loaders

    @property
    def opened(self) -> dict[int, str]:
        """Object number → path by which it was opened, where that is a symbolic link."""
        return self._loaded.opened

    @property
    def requested(self) -> dict[str, int]:
        """Every name by which an object of the process was asked for → object."""
        return self._loaded.requested

    @property
    def new(self) -> list[int]:
        """The objects that came into the process with this root, in load order."""
        return [number for number, missing in self.events if missing is None]


@record
class Preloaded:
    """A library opened before the roots.

    Attributes:
        mapped: its mapping.
        lazy: it was opened with RTLD_LAZY.
    """

    mapped: Mapped
    lazy: bool


class Process:
    """One platform, one host, one artifact: maps roots and remembers what it has already searched.

    Attributes:
        global_scope: numbers of the objects that every lookup goes through first.
        at_start: numbers of the objects that were there when the program began to run; the rest came by ``dlopen``.
        present: numbers of all objects that are there before a root is opened; they are relocated already.
        program: number of the executable, where it is a member.
        preloaded: what the setup opens, in order.
        before_root: numbers of the objects that are there by LD_PRELOAD or for being opened before.
    """

    def __init__(
        self,
        installation: Installation,
        *,
        platform: PlatformId,
        baseline: Baseline | None,
        host: Host | None,
        providers: tuple[DeclaredProvider, ...] = (),
        setup: Setup | None = None,
        looks: Looks | None = None,
    ) -> None:
        """Start a process on ``platform``.

        ``looks`` bounds the search for libraries; without it there is no bound. ``host`` is ``None`` where the interpreter is
        not known, and means nothing where the setup names an executable.

        Raises:
            ValueError: the setup names a file that is no shared object of the installation.
        """
        self.installation = installation
        self.platform = platform
        self.baseline = baseline
        self.setup = setup or Setup()
        self.host = host if self.setup.executable is None else None
        self.providers = providers
        self.release = platform.release
        self.is_musl = platform.family == "musl"
        self.objects = Objects(installation)
        self._search = Search(
            self.objects,
            platform=platform,
            baseline=baseline,
            host=self.host,
            providers=providers,
            setup=self.setup,
            looks=looks or Looks(sys.maxsize),
        )
        self._mapped: dict[int, Mapped] = {}
        self._own_closures: dict[tuple[int, int], int] = {}
        self._defined_versions: dict[int, frozenset[tuple[bytes, int]] | None] = {}
        self._loaded = _Loaded()
        self.global_scope: tuple[int, ...] = ()
        self.program: int | None = None
        self._base_chain = 0
        self.before_root: frozenset[int] = frozenset()
        self.start: Mapped | None = self._start()
        self.at_start: frozenset[int] = frozenset(self.global_scope)
        self.present = self.at_start
        self.preloaded = tuple(self._preload(one) for one in self.setup.preloads)
        self.before_root = self._brought_by_preloads()

    # Objects, by number

    def is_member(self, number: int) -> bool:
        """The object's bytes were read: it is the artifact's, or another distribution's that was given."""
        return self.objects.is_member(number)

    def is_own(self, number: int) -> bool:
        """The object comes from the artifact itself."""
        return self.objects.is_own(number)

    def facts(self, number: int) -> ElfFacts:
        """Facts of a member."""
        return self.objects.facts(number)

    def entry(self, number: int) -> ScopeEntry:
        """Provider and path of any object."""
        return self.objects.entry(number)

    def defined_versions(self, number: int) -> frozenset[tuple[bytes, int]] | None:
        """(name, hash) of every version that an object defines, its base name among them; ``None`` where it is not asked.

        An object without DT_VERDEF passes every check (``match_symbol``: "no symbol version information").
        """
        if number not in self._defined_versions:
            self._defined_versions[number] = self._versions_of(number)
        return self._defined_versions[number]

    def _versions_of(self, number: int) -> frozenset[tuple[bytes, int]] | None:
        if self.is_member(number):
            definitions = self.facts(number).version_definitions
            return frozenset((definition.name, definition.hash) for definition in definitions) if definitions else None
        library = self.objects.library(number)
        if library is None or not library.symbols_known or not library.versions:
            return None
        return frozenset((version, sysv_hash(version)) for version in library.versions)

    # What the process has before a root is opened

    def _start(self) -> Mapped | None:
        """Program or interpreter, LD_PRELOAD, and breadth first what they need: the head of the global scope."""
        preloads = [self._member_at(path) for path in self.setup.environment_preloads]
        first = -1
        if self.setup.executable is not None:
            first = self.program = self._member_at(self.setup.executable)
            self._base_chain = self._search.chain_of(first, 0)
        elif self.host is not None:
            first = self.objects.number(ProviderKind.HOST, self.host.name)
        if first < 0 and not preloads:
            return None
        mapped = Mapped(first, self._loaded, ())
        for number in (first, *preloads) if first >= 0 else preloads:
            self._enter(mapped, number, first if number != first else None)
        for soname in self.host.libraries if self.host is not None else ():
            target = self._search.system(soname)
            if target >= 0:
                self._loaded.requested.setdefault(soname, target)
                self._enter(mapped, target, first)
        self._follow(mapped)
        self.global_scope = mapped.global_scope = tuple(mapped.order)
        return mapped

    def _preload(self, preload: Preload) -> Preloaded:
        mapped = self._open(self._member_at(preload.path), self._loaded)
        self.present |= frozenset(mapped.order)
        if preload.is_global:
            self.global_scope = tuple(dict.fromkeys((*self.global_scope, *mapped.order)))
        return Preloaded(mapped=mapped, lazy=preload.lazy)

    def _brought_by_preloads(self) -> frozenset[int]:
        """LD_PRELOADs with what only they need are not told apart from the program's own libraries but by themselves."""
        environment = {self._member_at(path) for path in self.setup.environment_preloads}
        return frozenset(environment | (self.present - self.at_start))

    def _member_at(self, path: str) -> int:
        place = self.installation.located(self.installation.layout.installed(path))
        number = self.installation.places.get(place or "")
        if number is None:
            message = f"{path} is no shared object of the artifact"
            raise ValueError(message)
        return number

    # Mapping (glibc elf/dl-deps.c, _dl_map_object_deps; musl ldso/dynlink.c, load_deps: breadth first)

    def map(self, root: int) -> Mapped:
        """Map a root, opened by its path, and its closure into this process."""
        known = self._mapped.get(root)
        if known is None:
            known = self._mapped[root] = self._open(root, _Loaded(self._loaded))
        return known

    def _open(self, root: int, loaded: _Loaded) -> Mapped:
        mapped = Mapped(root, loaded, self.global_scope)
        self._enter(mapped, root, None)
        self._follow(mapped)
        return mapped

    def _enter(self, mapped: Mapped, number: int, loader: int | None, opened: str = "") -> None:
        """Put an object at the end of the local scope, and make it known to the process if it is new there."""
        mapped.order.append(number)
        self._know(mapped, number, loader, opened)

    def _know(self, mapped: Mapped, number: int, loader: int | None, opened: str) -> None:
        loaded = mapped._loaded  # noqa: SLF001 (the two are one)
        if number in loaded.chains:
            return
        mapped.events.append((number, None))
        chain = self._base_chain if loader is None else loaded.chains[loader]
        loaded.chains[number] = self._search.chain_of(number, chain, opened)
        if opened:
            loaded.opened[number] = opened
        if loader is not None:
            loaded.loaders[number] = loader
        if self.is_musl:
            return
        if self.objects.is_member(number):
            loaded.requested.setdefault(opened or self.objects.place(number), number)
        soname = self.objects.soname(number)
        if soname:
            loaded.sonames.setdefault(soname, number)

    def _follow(self, mapped: Mapped) -> None:
        """Follow the needs of every object of the scope, breadth first; the list grows while it is walked."""
        order = mapped.order
        present = set(order)
        done: set[int] = set()
        position = 0
        while position < len(order):
            if order[position] in done:
                position += 1
                continue
            # A filter or auxiliary object takes the place of the object that names it, and is walked next.
            done.add(order[position])
            self._follow_one(mapped, order[position], position, present)

    def _follow_one(self, mapped: Mapped, needer: int, position: int, present: set[int]) -> None:
        loaded = mapped._loaded  # noqa: SLF001 (the two are one)
        requested = loaded.requested
        edges = mapped.edges if self.is_own(needer) else []
        for edge, kind, opened in self._search.needs(needer, loaded.chains[needer], loaded.opened.get(needer, "")):
            _, name, target, how = edge
            known = requested.get(name)
            if known is None:
                known = loaded.sonames.get(name, target)
                if known < 0:
                    if kind != AUXILIARY:
                        edges.append(edge)
                        mapped.events.append((needer, name))
                    continue
                if not (self.is_musl and how is FoundBy.PATH):
                    requested[name] = known
            edges.append(edge if known == target else (needer, name, known, self._by_name(known, target)))
            if known not in present:
                present.add(known)
                mapped.order.append(known)
                self._know(mapped, known, needer, opened)
            if kind != NEEDED:
                position += self._put_before(mapped.order, known, position)

    def _by_name(self, known: int, target: int) -> FoundBy:
        """How an object was come to that answers to a name, where a search finds ``target`` (-1: nothing)."""
        return FoundBy.PRELOADED if target < 0 and known in self.before_root else FoundBy.ALREADY_LOADED

    @staticmethod
    def _put_before(order: list[int], number: int, position: int) -> bool:
        """Move an object to ``position`` if it stands behind it (``_dl_map_object_deps``: "to this earlier position")."""
        where = order.index(number)
        if where <= position:
            return False
        order.insert(position, order.pop(where))
        return True

    def own_closure(self, number: int, chain: int) -> int:
        """The objects that a member's own needs lead to, a bit for each number; ``chain`` is the one by which it was loaded."""
        known = self._own_closures.get((number, chain))
        if known is None:
            known = 1 << number
            reached = [(number, chain)]
            for needer, its_chain in reached:
                for (_, _, target, _), _, opened in self._search.needs(needer, its_chain):
                    if target >= 0 and not known >> target & 1:
                        target_chain = self._search.chain_of(target, its_chain, opened)
                        below = self._own_closures.get((target, target_chain))
                        known |= below or 1 << target
                        if below is None:
                            reached.append((target, target_chain))
            self._own_closures[number, chain] = known
        return known

    # Telling

    def closure(self, mapped: Mapped) -> Closure:
        """The outcome of :meth:`map`, in names."""
        edges = tuple(self.edge(mapped, position) for position in range(len(mapped.edges)))
        return Closure(
            root=self.facts(mapped.root).path,
            platform=self.platform,
            scope=tuple(self.objects.entry(number) for number in mapped.order),
            edges=edges,
            fatal=tuple(edge.soname for edge in edges if edge.provider is ProviderKind.NONE),
        )

    def edge(self, mapped: Mapped, position: int, *, with_search: bool = True, used: bool | None = None) -> Edge:
        """One followed need, with every place looked at; without ``with_search`` those are told of a library not found only.

        ``used`` is the edge's: the closure alone does not tell it.
        """
        needer, name, target, how = mapped.edges[position]
        provider = self.objects.entry(target) if target >= 0 else None
        looked_in: tuple[Attempt, ...]
        if how in _WITHOUT_SEARCH and provider is not None:
            source = _WITHOUT_SEARCH[how]
            looked_in = (Attempt(place=provider.path, source=source, outcome="found"),)
        elif with_search or provider is None:
            looked_in = tuple(self._attempts(mapped, needer, name))
        else:
            looked_in = ()
        return Edge(
            root=self.facts(mapped.root).path,
            needer=self.facts(needer).path,
            soname=name,
            provider=provider.provider if provider is not None else ProviderKind.NONE,
            path=provider.path if provider is not None else None,
            how=how,
            looked_in=looked_in,
            used=used,
        )

    def _attempts(self, mapped: Mapped, needer: int, name: str) -> Iterator[Attempt]:
        chain = self._search.told_chain(self._loaders(mapped, needer))
        shown = self.installation.layout.shown
        for step in self._search.steps(needer, chain, name, mapped.opened.get(needer, "")):
            yield Attempt(place=shown(step.place), source=step.source, outcome=step.outcome)

    def _loaders(self, mapped: Mapped, number: int) -> Iterable[tuple[int, str]]:
        """(number, path opened) of an object, of what loaded it, and so on, the program last."""
        chain = [number]
        while chain[-1] in mapped.loaders:
            chain.append(mapped.loaders[chain[-1]])
        if self.program is not None and self.program not in chain:
            chain.append(self.program)
        return [(one, mapped.opened.get(one, "")) for one in chain]
