from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from checker.model.artifact import ArtifactKind, Oddity, OddityKind, Tag
from checker.model.record import replace
from checker.rules.wheel.unsafe_member_path import RULE
from tests.rules.builders import case, member, told, wheel

if TYPE_CHECKING:
    from checker.model.case import Case

ANY = (Tag(python="py3", abi="none", platform="any"),)


def asked(*names: str, tags: tuple[Tag, ...] | None = None, link: str | None = None) -> Case:
    members = [replace(member(name), link=link) for name in names]
    return case(members=members, metadata=wheel(**({} if tags is None else {"name_tags": tags})))


@pytest.mark.parametrize(
    "path",
    [
        "pkg/a.py",
        "pkg/.libs/libx.so.1",
        "pkg-1.0.data/scripts/a b",
        "pkg/a..b",
        "p/con.d/x",
        "süß/\u3000x",
        "a+b@c/d",
        "x" * 255,
    ],
)
def test_paths_of_linux_wheels_are_silent(path: str) -> None:
    assert told(RULE, asked(path)) == []


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/etc/passwd", "absolute"),
        ("C:\\x.py", "absolute"),
        ("C:/x.py", "absolute"),
        ("../x.py", "parent"),
        ("pkg/../../x.py", "parent"),
        ("pkg\\..\\x.py", "parent"),
        ("pkg\\x.py", "backslash"),
        ("pkg/a\nb.py", "control"),
        ("pkg/a\x7fb.py", "control"),
        ("pkg//x.py", "empty part"),
        ("./x.py", "empty part"),
        ("pkg/./x.py", "empty part"),
        ("pkg/" + "x" * 256, "length"),
        ("pkg/" + "\u00fc" * 128, "length"),
    ],
)
def test_paths_that_no_system_should_unpack_are_told_whatever_the_tags(path: str, kind: str) -> None:
    (found,) = told(RULE, asked(path, "pkg/fine.py"))
    assert (found.file, found.subject) == (path, kind)


@pytest.mark.parametrize("path", ["pkg/aux.py", "NUL", "com1.tar.gz", "a:b", "what?.txt", "pkg./x.py", "pkg/name ", "con .txt"])
def test_names_that_windows_does_not_take_are_told_where_the_tags_promise_it(path: str) -> None:
    (found,) = told(RULE, asked(path, tags=ANY))
    assert found.subject == "windows"
    assert told(RULE, asked(path)) == []
    assert told(RULE, asked(path), windows="always")
    assert told(RULE, asked(path, tags=ANY), windows="never") == []


@pytest.mark.parametrize(
    ("link", "leaves"),
    [
        ("libx.so.1", False),
        ("../lib/x", False),
        ("/usr/lib/x", True),
        ("../../x", True),
        ("a/../../../x/y", True),
        ("./a/..", False),
    ],
)
def test_links_that_lead_out_are_told(link: str, *, leaves: bool) -> None:
    found = told(RULE, asked("pkg/lib.so", link=link))
    assert [each.subject for each in found] == (["link"] if leaves else [])


def test_devices_are_told() -> None:
    made = asked("pkg/x")
    odd = (Oddity(file="dev", kind=OddityKind.SPECIAL_FILE, what="is no file by its mode (crw-r--r--)"),)
    (found,) = told(RULE, replace(made, inventory=replace(made.inventory, oddities=odd)))
    assert (found.file, found.subject) == ("dev", "special file")


def test_many_paths_of_a_kind_are_one_finding() -> None:
    (found,) = told(RULE, asked("../a", "../b", "../c", "../d"))
    assert (found.file, found.subject) == ("pkg.whl", "parent")
    assert dict(found.evidence)["paths"] == ("../a", "../b", "../c", "../d")


def test_a_name_that_is_shown_with_escapes_is_left_to_the_archive() -> None:
    made = asked("a\\xff")
    odd = (Oddity(file="a\\xff", kind=OddityKind.NAME, what="is no UTF-8"),)
    assert told(RULE, replace(made, inventory=replace(made.inventory, oddities=odd))) == []
    assert told(RULE, made)


def test_a_directory_is_not_asked() -> None:
    made = asked("pkg\\x")
    assert told(RULE, replace(made, inventory=replace(made.inventory, kind=ArtifactKind.DIRECTORY))) == []
