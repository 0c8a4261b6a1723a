"""The members of an archive as paths to unpack, and for which systems the tags say that they are unpacked."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from checker.model.artifact import Member
    from checker.model.case import Case


def entries(case: Case) -> tuple[Member, ...]:
    """The members of the archive itself, without those of archives within it."""
    return tuple(member for member in case.inventory.members if "!/" not in member.path)


def folders_of(paths: Iterable[str]) -> frozenset[str]:
    """Every folder that is unpacked on the way to some path."""
    folders: set[str] = set()
    for path in paths:
        folder = path.rpartition("/")[0]
        while folder and folder not in folders:
            folders.add(folder)
            folder = folder.rpartition("/")[0]
    return frozenset(folders)


def promises_system(case: Case, choice: str, prefixes: tuple[str, ...]) -> bool:
    """Whether a system is to be minded: ``always``, ``never``, or ``by-tag`` where a platform tag starts with a prefix."""
    if choice != "by-tag":
        return choice == "always"
    return any(tag.platform.startswith(prefixes) for tag in case.tags)
