from __future__ import annotations

import pytest

from checker.model.artifact import Tag
from checker.model.elf import Machine, Segment
from checker.rules.platform.small_page_alignment import RULE
from tests.rules.builders import MODULE, case, elf, identity, told

PT_LOAD, PT_TLS = 1, 7


def segment(alignment: int, kind: int = PT_LOAD, size: int = 4096) -> Segment:
    return Segment(type=kind, flags=5, offset=0, address=0x10000, file_size=size, memory_size=size, alignment=alignment)


def test_segments_for_small_pages_fire_on_aarch64_and_name_the_kernels() -> None:
    arm = identity(machine=Machine.EM_AARCH64)
    (found,) = told(RULE, case(elf(identity=arm, segments=(segment(0x1000), segment(0x10000)))))
    assert (found.file, found.subject) == (MODULE, "0x1000")
    assert "pages of 16 KiB and 64 KiB" in found.message
    assert "max-page-size=65536" in found.remedy
    assert dict(found.evidence)["segments"] == ("PT_LOAD at 0x10000, p_align 0x1000",)


def test_16_kib_serve_all_but_64_kib() -> None:
    (found,) = told(RULE, case(elf(identity=identity(machine=Machine.EM_AARCH64), segments=(segment(0x4000),))))
    assert "pages of 64 KiB" in found.message
    assert "16 KiB" not in found.message


@pytest.mark.parametrize(
    ("machine", "alignment"),
    [(Machine.EM_X86_64, 0x1000), (Machine.EM_AARCH64, 0x10000), (Machine.EM_PPC64, 0x10000), (Machine.EM_LOONGARCH, 0x4000)],
)
def test_the_usual_alignment_of_each_machine_is_silent(machine: Machine, alignment: int) -> None:
    assert told(RULE, case(elf(identity=identity(machine=machine), segments=(segment(alignment),)))) == []


def test_what_is_not_mapped_is_silent() -> None:
    segments = (segment(8, PT_TLS), segment(0x1000, size=0), segment(0x10000))
    assert told(RULE, case(elf(identity=identity(machine=Machine.EM_AARCH64), segments=segments))) == []


def test_a_wheel_for_android_alone_is_silent() -> None:
    made = elf(identity=identity(machine=Machine.EM_AARCH64), segments=(segment(0x4000),))
    assert told(RULE, case(made, tags=(Tag(python="cp314", abi="cp314", platform="android_24_arm64_v8a"),), promises=())) == []
    assert len(told(RULE, case(made, tags=(Tag(python="cp314", abi="cp314", platform="linux_aarch64"),), promises=()))) == 1
