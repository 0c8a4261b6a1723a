from __future__ import annotations

from checker.model.closure import ProviderKind
from checker.model.elf import DlopenNote
from checker.model.record import replace
from checker.rules.libraries.orphan_bundled_library import RULE
from tests.rules.builders import case, edge, elf, told

ORPHAN = elf("pkg/libshape.so.1", soname="libshape.so.1")


def test_a_versioned_library_that_nobody_asks_for_is_told() -> None:
    (found,) = told(RULE, case(elf(), ORPHAN))
    assert found.file == ORPHAN.path


def test_a_need_is_an_asking_even_where_no_search_finds_the_library() -> None:
    assert told(RULE, case(elf(needed=("libshape.so.1",)), ORPHAN)) == []
    assert told(RULE, case(elf(), ORPHAN, libraries=(edge("libshape.so.1", ProviderKind.MEMBER, ORPHAN.path),))) == []


def test_a_note_or_a_literal_is_an_asking() -> None:
    note = DlopenNote(sonames=("libother.so", "libshape.so.1"), feature="", priority="", description="")
    noted = elf(notes=replace(elf().notes, dlopen=(note,)))
    assert told(RULE, case(noted, ORPHAN)) == []
    assert told(RULE, case(elf(opened_names=("libshape.so.1",)), ORPHAN)) == []


def test_the_plain_name_asks_for_a_hashed_file_too() -> None:
    hashed = elf("pkg.libs/libshape-0a1b2c3d.so.1", soname="libshape-0a1b2c3d.so.1")
    assert told(RULE, case(elf(opened_names=("libshape.so.1",)), hashed)) == []
    assert told(RULE, case(elf(), hashed)) != []


def test_nothing_is_said_where_a_file_may_open_anything() -> None:
    assert told(RULE, case(elf(opened_names=None), ORPHAN)) == []


def test_unversioned_libraries_modules_and_library_wheels_are_silent() -> None:
    assert told(RULE, case(elf(), elf("pkg/libshape.so", soname="libshape.so"))) == []
    assert told(RULE, case(ORPHAN)) == []


def test_copies_are_another_rules() -> None:
    copy = elf("pkg/libshape.so", soname="libshape.so.1")
    assert told(RULE, case(elf(), ORPHAN, copy)) == []


def test_what_the_policy_allows_is_silent() -> None:
    assert told(RULE, case(elf(), ORPHAN), allowed=("libshape.so.*",)) == []
