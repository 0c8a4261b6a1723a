from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from checker.model.artifact import ReadProblem
from checker.rules.hardening.missing_fortify import RULE
from tests.rules.builders import MACHINES, MODULE, ask, case, elf, program, promise, told

if TYPE_CHECKING:
    from checker.model.elf import ElfIdentity

CXX = ("libstdc++.so.6", "libc.so.6")
GCC = ("GCC: (GNU) 14.2.1",)


@pytest.mark.parametrize("header", MACHINES, ids=lambda header: header.architecture)
def test_plain_names_alone_are_told_on_every_architecture(header: ElfIdentity) -> None:
    (found,) = told(RULE, case(elf(imports=(b"fprintf", b"vfprintf", b"memcpy"), identity=header)))
    assert (found.file, found.subject) == (MODULE, "_FORTIFY_SOURCE")
    assert dict(found.evidence)["unchecked"] == ("fprintf", "vfprintf")
    assert "__fprintf_chk" in found.remedy


@pytest.mark.parametrize("checked", [b"__memcpy_chk", b"__fprintf_chk", b"__fprintf_chkieee128"])
def test_one_checked_function_is_taken_for_all(checked: bytes) -> None:
    assert told(RULE, case(elf(imports=(b"fprintf", checked), exports=(checked,)))) == []


def test_the_stack_protectors_function_is_no_checked_one() -> None:
    facts = elf(imports=(b"fprintf", b"__stack_chk_fail"), exports=(b"__stack_chk_fail",))
    assert len(told(RULE, case(facts))) == 1


def test_names_that_fortified_code_has_too_prove_nothing() -> None:
    assert told(RULE, case(elf(imports=(b"memcpy", b"snprintf", b"vsnprintf", b"strcpy")), elf("data.so"))) == []


def test_of_cxx_only_what_any_compiler_redirects_counts_unless_gcc_alone_compiled_it() -> None:
    by_clang = (*GCC, "clang version 18")
    for comment in ((), by_clang):
        assert told(RULE, case(elf(needed=CXX, comment=comment, imports=(b"fprintf",)))) == []
        assert len(told(RULE, case(elf(needed=CXX, comment=comment, imports=(b"vfprintf",))))) == 1
    assert len(told(RULE, case(elf(needed=CXX, comment=GCC, imports=(b"fprintf",))))) == 1


def test_musl_and_rust_have_no_such_functions() -> None:
    musl = elf(needed=("libc.musl-x86_64.so.1",), imports=(b"fprintf",))
    assert told(RULE, case(musl, elf("rust.so", imports=(b"fprintf",), comment=("rustc version 1.91.0",)))) == []


def test_of_a_static_program_nothing_can_be_said_unless_only_musl_is_promised() -> None:
    (answer,) = ask(RULE, case(program(static=True)))
    assert isinstance(answer, ReadProblem)
    assert "_FORTIFY_SOURCE" in answer.reason
    assert ask(RULE, case(program(static=True), promises=(promise("musllinux_1_2_x86_64", family="musl"),))) == []
