from __future__ import annotations

from checker.model.artifact import ReadProblem
from checker.model.elf import Use
from checker.model.record import replace
from checker.model.resolution import Outcome, RootVerdict
from checker.rules.symbols.unresolved_symbol import RULE
from tests.rules.builders import MODULE, NEW, ask, case, elf, listed, member, resolution, told, wheel


def test_symbols_of_one_cause_are_one_finding_with_all_of_them_in_the_evidence() -> None:
    names = [f"cblas_{number}".encode() for number in range(234)]
    (found,) = told(RULE, case(elf(), resolutions=tuple(map(resolution, names))))
    assert found.file == MODULE
    assert "234 symbols" in found.message
    assert "and 231 more" in found.message
    assert len(listed(found, "symbols")) == 234


def test_a_library_of_the_artifact_that_has_them_is_a_cause_of_its_own() -> None:
    failing = (resolution(b"shape_area", candidates=("pkg/libshape.so",)), resolution(b"cblas_sgemm"))
    found = told(RULE, case(elf(), members=(member("pkg/libshape.so"),), resolutions=failing))
    assert [each.subject for each in found] == ["cblas_sgemm", "shape_area"]
    assert "libshape.so" in found[1].remedy


def test_who_else_may_have_the_symbols_is_said_of_a_library_and_of_a_module_with_requirements() -> None:
    (found,) = told(RULE, case(elf(), resolutions=(resolution(b"vpi_control"),)))
    assert "plugin of a program" in found.remedy
    module = elf(exports=(b"PyInit__core",))
    (found,) = told(RULE, case(module, resolutions=(resolution(b"nk_dot"),), metadata=replace(wheel(), requires=("numkong",))))
    assert "--preload NAME:FILE:global" in found.remedy
    (found,) = told(RULE, case(module, resolutions=(resolution(b"nk_dot"),)))
    assert found.remedy.endswith("the linker say so")


def test_cxx_names_are_demangled_in_the_message_and_mangled_in_the_evidence() -> None:
    (found,) = told(RULE, case(elf(), resolutions=(resolution(b"_ZN5shape4areaEi"),)))
    assert "shape::area(int)" in found.message
    assert found.subject == "_ZN5shape4areaEi"


def test_a_lazy_program_fails_at_the_first_call_and_a_module_at_load() -> None:
    roots = (RootVerdict(path=MODULE, host="executable", loads=()),)
    (found,) = told(RULE, case(elf(), roots=roots, resolutions=(resolution(b"f"),)))
    assert "at the first call" in found.message
    for asked in (
        case(elf(), resolutions=(resolution(b"f"),)),
        case(elf(bind_now=True), roots=roots, resolutions=(resolution(b"f"),)),
        case(elf(), roots=roots, resolutions=(resolution(b"f", uses=Use.GLOB_DAT),)),
    ):
        (found,) = told(RULE, asked)
        assert "at load" in found.message


def test_what_other_rules_tell_is_silent() -> None:
    others = (
        resolution(b"PyFoo_Bar"),
        resolution(b"__cxa_throw"),
        resolution(b"shm_open", candidates=("librt.so.1",)),
        resolution(b"later", platforms=(case().promises[0].oldest,)),
        resolution(b"torch_op", Outcome.LIBRARY_MISSING),
        resolution(b"optional", Outcome.WEAK_ABSENT),
        resolution(b"shape", Outcome.VERSION_MISSING, version=b"V2", version_file="libshape.so"),
    )
    assert told(RULE, case(elf(), resolutions=others)) == []


def test_an_undecided_symbol_could_not_be_checked() -> None:
    (answer,) = ask(RULE, case(elf(), resolutions=(resolution(b"f", Outcome.UNDECIDED, reason="libX has no symbols"),)))
    assert isinstance(answer, ReadProblem)
    assert answer.reason == "1 import could not be resolved (f): libX has no symbols"
    assert str(NEW) not in answer.reason
