"""Which objects the loader maps for a root, in which order, and how each was found."""

from __future__ import annotations

from enum import Enum

from checker.model.record import ordered_record, record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from checker.model.platform import PlatformId


class ProviderKind(Enum):
    """Who supplies a library or a symbol."""

    __hash__ = object.__hash__  # a member is one object; Enum's own hash runs Python code for each edge of each rule

    MEMBER = "member"
    HOST = "host"
    PLATFORM = "platform"
    DECLARED = "declared"
    """Another distribution, named by a ``[[provider]]`` of the policy."""
    NONE = "none"


class FoundBy(Enum):
    """How the loader came to an object (glibc ``elf/dl-load.c``, ``_dl_map_object``)."""

    ALREADY_LOADED = "already loaded"
    """Its name, path or SONAME is that of an object which the process has."""
    PRELOADED = "preloaded"
    """The same, and no search would find it: it is there only because something else was loaded before the root."""
    PATH = "path"
    """The needed name has a slash: opened as it stands."""
    RPATH = "rpath"
    INHERITED_RPATH = "inherited rpath"
    LIBRARY_PATH = "library path"
    """LD_LIBRARY_PATH."""
    RUNPATH = "runpath"
    SYSTEM = "system"
    """ld.so.cache or the default directories."""
    DECLARED = "declared"
    NOT_FOUND = "not found"


@ordered_record
class Attempt:
    """One place that was looked at.

    Attributes:
        place: a directory in the installed layout (``site-packages/…``), or the name of a system step.
        source: what led there, such as ``DT_RUNPATH $ORIGIN/../lib of pkg/x.so``.
        outcome: what was met there: ``found``, ``no such file``, ``wrong ELF class (skipped)``, ``not an ELF file (fatal)`` …
    """

    place: str
    source: str
    outcome: str


@record
class Edge:
    """One DT_NEEDED of one object, followed in the closure of one root.

    Attributes:
        root: member path of the root.
        needer: member path (or soname of a platform library).
        soname: the needed name as written.
        provider: who supplies it.
        path: member path, platform soname or requirement name of the provider; ``None`` when nobody does.
        how: by which step it was found.
        looked_in: every place looked at, in order; the last is where it was found.
        used: some reference of the needer could bind to the provider; ``None`` where the provider's symbols are not known, or
            where the closure alone was asked for.
    """

    root: str
    needer: str
    soname: str
    provider: ProviderKind
    path: str | None
    how: FoundBy
    looked_in: tuple[Attempt, ...]
    used: bool | None = None


@record
class ScopeEntry:
    """One object of a scope: provider and path (member path, platform soname, ``requirement:soname`` for a declared one)."""

    provider: ProviderKind
    path: str


@record
class Closure:
    """What the loader maps for a root on one platform.

    Attributes:
        root: member path.
        platform: on which platform.
        scope: the root's local scope in load order (breadth first), root first; platform libraries included.
        edges: every DT_NEEDED followed, in order.
        fatal: why loading ends before any symbol is looked up (a missing library, a candidate that ends the search);
            empty when it does not.
    """

    root: str
    platform: PlatformId
    scope: tuple[ScopeEntry, ...]
    edges: tuple[Edge, ...]
    fatal: tuple[str, ...]
