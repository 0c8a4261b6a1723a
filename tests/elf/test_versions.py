"""Needed and defined versions."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import pytest

from checker.model.elf import ElfReadError, NeededVersion, VersionDefinition, VersionNeed
from tests import elfwriter
from tests.elfwriter import DEFINED, MACHINES, VER_FLG_BASE, VER_FLG_WEAK, Elf, Image, Symbol, build, sysv_hash, write
from tests.elfwriter import Machine as Target

if TYPE_CHECKING:
    from collections.abc import Callable

    from checker.model.elf import ElfFacts

    Read = Callable[[bytes], ElfFacts]

NEEDS = (
    elfwriter.VersionNeed(
        "libc.so.6",
        (elfwriter.NeededVersion("GLIBC_2.34", 0x8005), elfwriter.NeededVersion("GLIBC_2.2.5", 6, VER_FLG_WEAK, 77)),
    ),
    elfwriter.VersionNeed("libm.so.6", (elfwriter.NeededVersion("GLIBC_2.29", 7),)),
)
DEFINITIONS = (
    elfwriter.VersionDefinition("libx.so", 1, VER_FLG_BASE),
    elfwriter.VersionDefinition("V1", 2),
    elfwriter.VersionDefinition("V2", 3, VER_FLG_WEAK, ("V1",)),
)


def versioned() -> Image:
    return build(
        Elf(version_needs=NEEDS, version_definitions=DEFINITIONS, symbols=(Symbol(name="f", shndx=DEFINED, version=2),))
    )


@pytest.mark.parametrize("machine", MACHINES, ids=lambda m: m.name)
def test_needed_versions_keep_file_order_hash_weakness_and_hidden_bit(machine: Target, read: Read) -> None:
    facts = read(write(Elf(machine=machine, version_needs=NEEDS)))
    assert facts.version_needs == (
        VersionNeed(
            file="libc.so.6",
            versions=(
                NeededVersion(name=b"GLIBC_2.34", hash=sysv_hash("GLIBC_2.34"), weak=False, index=5, hidden=True),
                NeededVersion(name=b"GLIBC_2.2.5", hash=77, weak=True, index=6, hidden=False),
            ),
        ),
        VersionNeed(
            file="libm.so.6",
            versions=(NeededVersion(name=b"GLIBC_2.29", hash=sysv_hash("GLIBC_2.29"), weak=False, index=7, hidden=False),),
        ),
    )


@pytest.mark.parametrize("machine", MACHINES, ids=lambda m: m.name)
def test_definitions_have_their_own_name_and_not_their_parents(machine: Target, read: Read) -> None:
    facts = read(write(Elf(machine=machine, version_definitions=DEFINITIONS)))
    assert facts.version_definitions == (
        VersionDefinition(name=b"libx.so", hash=sysv_hash("libx.so"), index=1, base=True, weak=False),
        VersionDefinition(name=b"V1", hash=sysv_hash("V1"), index=2, base=False, weak=False),
        VersionDefinition(name=b"V2", hash=sysv_hash("V2"), index=3, base=False, weak=True),
    )


def test_indices_of_needs_and_definitions_are_named_together_without_the_base(read: Read) -> None:
    names = read(versioned().data).symbols.version_names
    assert names == {2: b"V1", 3: b"V2", 5: b"GLIBC_2.34", 6: b"GLIBC_2.2.5", 7: b"GLIBC_2.29"}


def test_indices_0_and_1_and_a_base_definition_of_any_index_name_nothing(read: Read) -> None:
    needs = (elfwriter.VersionNeed("libc.so.6", (elfwriter.NeededVersion("A", 0), elfwriter.NeededVersion("B", 1))),)
    definitions = (elfwriter.VersionDefinition("x.so", 9, VER_FLG_BASE), elfwriter.VersionDefinition("V", 2))
    assert read(write(Elf(version_needs=needs, version_definitions=definitions))).symbols.version_names == {2: b"V"}


def test_a_definition_hides_a_need_of_the_same_index_as_in_the_loader(read: Read) -> None:
    needs = (elfwriter.VersionNeed("libc.so.6", (elfwriter.NeededVersion("NEED", 2),)),)
    facts = read(write(Elf(version_needs=needs, version_definitions=DEFINITIONS)))
    assert facts.symbols.version_names[2] == b"V1"


def test_the_counts_in_the_dynamic_section_and_the_records_do_not_matter(read: Read) -> None:
    image = versioned()
    data = image.data
    for tag in (0x6FFFFFFD, 0x6FFFFFFF):
        place = data.index(struct.pack("<Q", tag))
        data = data[: place + 8] + struct.pack("<Q", 1 << 50) + data[place + 16 :]
    need = image.parts[".gnu.version_r"].offset
    data = data[: need + 2] + b"\xff\xff" + data[need + 4 :]
    assert read(data).version_needs == read(image.data).version_needs
    assert read(data).version_definitions == read(image.data).version_definitions


@pytest.mark.parametrize(
    ("part", "offset", "value", "message"),
    [
        (".gnu.version_r", 12, 0x7FFFFFFF, r"the chain of needed versions \(DT_VERNEED\) leaves its segment"),
        (".gnu.version_r", 8, 0x7FFFFFFF, r"the chain of needed versions \(DT_VERNEED\) leaves its segment"),
        (".gnu.version_r", 16 + 12, 0xFFFFFFF0, r"the chain of needed versions \(DT_VERNEED\) leaves its segment"),
        (".gnu.version_r", 4, 0x7FFFFFFF, "the file name of a needed version lies outside the string table"),
        (".gnu.version_r", 16 + 8, 0x7FFFFFFF, "the name of a needed version lies outside the string table"),
        (".gnu.version_d", 16, 0x7FFFFFFF, r"the chain of version definitions \(DT_VERDEF\) leaves its segment"),
        (".gnu.version_d", 12, 0x7FFFFFFF, r"the chain of version definitions \(DT_VERDEF\) leaves its segment"),
        (".gnu.version_d", 20, 0x7FFFFFFF, "the name of a version definition lies outside the string table"),
    ],
)
def test_a_version_record_or_name_outside_its_table_is_a_read_error(
    part: str, offset: int, value: int, message: str, read: Read
) -> None:
    with pytest.raises(ElfReadError, match=message):
        read(versioned().patched(part, offset, struct.pack("<I", value)))


def test_a_chain_of_more_versions_than_an_index_can_number_is_a_read_error(read: Read) -> None:
    image = build(Elf(version_needs=NEEDS, text=struct.pack("<I", 4) * 40000))  # each record begins 4 bytes after another
    first = image.parts[".text"].offset - image.parts[".gnu.version_r"].offset
    data = image.patched(".gnu.version_r", 8, struct.pack("<I", first))
    with pytest.raises(ElfReadError, match="more than 32767 records"):
        read(data)
