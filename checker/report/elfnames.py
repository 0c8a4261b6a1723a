"""Names of ELF values that this program does not know by itself, for people."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from checker.model.elf import ElfIdentity


def architecture(identity: ElfIdentity) -> str:
    """The architecture as platform tags name it; for any other machine the ELF registry's name for it, as pyelftools has it."""
    name = identity.architecture
    if "(" not in name:
        return name
    from elftools.elf.enums import ENUM_E_MACHINE

    constant = next((one for one, value in ENUM_E_MACHINE.items() if value == int(identity.machine)), None)
    return f"{constant} ({name})" if constant is not None else name
