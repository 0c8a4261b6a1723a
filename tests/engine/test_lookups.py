"""Lookups told step by step, by root and release, from the pipeline."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from checker.cli.lookup import symbols
from checker.engine import Options, audit
from checker.model.report import Verdict
from checker.model.resolution import Outcome, Via
from checker.policy.load import load_policy
from checker.rules.registry import specs
from checker.setup import Preload, Setup
from tests.elfwriter import DEFINED, X86_64, Elf, Relocation, Symbol, write
from tests.elfwriter.spec import Visibility
from tests.engine.artifacts import library, wheel

if TYPE_CHECKING:
    from pathlib import Path

    from checker.model.policy import Policy
    from checker.model.resolution import Lookup

GLIBC = ("libc.so.6", "GLIBC_2.2.5")
A, B = "pkg/a.abi3.so", "pkg/b.abi3.so"
COMMON, ONE, TWO = "libs/libcommon.so", "libs/libone.so", "libs/libtwo.so"


@pytest.fixture(scope="module")
def policy(tmp_path_factory: pytest.TempPathFactory) -> Policy:
    return load_policy(["recommended"], specs(), directory=str(tmp_path_factory.mktemp("empty")))


def told(path: Path, policy: Policy, name: str, setup: Setup | None = None) -> tuple[Lookup, ...]:
    report = audit(str(path), policy, Options(symbols=lambda *_: (name,), setup=setup))
    assert report.lookups is not None
    return report.lookups


def notes(lookup: Lookup) -> list[tuple[str, str]]:
    """What was asked of the artifact's own objects."""
    return [(met.path, met.note) for met in lookup.met if "/" in met.path]


def test_one_library_that_binds_otherwise_in_another_root_is_told_by_root(tmp_path: Path, policy: Policy) -> None:
    common = library(uses=("helper",), soname="libcommon.so", needed=("libc.so.6",))
    members = {COMMON: common}
    for path, name in ((ONE, "libone.so"), (TWO, "libtwo.so")):
        members[path] = library(defines=("helper",), soname=name, needed=("libc.so.6",), wants={"free": GLIBC})
    for path, name in ((A, "libone.so"), (B, "libtwo.so")):
        members[path] = library(needed=("libcommon.so", name, "libc.so.6"), runpath="$ORIGIN/../libs", wants={"free": GLIBC})
    first, second = sorted(told(wheel(tmp_path, members), policy, "helper"), key=lambda one: one.roots)
    assert (first.object, first.roots, first.path, first.via) == (COMMON, (A,), ONE, Via.SIBLING)
    assert (second.object, second.roots, second.path, second.via) == (COMMON, (B,), TWO, Via.SIBLING)
    assert notes(first) == [(A, ""), (COMMON, ""), (ONE, "defines it")]


def test_a_symbol_that_moved_is_told_with_the_releases_of_each_answer(tmp_path: Path, policy: Policy) -> None:
    path = wheel(tmp_path, {A: library(uses=("shm_open",), needed=("libc.so.6",))})
    failing, bound = sorted(told(path, policy, "shm_open"), key=lambda one: one.platforms)
    assert (failing.outcome, failing.platforms[0].release) == (Outcome.SYMBOL_MISSING, (2, 17))
    assert (bound.outcome, bound.path, bound.platforms[0].release) == (Outcome.BOUND, "libc.so.6", (2, 34))
    assert bound.met[-1].path == "libc.so.6"
    assert bound.met[-1].note.startswith("defines it")


def test_who_would_do_too_and_comes_later_is_told(tmp_path: Path, policy: Policy) -> None:
    user = library(uses=("helper",), needed=("libone.so", "libtwo.so", "libc.so.6"), runpath="$ORIGIN/../libs")
    one, two = (library(defines=("helper",), soname=f"lib{name}.so", needed=("libc.so.6",)) for name in ("one", "two"))
    (lookup,) = told(wheel(tmp_path, {A: user, ONE: one, TWO: two}), policy, "helper")
    assert (lookup.path, lookup.via) == (ONE, Via.NEEDED)
    assert [met.path for met in lookup.later] == [TWO]
    assert [path for path, _ in notes(lookup)] == [A, ONE]


def test_a_version_that_the_only_holder_lacks_is_told_of_that_holder(tmp_path: Path, policy: Policy) -> None:
    path = wheel(tmp_path, {A: library(needed=("libc.so.6",), wants={"memcpy": ("libc.so.6", "GLIBC_9.9")})})
    for lookup in told(path, policy, "memcpy"):
        assert lookup.outcome is Outcome.VERSION_MISSING
        (libc,) = (met for met in lookup.met if met.path == "libc.so.6")
        assert libc.note == "has it in other versions only: GLIBC_2.14, GLIBC_2.2.5"


