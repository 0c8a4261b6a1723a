"""What the loaders are asked, and what they answer: a symbol reference and its match, a candidate file and its effect."""

from __future__ import annotations

from enum import Enum

from checker.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from checker.model.elf import Definition


@record
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


@record
class Match:
    """What a loader makes of one object's entries under a name: the definition that it takes, or ``None``.

    Attributes:
        definition: the entry taken.
        other_version: an entry of that name was there, in another version only.
    """

    definition: Definition | None
    other_version: bool


NO_MATCH = Match(definition=None, other_version=False)


class Effect(Enum):
    """What a file that bears the wanted name does to the search for it."""

    TAKEN = "found"
    PASSED_OVER = "passed over"
    FATAL = "fatal"
    """The search ends without a result: later directories are not tried."""
