"""What extension modules use of the interpreter, against the stable ABI."""

from __future__ import annotations

from checker.model.elf import Use
from checker.model.record import record
from checker.model.regex import regex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from checker.model.case import Case
    from checker.model.elf import ElfFacts

Version = tuple[int, ...]

ABIS = ("abi3", "abi3t")
"""ABI tags of the stable ABI (PEP 384; PEP 803 for builds without a global lock)."""

_CPYTHON = regex(r"cp(\d)(\d+)")


@record
class Violation:
    """One symbol that the stable ABI of the lowest version promised lacks.

    Attributes:
        symbol: its name.
        since: the version that brings it; ``None`` for one that is in no version's.
    """

    symbol: bytes
    since: tuple[int, ...] | None


def lowest_version(case: Case) -> Version | None:
    """The oldest CPython of the stable-ABI tags; ``None`` for an artifact without such a tag."""
    versions = [
        (int(found[1]), int(found[2]))
        for tag in case.tags
        if tag.abi in ABIS and (found := _CPYTHON.fullmatch(tag.python)) is not None
    ]
    return min(versions, default=None)


def used_beyond(case: Case, facts: ElfFacts, version: Version | None) -> tuple[Violation, ...]:
    """What the object must have of the interpreter that the stable ABI of a version (``None``: of any) lacks, sorted by name.

    Left out are names that some object of the artifact defines, and those that neither the stable ABI nor the interpreter has:
    they belong to another library that is called so (``libshiboken6.abi3.so`` has a ``PyDateTimeAPI``), or to nobody.
    """
    abi, hosts = case.stable_abi, case.hosts()
    if abi is None:
        return ()
    dated = ((name, abi.since(name)) for name in interpreter_symbols(facts))
    late = [(name, since) for name, since in dated if since is None or (version is not None and since > version)]
    return tuple(
        Violation(symbol=name, since=since)
        for name, since in late
        if (since is not None or not hosts or any(host.definitions(name) for host in hosts))
        and not is_defined(name, case.objects)
    )


def interpreter_symbols(facts: ElfFacts) -> tuple[bytes, ...]:
    """The object's imports with names of the interpreter, sorted.

    Weak references and entries that no relocation uses are left out: the object can do without them.
    """
    columns = facts.imports
    names = {
        name
        for position, name in enumerate(columns.names)
        if name.startswith((b"Py", b"_Py")) and not columns.weak[position] and columns.uses[position] != Use.NONE
    }
    return tuple(sorted(names))


def violations(case: Case, facts: ElfFacts) -> tuple[Violation, ...]:
    """What of the object's use of the interpreter the stable ABI of the lowest promised version lacks, sorted by name."""
    lowest = lowest_version(case)
    return used_beyond(case, facts, lowest) if lowest is not None else ()


def is_defined(name: bytes, objects: Iterable[ElfFacts]) -> bool:
    """Some object defines it."""
    return any(entry.defined for facts in objects for entry in facts.symbols.definitions(name))
