from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from checker.model.artifact import Tag
from checker.model.elf import ElfType, Machine
from checker.rules.platform.elf_in_pure_wheel import RULE
from tests.rules.builders import MODULE, case, elf, identity, member, told, wheel

if TYPE_CHECKING:
    from checker.model.case import Case

ANY = (Tag(python="py3", abi="none", platform="any"),)


def test_native_code_in_an_any_wheel_fires() -> None:
    (found,) = told(RULE, case(elf(), metadata=wheel(name_tags=ANY, wheel_tags=ANY)))
    assert found.file == MODULE


ARM = elf("pkg/arm64/tool", identity=identity(machine=Machine.EM_AARCH64))


@pytest.mark.parametrize(
    "asked",
    [
        case(elf("pkg/x64/tool"), ARM, metadata=wheel(name_tags=ANY, wheel_tags=ANY)),
        case(elf("pkg/tool"), members=(member("pkg/tool.exe"),), metadata=wheel(name_tags=ANY, wheel_tags=ANY)),
    ],
    ids=["processors", "systems"],
)
def test_programs_for_several_platforms_to_choose_from_are_silent_unless_none_may_be_there(asked: Case) -> None:
    assert told(RULE, asked) == []
    assert told(RULE, asked, any_tag=True) != []


def test_an_extension_module_is_told_whatever_lies_beside_it() -> None:
    module = elf("pkg/_core.cpython-311-x86_64-linux-gnu.so")
    (found,) = told(RULE, case(module, ARM, metadata=wheel(name_tags=ANY, wheel_tags=ANY)))
    assert found.file == module.path


def test_object_files_and_gpu_code_in_an_any_wheel_are_silent() -> None:
    objects = (elf("a.o", identity=identity(type=ElfType.ET_REL)), elf("k", identity=identity(machine=Machine.EM_CUDA)))
    assert told(RULE, case(*objects, metadata=wheel(name_tags=ANY, wheel_tags=ANY))) == []


def test_root_is_purelib_under_a_platform_tag_is_told_only_on_demand_and_not_of_platlib() -> None:
    asked = case(elf(), elf("pkg-1.0.data/platlib/pkg/a.so"), metadata=wheel(root_is_purelib=True))
    assert told(RULE, asked) == []
    (found,) = told(RULE, asked, purelib=True)
    assert found.file == MODULE


def test_native_code_under_any_tag_is_told_only_on_demand() -> None:
    (found,) = told(RULE, case(elf()), any_tag=True)
    assert (found.file, "the policy allows none" in found.message) == (MODULE, True)


def test_a_native_wheel_is_silent() -> None:
    assert told(RULE, case(elf()), purelib=True) == []
