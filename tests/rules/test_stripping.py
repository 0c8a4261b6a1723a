"""What ``debug-info`` and ``unstripped-binary`` have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from checker.model.artifact import ReadProblem
from checker.model.elf import ElfFacts, ElfType, Machine, Strippable
from checker.rules.wheel import debug_info, unstripped_binary
from tests.rules.builders import MACHINES, MODULE, ask, case, elf, identity, told

if TYPE_CHECKING:
    from checker.model.rule import Rule

MINIMUM = 5_000_000
"""Bytes; more than either rule lets pass."""
each_rule = pytest.mark.parametrize("rule", [debug_info.RULE, unstripped_binary.RULE], ids=lambda rule: rule.id)


def shipping(path: str, size: int, **changes: object) -> ElfFacts:
    """A file of which a strip takes that many bytes of each kind."""
    return elf(path, **{"size": 4 * size, "strippable": Strippable(debug=size, symbols=size), **changes})


@each_rule
def test_many_files_are_one_finding_with_the_largest_first(rule: Rule) -> None:
    files = [shipping(f"pkg/{number}.so", number * 1_000_000 + 1, identity=header) for number, header in enumerate(MACHINES)]
    (found,) = told(rule, case(*files))
    assert found.file == "pkg.whl"
    assert "takes 8 files from 112.0 MB to 84.0 MB: pkg/7.so has 7.0 MB, pkg/6.so has 6.0 MB" in found.message
    assert found.message.endswith("and 5 more")


@each_rule
def test_small_savings_count_together(rule: Rule) -> None:
    half = MINIMUM // 2
    assert told(rule, case(shipping("a.so", half), shipping("b.so", half - 1)), minimum=MINIMUM) == []
    (found,) = told(rule, case(shipping("a.so", half), shipping("b.so", half), shipping("c.so", 1)), minimum=MINIMUM)
    assert found.message.endswith("and c.so has 1 byte")


@each_rule
def test_files_that_are_kept_whole_on_purpose_do_not_count(rule: Rule) -> None:
    files = (shipping("pkg/keep/a.so", MINIMUM), shipping("pkg/b.so", MINIMUM))
    (found,) = told(rule, case(*files), keep=("pkg/keep/*",))
    assert found.file == "pkg/b.so"


@each_rule
def test_object_files_and_other_processors_are_silent(rule: Rule) -> None:
    gpu = shipping("kernel.cubin", MINIMUM, identity=identity(machine=Machine.EM_CUDA))
    assert told(rule, case(gpu, shipping("x.o", MINIMUM, identity=identity(type=ElfType.ET_REL)))) == []


@each_rule
def test_of_unreadable_section_headers_nothing_can_be_said(rule: Rule) -> None:
    answer, found = ask(rule, case(elf("odd.so", strippable=None), shipping(MODULE, MINIMUM)))
    assert isinstance(answer, ReadProblem)
    assert answer.file == "odd.so"
    assert not isinstance(found, ReadProblem)
    assert ask(rule, case(elf("odd.so", strippable=None)), keep=("*.so",)) == []
