from __future__ import annotations

import pytest

from checker.loaders import glibc
from checker.model.elf import ElfFacts, Segment
from checker.model.record import replace
from checker.model.resolution import Load, LoadCause, LoadOutcome, RootVerdict
from checker.rules.libraries.load_failure import RULE as LOAD_FAILURE
from checker.rules.symbols.initial_exec_tls import RULE
from tests.rules.builders import MODULE, OLD, case, elf, table, told

RUNTIME = "pkg.libs/libgomp-0a1b2c3d.so.1"


def with_block(size: int = 400, alignment: int = 8, path: str = RUNTIME) -> ElfFacts:
    block = Segment(type=7, flags=4, offset=0, address=0, file_size=0, memory_size=size, alignment=alignment)
    return elf(path, static_tls=True, segments=(block,))


def roots(host: str = "python", cause: LoadCause | None = None) -> tuple[RootVerdict, ...]:
    load = Load(platform=OLD, outcome=LoadOutcome.FAILS if cause else LoadOutcome.LOADS, because=cause)
    return (RootVerdict(path=MODULE, host=host, loads=(load,)),)


def test_a_block_reached_by_a_fixed_offset_fires_with_its_size_and_how_many_fit() -> None:
    (found,) = told(RULE, case(elf(), with_block()))
    assert (found.file, found.subject) == (RUNTIME, "DF_STATIC_TLS")
    assert "takes 400 of the 1664 bytes" in found.message
    assert "4 such libraries would fit" in found.message


@pytest.mark.parametrize(("size", "alignment", "taken"), [(400, 64, 448), (250, 64, 256), (256, 1, 256), (300, 0, 300)])
def test_alignment_counts(size: int, alignment: int, taken: int) -> None:
    (found,) = told(RULE, case(elf(), with_block(size, alignment)))
    assert f"takes {taken} of" in found.message


def test_small_blocks_such_as_libgomps_are_silent_unless_the_policy_minds_them() -> None:
    assert told(RULE, case(elf(), with_block(120))) == []
    assert told(RULE, case(elf(), with_block(16)), bytes=1) != []


def test_without_a_block_of_its_own_or_without_the_flag_it_is_silent() -> None:
    assert told(RULE, case(elf(static_tls=True))) == []
    assert told(RULE, case(replace(with_block(), static_tls=False))) == []


def test_a_program_has_its_storage_before_it_starts() -> None:
    assert told(RULE, case(with_block(path=MODULE), roots=roots("executable"))) == []


def test_what_does_not_load_for_it_is_load_failures() -> None:
    cause = LoadCause(kind="property", object=RUNTIME, subject="initial-exec TLS resolves to dynamic definition")
    assert told(RULE, case(elf(), with_block(), roots=roots(cause=cause))) == []
    assert told(RULE, case(elf(), with_block(4096))) == []


def test_an_allocator_that_fits_only_when_preloaded_is_told_as_that() -> None:
    """As ray's libjemalloc.so, which it names in LD_PRELOAD."""
    allocator = replace(with_block(4096, path="pkg/libjemalloc.so"), symbols=table(b"malloc", b"free", b"realloc"))
    cause = LoadCause(kind="property", object=allocator.path, subject="cannot allocate memory in static TLS block")
    load = Load(platform=OLD, outcome=LoadOutcome.FAILS, because=cause)
    asked = case(allocator, roots=(RootVerdict(path=allocator.path, host="python", loads=(load,)),))
    (found,) = told(RULE, asked)
    assert (found.file, found.subject) == (allocator.path, "LD_PRELOAD")
    assert told(LOAD_FAILURE, asked) == []
    other = replace(asked, objects=(replace(allocator, symbols=table(b"malloc")),))
    assert (told(RULE, other), len(told(LOAD_FAILURE, other))) == ([], 1)


def test_the_surplus_is_what_the_loader_model_reckons_with() -> None:
    assert RULE.parameters().surplus == glibc.STATIC_TLS_SURPLUS
