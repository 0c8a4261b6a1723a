from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from checker.model.elf import ElfType, Machine
from checker.rules.hardening.text_relocations import RULE
from tests.rules.builders import MACHINES, MODULE, case, elf, identity, load, program, told

if TYPE_CHECKING:
    from checker.model.elf import ElfIdentity


@pytest.mark.parametrize("header", MACHINES, ids=lambda header: header.architecture)
def test_a_library_with_the_tag_is_told_on_every_architecture(header: ElfIdentity) -> None:
    (found,) = told(RULE, case(elf(text_relocations=True, dynamic=((22, 0),), identity=header)))
    assert (found.file, found.subject) == (MODULE, "DT_TEXTREL")
    assert dict(found.evidence)["tag"] == "DT_TEXTREL"


def test_the_segments_that_are_made_writable_are_named_and_no_other() -> None:
    segments = (load(4), load(5, 0x1000, 96), load(6, 0x2000))
    (found,) = told(RULE, case(elf(text_relocations=True, flags=4, segments=segments)))
    assert dict(found.evidence) == {
        "tag": "DT_FLAGS: DF_TEXTREL",
        "made_writable": ("PT_LOAD at 0x0, 4096 bytes", "PT_LOAD at 0x1000, 96 bytes of code"),
    }


def test_programs_are_told_too() -> None:
    assert len(told(RULE, case(program(text_relocations=True)))) == 1


def test_files_without_the_tag_and_what_no_loader_relocates_are_silent() -> None:
    assert told(RULE, case(elf(), program())) == []
    for header in (identity(type=ElfType.ET_REL), identity(machine=Machine.EM_CUDA)):
        assert told(RULE, case(elf(text_relocations=True, identity=header))) == []
