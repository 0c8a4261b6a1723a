"""What is met on the way of initializers: of hand-written code, and of what compilers make."""

from __future__ import annotations

import builtins
import platform
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from checker.elf import read_elf
from checker.model.sparse import SparseBytes
from checker.startup import startup_search
from tests.elfwriter import AARCH64, DEFINED, I686, X86_64, Elf, Symbol, write

if TYPE_CHECKING:
    from pathlib import Path

    from checker.model.startup import StartupInstruction
    from tests.elfwriter import Machine

pytest.importorskip("capstone")
gcc = shutil.which("gcc")
INIT_ARRAY, INIT_ARRAYSZ = 25, 27


def met(data: bytes, kept: int | None = None) -> tuple[StartupInstruction, ...] | None:
    """What one file runs; of its bytes the first ``kept`` are at hand, and the rest when it is asked for."""
    content = SparseBytes(size=len(data), parts=((0, data[:kept]),))
    facts = read_elf("pkg/_core.so", SparseBytes(size=len(data), parts=((0, data),)))
    search = startup_search()
    assert search is not None

    def reread(ranges: Any) -> SparseBytes:  # noqa: ANN401 - pairs
        parts = tuple((offset, data[offset : offset + size]) for offset, size in ranges)
        return SparseBytes(size=len(data), parts=parts)

    search.look(facts, content, reread)
    (found,) = search.found()
    return found.instructions


def module(code: str, machine: Machine = X86_64) -> bytes:
    """A module whose ``PyInit`` function is that code."""
    symbols = (Symbol(name="PyInit__core", shndx=DEFINED),)
    return write(Elf(machine=machine, symbols=symbols, text=bytes.fromhex(code).ljust(64, b"\xcc")))


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("c5f857c0 c3", ["AVX"]),
        ("c5fdefc0 c3", ["AVX2"]),
        ("62f17d48efc0 c3", ["AVX-512"]),
        ("660fefc0 c3", []),
        ("eb02 c5f8 c5f857c0 c3", ["AVX"]),  # a jump over two bytes
        ("7402 c3c3 c5f857c0 c3", []),  # a conditional one
        ("ff25 00000000 c5f857c0", []),  # a tail call through memory
        ("ff15 00000000 c5f857c0 c3", ["AVX"]),  # a call through memory, which returns
        ("e801000000 c3 c5f857c0 c3", ["AVX"]),  # the called function
        ("e805000000 c5f857c0 c3 7400 c3", ["AVX"]),  # behind a called function with a condition
        ("f30fbcc7 c3", []),  # tzcnt
        ("0f0b c5f857c0", []),  # ud2
        ("ebfe", []),  # an endless loop
        ("e8fbffffff c3", []),  # endless recursion
        ("06", []),  # no instruction
    ],
)
def test_only_what_runs_in_any_case_is_met(code: str, expected: list[str]) -> None:
    found = met(module(code))
    assert found is not None
    assert [one.extension for one in found] == expected


def test_the_highest_level_is_kept_with_its_place() -> None:
    (found,) = met(module("660f3800c1 c5f857c0 c5f857c9 c3")) or ()
    assert (found.entry, found.text, found.level) == ("PyInit__core", "vxorps xmm0, xmm0, xmm0", 3)


def test_32_bit_code_is_read_as_such() -> None:
    (found,) = met(module("40 c5f857c0 c3", I686)) or ()  # inc eax; in 64-bit code it would be a prefix
    assert found.text == "vxorps xmm0, xmm0, xmm0"


def test_other_machines_are_left_alone() -> None:
    search = startup_search()
    assert search is not None
    data = write(Elf(machine=AARCH64))
    content = SparseBytes(size=len(data), parts=((0, data),))
    search.look(read_elf("x.so", content), content, lambda _: content)
    assert search.found() == ()


def test_code_that_was_not_kept_is_asked_for() -> None:
    data = module("c5f857c0 c3")
    assert [one.extension for one in met(data, kept=64) or ()] == ["AVX"]


def test_an_array_outside_the_file_is_unread() -> None:
    entries = ((INIT_ARRAY, 1 << 30), (INIT_ARRAYSZ, 8))
    assert met(write(Elf(entries=entries))) is None


def test_an_array_that_claims_more_than_the_file_has_is_unread() -> None:
    data = write(Elf(entries=((INIT_ARRAY, 64), (INIT_ARRAYSZ, 1 << 40))))
    assert met(data) is None


def test_there_is_no_search_without_the_disassembler(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def refuse(name: str, *rest: Any) -> Any:  # noqa: ANN401 - as the builtin
        if name == "capstone":
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", refuse)
    assert startup_search() is None


SOURCE = """
extern "C" int puts(const char *);
double table[8]; void (*chosen)();
static void plain() { puts("plain"); }
__attribute__((target("avx2"))) static void fast() { table[0] = table[0] * 1.5 + 2; }
%s
"""
WAYS = {
    'struct S { S() { for (double &one : table) one = puts("") * 1.5; } } s;': False,
    '__attribute__((constructor, target("avx"))) void start() { asm volatile("vxorps %xmm0,%xmm0,%xmm0"); }': True,
    "__attribute__((constructor)) void start() { fast(); }": True,
    '__attribute__((constructor)) void start() { chosen = __builtin_cpu_supports("avx2") ? fast : plain; chosen(); }': False,
    '__attribute__((constructor)) void start() { if (__builtin_cpu_supports("avx2")) fast(); else plain(); }': False,
}


@pytest.mark.skipif(gcc is None or platform.machine() != "x86_64", reason="gcc for x86-64 is not installed")
@pytest.mark.parametrize(("way", "told"), WAYS.items())
@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_compiled_initializers_are_followed_and_a_choice_at_run_time_is_none(
    way: str, *, told: bool, level: str, tmp_path: Path
) -> None:
    (tmp_path / "x.cpp").write_text(SOURCE % way)
    command = [gcc or "", level, "-march=x86-64", "-shared", "-fPIC", "-o", str(tmp_path / "x.so"), str(tmp_path / "x.cpp")]
    subprocess.run(command, check=True, capture_output=True)
    found = met((tmp_path / "x.so").read_bytes())
    assert found is not None
    assert bool(found) == told
    assert all(one.entry.startswith("DT_INIT_ARRAY[") for one in found)
