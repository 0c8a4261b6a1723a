"""Why a loader refuses a root for other things than its symbols: mapping, versions, processor, relocations, storage."""

from __future__ import annotations

from checker.elf.relocation_types import reach_static_tls, relocation_name, uses_of
from checker.loaders import glibc, musl
from checker.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from checker.closure import Mapped, Process
    from checker.model.elf import ElfFacts, Machine, Segment

_PT_TLS = 7


@record
class Refusal:
    """Why a root does not load.

    Attributes:
        object: number of the object concerned.
        kind: as :class:`checker.model.resolution.LoadCause` has it.
        subject: the library or property.
        aborts: the process dies of it.
    """

    object: int
    kind: str
    subject: str
    aborts: bool = False


@record
class VersionFailure:
    """A version need that the load-time check refuses.

    Attributes:
        object: number of the object with the need.
        file: the need's file name.
        version: the version's name.
        provider: number of the object loaded under that name; -1 when there is none, which aborts the process.
    """

    object: int
    file: str
    version: bytes
    provider: int


def mapping_refusal(process: Process, mapped: Mapped, *, is_program: bool) -> Refusal | None:
    """The first thing at which mapping ends: a missing library, or an object that is not mapped for what it says of itself."""
    for number, missing in mapped.events:
        if missing is not None:
            if process.is_own(number):
                return Refusal(object=number, kind="library", subject=missing)
            continue
        if process.is_musl or not process.is_own(number) or (is_program and number == mapped.root):
            continue
        reason = glibc.refuses_to_map(
            process.facts(number),
            process.release,
            by_dlopen=not is_program,
            stack_is_executable=process.program is not None and glibc.wants_executable_stack(process.facts(process.program)),
        )
        if reason is not None:
            return Refusal(object=number, kind="property", subject=reason)
    return None


class VersionCheck:
    """The load-time check of version needs (glibc ``elf/dl-version.c``, ``_dl_check_map_versions``); musl has none."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self._known: dict[tuple[int, ...], tuple[VersionFailure, ...]] = {}

    def refused(self, mapped: Mapped) -> tuple[VersionFailure, ...]:
        """Every version need of the new objects that is not met, in the order in which the loader looks at them."""
        process = self._process
        if process.is_musl:
            return ()
        refused: list[VersionFailure] = []
        missing = {name for _, name in mapped.events if name is not None}
        for number in _new(process, mapped):
            providers = [mapped.requested.get(need.file, -1) for need in process.facts(number).version_needs]
            key = (number, *providers)
            known = self._known.get(key)
            if known is None:
                known = self._known[key] = tuple(self._failures(number, providers))
            refused += known
        # A library that is not there ends the load before its versions are asked for.
        return tuple(failure for failure in refused if failure.provider >= 0 or failure.file not in missing)

    def _failures(self, number: int, providers: list[int]) -> Iterator[VersionFailure]:
        facts = self._process.facts(number)
        for need, provider in zip(facts.version_needs, providers, strict=True):
            defined = self._process.defined_versions(provider) if provider >= 0 else frozenset()
            if defined is None:
                continue
            for version in need.versions:
                if provider < 0 or ((version.name, version.hash) not in defined and not version.weak):
                    yield VersionFailure(object=number, file=need.file, version=version.name, provider=provider)
        if glibc.lacks_relr_marker(facts, self._process.release):
            files = zip(facts.version_needs, providers, strict=True)
            file, provider = next(
                ((need.file, one) for need, one in files if need.file.startswith("libc.so.")), ("libc.so.6", number)
            )
            yield VersionFailure(object=number, file=file, version=glibc.RELR_MARKER, provider=provider)


def processor_refusal(process: Process, mapped: Mapped) -> Refusal | None:
    """The first object that asks for more than the processor of the setup has."""
    if process.is_musl or process.platform.architecture not in {"x86_64", "i686"}:
        return None
    for number in _new(process, mapped):
        if glibc.refuses_processor(process.facts(number), process.setup.isa, process.release):
            return Refusal(object=number, kind="property", subject="CPU ISA level is lower than required")
    return None


def relocation_refusal(process: Process, number: int, machine: Machine) -> Refusal | None:
    """What an object's relocations cannot be: of an unknown type, or packed for a loader that does not unpack them.

    Args:
        process: in which it is relocated.
        number: the object.
        machine: of the process: musl also maps objects of others.
    """
    facts = process.facts(number)
    if process.is_musl:
        kind = musl.unsupported_relocation(facts, machine)
        unapplied = musl.leaves_relr_unapplied(facts, process.release)
    else:
        known = uses_of(facts.identity.machine)
        kind = next((one for one in facts.relocation_types if one not in known), None) if len(known) > 1 else None
        unapplied = glibc.leaves_relr_unapplied(facts, process.release)
    if kind is not None:
        name = relocation_name(facts.identity.machine, kind)
        return Refusal(object=number, kind="property", subject=f"the loader does not know relocation type {name}")
    if unapplied:
        subject = f"{process.platform.family} {'.'.join(map(str, process.release))} does not apply DT_RELR"
        return Refusal(object=number, kind="property", subject=subject, aborts=True)
    return None


def _new(process: Process, mapped: Mapped) -> list[int]:
    """The artifact's own objects that came with this root, in the order of the scope."""
    new = set(mapped.new)
    return [number for number in mapped.order if number in new and process.is_own(number)]


def reaches_static_tls(facts: ElfFacts) -> bool:
    """The loader finds a relocation that needs it: unlike the linker's flag, that is what counts for it."""
    return reach_static_tls(facts.identity.machine, facts.relocation_types)


class StaticTls:
    """The static thread-local storage that objects opened later take of a process."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self._placed = set(process.at_start)
        self._free = glibc.STATIC_TLS_SURPLUS

    def copy(self) -> StaticTls:
        """The same state, to go on from."""
        other = StaticTls(self._process)
        other._placed = set(self._placed)
        other._free = self._free
        return other

    def place(self, asking: int, targets: Iterable[int]) -> Refusal | None:
        """Give every object its place whose storage is reached by a fixed offset; why there is none for one.

        Args:
            asking: the object with the relocations.
            targets: the objects whose storage they reach.
        """
        for number in targets:
            if number in self._placed or not self._process.is_member(number):
                continue
            if self._process.is_musl:
                # ldso/dynlink.c, do_relocs: no room is ever made after the start.
                return Refusal(object=asking, kind="property", subject="initial-exec TLS resolves to dynamic definition")
            self._placed.add(number)
            block = next((one for one in self._process.facts(number).segments if one.type == _PT_TLS), None)
            left = self._left(number, block) if block is not None else self._free
            if left is None:
                return Refusal(object=number, kind="property", subject="cannot allocate memory in static TLS block")
            self._free = left
        return None

    def _left(self, number: int, block: Segment) -> int | None:
        best = glibc.static_tls_alignment(self._process.facts(number).identity.machine, self._process.release)
        return glibc.static_tls_left(self._free, block.memory_size, block.alignment, best)
