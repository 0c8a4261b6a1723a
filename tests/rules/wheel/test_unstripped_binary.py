from __future__ import annotations

from checker.model.artifact import ReadProblem
from checker.model.elf import ElfFacts, ElfType, Machine, Strippable
from checker.rules.wheel.unstripped_binary import RULE, Parameters
from tests.rules.builders import MACHINES, MODULE, ask, case, elf, identity, told

MINIMUM = Parameters().minimum


def shipping(path: str, size: int, **changes: object) -> ElfFacts:
    """A file of twice that many bytes; nothing of the other kind."""
    strippable = Strippable(symbols=size, debug=0)
    return elf(path, **{"size": 2 * size, "strippable": strippable, **changes})


def test_one_file_is_told_with_what_a_strip_would_make_of_it() -> None:
    (found,) = told(RULE, case(shipping(MODULE, 12_340_000), elf("pkg/clean.so")))
    assert (found.file, found.subject) == (MODULE, ".symtab")
    assert "ships 12.3 MB of" in found.message
    assert found.message.endswith("a strip takes it from 24.7 MB to 12.3 MB")
    assert dict(found.evidence) == {"saved": 12_340_000, "files": (f"{MODULE}: 12340000 of 24680000 bytes",)}


def test_many_files_are_one_finding_with_the_largest_first() -> None:
    files = [shipping(f"pkg/{number}.so", number * 1_000_000 + 1, identity=header) for number, header in enumerate(MACHINES)]
    (found,) = told(RULE, case(*files))
    assert found.file == "pkg.whl"
    assert "takes 8 files from 56.0 MB to 28.0 MB: pkg/7.so has 7.0 MB, pkg/6.so has 6.0 MB" in found.message
    assert found.message.endswith("and 5 more")


def test_small_savings_count_together_and_less_than_the_minimum_is_silent() -> None:
    half = MINIMUM // 2
    assert told(RULE, case(shipping("a.so", half), shipping("b.so", half - 1))) == []
    (found,) = told(RULE, case(shipping("a.so", half), shipping("b.so", half), shipping("c.so", 1)))
    assert found.message.endswith("and c.so has 1 kB")
    assert len(told(RULE, case(shipping("a.so", 10)), minimum=10)) == 1


def test_files_that_are_kept_whole_on_purpose_do_not_count() -> None:
    files = (shipping("pkg/keep/a.so", MINIMUM), shipping("pkg/b.so", MINIMUM))
    (found,) = told(RULE, case(*files), keep=("pkg/keep/*",))
    assert found.file == "pkg/b.so"


def test_the_other_kind_object_files_and_other_processors_are_silent() -> None:
    other = elf("other.so", strippable=Strippable(symbols=0, debug=MINIMUM))
    gpu = shipping("kernel.cubin", MINIMUM, identity=identity(machine=Machine.EM_CUDA))
    assert told(RULE, case(other, gpu, shipping("x.o", MINIMUM, identity=identity(type=ElfType.ET_REL)))) == []


def test_of_unreadable_section_headers_nothing_can_be_said() -> None:
    answer, found = ask(RULE, case(elf("odd.so", strippable=None), shipping(MODULE, MINIMUM)))
    assert isinstance(answer, ReadProblem)
    assert answer.file == "odd.so"
    assert not isinstance(found, ReadProblem)
    assert ask(RULE, case(elf("odd.so", strippable=None)), keep=("*.so",)) == []
