from __future__ import annotations

import pytest

from checker.model.artifact import ReadProblem, Tag
from checker.model.elf import ElfType, Machine
from checker.rules.platform.wrong_architecture import RULE
from tests.rules.builders import MODULE, ask, case, elf, identity, told


def tags(*platforms: str) -> tuple[Tag, ...]:
    return tuple(Tag(python="cp311", abi="cp311", platform=platform) for platform in platforms)


@pytest.mark.parametrize(
    ("platform", "header"),
    [
        ("manylinux_2_17_x86_64", {"machine": Machine.EM_AARCH64}),
        ("manylinux2014_x86_64", {"machine": Machine.EM_386, "bits": 32}),
        ("linux_x86_64", {"bits": 32}),
        ("manylinux_2_17_s390x", {"machine": Machine.EM_S390}),
        ("musllinux_1_2_armv7l", {"machine": Machine.EM_ARM, "bits": 32, "flags": 0x5000200}),
        ("manylinux_2_31_riscv64", {"machine": Machine.EM_RISCV, "flags": 0}),
        ("manylinux_2_17_ppc64le", {"machine": Machine.EM_PPC64, "flags": 1}),
    ],
)
def test_machine_class_byte_order_and_abi_flags_must_be_the_tags(platform: str, header: dict[str, int]) -> None:
    (found,) = told(RULE, case(elf(identity=identity(**header)), tags=tags(platform)))
    assert found.file == MODULE
    assert platform.rpartition("_")[2] in found.message.replace("x86_64", "64")


@pytest.mark.parametrize(
    ("platform", "header"),
    [
        ("manylinux_2_17_x86_64", {}),
        ("manylinux_2_31_armv7l", {"machine": Machine.EM_ARM, "bits": 32, "flags": 0x5000400}),
        ("manylinux_2_31_armv7l", {"machine": Machine.EM_ARM, "bits": 32, "flags": 0x5000000}),
        ("manylinux_2_31_riscv64", {"machine": Machine.EM_RISCV, "flags": 5}),
        ("win_amd64", {"machine": Machine.EM_AARCH64}),
    ],
)
def test_what_suits_or_concerns_no_linux_tag_is_silent(platform: str, header: dict[str, int]) -> None:
    assert told(RULE, case(elf(identity=identity(**header)), tags=tags(platform))) == []


@pytest.mark.parametrize("machine", [Machine.EM_CUDA, Machine.EM_AMDGPU, Machine.EM_BPF])
def test_code_for_other_devices_is_silent(machine: Machine) -> None:
    assert told(RULE, case(elf(identity=identity(machine=machine)))) == []


def test_object_files_are_silent() -> None:
    assert told(RULE, case(elf(identity=identity(machine=Machine.EM_AARCH64, type=ElfType.ET_REL)))) == []


def test_a_file_may_suit_any_of_the_tags() -> None:
    both = tags("manylinux_2_17_x86_64", "manylinux_2_17_aarch64")
    assert told(RULE, case(elf(), elf("b.so", identity=identity(machine=Machine.EM_AARCH64)), tags=both)) == []


def test_an_unknown_architecture_could_not_be_checked() -> None:
    (answer,) = ask(RULE, case(elf(), tags=tags("manylinux_2_38_mips64el")))
    assert isinstance(answer, ReadProblem)


def test_what_bears_the_name_of_an_extension_must_be_one_whatever_its_header_says() -> None:
    for changes in ({"machine": Machine(0)}, {"type": ElfType.ET_REL}):
        (found,) = told(RULE, case(elf("pkg/_core.cpython-311-x86_64-linux-gnu.so", identity=identity(**changes))))
        assert found.file == "pkg/_core.cpython-311-x86_64-linux-gnu.so"


def test_other_data_of_a_foreign_machine_is_nobody_s_business() -> None:
    assert told(RULE, case(elf("pkg/kernel.co", identity=identity(machine=Machine(0))))) == []
