from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from checker.model.elf import Relro, Use
from checker.rules.hardening.missing_relro import RULE
from tests.rules.builders import MACHINES, MODULE, case, elf, load, program, told

if TYPE_CHECKING:
    from checker.model.elf import ElfIdentity

SEGMENTS = (load(5), load(6, 0x2000))
LAZY: dict[str, Any] = {"relro": Relro.PARTIAL, "segments": SEGMENTS, "imports": ((b"malloc", 1, Use.JUMP_SLOT),)}


@pytest.mark.parametrize("header", MACHINES, ids=lambda header: header.architecture)
def test_no_relro_is_told_on_every_architecture(header: ElfIdentity) -> None:
    (found,) = told(RULE, case(elf(relro=Relro.NONE, segments=SEGMENTS, identity=header)))
    assert (found.file, found.subject) == (MODULE, "PT_GNU_RELRO")
    assert "-Wl,-z,relro " in found.remedy


def test_partial_relro_is_enough_unless_the_full_one_is_required() -> None:
    assert told(RULE, case(elf(**LAZY))) == []
    (found,) = told(RULE, case(elf(**LAZY)), require="full")
    assert ".got.plt" in found.message
    assert "-Wl,-z,now" in found.remedy


def test_without_relro_both_flags_are_named_where_the_full_one_is_required() -> None:
    (found,) = told(RULE, case(elf(**{**LAZY, "relro": Relro.NONE})), require="full")
    assert "-Wl,-z,relro,-z,now" in found.remedy


def test_full_relro_and_partial_without_a_slot_left_to_write_are_silent() -> None:
    full = elf("full.so", segments=SEGMENTS, bind_now=True)
    no_plt = elf("no-plt.so", relro=Relro.PARTIAL, segments=SEGMENTS, imports=((b"malloc", 1, Use.GLOB_DAT),))
    assert told(RULE, case(full, no_plt), require="full") == []


def test_what_no_loader_relocates_and_what_has_no_data_is_silent() -> None:
    static = program(static=True, relro=Relro.NONE, segments=SEGMENTS)
    assert told(RULE, case(static, elf(relro=Relro.NONE, segments=(load(5),))), require="full") == []
