"""The architectures of Linux platform tags, and the ELF headers of objects that run on them."""

from __future__ import annotations

from checker.model.elf import ElfType, Machine, View
from checker.model.record import record
from checker.model.regex import regex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from checker.model.case import Case
    from checker.model.elf import ElfFacts, ElfIdentity

_PT_LOAD, _PF_X = 1, 1
_PLATFORM = regex(r"(?:linux|manylinux1|manylinux2010|manylinux2014|(?:many|musl)linux_\d+_\d+)_(\w+)")


@record
class Abi:
    """What an ELF header must say to run on an architecture.

    Attributes:
        machine, bits, little_endian: as in the header.
        flags_mask, flags: ``e_flags & flags_mask`` must be ``flags``, or 0 where ``unset_is_fine``.
        unset_is_fine: the linkers of the platform did not always set the flags.
    """

    machine: Machine
    bits: int
    little_endian: bool = True
    flags_mask: int = 0
    flags: int = 0
    unset_is_fine: bool = False

    def fault(self, identity: ElfIdentity) -> str:
        """What of the header is wrong, such as ``machine EM_AARCH64``; empty when all is right."""
        if identity.machine != self.machine:
            return f"machine {identity.machine}"
        if identity.bits != self.bits:
            return f"{identity.bits}-bit"
        if identity.little_endian != self.little_endian:
            return "little-endian" if identity.little_endian else "big-endian"
        masked = identity.flags & self.flags_mask
        if masked != self.flags and not (self.unset_is_fine and masked == 0):
            return f"ABI flags {identity.flags:#x}"
        return ""


_EF_ARM_ABI_FLOAT = 0x600  # EF_ARM_ABI_FLOAT_SOFT | EF_ARM_ABI_FLOAT_HARD (ELF for the Arm Architecture, section 5.2)
_EF_ARM_ABI_FLOAT_HARD = 0x400
_EF_RISCV_FLOAT_ABI = 0x6  # RISC-V ELF psABI, section "File Header"
_EF_RISCV_FLOAT_ABI_DOUBLE = 0x4
_EF_LOONGARCH_ABI_MODIFIER = 0x7  # LoongArch ELF ABI, section "e_flags"
_EF_LOONGARCH_ABI_DOUBLE_FLOAT = 0x3
_EF_PPC64_ABI = 0x3  # 64-Bit ELF V2 ABI, section "ELF Header": 1 is version 1, 2 version 2, 0 unspecified

ABIS = {
    "x86_64": Abi(machine=Machine.EM_X86_64, bits=64),
    "i686": Abi(machine=Machine.EM_386, bits=32),
    "aarch64": Abi(machine=Machine.EM_AARCH64, bits=64),
    "armv7l": Abi(
        machine=Machine.EM_ARM, bits=32, flags_mask=_EF_ARM_ABI_FLOAT, flags=_EF_ARM_ABI_FLOAT_HARD, unset_is_fine=True
    ),
    "armv6l": Abi(machine=Machine.EM_ARM, bits=32),
    "ppc64le": Abi(machine=Machine.EM_PPC64, bits=64, flags_mask=_EF_PPC64_ABI, flags=2, unset_is_fine=True),
    "ppc64": Abi(machine=Machine.EM_PPC64, bits=64, little_endian=False),
    "s390x": Abi(machine=Machine.EM_S390, bits=64, little_endian=False),
    "riscv64": Abi(machine=Machine.EM_RISCV, bits=64, flags_mask=_EF_RISCV_FLOAT_ABI, flags=_EF_RISCV_FLOAT_ABI_DOUBLE),
    "loongarch64": Abi(
        machine=Machine.EM_LOONGARCH, bits=64, flags_mask=_EF_LOONGARCH_ABI_MODIFIER, flags=_EF_LOONGARCH_ABI_DOUBLE_FLOAT
    ),
}
"""Architecture of a platform tag → what its objects say of themselves."""

