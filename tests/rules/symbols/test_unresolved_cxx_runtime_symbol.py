from __future__ import annotations

import pytest

from checker.model.artifact import ReadProblem
from checker.model.closure import ProviderKind
from checker.model.elf import Use
from checker.model.resolution import Outcome
from checker.rules.symbols.unresolved_cxx_runtime_symbol import RULE
from tests.rules.builders import MODULE, OLD, ask, case, edge, elf, resolution, told

ADDREF = b"_ZNSt15__exception_ptr13exception_ptr9_M_addrefEv"
CXX = edge("libstdc++.so.6", ProviderKind.PLATFORM, "libstdc++.so.6")


def cause(found: object) -> object:
    return dict(found.evidence)["cause"]  # type: ignore[attr-defined]


def test_with_the_core_names_missing_no_provider_is_needed() -> None:
    failing = (resolution(b"__gxx_personality_v0"), resolution(b"_ZTISt9exception"))
    (found,) = told(RULE, case(elf(), resolutions=failing))
    assert found.file == MODULE
    assert cause(found) == "no provider needed"
    assert "g++" in found.remedy


def test_with_only_others_missing_the_static_copy_is_incomplete() -> None:
    (found,) = told(RULE, case(elf(), resolutions=(resolution(ADDREF),)))
    assert cause(found) == "static copy incomplete"
    assert "std::__exception_ptr::exception_ptr::_M_addref()" in found.message
    assert "-l:libstdc++.a" in found.remedy


def test_with_a_runtime_needed_that_of_the_platform_is_older() -> None:
    failing = (resolution(b"_ZSt28__throw_bad_array_new_lengthv", platforms=(OLD,)),)
    (found,) = told(RULE, case(elf(needed=("libstdc++.so.6",)), resolutions=failing, libraries=(CXX,)))
    assert cause(found) == "the runtime found lacks them"
    assert "glibc-2.17-x86_64" in found.message


@pytest.mark.parametrize(
    ("symbol", "expected"),
    [
        (b"_Znwm", "no provider needed"),
        (ADDREF, "static copy incomplete"),
        (b"_Unwind_FindEnclosingFunction", "the runtime found lacks them"),
    ],
)
def test_an_unwinder_is_no_runtime_that_could_be_older_but_for_what_unwinds(symbol: bytes, expected: str) -> None:
    (found,) = told(RULE, case(elf(needed=("libgcc_s.so.1", "libc.so.6")), resolutions=(resolution(symbol),)))
    assert cause(found) == expected


def test_while_a_library_is_missing_only_an_object_with_its_own_runtime_is_told() -> None:
    failing = (resolution(ADDREF, Outcome.LIBRARY_MISSING),)
    assert told(RULE, case(elf(), resolutions=failing, libraries=(edge("libtorch.so"),))) == []
    assert told(RULE, case(elf(needed=("libstdc++.so.6",)), resolutions=failing, libraries=(CXX,))) != []


def test_where_an_unknown_library_may_have_it_its_provider_is_asked_first() -> None:
    failing = (resolution(ADDREF, Outcome.LIBRARY_MISSING),)
    (found,) = told(RULE, case(elf(needed=("libstdc++.so.6",)), resolutions=failing, libraries=(CXX, edge("libx.so"))))
    assert "unless libx.so, not found, happens to define them" in found.message
    assert found.remedy.startswith("If another distribution brings what was not found, ask that first (--provider NAME=WHEEL)")
    (sure,) = told(RULE, case(elf(needed=("libstdc++.so.6",)), resolutions=failing, libraries=(CXX,)))
    assert sure.remedy.startswith("Link with the g++ driver")


