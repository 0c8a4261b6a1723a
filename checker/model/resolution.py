"""What becomes of imports and version needs, and of each root as a whole."""

from __future__ import annotations

from enum import Enum

from checker.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from checker.model.closure import ProviderKind
    from checker.model.elf import Use
    from checker.model.platform import PlatformId


class Outcome(Enum):
    """What becomes of one import in one scope; never a blank."""

    __hash__ = object.__hash__  # a member is one object; Enum's own hash runs Python code for each of a large wheel's imports

    BOUND = "bound"
    WEAK_ABSENT = "weak_absent"
    """A weak reference that nobody satisfies: it becomes 0, without error."""
    VERSION_MISSING = "version_missing"
    """Some object in scope has the name, none in the wanted version."""
    SYMBOL_MISSING = "symbol_missing"
    LIBRARY_MISSING = "library_missing"
    """Unresolved, and some library of the scope could not be found, so that it may have been there."""
    UNDECIDED = "undecided"


class Via(Enum):
    """What a binding depends on beyond the object's own needed libraries."""

    __hash__ = object.__hash__  # as of Outcome

    NEEDED = "needed"
    """Nothing: the object itself, or the closure of its own DT_NEEDED."""
    INTERPRETER = "interpreter"
    """The interpreter's own exports."""
    INTERPRETER_DEPENDENCY = "interpreter-dependency"
    """A library that is there only because the interpreter links it."""
    SIBLING = "sibling"
    """Another object of the root's closure, which the object does not need."""
    PRELOAD = "preload"
    """Something loaded before."""


@record
class Resolution:
    """The fate of one import of one object, where it is worth telling (failures, and bindings that hang on something).

    Attributes:
        object: member path of the object that has the import.
        symbol: its name.
        version: wanted version; ``None`` for an unversioned reference.
        version_file: the file that the version need names.
        weak: STB_WEAK.
        uses: how relocations use it.
        outcome: see :class:`Outcome`.
        provider, path: who supplies it; ``NONE`` and ``None`` unless BOUND.
        provider_version: the version of the definition that binds.
        via: what the binding depends on; ``None`` unless BOUND.
        reason: for UNDECIDED, why; for failures that depend on the release, the loader's rule; else empty.
        roots: member paths of the roots in whose closure this holds, sorted.
        platforms: the judged platforms on which it holds, sorted.
        candidates: ``member path`` or ``soname`` of libraries that define the name, sorted: out of the scope, or, of
            VERSION_MISSING, in it under other versions. Empty unless the import failed.
    """

    object: str
    symbol: bytes
    version: bytes | None
    version_file: str | None
    weak: bool
    uses: Use
    outcome: Outcome
    provider: ProviderKind
    path: str | None
    provider_version: bytes | None
    via: Via | None
    reason: str
    roots: tuple[str, ...]
    platforms: tuple[PlatformId, ...]
    candidates: tuple[str, ...]


@record
class Interposition:
    """Strong symbols that an object defines and refers to, and that are taken from another object, which comes before it.

    Attributes:
        object: member path of the object whose own definitions are passed over.
        path: member path of the one whose definitions are taken; ``requirement:path`` for another distribution's.
        symbols: their names, sorted.
        roots: member paths of the roots in whose scope this holds, sorted.
    """

    object: str
    path: str
    symbols: tuple[bytes, ...]
    roots: tuple[str, ...]


@record
class BindingRow:
    """The fate of one relocated symbol of one object, good or bad, on one platform.

    Attributes:
        root: member path of the root; ``None`` where all roots whose closure holds the object agree.
        platform: on which platform.
        object: member path of the object that has the import.
        symbol, version: what is asked for; ``None`` for an unversioned reference.
        outcome: see :class:`Outcome`.
        provider: ``NONE`` unless BOUND.
        path: member path for a member, soname for a platform library, requirement or interpreter name; ``None`` unless BOUND.
        provider_version: the version of the definition that binds.
        via: what the binding depends on; ``None`` unless BOUND.
    """

    root: str | None
    platform: PlatformId
    object: str
    symbol: bytes
    version: bytes | None
    outcome: Outcome
    provider: ProviderKind
    path: str | None
    provider_version: bytes | None
    via: Via | None


