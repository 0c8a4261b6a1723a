"""The relocation types that dynamic loaders apply, by machine, with the class of use that each makes of its symbol.

Sources: the machines' psABI documents for names and numbers; glibc ``sysdeps/*/dl-machine.h`` (``elf_machine_rela`` and
``elf_machine_type_class``) and musl ``arch/*/reloc.h`` for which of them a loader takes. A type that is not here is one for the
link editor: a loader refuses it, and here it is ``Use.OTHER``.
"""

from __future__ import annotations

from functools import cache

from checker.model.elf import Machine, Use

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_NOTHING = Use.NONE
_WORD = Use.ABSOLUTE

_X86_64 = {
    0: ("R_X86_64_NONE", _NOTHING),
    1: ("R_X86_64_64", _WORD),
    2: ("R_X86_64_PC32", _WORD),
    5: ("R_X86_64_COPY", Use.COPY),
    6: ("R_X86_64_GLOB_DAT", Use.GLOB_DAT),
    7: ("R_X86_64_JUMP_SLOT", Use.JUMP_SLOT),
    8: ("R_X86_64_RELATIVE", _NOTHING),
    10: ("R_X86_64_32", _WORD),
    16: ("R_X86_64_DTPMOD64", Use.TLS_MODULE),
    17: ("R_X86_64_DTPOFF64", Use.TLS_MODULE),
    18: ("R_X86_64_TPOFF64", Use.TLS_OFFSET),
    24: ("R_X86_64_PC64", _WORD),
    32: ("R_X86_64_SIZE32", _WORD),
    33: ("R_X86_64_SIZE64", _WORD),
    36: ("R_X86_64_TLSDESC", Use.TLS_DESCRIPTOR),
    37: ("R_X86_64_IRELATIVE", _NOTHING),
    38: ("R_X86_64_RELATIVE64", _NOTHING),
}

_386 = {
    0: ("R_386_NONE", _NOTHING),
    1: ("R_386_32", _WORD),
    2: ("R_386_PC32", _WORD),
    5: ("R_386_COPY", Use.COPY),
    6: ("R_386_GLOB_DAT", Use.GLOB_DAT),
    7: ("R_386_JMP_SLOT", Use.JUMP_SLOT),
    8: ("R_386_RELATIVE", _NOTHING),
    14: ("R_386_TLS_TPOFF", Use.TLS_OFFSET),
    35: ("R_386_TLS_DTPMOD32", Use.TLS_MODULE),
    36: ("R_386_TLS_DTPOFF32", Use.TLS_MODULE),
    37: ("R_386_TLS_TPOFF32", Use.TLS_OFFSET),
    38: ("R_386_SIZE32", _WORD),
    41: ("R_386_TLS_DESC", Use.TLS_DESCRIPTOR),
    42: ("R_386_IRELATIVE", _NOTHING),
}

_AARCH64 = {
    0: ("R_AARCH64_NONE", _NOTHING),
    257: ("R_AARCH64_ABS64", _WORD),
    258: ("R_AARCH64_ABS32", _WORD),
    1024: ("R_AARCH64_COPY", Use.COPY),
    1025: ("R_AARCH64_GLOB_DAT", Use.GLOB_DAT),
    1026: ("R_AARCH64_JUMP_SLOT", Use.JUMP_SLOT),
    1027: ("R_AARCH64_RELATIVE", _NOTHING),
    1028: ("R_AARCH64_TLS_DTPMOD", Use.TLS_MODULE),
    1029: ("R_AARCH64_TLS_DTPREL", Use.TLS_MODULE),
    1030: ("R_AARCH64_TLS_TPREL", Use.TLS_OFFSET),
    1031: ("R_AARCH64_TLSDESC", Use.TLS_DESCRIPTOR),
    1032: ("R_AARCH64_IRELATIVE", _NOTHING),
}

_ARM = {
    0: ("R_ARM_NONE", _NOTHING),
    1: ("R_ARM_PC24", _WORD),
    2: ("R_ARM_ABS32", _WORD),
    3: ("R_ARM_REL32", _WORD),
    13: ("R_ARM_TLS_DESC", Use.TLS_DESCRIPTOR),
    17: ("R_ARM_TLS_DTPMOD32", Use.TLS_MODULE),
    18: ("R_ARM_TLS_DTPOFF32", Use.TLS_MODULE),
    19: ("R_ARM_TLS_TPOFF32", Use.TLS_OFFSET),
    20: ("R_ARM_COPY", Use.COPY),
    21: ("R_ARM_GLOB_DAT", Use.GLOB_DAT),
    22: ("R_ARM_JUMP_SLOT", Use.JUMP_SLOT),
    23: ("R_ARM_RELATIVE", _NOTHING),
    160: ("R_ARM_IRELATIVE", _NOTHING),
}

