from __future__ import annotations

from typing import TYPE_CHECKING

from checker.model.artifact import ReadProblem
from checker.model.elf import Machine
from checker.model.startup import Startup, StartupInstruction
from checker.rules.platform.unexpected_instruction_set import RULE
from tests.rules.builders import MODULE, ask, case, elf, identity, promise, told

if TYPE_CHECKING:
    from checker.model.case import Case

AVX = StartupInstruction(entry="DT_INIT_ARRAY[2]", address=0x1000, text="vxorps xmm0, xmm0, xmm0", extension="AVX", level=3)
SSE3 = StartupInstruction(entry="PyInit__core", address=0x2000, text="movddup xmm0, xmm1", extension="SSE3", level=2)


def running(*instructions: StartupInstruction, path: str = MODULE, tag: str = "manylinux_2_17_x86_64") -> Case:
    """A module that runs these whenever it is loaded."""
    return case(elf(path), promises=(promise(tag),), startup=(Startup(file=path, instructions=instructions),))


def test_the_highest_level_is_told_with_all_of_them_in_the_evidence() -> None:
    (found,) = told(RULE, running(SSE3, AVX))
    assert (found.file, found.subject) == (MODULE, "AVX")
    assert "DT_INIT_ARRAY[2]: vxorps" in found.message
    assert "as does 1 other initializer" in found.message
    assert dict(found.evidence)["needs"] == "x86-64-v3"
    assert len(dict(found.evidence)["instructions"]) == 2  # type: ignore[arg-type]


def test_the_policy_may_allow_more_and_only_what_is_beyond_is_told() -> None:
    assert told(RULE, running(SSE3, AVX), processors="x86-64-v3") == []
    (found,) = told(RULE, running(SSE3, AVX), processors="x86-64-v2")
    assert "other initializer" not in found.message
    assert "x86-64-v2 only" in found.message


def test_a_directory_for_better_processors_is_given_to_no_other() -> None:
    path = "pkg/glibc-hwcaps/x86-64-v3/libfast.so"
    assert told(RULE, running(AVX, path=path)) == []


def test_nothing_found_is_silent() -> None:
    assert told(RULE, running()) == []


def test_without_a_disassembler_x86_could_not_be_checked() -> None:
    (answer,) = ask(RULE, case(elf()))
    assert isinstance(answer, ReadProblem)
    assert "wheelproof[disassembly]" in answer.reason
    assert ask(RULE, case(elf(identity=identity(machine=Machine.EM_AARCH64)))) == []
    assert ask(RULE, case()) == []


def test_code_that_could_not_be_read_could_not_be_checked() -> None:
    (answer,) = ask(RULE, case(elf(), startup=(Startup(file=MODULE, instructions=None),)))
    assert isinstance(answer, ReadProblem)
    assert answer.file == MODULE
