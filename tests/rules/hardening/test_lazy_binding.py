from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from checker.model.elf import Use
from checker.rules.hardening.lazy_binding import RULE
from tests.rules.builders import MACHINES, MODULE, case, elf, program, promise, told

if TYPE_CHECKING:
    from checker.model.elf import ElfIdentity

CALLS = ((b"malloc", 1, Use.JUMP_SLOT),)


@pytest.mark.parametrize("header", MACHINES, ids=lambda header: header.architecture)
def test_slots_for_the_first_call_are_told_on_every_architecture(header: ElfIdentity) -> None:
    (found,) = told(RULE, case(elf(imports=CALLS, identity=header)))
    assert (found.file, found.subject) == (MODULE, "DT_BIND_NOW")
    assert "-Wl,-z,now" in found.remedy


def test_slots_for_its_own_functions_count_and_programs_too() -> None:
    assert len(told(RULE, case(elf(self_uses=bytes([Use.JUMP_SLOT])), program(imports=CALLS)))) == 2


def test_binding_at_the_load_and_no_slot_at_all_are_silent() -> None:
    assert told(RULE, case(elf(imports=CALLS, bind_now=True))) == []
    assert told(RULE, case(elf(imports=((b"malloc", 1, Use.GLOB_DAT),)), program(static=True))) == []


def test_musl_binds_at_once_and_a_tag_of_each_does_not() -> None:
    musl = promise("musllinux_1_2_x86_64", family="musl")
    assert told(RULE, case(elf(imports=CALLS), promises=(musl,))) == []
    assert len(told(RULE, case(elf(imports=CALLS), promises=(promise(), musl)))) == 1
