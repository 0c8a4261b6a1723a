"""Which copies of a runtime an artifact brings into a process, and which of them meet in one lookup scope."""

from __future__ import annotations

from itertools import combinations

from checker.model.closure import ProviderKind
from checker.model.record import record
from checker.rules.bundled import file_name
from checker.rules.runtimes import carried, is_embedded, named_by

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from checker.model.case import Case
    from checker.model.elf import ElfFacts
    from checker.model.platform import PlatformLibrary
    from checker.rules.runtimes import Runtime


@record
class Copy:
    """One copy of a runtime.

    Attributes:
        name: of its implementation, for people.
        place: member path, soname of a platform library, or ``DISTRIBUTION:path``.
        known_as: the name by which the loader knows it again; the place where it has none.
        facts: of a member or another distribution's file; ``None`` for a platform library.
        library: of a platform, where its symbols are known.
        owner: the distribution that brings it, or needs it of the platform; empty for the artifact itself.
        is_embedded: the object carries it beside code of its own.
    """

    name: str
    place: str
    known_as: str
    facts: ElfFacts | None
    library: PlatformLibrary | None
    owner: str
    is_embedded: bool

    @property
    def is_own(self) -> bool:
        """The artifact brings it."""
        return self.facts is not None and not self.owner


def copies_of(case: Case, runtime: Runtime) -> tuple[Copy, ...]:
    """The artifact's own, the platform's where it is needed, and those of the wheels that were given."""
    own = (_copy(facts, facts.path, "", runtime) for facts in case.objects)
    foreign = (_copy(facts, f"{name}:{facts.path}", name, runtime) for name, facts in case.provided_objects)
    return tuple(copy for copy in (*own, *_of_platform(case, runtime), *foreign) if copy is not None)


def _copy(facts: ElfFacts, place: str, owner: str, runtime: Runtime) -> Copy | None:
    implementation = carried(facts, runtime)
    if implementation is None:
        return None
    return Copy(
        name=implementation.name,
        place=place,
        known_as=facts.soname or place,
        facts=facts,
        library=None,
        owner=owner,
        is_embedded=is_embedded(facts, runtime),
    )


def _of_platform(case: Case, runtime: Runtime) -> Iterator[Copy]:
    # What a given wheel needs and does not bring, the platform must have.
    brought = {name for _, facts in case.provided_objects for name in (file_name(facts.path), facts.soname)}
    needed = {soname: name for name, facts in case.provided_objects for soname in facts.needed if soname not in brought}
    needed |= {edge.path or edge.soname: "" for edge in case.libraries if edge.provider is ProviderKind.PLATFORM}
    baseline = case.promises[0].baseline if case.promises else None
    for soname, owner in sorted(needed.items()):
        implementation = named_by(soname, runtime)
        if implementation is not None:
            yield Copy(
                name=implementation.name,
                place=soname,
                known_as=soname,
                facts=None,
                library=baseline.library(soname) if baseline is not None else None,
                owner=owner,
                is_embedded=False,
            )


def _contested(copy: Copy, names: Iterable[bytes]) -> dict[bytes, tuple[bytes | None, ...]]:
    """Those of the names that the copy defines, with their versions; of a platform library without data all, in any."""
    source = copy.facts.symbols if copy.facts is not None else copy.library
    if source is None:
        return dict.fromkeys(names, (None,))
    found: dict[bytes, tuple[bytes | None, ...]] = {}
    for name in names:
        versions = tuple(one.version for one in source.definitions(name) if one.defined)
        if versions:
            found[name] = versions
    return found


class Closures:
    """What each root of an artifact brings along, by the needs that its closures followed."""

    def __init__(self, case: Case) -> None:
        self._needs: dict[str, set[str]] = {}
        for edge in case.libraries:
            if edge.path is not None:
                self._needs.setdefault(edge.needer, set()).add(edge.path)
        self.needed = {path for paths in self._needs.values() for path in paths}

    def of(self, root: str) -> frozenset[str]:
        """The root and every place that its needs lead to."""
        found, waiting = {root}, [root]
        while waiting:
            new = self._needs.get(waiting.pop(), set()) - found
            found |= new
            waiting += new
        return frozenset(found)

    def needers(self, place: str) -> list[str]:
        """Who needs that library, sorted."""
        return sorted(needer for needer, paths in self._needs.items() if place in paths)


def in_one_process(case: Case, by_place: dict[str, Copy], closures: Closures) -> Iterator[tuple[tuple[str, ...], list[str]]]:
    """Places of copies that are known by different names, and roots that bring them: of all modules, and of each program."""
    # A copy that is a root was opened by nobody that is known.
    strays = {place for place, copy in by_place.items() if not copy.is_embedded and place not in closures.needed}
    modules: dict[str, list[str]] = {copy.place: [] for copy in by_place.values() if copy.owner}
    for root in case.roots:
        brought = closures.of(root.path) & by_place.keys() if root.path not in strays else frozenset()
        if root.host == "executable":
            yield from _distinct({place: [root.path] for place in brought}, by_place)
        else:
            for place in brought:
                modules.setdefault(place, []).append(root.path)
    yield from _distinct(modules, by_place)


def _distinct(brought: dict[str, list[str]], by_place: dict[str, Copy]) -> Iterator[tuple[tuple[str, ...], list[str]]]:
    """The places, one for each name by which the loader knows a copy, where there are several and one is the artifact's."""
    order = sorted(brought, key=lambda place: (not by_place[place].is_own, place))
    first: dict[str, str] = {}
    for place in order:
        first.setdefault(by_place[place].known_as, place)
    if len(first) > 1 and by_place[order[0]].is_own:
        yield tuple(first.values()), sorted({root for place in first.values() for root in brought[place][:1]})


def in_one_scope(
    case: Case, runtime: Runtime, by_place: dict[str, Copy], closures: Closures
) -> Iterator[tuple[tuple[str, ...], list[str]]]:
    """Places of copies that define the same name for the same references, and the roots in whose closure they are."""
    defined = {place: _contested(copy, runtime.contested) for place, copy in by_place.items()}
    meetings: dict[tuple[str, ...], list[str]] = {}
    for root in case.roots:
        places = sorted(closures.of(root.path) & by_place.keys(), key=lambda place: (not by_place[place].is_own, place))
        met = {
            place
            for pair in combinations(places, 2)
            if by_place[pair[0]].known_as != by_place[pair[1]].known_as and _contest(defined[pair[0]], defined[pair[1]])
            for place in pair
        }
        if met and by_place[places[0]].is_own:
            meetings.setdefault(tuple(place for place in places if place in met), []).append(root.path)
    yield from meetings.items()


def _contest(one: dict[bytes, tuple[bytes | None, ...]], other: dict[bytes, tuple[bytes | None, ...]]) -> bool:
    """Both define some name so that one reference could take either: in the same version, or one of them in none."""
    return any(
        mine == yours or mine is None or yours is None
        for name in one.keys() & other.keys()
        for mine in one[name]
        for yours in other[name]
    )