_PPC64 = {
    0: ("R_PPC64_NONE", _NOTHING),
    1: ("R_PPC64_ADDR32", _WORD),
    2: ("R_PPC64_ADDR24", _WORD),
    3: ("R_PPC64_ADDR16", _WORD),
    4: ("R_PPC64_ADDR16_LO", _WORD),
    5: ("R_PPC64_ADDR16_HI", _WORD),
    6: ("R_PPC64_ADDR16_HA", _WORD),
    7: ("R_PPC64_ADDR14", _WORD),
    8: ("R_PPC64_ADDR14_BRTAKEN", _WORD),
    9: ("R_PPC64_ADDR14_BRNTAKEN", _WORD),
    10: ("R_PPC64_REL24", _WORD),
    19: ("R_PPC64_COPY", Use.COPY),
    20: ("R_PPC64_GLOB_DAT", Use.GLOB_DAT),
    21: ("R_PPC64_JMP_SLOT", Use.JUMP_SLOT),
    22: ("R_PPC64_RELATIVE", _NOTHING),
    24: ("R_PPC64_UADDR32", _WORD),
    25: ("R_PPC64_UADDR16", _WORD),
    26: ("R_PPC64_REL32", _WORD),
    37: ("R_PPC64_ADDR30", _WORD),
    38: ("R_PPC64_ADDR64", _WORD),
    39: ("R_PPC64_ADDR16_HIGHER", _WORD),
    40: ("R_PPC64_ADDR16_HIGHERA", _WORD),
    41: ("R_PPC64_ADDR16_HIGHEST", _WORD),
    42: ("R_PPC64_ADDR16_HIGHESTA", _WORD),
    43: ("R_PPC64_UADDR64", _WORD),
    44: ("R_PPC64_REL64", _WORD),
    56: ("R_PPC64_ADDR16_DS", _WORD),
    57: ("R_PPC64_ADDR16_LO_DS", _WORD),
    68: ("R_PPC64_DTPMOD64", Use.TLS_MODULE),
    69: ("R_PPC64_TPREL16", Use.TLS_OFFSET),
    70: ("R_PPC64_TPREL16_LO", Use.TLS_OFFSET),
    71: ("R_PPC64_TPREL16_HI", Use.TLS_OFFSET),
    72: ("R_PPC64_TPREL16_HA", Use.TLS_OFFSET),
    73: ("R_PPC64_TPREL64", Use.TLS_OFFSET),
    78: ("R_PPC64_DTPREL64", Use.TLS_MODULE),
    95: ("R_PPC64_TPREL16_DS", Use.TLS_OFFSET),
    96: ("R_PPC64_TPREL16_LO_DS", Use.TLS_OFFSET),
    97: ("R_PPC64_TPREL16_HIGHER", Use.TLS_OFFSET),
    98: ("R_PPC64_TPREL16_HIGHERA", Use.TLS_OFFSET),
    99: ("R_PPC64_TPREL16_HIGHEST", Use.TLS_OFFSET),
    100: ("R_PPC64_TPREL16_HIGHESTA", Use.TLS_OFFSET),
    110: ("R_PPC64_ADDR16_HIGH", _WORD),
    111: ("R_PPC64_ADDR16_HIGHA", _WORD),
    112: ("R_PPC64_TPREL16_HIGH", Use.TLS_OFFSET),
    113: ("R_PPC64_TPREL16_HIGHA", Use.TLS_OFFSET),
    247: ("R_PPC64_JMP_IREL", _NOTHING),
    248: ("R_PPC64_IRELATIVE", _NOTHING),
}

