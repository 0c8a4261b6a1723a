from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from checker.model.elf import ElfType, Note, Notes
from checker.model.record import replace
from checker.rules.hardening.non_pie_executable import RULE
from tests.rules.builders import MACHINES, case, elf, identity, program, told

if TYPE_CHECKING:
    from checker.model.elf import ElfIdentity

GO = Notes(
    build_id=None,
    abi_tag=None,
    x86_isa_needed=0,
    properties=(),
    dlopen=(),
    others=(Note(owner="Go", type=4, description=b"id"),),
)


@pytest.mark.parametrize("header", MACHINES, ids=lambda header: header.architecture)
def test_a_program_at_a_fixed_address_is_told_on_every_architecture(header: ElfIdentity) -> None:
    (found,) = told(RULE, case(program(identity=replace(header, type=ElfType.ET_EXEC))))
    assert (found.file, found.subject) == ("pkg/bin/tool", "ET_EXEC")
    assert " -pie" in found.remedy


def test_the_remedy_is_that_of_the_linker() -> None:
    (found,) = told(RULE, case(program(static=True)))
    assert "-static-pie" in found.remedy
    (found,) = told(RULE, case(program(static=True, notes=GO)))
    assert "-buildmode=pie" in found.remedy


def test_position_independent_programs_libraries_and_object_files_are_silent() -> None:
    pie = program(identity=identity(type=ElfType.ET_DYN))
    assert told(RULE, case(pie, elf(), elf("x.o", identity=identity(type=ElfType.ET_REL)))) == []
