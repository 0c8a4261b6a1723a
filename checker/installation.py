"""Where everything lies: the artifact as an installer lays it out, and beside it what other distributions bring."""

from __future__ import annotations

from checker.model.layout import normalized
from checker.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from checker.model.artifact import FileKind
    from checker.model.elf import ElfFacts, ElfIdentity
    from checker.model.layout import Layout

_MOST_LINKS = 40
"""MAXSYMLINKS of Linux: a path that leads through more symbolic links cannot be opened (ELOOP)."""


@record
class Distribution:
    """What is laid out.

    Attributes:
        name: empty for the artifact itself.
        objects: the ELF facts that could be read.
        members: every (path, kind).
        links: (path, target) of those members that are symbolic links.
        folders: folders that must be there though no member lies in them.
        version: of a wheel, by its name; else empty.
    """

    name: str
    objects: tuple[ElfFacts, ...]
    members: tuple[tuple[str, FileKind], ...]
    links: tuple[tuple[str, str], ...] = ()
    folders: tuple[str, ...] = ()
    version: str = ""


@record
class Installation:
    """The artifact and its neighbours, by installed path.

    Attributes:
        layout: where things land.
        objects: the ELF files that a loader can deal with (those with PT_DYNAMIC): the artifact's own, sorted by member path,
            then those of other distributions whose bytes were given.
        own: how many of them are the artifact's own.
        owners: distribution name of each of the others, by position after the own ones.
        places: installed path → index in ``objects``.
        other_files: installed path → kind, of every member that is no such object.
        other_elf: installed path → identity, of those among them that are ELF files whose header could be read.
        directories: every installed directory.
        links: installed path of a symbolic link → its target as written.
    """

    layout: Layout
    objects: tuple[ElfFacts, ...]
    own: int
    owners: tuple[str, ...]
    places: dict[str, int]
    other_files: dict[str, FileKind]
    other_elf: dict[str, ElfIdentity]
    directories: frozenset[str]
    links: dict[str, str]

    def located(self, path: str) -> str | None:
        """The path with ``.``, ``..`` and symbolic links resolved, as the kernel does; ``None`` for a loop of links.

        A folder on the way that is not known is taken to be there: others may have made it.
        """
        if not self.links:
            return normalized(path)
        parts = path.split("/")[::-1]
        place = ""
        followed = 0
        while parts:
            part = parts.pop()
            if part in {"", "."}:
                continue
            if part == "..":
                place = place.rpartition("/")[0]
                continue
            target = self.links.get(f"{place}/{part}")
            if target is None:
                place = f"{place}/{part}"
                continue
            followed += 1
            if followed > _MOST_LINKS:
                return None
            parts += target.split("/")[::-1]
            if target.startswith("/"):
                place = ""
        return place or "/"


def install(layout: Layout, artifact: Distribution, others: Iterable[Distribution] = ()) -> Installation:
    """Lay the artifact out, and beside it the other distributions whose bytes were given."""
    distributions = (artifact, *others)
    objects: list[ElfFacts] = []
    owners: list[str] = []
    places: dict[str, int] = {}
    other_elf: dict[str, ElfIdentity] = {}
    for distribution in distributions:
        for facts in distribution.objects:
            place = layout.installed(facts.path)
            if facts.is_dynamic:
                places.setdefault(place, len(objects))
                objects.append(facts)
                owners.append(distribution.name)
            else:
                other_elf[place] = facts.identity
    own = owners.count(artifact.name)
    links = {layout.installed(path): target for one in distributions for path, target in one.links}
    kinds = {layout.installed(path): kind for one in distributions for path, kind in one.members}
    folders = [layout.installed(folder) for one in distributions for folder in one.folders]
    return Installation(
        layout=layout,
        objects=tuple(objects),
        own=own,
        owners=tuple(owners[own:]),
        places=places,
        other_files={place: kind for place, kind in kinds.items() if place not in places and place not in links},
        other_elf=other_elf,
        directories=_directories((*places, *kinds, *links), folders),
        links=links,
    )


def _directories(files: Iterable[str], folders: Iterable[str]) -> frozenset[str]:
    found: set[str] = set()
    for directory in (*folders, *(place.rpartition("/")[0] for place in files)):
        parent = directory
        while parent and parent not in found:
            found.add(parent)
            parent = parent.rpartition("/")[0]
    return frozenset(found)