_LINUX_MACHINES = frozenset(
    {
        Machine.EM_386,
        Machine.EM_MIPS,
        Machine.EM_PPC,
        Machine.EM_PPC64,
        Machine.EM_S390,
        Machine.EM_ARM,
        Machine.EM_X86_64,
        Machine.EM_AARCH64,
        Machine.EM_RISCV,
        Machine.EM_LOONGARCH,
    }
)

_ISA_LEVELS = ((1 << 3, 4), (1 << 2, 3), (1 << 1, 2))
"""GNU_PROPERTY_X86_ISA_1_V4, V3 and V2; bit 0 is the baseline, which every tag has."""

_ISA_SUFFIXES = (("_v4", 4), ("_v3", 3), ("_v2", 2))
"""Of tags and of directories below ``glibc-hwcaps`` (glibc ``sysdeps/x86_64/dl-hwcaps_subdirs.c``)."""


def isa_level(facts: ElfFacts) -> int:
    """The level of x86-64 that native code says it needs; 1 for what every processor that is led to it has."""
    if facts.identity.machine not in {Machine.EM_X86_64, Machine.EM_386} or not is_native(facts):
        return 1
    needed = next((level for bit, level in _ISA_LEVELS if facts.notes.x86_isa_needed & bit), 1)
    return needed if needed > directory_isa_level(facts.path) else 1


def directory_isa_level(path: str) -> int:
    """The level of the processors on which the loader goes into the member's directory, below ``glibc-hwcaps``; else 1."""
    _, found, below = path.rpartition("glibc-hwcaps/x86-64")
    return granted_isa_level(below.partition("/")[0].replace("-", "_")) if found else 1


def granted_isa_level(platform: str) -> int:
    """The level that a platform tag promises of every processor."""
    return next((level for suffix, level in _ISA_SUFFIXES if platform.endswith(suffix)), 1)


def tagged_architectures(case: Case) -> tuple[str, ...]:
    """The architectures of the Linux platform tags in force, sorted."""
    return tuple(sorted({tag_architecture(tag.platform) for tag in case.tags} - {""}))


def tag_architecture(platform: str) -> str:
    """The architecture of a Linux platform tag; empty for any other tag."""
    match = _PLATFORM.fullmatch(platform)
    return match[1] if match is not None else ""


def is_for_linux(case: Case) -> bool:
    """It is judged on a Linux platform, or is offered to one: not where all tags name other systems, such as Android."""
    return (
        bool(case.promises)
        or not case.tags
        or any(tag.platform == "any" or tag_architecture(tag.platform) for tag in case.tags)
    )


def is_native(facts: ElfFacts) -> bool:
    """Code for a Linux processor that a kernel or a loader could start.

    No object file, GPU kernel or BPF program, and no file of detached debug information, whose segments have no bytes.
    """
    identity = facts.identity
    if identity.machine not in _LINUX_MACHINES or identity.type not in {ElfType.ET_EXEC, ElfType.ET_DYN}:
        return False
    return facts.view is View.DYNAMIC or any(
        segment.type == _PT_LOAD and segment.flags & _PF_X and segment.file_size for segment in facts.segments
    )


def suits(facts: ElfFacts, architecture: str) -> bool:
    """The object is made for that architecture; ``False`` also where the architecture is not known."""
    abi = ABIS.get(architecture)
    return abi is not None and not abi.fault(facts.identity)


def is_program(facts: ElfFacts) -> bool:
    """It is started, not loaded: ET_EXEC, or a position-independent executable (PT_INTERP, or DF_1_PIE).

    Shared libraries that can also be started (libc.so.6 has a PT_INTERP) carry a DT_SONAME.
    """
    df_1_pie = 0x08000000
    if facts.identity.type == ElfType.ET_EXEC or facts.flags_1 & df_1_pie:
        return True
    return facts.interpreter is not None and facts.soname is None
