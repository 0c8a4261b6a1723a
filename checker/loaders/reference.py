"""A symbol reference, as a lookup is asked about it."""

from __future__ import annotations

from dataclasses import dataclass

from checker.model.elf import Definition


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """What a relocation asks for.

    Attributes:
        name: the symbol.
        version: wanted version; ``None`` when unversioned.
        version_hidden: bit 15 of ``vna_other``: only an exact match will do.
        plt_class: every use is a jump slot or thread-local: an undefined canonical PLT entry does not count as a definition.
    """

    name: bytes
    version: bytes | None
    version_hidden: bool
    plt_class: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """What a loader makes of one object's entries under a name: the definition that it takes, or ``None``.

    Attributes:
        definition: the entry taken.
        other_version: an entry of that name was there, in another version only.
    """

    definition: Definition | None
    other_version: bool


NO_MATCH = Match(definition=None, other_version=False)
