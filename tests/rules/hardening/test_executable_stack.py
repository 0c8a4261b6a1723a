from __future__ import annotations

from typing import Any

import pytest

from checker.model.elf import ElfType, Machine, Stack
from checker.rules.hardening.executable_stack import RULE
from tests.rules.builders import MODULE, case, elf, identity, told


def test_a_library_that_asks_for_one_is_refused_by_new_loaders() -> None:
    (found,) = told(RULE, case(elf(stack=Stack.EXECUTABLE)))
    assert found.file == MODULE
    assert "2.41" in found.message


def test_no_segment_means_executable_on_x86_and_not_on_aarch64() -> None:
    assert told(RULE, case(elf(stack=Stack.ABSENT))) != []
    assert told(RULE, case(elf(stack=Stack.ABSENT, identity=identity(machine=Machine.EM_AARCH64)))) == []


def test_a_program_is_told_only_when_it_asks_and_not_as_refused() -> None:
    program: dict[str, Any] = {"identity": identity(type=ElfType.ET_EXEC), "interpreter": "/lib64/ld-linux-x86-64.so.2"}
    assert told(RULE, case(elf(stack=Stack.ABSENT, **program, segments=()))) == []
    (found,) = told(RULE, case(elf(stack=Stack.EXECUTABLE, **program)))
    assert "2.41" not in found.message


@pytest.mark.parametrize("kind", [ElfType.ET_REL, ElfType.ET_CORE])
def test_object_files_are_loaded_by_nobody(kind: ElfType) -> None:
    assert told(RULE, case(elf(stack=Stack.EXECUTABLE, identity=identity(type=kind)))) == []


def test_an_ordinary_stack_is_silent() -> None:
    assert told(RULE, case(elf())) == []