_S390 = {
    0: ("R_390_NONE", _NOTHING),
    1: ("R_390_8", _WORD),
    3: ("R_390_16", _WORD),
    4: ("R_390_32", _WORD),
    5: ("R_390_PC32", _WORD),
    9: ("R_390_COPY", Use.COPY),
    10: ("R_390_GLOB_DAT", Use.GLOB_DAT),
    11: ("R_390_JMP_SLOT", Use.JUMP_SLOT),
    12: ("R_390_RELATIVE", _NOTHING),
    16: ("R_390_PC16", _WORD),
    17: ("R_390_PC16DBL", _WORD),
    18: ("R_390_PLT16DBL", _WORD),
    19: ("R_390_PC32DBL", _WORD),
    20: ("R_390_PLT32DBL", _WORD),
    22: ("R_390_64", _WORD),
    23: ("R_390_PC64", _WORD),
    54: ("R_390_TLS_DTPMOD", Use.TLS_MODULE),
    55: ("R_390_TLS_DTPOFF", Use.TLS_MODULE),
    56: ("R_390_TLS_TPOFF", Use.TLS_OFFSET),
    61: ("R_390_IRELATIVE", _NOTHING),
}

_RISCV = {
    0: ("R_RISCV_NONE", _NOTHING),
    1: ("R_RISCV_32", _WORD),
    2: ("R_RISCV_64", _WORD),
    3: ("R_RISCV_RELATIVE", _NOTHING),
    4: ("R_RISCV_COPY", Use.COPY),
    5: ("R_RISCV_JUMP_SLOT", Use.JUMP_SLOT),
    6: ("R_RISCV_TLS_DTPMOD32", Use.TLS_MODULE),
    7: ("R_RISCV_TLS_DTPMOD64", Use.TLS_MODULE),
    8: ("R_RISCV_TLS_DTPREL32", Use.TLS_MODULE),
    9: ("R_RISCV_TLS_DTPREL64", Use.TLS_MODULE),
    10: ("R_RISCV_TLS_TPREL32", Use.TLS_OFFSET),
    11: ("R_RISCV_TLS_TPREL64", Use.TLS_OFFSET),
    12: ("R_RISCV_TLSDESC", Use.TLS_DESCRIPTOR),
    58: ("R_RISCV_IRELATIVE", _NOTHING),
}

_LOONGARCH = {
    0: ("R_LARCH_NONE", _NOTHING),
    1: ("R_LARCH_32", _WORD),
    2: ("R_LARCH_64", _WORD),
    3: ("R_LARCH_RELATIVE", _NOTHING),
    4: ("R_LARCH_COPY", Use.COPY),
    5: ("R_LARCH_JUMP_SLOT", Use.JUMP_SLOT),
    6: ("R_LARCH_TLS_DTPMOD32", Use.TLS_MODULE),
    7: ("R_LARCH_TLS_DTPMOD64", Use.TLS_MODULE),
    8: ("R_LARCH_TLS_DTPREL32", Use.TLS_MODULE),
    9: ("R_LARCH_TLS_DTPREL64", Use.TLS_MODULE),
    10: ("R_LARCH_TLS_TPREL32", Use.TLS_OFFSET),
    11: ("R_LARCH_TLS_TPREL64", Use.TLS_OFFSET),
    12: ("R_LARCH_IRELATIVE", _NOTHING),
    13: ("R_LARCH_TLS_DESC32", Use.TLS_DESCRIPTOR),
    14: ("R_LARCH_TLS_DESC64", Use.TLS_DESCRIPTOR),
}

_TYPES = {
    Machine.EM_X86_64: _X86_64,
    Machine.EM_386: _386,
    Machine.EM_AARCH64: _AARCH64,
    Machine.EM_ARM: _ARM,
    Machine.EM_PPC64: _PPC64,
    Machine.EM_S390: _S390,
    Machine.EM_RISCV: _RISCV,
    Machine.EM_LOONGARCH: _LOONGARCH,
}


@cache
def uses_of(machine: Machine) -> dict[int, int]:
    """Relocation type → :class:`Use` bits, for the types that a loader of that machine takes; empty for an unknown machine.

    Type 0 refers to nothing on every machine.
    """
    return {0: 0, **{kind: int(use) for kind, (_, use) in _TYPES.get(machine, {}).items()}}


@cache
def _static_tls_types(machine: Machine) -> frozenset[int]:
    return frozenset(kind for kind, use in uses_of(machine).items() if use & Use.TLS_OFFSET)


def reach_static_tls(machine: Machine, kinds: Iterable[int]) -> bool:
    """Some of the relocation types takes a fixed offset from the thread pointer (initial-exec)."""
    return not _static_tls_types(machine).isdisjoint(kinds)


def relocation_name(machine: Machine, kind: int) -> str:
    """The psABI's name of a type that a loader takes; the number as text for any other."""
    name, _ = _TYPES.get(machine, {}).get(kind, (str(kind), Use.OTHER))
    return name
