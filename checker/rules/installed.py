"""Where the members of an artifact land, and how one place is written as seen from another."""

from __future__ import annotations

from checker.model.artifact import ArtifactKind
from checker.model.layout import Layout
from checker.model.regex import regex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from checker.model.case import Case

_CPYTHON = regex(r"cp3(\d+)")


def layout_of(case: Case) -> Layout:
    """The installed layout, with the oldest Python that the tags name."""
    minors = [int(found[1]) for tag in case.tags if (found := _CPYTHON.fullmatch(tag.python))]
    return Layout(python=f"python3.{min(minors)}") if minors else Layout()


def root_of(case: Case, place: str) -> str:
    """The directory that a file's run paths should not leave: site-packages, or the environment for scripts and data files.

    An artifact that no installer lays out (a directory, a single file) is its own root.
    """
    layout = layout_of(case)
    if case.inventory.kind is ArtifactKind.WHEEL and not place.startswith(layout.site_packages + "/"):
        return place[: place.find("/", 1)]
    return layout.site_packages


def directories(case: Case) -> frozenset[str]:
    """Every installed directory that the artifact fills, with those above it."""
    layout = layout_of(case)
    found: set[str] = set()
    for member in case.inventory.members:
        above = directory(layout.installed(member.path))
        while above and above not in found:
            found.add(above)
            above = directory(above)
    return frozenset(found)


def directory(path: str) -> str:
    """The directory part of a path."""
    return path.rpartition("/")[0]


def origin_path(from_directory: str, to_directory: str) -> str:
    """``$ORIGIN/…``: ``to_directory`` as an object in ``from_directory`` writes it."""
    here, there = from_directory.split("/"), to_directory.split("/")
    shared = 0
    while shared < min(len(here), len(there)) and here[shared] == there[shared]:
        shared += 1
    steps = [".."] * (len(here) - shared) + there[shared:]
    return "/".join(["$ORIGIN", *steps])
