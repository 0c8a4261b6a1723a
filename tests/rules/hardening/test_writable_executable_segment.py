from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from checker.model.elf import Machine
from checker.model.record import replace
from checker.rules.hardening.writable_executable_segment import RULE
from tests.rules.builders import MACHINES, MODULE, case, elf, identity, load, program, told

if TYPE_CHECKING:
    from checker.model.elf import ElfIdentity

RWX, RW, RX = 7, 6, 5
PT_GNU_STACK = 0x6474E551


@pytest.mark.parametrize("header", MACHINES, ids=lambda header: header.architecture)
def test_a_segment_that_is_both_is_told_on_every_architecture(header: ElfIdentity) -> None:
    (found,) = told(RULE, case(elf(segments=(load(RX), load(RWX, 0x3000, 64)), identity=header)))
    assert (found.file, found.subject) == (MODULE, "PT_LOAD")
    assert dict(found.evidence)["segments"] == ("PT_LOAD at 0x3000, 64 bytes",)


def test_without_read_permission_it_is_the_same_and_programs_are_told_too() -> None:
    assert len(told(RULE, case(program(segments=(load(3),))))) == 1
    assert len(told(RULE, case(program(static=True, segments=(load(RWX),))))) == 1


def test_code_and_data_apart_are_silent() -> None:
    assert told(RULE, case(elf(segments=(load(4), load(RX), load(RW))))) == []


def test_an_empty_segment_and_an_executable_stack_are_no_such_segment() -> None:
    stack = replace(load(RWX), type=PT_GNU_STACK)
    assert told(RULE, case(elf(segments=(load(RX), load(RWX, 0, 0), stack)))) == []


def test_code_for_other_processors_is_silent() -> None:
    assert told(RULE, case(elf(segments=(load(RWX),), identity=identity(machine=Machine.EM_CUDA)))) == []
