"""Where a needed library is looked for, and what is met there (glibc ``_dl_map_object``, musl ``load_library``).

A search depends on who asks and on the run paths of those who loaded it, never on the root as such. So run paths are numbered
chains, and every answer is remembered by (object, chain).
"""

from __future__ import annotations

from checker.loaders import glibc, musl
from checker.loaders.reference import Effect
from checker.model.closure import FoundBy, ProviderKind
from checker.model.globs import any_match
from checker.model.layout import normalized
from checker.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from checker.model.elf import ElfFacts, ElfIdentity
    from checker.model.platform import Baseline, Host, PlatformId
    from checker.model.policy import DeclaredProvider
    from checker.objects import Objects
    from checker.setup import Setup

Directory = tuple[str, FoundBy, str]
"""A directory to search (not normalized, perhaps relative), by which step it is searched, and the text that led there."""
PathList = tuple[Directory, ...]
"""The elements of one run path or variable: an error can end the list."""

NEEDED, FILTER, AUXILIARY = range(3)
"""Kinds of needs."""
_KINDS = {1: NEEDED, 0x7FFFFFFF: FILTER, 0x7FFFFFFD: AUXILIARY}
_DF_1_NODEFLIB = 0x800

EdgeRow = tuple[int, str, int, FoundBy]
"""(needer, name, target or -1, how)."""
Need = tuple[EdgeRow, int, str]
"""A need as a search of its own would answer it: the edge, its kind, and the path opened where that is not the file's own."""


@record
class Step:
    """One place of a search: what was met there, and the object found (-1: none).

    Attributes:
        place, source, outcome: as in :class:`checker.model.closure.Attempt`, the place in full.
        how: by which step of the search.
        target: number of the object found; -1 for none.
        fatal: the search ends here without a result.
        ends_list: the rest of this path list is not tried.
        opened: the path opened, where symbolic links lead it to the file.
    """

    place: str
    source: str
    outcome: str
    how: FoundBy
    target: int = -1
    fatal: bool = False
    ends_list: bool = False
    opened: str = ""


class Looks:
    """How many directories may still be looked into: needs times run paths is a product, and both are cheap to write.

    Once ``left`` is no longer above 0 nothing more is found, so that whoever asked must take every answer for no answer.
    """

    __slots__ = ("left",)

    def __init__(self, left: int) -> None:
        self.left = left


