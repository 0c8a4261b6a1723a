"""Needed libraries that nobody supplies, sorted by cause, so that each is told by one rule."""

from __future__ import annotations

from enum import Enum

from checker.model.closure import ProviderKind
from checker.model.record import record
from checker.rules.known_libraries import is_libc, is_libpython, system_origin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from checker.model.artifact import Member
    from checker.model.case import Case
    from checker.model.closure import Edge
    from checker.model.elf import ElfFacts


class Cause(Enum):
    """Why a needed library is not found, and with it the rule that tells so."""

    UNREACHABLE = "unreachable-bundled-library"
    """The artifact holds it, where nobody looks."""
    SYSTEM = "library-outside-platform"
    """Linux systems may have it, but the platform does not promise it."""
    LIBPYTHON = "forbidden-needed-library"
    LIBC = "libc-mismatch"
    """The other family's C library."""
    UNKNOWN = "missing-library"


@record
class Unfound:
    """One library that one object needs and that is found nowhere.

    Attributes:
        edge: where was looked, for the first root in whose closure it is so.
        cause: see :class:`Cause`.
        bundled: for UNREACHABLE, the member that would do.
    """

    edge: Edge
    cause: Cause
    bundled: Member | None = None


def unfound(case: Case) -> Iterator[Unfound]:
    """Every (needer, soname) of the artifact that is not found in some root's closure, once."""
    objects = {facts.path: facts for facts in case.objects}
    by_name: dict[str, list[Member]] | None = None
    seen: set[tuple[str, str]] = set()
    for edge in case.libraries:
        key = (edge.needer, edge.soname)
        if edge.provider is not ProviderKind.NONE or edge.needer not in objects or key in seen:
            continue
        seen.add(key)
        if by_name is None:
            by_name = _members_by_name(case, objects)
        name = edge.soname.rpartition("/")[2]
        bundled = _bundled(name, objects, by_name.get(name, ()), objects[edge.needer])
        if bundled is not None:
            yield Unfound(edge=edge, cause=Cause.UNREACHABLE, bundled=bundled)
        else:
            yield Unfound(edge=edge, cause=_cause(edge.soname))


def _members_by_name(case: Case, objects: dict[str, ElfFacts]) -> dict[str, list[Member]]:
    """Members under their file name, and those with another SONAME under that one too."""
    found: dict[str, list[Member]] = {}
    for member in case.inventory.members:
        name = member.path.rpartition("/")[2]
        facts = objects.get(member.path)
        found.setdefault(name, []).append(member)
        if facts is not None and facts.soname and facts.soname != name:
            found.setdefault(facts.soname, []).append(member)
    return found


def _bundled(name: str, objects: dict[str, ElfFacts], members: Sequence[Member], needer: ElfFacts) -> Member | None:
    """The first member that the loader could use, one of the needed name before others; it passes over another machine's."""
    for member in sorted(members, key=lambda each: each.path.rpartition("/")[2] != name):
        facts = objects.get(member.path)
        if facts is None or not facts.is_dynamic or facts.path == needer.path:
            continue
        if (facts.identity.machine, facts.identity.bits) == (needer.identity.machine, needer.identity.bits):
            return member
    return None


def _cause(soname: str) -> Cause:
    if is_libc(soname):
        return Cause.LIBC
    if is_libpython(soname):
        return Cause.LIBPYTHON
    return Cause.SYSTEM if system_origin(soname) else Cause.UNKNOWN


def looked(edge: Edge) -> tuple[str, ...]:
    """Where was looked, one line for each place, for evidence."""
    return tuple(f"{attempt.place} ({attempt.source}): {attempt.outcome}" for attempt in edge.looked_in)


def platform_is_unknown(case: Case) -> bool:
    """No data for any promised platform: what is not found in the artifact may be the platform's."""
    return not any(promise.baseline is not None for promise in case.promises)
