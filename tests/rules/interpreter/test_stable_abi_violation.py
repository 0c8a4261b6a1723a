from __future__ import annotations

from typing import Any

import pytest

from checker.model.artifact import ReadProblem, Tag
from checker.model.closure import ProviderKind
from checker.model.elf import Definition, Use
from checker.model.record import replace
from checker.model.resolution import Outcome
from checker.rules.interpreter import missing_interpreter_symbol
from checker.rules.interpreter.stable_abi_violation import RULE
from tests.rules.builders import MODULE, Symbols, ask, case, edge, elf, resolution, told
from tests.rules.interpreter.abi import StableAbi, tagged

CP38: dict[str, Any] = {"tags": tagged("cp38", "abi3"), "stable_abi": StableAbi()}


def test_later_and_private_symbols_fire_once_with_the_version_that_brings_them() -> None:
    module = elf(imports=[b"PyArg_Parse", b"PyType_GetModule", b"PyBuffer_Release", b"_PyObject_GC_New", b"free"])
    (found,) = told(RULE, case(module, **CP38))
    assert (found.file, found.subject) == (MODULE, "_PyObject_GC_New")
    assert "3 symbols that the stable ABI of Python 3.8 lacks" in found.message
    assert "_PyObject_GC_New (never in it), PyBuffer_Release (since 3.11) and PyType_GetModule (since 3.10)" in found.message


def test_with_later_symbols_only_the_remedy_is_the_tag_that_would_be_true() -> None:
    (found,) = told(RULE, case(elf(imports=[b"PyType_GetModule"]), **CP38))
    assert "cp310-abi3" in found.remedy
    assert "0x03080000" in found.remedy


def test_the_lowest_version_of_a_tag_set_counts() -> None:
    both = (*tagged("cp311", "abi3"), *tagged("cp38", "abi3"), *tagged("cp37", "cp37m"))
    assert len(told(RULE, case(elf(imports=[b"PyType_GetModule"]), tags=both, stable_abi=StableAbi()))) == 1
    newer = tagged("cp310", "abi3")
    assert told(RULE, case(elf(imports=[b"PyType_GetModule"]), tags=newer, stable_abi=StableAbi())) == []


def test_what_the_module_or_another_member_defines_is_no_violation() -> None:
    module = elf(imports=[b"PyErr_SetFromOSErrnoWithSyscall"])
    other = elf("pkg/libhelper.so", exports=(b"PyErr_SetFromOSErrnoWithSyscall",))
    assert told(RULE, case(module, other, **CP38)) == []
    assert told(RULE, case(elf(exports=(b"PyErr_SetFromOSErrnoWithSyscall",)), **CP38)) == []


class Host:
    """Exports one function."""

    name = "cpython-3.8"
    libraries = ()
    is_measured = True

    def definitions(self, name: bytes) -> tuple[Definition, ...]:
        """Of that function."""
        return Symbols((b"_PyObject_GC_New",)).definitions(name)


def test_what_is_never_in_it_must_be_the_interpreters() -> None:
    module = elf(imports=[b"PyDateTimeAPI", b"_PyObject_GC_New"])
    (found,) = told(RULE, case(module, host=Host(), **CP38))
    assert ("symbols", ("_PyObject_GC_New",)) in found.evidence


def test_weak_and_unused_references_are_silent() -> None:
    module = elf(imports=[(b"_PyThreadState_UncheckedGet", 1, Use.NONE), b"_Py_Weak"])
    assert told(RULE, case(replace(module, imports=replace(module.imports, weak=bytes([0, 1]))), **CP38)) == []


def test_wheels_without_such_a_tag_are_silent() -> None:
    tags = (Tag(python="cp311", abi="cp311", platform="manylinux_2_17_x86_64"),)
    assert told(RULE, case(elf(imports=[b"_PyObject_GC_New"]), tags=tags, stable_abi=StableAbi())) == []


def test_a_symbol_that_the_interpreter_lacks_is_told_once() -> None:
    failing = (resolution(b"PyType_GetModule"), resolution(b"_PyOther", Outcome.UNDECIDED, reason="not known"))
    asked = case(elf(imports=[b"PyType_GetModule", b"_PyOther"]), resolutions=failing, **CP38)
    assert ask(missing_interpreter_symbol.RULE, asked) == []
    assert len(told(RULE, asked)) == 1


def test_without_data_it_could_not_be_checked() -> None:
    (answer,) = ask(RULE, case(elf(), tags=tagged("cp38", "abi3")))
    assert isinstance(answer, ReadProblem)


@pytest.mark.parametrize("provider", [ProviderKind.DECLARED, ProviderKind.NONE])
def test_beside_a_library_that_was_not_read_it_could_not_be_checked(provider: ProviderKind) -> None:
    libraries = (edge("libshiboken6.abi3.so.6", provider, "shiboken6"),)
    (answer,) = ask(RULE, case(elf(imports=[b"PyRun_String"]), libraries=libraries, **CP38))
    assert isinstance(answer, ReadProblem)
    assert "unless libshiboken6.abi3.so.6 has them" in answer.reason
    assert ask(RULE, case(elf(imports=[b"PyArg_Parse"]), libraries=libraries, **CP38)) == []
