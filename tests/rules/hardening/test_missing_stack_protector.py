from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from checker.model.artifact import ReadProblem
from checker.model.elf import Machine, Note, Notes
from checker.rules.hardening.missing_stack_protector import RULE
from tests.rules.builders import MACHINES, MODULE, ask, case, elf, identity, program, told

if TYPE_CHECKING:
    from checker.model.elf import ElfIdentity

CALLS = (b"PyArg_ParseTuple", b"PyErr_Fetch", b"malloc")
NO_NOTES: dict[str, Any] = {"build_id": None, "abi_tag": None, "x86_isa_needed": 0, "properties": (), "dlopen": ()}
GO = Notes(**NO_NOTES, others=(Note(owner="Go", type=4, description=b"id"),))


@pytest.mark.parametrize("header", MACHINES, ids=lambda header: header.architecture)
def test_functions_that_hand_out_locals_unchecked_are_told_on_every_architecture(header: ElfIdentity) -> None:
    (found,) = told(RULE, case(elf(imports=CALLS, comment=("GCC: (GNU) 14",), identity=header)))
    assert (found.file, found.subject) == (MODULE, "__stack_chk_fail")
    assert dict(found.evidence) == {"called_with_locals": ("PyArg_ParseTuple", "PyErr_Fetch"), "compilers": ("GCC: (GNU) 14",)}


def test_one_check_is_taken_for_all() -> None:
    assert told(RULE, case(elf(imports=(*CALLS, b"__stack_chk_fail")))) == []


def test_too_few_such_functions_prove_nothing() -> None:
    assert told(RULE, case(elf(imports=(b"PyArg_ParseTuple", b"malloc")), elf("data.so"))) == []


@pytest.mark.parametrize(
    "changes",
    [
        {"comment": ("GCC: (GNU) 14", "rustc version 1.91.0")},
        {"imports": (*CALLS, b"_Unwind_Backtrace", b"_Unwind_GetLanguageSpecificData", b"_Unwind_SetIP")},
        {"notes": GO},
        {"identity": identity(machine=Machine.EM_CUDA)},
    ],
    ids=["rustc", "rust by its unwinder", "go", "gpu"],
)
def test_other_languages_and_processors_are_not_judged(changes: dict[str, Any]) -> None:
    assert told(RULE, case(elf(**{"imports": CALLS, **changes}))) == []


def test_of_a_static_program_nothing_can_be_said() -> None:
    (answer,) = ask(RULE, case(program(static=True)))
    assert isinstance(answer, ReadProblem)
    assert "-fstack-protector-strong" in answer.reason
    assert ask(RULE, case(program(static=True, comment=("rustc version 1.91.0",)))) == []
