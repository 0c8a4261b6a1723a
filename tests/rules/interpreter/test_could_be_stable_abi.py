from __future__ import annotations

import pytest

from checker.rules.interpreter.could_be_stable_abi import RULE
from tests.rules.builders import case, elf, told
from tests.rules.interpreter.abi import StableAbi, tagged

MODULES = (elf("a.so", imports=[b"PyArg_Parse", b"free"]), elf("b.so", imports=[b"PyType_GetModule"]))


def test_modules_within_the_stable_abi_fire_with_the_lowest_version_that_has_all() -> None:
    (found,) = told(RULE, case(*MODULES, tags=tagged("cp311", "cp311"), stable_abi=StableAbi()))
    assert (found.file, found.subject) == ("pkg.whl", "cp310-abi3")
    assert "2 modules" in found.message
    assert "0x030a0000" in found.remedy


def test_one_module_beyond_it_is_silence() -> None:
    beyond = elf("c.so", imports=[b"_PyObject_GC_New"])
    assert told(RULE, case(*MODULES, beyond, tags=tagged("cp311", "cp311"), stable_abi=StableAbi())) == []


def test_a_name_that_nobody_is_known_to_have_is_silence() -> None:
    lost = elf("c.so", imports=[b"_PyGone_Function"])
    assert told(RULE, case(*MODULES, lost, tags=tagged("cp311", "cp311"), stable_abi=StableAbi())) == []
    own = elf("d.so", exports=[b"_PyGone_Function"])
    assert len(told(RULE, case(*MODULES, lost, own, tags=tagged("cp311", "cp311"), stable_abi=StableAbi()))) == 1


@pytest.mark.parametrize(("python", "abi"), [("cp38", "abi3"), ("cp313", "cp313t"), ("pp310", "pypy310_pp73"), ("py3", "none")])
def test_other_tags_are_silent(python: str, abi: str) -> None:
    assert told(RULE, case(*MODULES, tags=tagged(python, abi), stable_abi=StableAbi())) == []


def test_without_modules_or_data_there_is_nothing_to_say() -> None:
    assert told(RULE, case(elf(imports=[b"free"]), tags=tagged("cp311", "cp311"), stable_abi=StableAbi())) == []
    assert told(RULE, case(*MODULES, tags=tagged("cp311", "cp311"))) == []
