from __future__ import annotations

from checker.model.elf import ElfIdentity, ElfType, Machine
from checker.report.elfnames import architecture


def identity(machine: int) -> ElfIdentity:
    return ElfIdentity(
        bits=64,
        little_endian=True,
        machine=Machine(machine),
        type=ElfType.ET_DYN,
        os_abi=0,
        abi_version=0,
        flags=0,
    )


def test_an_architecture_of_platform_tags_has_its_tag_name() -> None:
    assert architecture(identity(62)) == "x86_64"


def test_a_machine_of_the_registry_is_named_and_its_number_kept() -> None:
    told = architecture(identity(43))
    assert "EM_SPARCV9" in told
    assert "0x2b" in told


def test_a_machine_that_nobody_knows_keeps_its_number() -> None:
    assert "0xfff0" in architecture(identity(0xFFF0))