@record
class Met:
    """One object of a scope, as a lookup met it.

    Attributes:
        provider, path: the object, as :class:`checker.model.closure.ScopeEntry` has it.
        note: what it has under the name: ``defines it``, ``has it in other versions: V1`` …; empty where it has nothing.
    """

    provider: ProviderKind
    path: str
    note: str


@record
class Lookup:
    """What one object's reference to a symbol comes to, and the way there.

    Attributes:
        object, symbol, version, weak, uses: the reference; ``version`` is ``None`` for an unversioned one.
        outcome, provider, path, provider_version, via: as in :class:`Resolution`.
        rule: the loader's rule that decided against the order of the scope; empty where the order did.
        roots: member paths of the roots in whose scope it is so, sorted; what was loaded before them has a scope of its own.
        platforms: the judged platforms on which it is so in these roots, ascending.
        met: every object asked on the last of the platforms in the first root's scope, in order; the last one ended the search.
        later: objects behind it that define the symbol too and were not asked.
    """

    object: str
    symbol: bytes
    version: bytes | None
    weak: bool
    uses: Use
    outcome: Outcome
    provider: ProviderKind
    path: str | None
    provider_version: bytes | None
    via: Via | None
    rule: str
    roots: tuple[str, ...]
    platforms: tuple[PlatformId, ...]
    met: tuple[Met, ...]
    later: tuple[Met, ...]


@record
class MissingVersion:
    """A version need that the load-time check refuses (glibc ``elf/dl-version.c``), before any symbol is looked up.

    Attributes:
        object: member path of the object with the need.
        file: the file name of the need.
        version: the version's name.
        provider, path: which library was found under that file name.
        symbols: the object's imports that want this version, sorted; may be empty.
        aborts: the loader's assertion fails (the file of the need is not loaded under that name): the process dies.
        roots, platforms: where it holds, sorted.
    """

    object: str
    file: str
    version: bytes
    provider: ProviderKind
    path: str | None
    symbols: tuple[bytes, ...]
    aborts: bool
    roots: tuple[str, ...]
    platforms: tuple[PlatformId, ...]


class LoadOutcome(Enum):
    """What the loader says of a root."""

    LOADS = "loads"
    FAILS = "fails"
    ABORTS = "aborts"
    UNDECIDED = "undecided"


@record
class LoadCause:
    """Why a root does not load: the first thing that the loader would stumble on.

    Attributes:
        kind: ``library``, ``version``, ``symbol``, ``property`` or ``undecided``.
        object: the object concerned.
        subject: the library, version, symbol or property.
    """

    kind: str
    object: str
    subject: str


@record
class Load:
    """The verdict for a root on one platform."""

    platform: PlatformId
    outcome: LoadOutcome
    because: LoadCause | None


@record
class RootVerdict:
    """One root.

    Attributes:
        path: member path.
        host: ``python``, ``executable`` or ``library`` (opened by name: ctypes, dlopen).
        loads: one verdict for each judged platform, sorted.
        interpreter: name of the one that it was judged in; ``None`` where no interpreter opens it, or which does is not known.
    """

    path: str
    host: str
    loads: tuple[Load, ...]
    interpreter: str | None = None


@record
class ResolutionCounts:
    """How the imports that relocations use fared: each object's import counted once.

    Counted on the oldest platform of the first promise, each at its worst over the roots. ``bound`` has the keys member, host,
    platform and declared.
    """

    bound: tuple[tuple[str, int], ...]
    weak_absent: int
    version_missing: int
    symbol_missing: int
    library_missing: int
    undecided: int
