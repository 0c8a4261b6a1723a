from __future__ import annotations

import pytest

from checker.model.artifact import ReadProblem
from checker.model.resolution import Outcome, RootVerdict
from checker.rules.interpreter.missing_interpreter_symbol import RULE
from tests.rules.builders import MODULE, ask, case, elf, member, resolution, told


class Host:
    """Exports nothing."""

    name = "cpython-3.8"
    libraries = ()
    is_measured = True

    def definitions(self, _: bytes) -> tuple[()]:
        """Nothing."""
        return ()


def test_symbols_of_the_interpreter_are_told_once_for_the_file() -> None:
    failing = (resolution(b"PyUnicodeUCS2_FromString"), resolution(b"_PyTrash_thread_deposit_object"))
    (found,) = told(RULE, case(elf(), host=Host(), resolutions=failing))
    assert (found.file, found.subject) == (MODULE, "PyUnicodeUCS2_FromString")
    assert "cpython-3.8" in found.message
    assert "2 symbols" in found.message


def test_a_module_of_another_interpreter_is_told_with_that_one() -> None:
    failing = (resolution(b"PyUnicodeUCS2_FromString"),)
    roots = (RootVerdict(path=MODULE, host="python", loads=(), interpreter="cpython-3.12"),)
    (found,) = told(RULE, case(elf(), host=Host(), resolutions=failing, roots=roots))
    assert "cpython-3.12" in found.message
    assert "cpython-3.8" not in found.message
    assert found.remedy is not None
    assert "alone loads" in found.remedy
    assert "tag" not in found.remedy


def test_with_no_interpreter_the_message_says_so() -> None:
    (found,) = told(RULE, case(elf(), resolutions=(resolution(b"Py_Initialize"),)))
    assert "no interpreter loads it" in found.message


@pytest.mark.parametrize("name", [b"Pyramid_volume", b"py_helper", b"cblas_sgemm", b"PY_x"])
def test_other_names_are_silent(name: bytes) -> None:
    assert told(RULE, case(elf(), resolutions=(resolution(name),))) == []


def test_a_library_of_the_artifact_that_has_it_is_another_rules() -> None:
    helper = member("pkg/libhelper.so")
    failing = (resolution(b"PyHelper_New", candidates=("pkg/libhelper.so",)),)
    assert told(RULE, case(elf(), members=(helper,), resolutions=failing)) == []


def test_an_undecided_symbol_could_not_be_checked() -> None:
    (answer,) = ask(RULE, case(elf(), resolutions=(resolution(b"PyFoo_Bar", Outcome.UNDECIDED, reason="host not known"),)))
    assert isinstance(answer, ReadProblem)
    assert "host not known" in answer.reason
