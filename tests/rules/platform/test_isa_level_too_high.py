from __future__ import annotations

import pytest

from checker.model.artifact import Tag
from checker.model.elf import Machine, Notes
from checker.rules.platform.isa_level_too_high import RULE
from tests.rules.builders import MODULE, case, elf, identity, told


def needing(bits: int) -> Notes:
    return Notes(build_id=None, abi_tag=None, x86_isa_needed=bits, properties=(), dlopen=(), others=())


@pytest.mark.parametrize(("bits", "level"), [(0b10, "x86-64-v2"), (0b111, "x86-64-v3"), (0b1001, "x86-64-v4")])
def test_the_highest_level_of_the_note_fires(bits: int, level: str) -> None:
    (found,) = told(RULE, case(elf(notes=needing(bits))))
    assert (found.file, found.subject) == (MODULE, level)
    assert f"level {level}" in found.message
    assert f"GNU_PROPERTY_X86_ISA_1_NEEDED {bits:#x}" in dict(found.evidence).values()


@pytest.mark.parametrize("bits", [0, 0b1, 0b10000])
def test_the_baseline_is_silent(bits: int) -> None:
    assert told(RULE, case(elf(notes=needing(bits)))) == []


def test_a_library_for_better_processors_is_silent_in_its_directory_and_told_above_it() -> None:
    inside = "pkg.libs/glibc-hwcaps/x86-64-v3/libfast.so.1"
    assert told(RULE, case(elf(inside, notes=needing(0b100)))) == []
    assert len(told(RULE, case(elf(inside, notes=needing(0b1000))))) == 1


def test_a_tag_of_that_level_is_silent() -> None:
    tags = (Tag(python="cp311", abi="cp311", platform="manylinux_2_34_x86_64_v3"),)
    assert told(RULE, case(elf(notes=needing(0b100)), tags=tags, promises=())) == []


def test_the_same_bits_mean_nothing_on_another_machine() -> None:
    assert told(RULE, case(elf(notes=needing(0b100), identity=identity(machine=Machine.EM_AARCH64)))) == []
