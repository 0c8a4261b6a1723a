"""A definition that the hash table does not lead to does not exist; damaged and hostile tables end at once."""

from __future__ import annotations

import struct
import time
import tracemalloc
from typing import TYPE_CHECKING, Any

import pytest

from checker.exports import Exports
from checker.loaders.reach import Reach
from checker.model.elf import ElfReadError
from checker.model.record import replace
from checker.model.resolution import LoadOutcome
from tests.elfwriter import DEFINED, Elf, Hash, Image, Relocation, Symbol, build
from tests.loader.worlds import asking, facts_of, load, world

if TYPE_CHECKING:
    from collections.abc import Iterator

    from checker.model.elf import ElfFacts

FEW, MANY = 9, 80


def library(count: int, **fields: Any) -> Elf:  # noqa: ANN401 - as Elf
    """An object with so many definitions, each of which it refers to by name."""
    names = [f"_ZN3pkg5thing{number}Ev" for number in range(count)]
    return Elf(
        soname="liba.so",
        symbols=tuple(Symbol(name=name, shndx=DEFINED) for name in names),
        relocations=tuple(Relocation(type=6, symbol=name) for name in names),
        **fields,
    )


def found_by_lookup(facts: ElfFacts) -> set[int]:
    symbols = range(1, facts.symbols.count)
    return {one for one in symbols if any(met.symbol == one for met in facts.symbols.definitions(facts.symbols.name(one)))}


def readable(data: bytes) -> ElfFacts | None:
    """The facts of a damaged file; ``None`` for one that cannot be read, which is an answer, too."""
    try:
        return facts_of(data)
    except ElfReadError:
        return None


def damaged(image: Image) -> Iterator[bytes]:
    """The file with each bit of the table behind its header flipped, one at a time."""
    for byte in range(16, image.parts[".gnu.hash"].size):
        start = image.parts[".gnu.hash"].offset + byte
        for bit in range(8):
            data = bytearray(image.data)
            data[start] ^= 1 << bit
            yield bytes(data)


@pytest.mark.parametrize("count", [1, FEW, MANY])
@pytest.mark.parametrize("state", [Hash.CORRECT, Hash.EMPTY, Hash.WRONG])
def test_what_is_verified_is_what_a_lookup_finds(count: int, state: Hash) -> None:
    facts = facts_of(library(count, gnu_hash=state))
    reach = Reach(facts.symbols)
    assert {one for one in range(1, facts.symbols.count) if reach.leads_to(one)} == found_by_lookup(facts)
    assert reach.is_sound == (state is Hash.CORRECT)


def test_in_a_small_table_every_flipped_bit_is_noticed_as_a_lookup_would() -> None:
    image = build(library(FEW))
    for data in damaged(image):
        facts = readable(data)
        if facts is None:
            continue
        reach = Reach(facts.symbols)
        assert {one for one in range(1, facts.symbols.count) if reach.leads_to(one)} == found_by_lookup(facts)


def test_in_a_large_table_nearly_every_flipped_bit_that_loses_a_symbol_is_noticed() -> None:
    image = build(library(MANY))
    noticed = unnoticed = 0
    for data in damaged(image):
        facts = readable(data)
        if facts is None:
            continue
        lost = set(range(1, facts.symbols.count)) - found_by_lookup(facts)
        if lost:
            reach = Reach(facts.symbols)
            if {one for one in lost if reach.leads_to(one)}:
                unnoticed += 1
            else:
                noticed += 1
    assert noticed > 1000
    # The lowest bit of a hash is in no chain word, so that a cleared bit of the filter can hide beside its neighbour.
    assert unnoticed < noticed // 20


@pytest.mark.parametrize("tables", [(Hash.EMPTY, Hash.CORRECT), (Hash.ABSENT, Hash.EMPTY), (Hash.ABSENT, Hash.ABSENT)])
def test_nothing_is_found_through_an_empty_table_or_none(tables: tuple[Hash, Hash]) -> None:
    provider = library(MANY, gnu_hash=tables[0], sysv_hash=tables[1])
    installation = world({"root.so": asking("_ZN3pkg5thing7Ev"), "liba.so": provider})
    for loader in ("glibc-2.36", "musl-1.2.5"):
        assert load(installation, loader=loader).outcome is not LoadOutcome.LOADS


def test_dt_hash_alone_serves_both_loaders() -> None:
    provider = library(MANY, gnu_hash=Hash.ABSENT, sysv_hash=Hash.CORRECT)
    installation = world({"root.so": asking("_ZN3pkg5thing7Ev"), "liba.so": provider})
    assert load(installation).outcome is LoadOutcome.LOADS
    assert load(installation, loader="musl-1.2.5").outcome is LoadOutcome.LOADS


def test_musl_crashes_at_an_object_without_a_table_and_glibc_passes_it() -> None:
    provider = library(FEW, gnu_hash=Hash.ABSENT, sysv_hash=Hash.ABSENT)
    asks = Elf(needed=("liba.so",), runpath="$ORIGIN", symbols=asking("f").symbols, relocations=asking("f").relocations)
    installation = world({"root.so": asks, "liba.so": provider})
    assert load(installation, loader="musl-1.2.5").outcome is LoadOutcome.ABORTS
    assert load(installation).outcome is LoadOutcome.FAILS


def test_chains_that_never_end_are_walked_once() -> None:
    provider = library(MANY, gnu_hash=Hash.ABSENT, sysv_hash=Hash.WRONG)
    names = tuple(f"_ZN3pkg5thing{number}Ev" for number in range(MANY))
    started = time.process_time()
    load(world({"root.so": asking(*names), "liba.so": provider}))
    assert time.process_time() - started < 5


def test_an_index_tells_exactly_what_lookups_find() -> None:
    for state in (Hash.CORRECT, Hash.WRONG):
        facts = facts_of(library(MANY, gnu_hash=state))
        names = {facts.symbols.name(symbol) for symbol in range(1, facts.symbols.count)}
        exports = Exports((facts,), names)
        assert {name for name in names if exports.holders(name)} == {name for name in names if facts.symbols.definitions(name)}


def test_names_that_overlap_without_end_cost_no_memory() -> None:
    facts = facts_of(library(FEW, gnu_hash=Hash.ABSENT, sysv_hash=Hash.EMPTY))
    text, count = b"x" * 60_000, 2_000
    entries = b"".join(struct.pack("<IBBHQQ", number, 0x12, 0, 1, 8, 0) for number in range(count))
    symbols = replace(facts.symbols, strings=text + b"\0", raw=entries, count=count)
    tracemalloc.start()
    exports = Exports((replace(facts, symbols=symbols, self_references=(), self_uses=b""),), {text})
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert not exports.holders(text)
    assert most < 1 << 20
