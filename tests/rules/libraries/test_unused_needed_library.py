from __future__ import annotations

from checker.model.closure import ProviderKind
from checker.model.elf import Use
from checker.model.record import replace
from checker.model.resolution import Via
from checker.rules.libraries.unused_needed_library import RULE
from tests.rules.builders import MODULE, bound, case, edge, elf, told, version_need

SIDECAR = "pkg/libshape.so.1"
NEED = replace(edge("libshape.so.1", ProviderKind.MEMBER, SIDECAR), used=False)
USER = elf(imports=[(b"PyErr_Clear", 1, Use.JUMP_SLOT)])


def test_a_bundled_library_of_no_use_is_told_for_the_library_with_its_needers() -> None:
    (found,) = told(RULE, case(USER, elf(SIDECAR), libraries=(NEED,)))
    assert (found.file, found.subject) == (SIDECAR, "libshape.so.1")
    assert dict(found.evidence)["needed_by"] == (MODULE,)


def test_one_use_anywhere_is_enough() -> None:
    other = replace(NEED, needer="pkg/_other.so", used=True)
    assert told(RULE, case(USER, elf("pkg/_other.so"), elf(SIDECAR), libraries=(NEED, other))) == []


def test_a_use_without_a_need_counts() -> None:
    borrowed = (bound(b"shape_area", SIDECAR, Via.SIBLING),)
    assert told(RULE, case(USER, elf(SIDECAR), libraries=(NEED,), resolutions=borrowed)) == []


def test_unknown_symbols_are_no_absence_of_use() -> None:
    assert told(RULE, case(USER, libraries=(replace(NEED, used=None),))) == []


def test_a_version_that_is_wanted_of_it_shows_that_the_linker_met_a_symbol() -> None:
    user = replace(USER, version_needs=(version_need("libshape.so.1", b"SHAPE_1"),))
    assert told(RULE, case(user, elf(SIDECAR), libraries=(NEED,))) == []


def test_a_file_that_imports_nothing_gathers_libraries() -> None:
    assert told(RULE, case(elf(), elf(SIDECAR), libraries=(NEED,))) == []


def test_what_the_policy_allows_is_silent() -> None:
    assert told(RULE, case(USER, elf(SIDECAR), libraries=(NEED,)), allowed=("libshape.so.*",)) == []


def test_libpython_is_told_by_another_rule() -> None:
    need = replace(edge("libpython3.11.so.1.0", ProviderKind.PLATFORM, "libpython3.11.so.1.0"), used=False)
    assert told(RULE, case(USER, libraries=(need,))) == []