class Search:
    """Searches in one process on one platform."""

    def __init__(
        self,
        objects: Objects,
        *,
        platform: PlatformId,
        baseline: Baseline | None,
        host: Host | None,
        providers: tuple[DeclaredProvider, ...],
        setup: Setup,
        looks: Looks,
    ) -> None:
        self._objects = objects
        self._looks = looks
        self._installation = objects.installation
        self._platform = platform
        self._release = platform.release
        self._is_musl = platform.family == "musl"
        self._baseline = baseline
        self._host = host
        self._providers = providers
        self._named_providers: dict[str, tuple[DeclaredProvider, ...]] = {}
        self._setup = setup
        self._tokens = {"LIB": setup.lib, "PLATFORM": setup.platform or platform.architecture}
        self._given = _names_given(objects)
        self._environment: PathList = tuple(
            (place, FoundBy.LIBRARY_PATH, "LD_LIBRARY_PATH") for place in setup.library_path if place or not self._is_musl
        )
        self._subdirectories = (
            ()
            if self._is_musl
            else tuple(f"/{one}" for one in glibc.subdirectories(platform.architecture, setup.isa, self._release))
        )
        self._processor_folders: dict[str, tuple[str, ...]] = {}
        self._directories: dict[str, str | None] = {}
        self._chains: list[tuple[PathList, ...]] = [()]
        self._chain_numbers: dict[tuple[tuple[tuple[str, bool], ...], ...], int] = {(): 0}
        self._child_chains: dict[tuple[int, int, str], int] = {}
        self._needs: dict[tuple[int, int, str], tuple[Need, ...]] = {}
        self._own: dict[tuple[int, str], PathList] = {}
        self._native = next(
            (facts.identity for facts in self._installation.objects if facts.identity.architecture == platform.architecture),
            None,
        )

    # Run paths

    def chain_of(self, number: int, loader_chain: int, opened: str = "") -> int:
        """The chain of run paths with which an object's needs are searched: its own, then its loader's chain.

        glibc: DT_RPATH only, and none where the object has DT_RUNPATH (but the loader's remain for *its* needs' needs);
        musl: either tag. Chains are numbered, so that equal ones share their answers.

        Args:
            number: the object.
            loader_chain: of the object that brought it in first; 0 for none.
            opened: the path by which it was opened, where that is a symbolic link.
        """
        key = (number, loader_chain, opened)
        known = self._child_chains.get(key)
        if known is None:
            inherited = tuple(_inherited(paths) for paths in self._chains[loader_chain])
            chain = _without_repeats((self._inheritable(number, opened), *inherited))
            identity = tuple(tuple((place, by is FoundBy.INHERITED_RPATH) for place, by, _ in paths) for paths in chain)
            known = self._chain_numbers.setdefault(identity, len(self._chains))
            if known == len(self._chains):
                self._chains.append(chain)
            self._child_chains[key] = known
        return known

    def _inheritable(self, number: int, opened: str) -> PathList:
        if self._objects.is_member(number) and (self._is_musl or self._objects.facts(number).runpath is None):
            return self._own_paths(number, opened)
        return ()

    def told_chain(self, loaders: Iterable[tuple[int, str]]) -> tuple[PathList, ...]:
        """The chain of an object as it is told to people: with the owner of each element.

        Args:
            loaders: (number, path opened where it is a link) of the object, its loader, the loader's loader, and so on.
        """
        own, *others = (self._inheritable(number, opened) for number, opened in loaders)
        return _without_repeats((own, *map(_inherited, others)))

    def _own_paths(self, number: int, opened: str) -> PathList:
        """The object's own run path; DT_RPATH does not exist beside DT_RUNPATH."""
        known = self._own.get((number, opened))
        if known is None:
            known = self._own[number, opened] = self._expanded_paths(number, opened)
        return known

    def _expanded_paths(self, number: int, opened: str) -> PathList:
        facts = self._objects.facts(number)
        text = facts.runpath if facts.runpath is not None else facts.rpath
        if text is None:
            return ()
        tag, by = ("DT_RUNPATH", FoundBy.RUNPATH) if facts.runpath is not None else ("DT_RPATH", FoundBy.RPATH)
        origin = (opened or self._objects.place(number)).rpartition("/")[0]
        if self._is_musl:
            elements = musl.run_path_elements(text, origin)
        else:
            values = {"ORIGIN": origin, **self._tokens}
            elements = tuple(
                (element, expanded)
                for element in glibc.split_paths(text)
                if (expanded := glibc.expand(element, values)) is not None
            )
        return tuple((self._tidied(place), by, f"{tag} {element or '(empty)'} of {facts.path}") for element, place in elements)

    def _tidied(self, place: str) -> str:
        """Without links ``..`` can be resolved in the text, so that paths of several origins become one."""
        return normalized(place) if place.startswith("/") and not self._installation.links else place

    def _path_lists(self, needer: int, chain: tuple[PathList, ...], opened: str) -> tuple[PathList, ...]:
        """Every path list searched before the system's, in order."""
        if self._is_musl:
            return (self._environment, *chain)
        if self._objects.is_member(needer) and self._objects.facts(needer).runpath is not None:
            return (self._environment, self._own_paths(needer, opened))
        return (*chain, self._environment)

    # Searching

    def needs(self, needer: int, chain: int, opened: str = "") -> tuple[Need, ...]:
        """Every DT_NEEDED, DT_FILTER and DT_AUXILIARY in order, as a search of its own would answer it.

        Of a platform library only the needs that the platform has are told: it finds its own, also those that are not known.
        """
        key = (needer, chain, opened)
        known = self._needs.get(key)
        if known is None:
            known = self._needs[key] = tuple(self._answered(needer, chain, opened))
        return known

    def _answered(self, needer: int, chain: int, opened: str) -> Iterator[Need]:
        is_member = self._objects.is_member(needer)
        for name, kind in self._wanted(needer):
            found = self._find(needer, chain, opened, name)
            if found is not None:
                yield (needer, name, found.target, found.how), kind, found.opened
            elif is_member:
                yield (needer, name, -1, FoundBy.NOT_FOUND), kind, ""

    def _wanted(self, needer: int) -> Iterator[tuple[str, int]]:
        """(name, kind) of every need, in the order of the dynamic section (``elf/dl-deps.c``); musl knows DT_NEEDED only."""
        if not self._objects.is_member(needer):
            library = self._objects.library(needer)
            for name in library.needed if library is not None else ():
                yield name, NEEDED
            return
        facts = self._objects.facts(needer)
        if self._is_musl or not (facts.auxiliary or facts.filter):
            for name in facts.needed:
                yield name, NEEDED
            return
        names = {NEEDED: iter(facts.needed), FILTER: iter(facts.filter), AUXILIARY: iter(facts.auxiliary)}
        for tag, _ in facts.dynamic:
            if tag in _KINDS:
                yield next(names[_KINDS[tag]]), _KINDS[tag]

    def _find(self, needer: int, chain: int, opened: str, name: str) -> Step | None:
        looks = self._looks
        for step in self._steps(needer, self._chains[chain], opened, name):
            looks.left -= 1
            if step.target >= 0:
                return step
            if step.fatal or looks.left <= 0:
                return None
        return None

    def steps(self, needer: int, chain: tuple[PathList, ...], name: str, opened: str = "") -> Iterator[Step]:
        """The places looked at for a need, in order, up to the one that ends the search; see :meth:`told_chain`."""
        for step in self._steps(needer, chain, opened, name):
            yield step
            if step.target >= 0 or step.fatal:
                return

    def _steps(self, needer: int, chain: tuple[PathList, ...], opened: str, name: str) -> Iterator[Step]:
        yield from self._already_there(name)
        if "/" in name:
            yield self._open_as_it_stands(needer, opened, name)
            return
        for paths in self._path_lists(needer, chain, opened):
            for place, how, source in paths:
                step = self._try_directory(needer, place, how, source, name)
                yield step
                if step.ends_list:
                    break
        yield from self._imported_before(name)
        yield self._ask_system(needer, name)

    def _already_there(self, name: str) -> Iterator[Step]:
        """What the process has before the root is opened, under names that no search is made for."""
        if self._is_musl:
            if musl.is_reserved(name) and (target := self._musl_itself()) >= 0:
                yield Step(
                    place="musl itself", source="reserved name", outcome="found", how=FoundBy.ALREADY_LOADED, target=target
                )
            return
        if self._host is not None and name.startswith("libpython"):
            target = self._objects.number(ProviderKind.HOST, self._host.name)
            place = self._host.name
            yield Step(place=place, source="the interpreter", outcome="found", how=FoundBy.ALREADY_LOADED, target=target)

    def _imported_before(self, name: str) -> Iterator[Step]:
        """What another distribution has loaded: asked after the run paths, since a file that they lead to is the one meant.

        (Imported before, the other one would win, as glibc knows libraries by SONAME; imported after, it would not.) A program
        starts with nothing imported, and musl knows a library only by the name that found it. Of several providers the first is
        meant: one that a run path should have led to does not leave it to another.
        """
        if self._host is None or self._is_musl:
            return
        meant = self._providers_of(name)
        if meant and meant[0].how == "preloaded":
            yield self._declared(meant[0], name, "imported before", FoundBy.DECLARED)

    def _providers_of(self, name: str) -> tuple[DeclaredProvider, ...]:
        """Who is declared to bring a library of that name; hundreds of objects need the same few, in several directories."""
        known = self._named_providers.get(name)
        if known is None:
            known = tuple(provider for provider in self._providers if any_match(provider.libraries, name))
            self._named_providers[name] = known
        return known

    def _musl_itself(self) -> int:
        library = self._baseline.library("libc.so") if self._baseline is not None else None
        return self._objects.number(ProviderKind.PLATFORM, library.soname, library) if library is not None else -1

    def _declared(self, provider: DeclaredProvider, name: str, source: str, how: FoundBy) -> Step:
        """A library of another distribution: its own object where its bytes were given, else a name to be believed."""
        place = f"distribution {provider.requirement}"
        given = self._given.get((provider.requirement, name))
        if given is not None:
            return Step(place=place, source=source, outcome="found", how=how, target=given)
        target = self._objects.number(ProviderKind.DECLARED, f"{provider.requirement}:{name}")
        return Step(place=place, source=source, outcome="declared by the policy", how=how, target=target)

    def system(self, name: str) -> int:
        """The platform's library of that name, as ld.so.cache and the default directories give it; -1 for none."""
        library = self._baseline.library(name) if self._baseline is not None else None
        return self._objects.number(ProviderKind.PLATFORM, library.soname, library) if library is not None else -1

    def _ask_system(self, needer: int, name: str) -> Step:
        place, source = "the platform", "system search"
        if not self._is_musl and self._objects.is_member(needer) and self._objects.facts(needer).flags_1 & _DF_1_NODEFLIB:
            # An answer of the cache that begins with a default directory is refused as well, and the platform's all do.
            return Step(place=place, source=source, outcome="not asked: DF_1_NODEFLIB", how=FoundBy.NOT_FOUND)
        target = self.system(name)
        if target < 0:
            return Step(place=place, source=source, outcome=f"not known to {self._platform}", how=FoundBy.NOT_FOUND)
        return Step(place=place, source=source, outcome="found", how=FoundBy.SYSTEM, target=target)

    def _open_as_it_stands(self, needer: int, opened: str, name: str) -> Step:
        """A needed name with a slash is opened as it stands, with glibc's tokens expanded (``_dl_map_object``)."""
        source = "needed name with a slash"
        path: str | None = name
        if not self._is_musl and self._objects.is_member(needer):
            origin = (opened or self._objects.place(needer)).rpartition("/")[0]
            path = glibc.expand(name, {"ORIGIN": origin, **self._tokens})
        if path is None:
            return Step(place=name, source=source, outcome="a token has no value", how=FoundBy.PATH, fatal=True)
        directory, _, last = path.rpartition("/")
        return self._try_directory(needer, directory or "/", FoundBy.PATH, source, last)

    # One directory

    def _try_directory(self, needer: int, element: str, how: FoundBy, source: str, name: str) -> Step:
        """One directory: the subdirectories for the processor first, then the directory itself (``open_path``)."""
        place = element
        if not element.startswith("/"):
            if self._setup.directory is None:
                return Step(place=element or ".", source=source, outcome="the current directory: not relied upon", how=how)
            place = f"{self._setup.directory}/{element}"
        directory = self._located(place)
        if directory in self._installation.other_files or directory in self._installation.places:
            ends = not self._is_musl and glibc.file_ends_list(element, self._release)
            return Step(place=place, source=source, outcome="not a directory", how=how, ends_list=ends)
        if directory is None or directory not in self._installation.directories:
            return self._try_foreign_directory(directory or place, how, source, name)
        if how is not FoundBy.PATH:
            for subdirectory in self._folders_for_processor(directory):
                step = self._try_file(needer, place + subdirectory, how, source, name)
                if step.target >= 0 or step.fatal:
                    return step
        return self._try_file(needer, place, how, source, name)

    def _located(self, place: str) -> str | None:
        if place not in self._directories:
            self._directories[place] = self._installation.located(place)
        return self._directories[place]

    def _folders_for_processor(self, directory: str) -> tuple[str, ...]:
        if not self._subdirectories:
            return ()
        known = self._processor_folders.get(directory)
        if known is None:
            known = tuple(one for one in self._subdirectories if self._is_directory(directory + one))
            self._processor_folders[directory] = known
        return known

    def _is_directory(self, path: str) -> bool:
        return self._installation.located(path) in self._installation.directories

    def _try_foreign_directory(self, place: str, how: FoundBy, source: str, name: str) -> Step:
        """A directory that is not the artifact's: another distribution's, or the system's."""
        if place.startswith(self._installation.layout.site_packages + "/"):
            for provider in self._providers_of(name):
                if provider.how == "rpath":
                    return self._declared(provider, name, source, how)
            return Step(place=place, source=source, outcome="not in the artifact", how=how)
        return Step(place=place, source=source, outcome="outside the installation: not relied upon", how=how)

    def _try_file(self, needer: int, directory: str, how: FoundBy, source: str, name: str) -> Step:
        """One candidate: what it does to the search differs by what it is (``open_verify``; musl ``map_library``)."""
        path = f"{directory}/{name}"
        file = self._installation.located(path)
        if file is None or (file not in self._installation.places and file not in self._installation.other_files):
            if file in self._installation.directories:
                return Step(place=directory, source=source, outcome="a directory (fatal)", how=how, fatal=True)
            return Step(place=directory, source=source, outcome="no such file", how=how)
        number = self._installation.places.get(file, -1)
        met = self._objects.facts(number).identity if number >= 0 else self._installation.other_elf.get(file)
        if met is None:
            return Step(place=directory, source=source, outcome="not a readable shared ELF object (fatal)", how=how, fatal=True)
        loader = musl if self._is_musl else glibc
        effect, reason = loader.candidate(self._wanted_identity(needer) or met, met, is_dynamic=number >= 0)
        if effect is not Effect.TAKEN:
            fatal = effect is Effect.FATAL
            return Step(place=directory, source=source, outcome=f"{reason} ({effect.value})", how=how, fatal=fatal)
        if self._is_musl and (itself := self._musl_itself()) >= 0 and musl.stands_for_libc(self._objects.facts(number).symbols):
            outcome = "another C library: musl itself is taken"
            return Step(place=directory, source=source, outcome=outcome, how=FoundBy.ALREADY_LOADED, target=itself)
        opened = path if path != file and self._installation.links else ""
        return Step(place=directory, source=source, outcome=reason, how=how, target=number, opened=opened)

    def _wanted_identity(self, needer: int) -> ElfIdentity | None:
        return self._objects.facts(needer).identity if self._objects.is_member(needer) else self._native


def _inherited(paths: PathList) -> PathList:
    return tuple((place, FoundBy.INHERITED_RPATH if by is FoundBy.RPATH else by, text) for place, by, text in paths)


def _without_repeats(lists: tuple[PathList, ...]) -> tuple[PathList, ...]:
    """Each absolute place once, where it stands first: the first hit wins, so a repetition finds nothing new.

    Relative ones stay, since a file in their place can end their list.
    """
    seen: set[str] = set()
    kept: list[PathList] = []
    for paths in lists:
        fresh = tuple(directory for directory in paths if directory[0] not in seen or not directory[0].startswith("/"))
        seen.update(directory[0] for directory in fresh)
        if fresh:
            kept.append(fresh)
    return tuple(kept)


def _names_given(objects: Objects) -> dict[tuple[str, str], int]:
    """(distribution, SONAME or file name) → number, of the other distributions' libraries whose bytes were given."""
    names: dict[tuple[str, str], int] = {}
    for position, owner in enumerate(objects.installation.owners):
        number = objects.installation.own + position
        facts: ElfFacts = objects.facts(number)
        for name in (facts.soname, facts.path.rpartition("/")[2]):
            if name:
                names.setdefault((owner, name), number)
    return names