@pytest.mark.parametrize(
    ("asked", "told_too"),
    [
        (b"_ZN5shape4areaEi", False),
        (b"_ZTIN5shape6CircleE", False),
        (b"shape_area", True),
        (b"_ZNSt7__cxx1118basic_stringstreamIcSt11char_traitsIcESaIcEEC1Ev", True),
    ],
)
def test_a_missing_library_may_supply_them_only_where_cxx_of_its_own_is_asked_of_it(asked: bytes, *, told_too: bool) -> None:
    failing = (resolution(ADDREF, Outcome.LIBRARY_MISSING), resolution(asked, Outcome.LIBRARY_MISSING))
    found = told(RULE, case(elf(needed=("libstdc++.so.6",)), resolutions=failing, libraries=(CXX, edge("libshape.so"))))
    assert bool(found) is told_too


def test_cxx_that_another_object_asks_of_a_missing_library_hides_nothing() -> None:
    other = "pkg/_other.so"
    failing = (
        resolution(ADDREF, Outcome.LIBRARY_MISSING),
        resolution(b"_ZN5shape4areaEi", Outcome.LIBRARY_MISSING, object=other),
    )
    needing = elf(needed=("libstdc++.so.6",))
    found = told(RULE, case(needing, elf(other), resolutions=failing, libraries=(CXX, edge("libshape.so"))))
    assert [each.file for each in found] == [MODULE]


@pytest.mark.parametrize(
    "name", [b"__cxa_finalize", b"_ZNSt6vectorIN5torch6TensorESaIS1_EED1Ev", b"_ZN5shape4areaEi", b"cblas"]
)
def test_names_of_libc_and_of_the_user_are_not_the_runtimes(name: bytes) -> None:
    assert told(RULE, case(elf(), resolutions=(resolution(name),))) == []


def used(*names: bytes) -> list[tuple[bytes, int, Use]]:
    return [(name, 1, Use.JUMP_SLOT) for name in names]


def test_direct_tells_what_is_found_only_through_another_librarys_need() -> None:
    asked = case(elf(imports=used(b"_Znwm", b"free")))
    assert told(RULE, asked) == []
    (found,) = told(RULE, asked, providers="direct")
    assert cause(found) == "only through another library's need"
    assert dict(found.evidence)["symbols"] == ("_Znwm",)


def test_direct_accepts_a_needed_runtime_or_a_needed_member_that_defines_it() -> None:
    user = elf(imports=used(b"_Znwm"))
    assert told(RULE, case(user, libraries=(CXX,)), providers="direct") == []
    supplier = elf("pkg/libown.so", exports=[b"_Znwm"])
    libraries = (edge("libown.so", ProviderKind.MEMBER, "pkg/libown.so"),)
    assert told(RULE, case(user, supplier, libraries=libraries), providers="direct") == []
    unrelated = elf("pkg/libown.so", exports=[b"other"])
    assert told(RULE, case(user, unrelated, libraries=libraries), providers="direct") != []


def test_direct_gives_a_declared_library_credit_for_templates_only() -> None:
    user = elf(
        imports=used(b"_Znwm", b"_ZNSt6vectorIlSaIlEE17_M_realloc_insertIJRKlEEEvN9__gnu_cxx17__normal_iteratorIPlS1_EEDpOT_")
    )
    libraries = (edge("libtorch.so", ProviderKind.DECLARED, "torch"),)
    (found,) = told(RULE, case(user, libraries=libraries), providers="direct")
    assert dict(found.evidence)["symbols"] == ("_Znwm",)


def test_direct_passes_over_symbols_that_no_relocation_uses() -> None:
    unused = elf(imports=[(b"_ZSt21ios_base_library_initv", 1, Use.NONE)])
    assert told(RULE, case(unused), providers="direct") == []


def test_direct_tells_a_failing_symbol_once() -> None:
    asked = case(elf(imports=used(b"_Znwm")), resolutions=(resolution(b"_Znwm"),))
    assert len(told(RULE, asked, providers="direct")) == 1


def test_an_undecided_symbol_could_not_be_checked() -> None:
    (answer,) = ask(RULE, case(elf(), resolutions=(resolution(ADDREF, Outcome.UNDECIDED),)))
    assert isinstance(answer, ReadProblem)
