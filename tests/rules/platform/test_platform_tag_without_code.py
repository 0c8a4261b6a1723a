from __future__ import annotations

import pytest

from checker.model.artifact import FileKind, Tag
from checker.model.record import replace
from checker.rules.platform.platform_tag_without_code import RULE
from tests.rules.builders import case, elf, member, told, wheel


def tagged(abi: str = "cp311", platform: str = "manylinux_2_17_x86_64") -> tuple[Tag, ...]:
    return (Tag(python="cp311", abi=abi, platform=platform),)


@pytest.mark.parametrize(
    "tags", [tagged(), tagged("abi3"), tagged(platform="musllinux_1_2_x86_64"), tagged(platform="linux_x86_64")]
)
def test_python_alone_under_an_abi_and_a_platform_fires_once(tags: tuple[Tag, ...]) -> None:
    (found,) = told(RULE, case(members=(member("pkg/__init__.py"), member("pkg/core.py")), metadata=wheel(name_tags=tags)))
    assert (found.file, found.subject) == ("pkg.whl", tags[0].abi)
    assert f"is tagged {tags[0]}," in found.message


@pytest.mark.parametrize("tags", [tagged("none"), tagged(platform="any"), tagged(platform="win_amd64"), ()])
def test_what_claims_no_abi_or_another_system_is_silent(tags: tuple[Tag, ...]) -> None:
    assert told(RULE, case(members=(member("pkg/__init__.py"),), metadata=wheel(name_tags=tags))) == []


@pytest.mark.parametrize("kind", [FileKind.ELF, FileKind.ARCHIVE, FileKind.ZIP])
def test_anything_that_is_or_may_hold_native_code_is_silent(kind: FileKind) -> None:
    held = replace(member("pkg/data"), kind=kind)
    assert told(RULE, case(members=(held,), metadata=wheel(name_tags=tagged()))) == []


def test_native_code_and_compiled_python_are_silent() -> None:
    assert told(RULE, case(elf(), metadata=wheel(name_tags=tagged()))) == []
    assert told(RULE, case(members=(member("pkg/core.pyc"),), metadata=wheel(name_tags=tagged()))) == []


def test_what_is_no_wheel_is_silent() -> None:
    loose = case(members=(member("pkg/core.py"),), metadata=wheel(name_tags=tagged()))
    assert told(RULE, replace(loose, inventory=replace(loose.inventory, wheel=None))) == []
