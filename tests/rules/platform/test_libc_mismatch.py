from __future__ import annotations

import pytest

from checker.model.artifact import Tag
from checker.rules.platform.libc_mismatch import RULE
from tests.rules.builders import MODULE, case, elf, told, version_need

GLIBC, MUSL = "manylinux_2_17_x86_64", "musllinux_1_2_x86_64"
LINKED_WITH_GLIBC = (version_need("libc.so.6", b"GLIBC_2.17"),)


def tags(*platforms: str) -> tuple[Tag, ...]:
    return tuple(Tag(python="cp311", abi="cp311", platform=platform) for platform in platforms)


@pytest.mark.parametrize("needed", ["libc.musl-x86_64.so.1", "libc.so"])
def test_musl_under_a_manylinux_tag_fires(needed: str) -> None:
    (found,) = told(RULE, case(elf(needed=(needed,)), tags=tags(GLIBC)))
    assert (found.file, found.subject) == (MODULE, needed)
    assert "manylinux" in found.message


def test_glibc_under_a_musllinux_tag_fires() -> None:
    linked = elf(needed=("libc.so.6",), version_needs=LINKED_WITH_GLIBC)
    (found,) = told(RULE, case(linked, tags=tags(MUSL), promises=()))
    assert "musllinux" in found.message


def test_the_loader_of_glibc_under_a_musllinux_tag_fires() -> None:
    (found,) = told(RULE, case(elf(needed=("libc.so.6", "ld-linux-x86-64.so.2")), tags=tags(MUSL), promises=()))
    assert "musllinux" in found.message


@pytest.mark.parametrize("platforms", [(MUSL,), (GLIBC, MUSL), (GLIBC,)])
def test_a_library_without_versions_serves_both_since_musl_takes_the_name_of_glibc_s(platforms: tuple[str, ...]) -> None:
    universal = elf(needed=("libdl.so.2", "libc.so.6"))
    assert told(RULE, case(universal, tags=tags(*platforms), promises=())) == []


def test_a_program_is_told_by_its_interpreter() -> None:
    (found,) = told(RULE, case(elf(needed=(), interpreter="/lib/ld-musl-riscv64.so.1"), tags=tags(GLIBC)))
    assert found.subject == "ld-musl-riscv64.so.1"


def test_a_dynamic_file_cannot_serve_both_and_a_static_one_can() -> None:
    both = tags(GLIBC, MUSL)
    (found,) = told(RULE, case(elf(version_needs=LINKED_WITH_GLIBC), tags=both))
    assert "each C library" in found.remedy
    assert told(RULE, case(elf(needed=()), tags=both)) == []


def test_both_in_one_file_fires_whatever_the_tag() -> None:
    mixed = elf(needed=("libc.so.6", "libc.musl-x86_64.so.1"))
    assert told(RULE, case(mixed, tags=tags("linux_x86_64"), promises=())) != []


def test_the_right_one_is_silent() -> None:
    assert told(RULE, case(elf(interpreter="/lib64/ld-linux-x86-64.so.2"), tags=tags(GLIBC))) == []
    assert told(RULE, case(elf(needed=("libc.so",)), tags=tags(MUSL), promises=())) == []
