from __future__ import annotations

import pytest

from checker.model.elf import Binding
from checker.model.resolution import RootVerdict
from checker.rules.runtimes import RUNTIMES
from checker.rules.symbols.leaked_runtime_symbols import RULE
from tests.rules.builders import MODULE, case, elf, table, told

ZLIB = (b"inflateInit2_", b"inflate", b"deflateEnd", b"crc32", b"gzopen", b"compressBound")


def test_an_embedded_runtime_fires_with_the_number_of_its_symbols() -> None:
    symbols = table(b"PyInit__core", b"compressor", b"helper", *ZLIB)
    (found,) = told(RULE, case(elf(symbols=symbols)))
    assert (found.file, found.subject) == (MODULE, "zlib")
    assert "6 symbols of zlib" in found.message
    assert ("count", 6) in found.evidence


def test_each_runtime_is_told_by_itself() -> None:
    symbols = table(
        b"__cxa_throw", b"_ZSt9terminatev", b"_Unwind_RaiseException", b"EVP_DigestInit_ex", b"GDALOpen", b"H5_open"
    )
    found = told(RULE, case(elf(symbols=symbols)))
    assert [each.subject for each in found] == ["cxx", "unwinder", "openssl"]
    assert "1 symbol of OpenSSL" in found[2].message


def test_weak_definitions_of_the_standard_library_are_everybodys() -> None:
    weak = [(b"_ZNSt6vectorIiSaIiEED1Ev", Binding.STB_WEAK), (b"_ZSt3minIiERKT_S2_S2_", Binding.STB_WEAK)]
    assert told(RULE, case(elf(symbols=table(*weak)))) == []
    (found,) = told(RULE, case(elf(symbols=table(b"__cxa_throw", *weak))))
    assert ("count", 1) in found.evidence


@pytest.mark.parametrize("path", ["pkg.libs/libz-0a1b2c3d.so.1.2.11", "pkg/libz.so.1"])
def test_the_runtime_itself_is_silent(path: str) -> None:
    assert told(RULE, case(elf(path, symbols=table(*ZLIB)))) == []
    assert told(RULE, case(elf("pkg/renamed.so", soname="libz.so.1", symbols=table(*ZLIB)))) == []


def test_a_program_is_silent() -> None:
    roots = (RootVerdict(path="pkg/bin/tool", host="executable", loads=()),)
    assert told(RULE, case(elf("pkg/bin/tool", symbols=table(*ZLIB)), roots=roots)) == []


def test_the_policy_chooses_the_runtimes() -> None:
    symbols = table(*ZLIB, b"GOMP_parallel", b"omp_get_max_threads", b"mallctl")
    assert [each.subject for each in told(RULE, case(elf(symbols=symbols)), runtimes=("openmp",))] == ["openmp"]
    everything = tuple(runtime.id for runtime in RUNTIMES)
    assert [each.subject for each in told(RULE, case(elf(symbols=symbols)), runtimes=everything)] == [
        "openmp",
        "zlib",
        "allocator",
    ]
