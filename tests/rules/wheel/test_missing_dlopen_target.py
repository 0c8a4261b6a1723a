from __future__ import annotations

import pytest

from checker.model.elf import DlopenNote
from checker.model.record import replace
from checker.rules.wheel.missing_dlopen_target import RULE
from tests.rules.builders import MODULE, case, elf, member, promise, told


def test_versions_of_one_library_are_told_together() -> None:
    (found,) = told(RULE, case(elf(opened_names=("libshape.so", "libshape.so.2"))))
    assert (found.file, found.subject) == (MODULE, "libshape.so")
    assert "libshape.so and libshape.so.2" in found.message


def test_any_version_that_is_there_will_do() -> None:
    opener = elf(opened_names=("libshape.so", "libshape.so.2"))
    assert told(RULE, case(opener, elf("pkg/libshape.so.2"))) == []
    assert told(RULE, case(opener, elf("pkg/other.so", soname="libshape.so"))) == []
    assert told(RULE, case(opener, promises=(promise(promised=["libshape.so.2"]),))) == []
    assert told(RULE, case(opener, members=(member("pkg/data/libshape.so"),))) == []


def test_a_hashed_library_is_named() -> None:
    hashed = elf("pkg.libs/libshape-0a1b2c3d.so.1", soname="libshape-0a1b2c3d.so.1")
    (found,) = told(RULE, case(elf(opened_names=("libshape.so.1",)), hashed))
    assert "libshape-0a1b2c3d.so.1" in found.message


@pytest.mark.parametrize(
    "name", ["libcuda.so.1", "libX11.so", "libffi.so", "libnvrtc.so.12", "libpython3.11.so.1.0", "libc.so.6"]
)
def test_what_comes_with_the_users_system_or_a_known_distribution_is_silent(name: str) -> None:
    assert told(RULE, case(elf(opened_names=(name,)))) == []


def test_a_library_may_speak_of_itself() -> None:
    own = elf("pkg.libs/libcrypto2-0a1b2c3d.so.3", soname="libcrypto2-0a1b2c3d.so.3", opened_names=("libcrypto2.so",))
    assert told(RULE, case(own)) == []


@pytest.mark.parametrize(("priority", "count"), [("required", 1), ("recommended", 1), ("", 1), ("suggested", 0)])
def test_notes_bind_by_their_priority(priority: str, count: int) -> None:
    note = DlopenNote(sonames=("libcuda.so.1", "libcuda.so"), feature="", priority=priority, description="")
    noted = elf(notes=replace(elf().notes, dlopen=(note,)), opened_names=("libcuda.so",))
    assert len(told(RULE, case(noted))) == count


def test_what_was_not_looked_through_and_what_is_allowed_are_silent() -> None:
    assert told(RULE, case(elf(opened_names=None))) == []
    assert told(RULE, case(elf(opened_names=("libshape.so.1",))), allowed=("libshape.so*",)) == []