def test_before_glibc_2_30_a_lookup_ends_at_the_file_that_the_version_names(tmp_path: Path, policy: Policy) -> None:
    path = wheel(tmp_path, {A: library(needed=("libc.so.6",), wants={"memcpy": ("libc.so.6", "GLIBC_9.9")})})
    older, newer = sorted(told(path, policy, "memcpy"), key=lambda one: one.platforms)
    assert (older.platforms[-1].release < (2, 30), newer.platforms[0].release) == (True, (2, 30))
    assert "ends at the file" in older.rule
    assert older.met[-1].path == "libc.so.6"
    assert (newer.rule, newer.met[-1].path) == ("", A)


def test_a_hidden_definition_is_passed_over_from_glibc_2_24_on_and_said_so(tmp_path: Path, policy: Policy) -> None:
    symbol = Symbol(name="helper", shndx=DEFINED, visibility=Visibility.HIDDEN)
    hidden = write(Elf(soname="libone.so", symbols=(symbol,), stack=6))
    user = library(uses=("helper",), needed=("libone.so", "libc.so.6"), runpath="$ORIGIN/../libs")
    older, newer = sorted(told(wheel(tmp_path, {A: user, ONE: hidden}), policy, "helper"), key=lambda one: one.platforms)
    assert (older.outcome, older.platforms[-1].release < (2, 24)) == (Outcome.BOUND, True)
    assert (newer.outcome, newer.platforms[0].release) == (Outcome.SYMBOL_MISSING, (2, 24))
    assert (ONE, "passed over: its definition is hidden (STV_HIDDEN)") in notes(newer)


@pytest.mark.parametrize("flags", [None, 2])
def test_a_symbolic_object_asks_itself_first_and_the_rule_is_named(tmp_path: Path, policy: Policy, flags: int | None) -> None:
    one = Elf(
        soname="libone.so",
        symbols=(Symbol(name="helper", shndx=DEFINED),),
        relocations=(Relocation(type=X86_64.glob_dat, symbol="helper"),),
        flags=flags,
        stack=6,
    )
    root = library(defines=("helper",), needed=("libone.so",), runpath="$ORIGIN/../libs")
    (lookup,) = told(wheel(tmp_path, {A: root, ONE: write(one)}), policy, "helper")
    if flags:
        assert (lookup.path, [where for where, _ in notes(lookup)]) == (ONE, [ONE])
        assert lookup.rule == "DT_SYMBOLIC: the object looks at its own definitions first"
    else:
        assert (lookup.path, lookup.rule) == (A, "")


def test_a_self_reference_that_no_table_leads_to_is_told_and_fails_the_wheel(tmp_path: Path, policy: Policy) -> None:
    lost = Elf(
        symbols=(Symbol(name="helper", shndx=DEFINED, hashed=False), Symbol(name="PyInit_a", shndx=DEFINED)),
        relocations=(Relocation(type=X86_64.glob_dat, symbol="helper"),),
        stack=6,
    )
    path = wheel(tmp_path, {A: write(lost)})
    (lookup,) = told(path, policy, "helper")
    assert lookup.outcome is Outcome.SYMBOL_MISSING
    assert notes(lookup) == [(A, "defines it, but its hash table does not lead there")]
    report = audit(str(path), policy)
    (finding,) = (one for one in report.findings if one.rule == "load-failure")
    assert (finding.file, finding.subject, report.verdict) == (A, "helper", Verdict.FAIL)
    assert symbols(report.case, "helper") == ["helper"]


def test_what_a_preload_brings_stands_before_the_root_and_is_told_so(tmp_path: Path, policy: Policy) -> None:
    user = library(uses=("helper",), needed=("libc.so.6",))
    one = library(defines=("helper",), soname="libone.so", needed=("libc.so.6",))
    setup = Setup(preloads=(Preload(path=ONE, is_global=True),))
    (lookup,) = told(wheel(tmp_path, {A: user, ONE: one}), policy, "helper", setup)
    assert (lookup.path, lookup.via) == (ONE, Via.PRELOAD)
    assert notes(lookup) == [(ONE, "defines it")]


def test_no_symbols_are_no_lookups(tmp_path: Path, policy: Policy) -> None:
    path = str(wheel(tmp_path, {A: library(needed=("libc.so.6",))}))
    assert audit(path, policy).lookups is None
    assert audit(path, policy, Options(symbols=lambda *_: ())).lookups == ()
