from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from checker.rules.runtimes import BLAS, CXX, OPENMP, OPENSSL, RUNTIMES, UNWINDER, carried, exports, is_embedded, named_by
from tests.rules.builders import elf

if TYPE_CHECKING:
    from checker.rules.runtimes import Runtime


@pytest.mark.parametrize("runtime", RUNTIMES, ids=lambda runtime: runtime.id)
def test_an_object_that_exports_any_marker_of_an_implementation_carries_one_of_the_family(runtime: Runtime) -> None:
    for implementation in runtime.implementations:
        for marker in implementation.markers:
            assert carried(elf(exports=[marker]), runtime) is not None
    assert carried(elf(exports=[b"PyInit__core"]), runtime) is None


def name_of(runtime: Runtime, *names: bytes, path: str = "pkg/_core.so", soname: str | None = None) -> str:
    found = carried(elf(path, exports=names, soname=soname), runtime)
    return found.name if found is not None else ""


def test_llvms_openmp_is_not_gccs_though_it_has_gccs_entry_points() -> None:
    assert name_of(OPENMP, b"GOMP_parallel") == "GNU OpenMP"
    assert name_of(OPENMP, b"GOMP_parallel", b"__kmpc_fork_call") == "LLVM OpenMP"


def test_of_two_with_the_same_names_the_file_name_decides() -> None:
    assert name_of(OPENMP, b"__kmpc_fork_call", path="pkg/libiomp5.so") == "Intel OpenMP"
    assert name_of(OPENMP, b"__kmpc_fork_call", path="pkg/libomp-0a1b2c3d.so.5") == "LLVM OpenMP"
    assert name_of(OPENMP, b"__kmpc_fork_call", path="pkg/other.so", soname="libiomp5.so") == "Intel OpenMP"


def test_implementations_that_share_names_are_told_apart() -> None:
    assert name_of(CXX, b"__cxa_throw") == "GNU libstdc++"
    assert name_of(CXX, b"__cxa_throw", b"__cxa_new_handler") == "LLVM libc++"
    assert name_of(UNWINDER, b"_Unwind_RaiseException", b"unw_getcontext") == "LLVM libunwind"
    assert name_of(OPENSSL, b"EVP_DigestInit_ex", b"BORINGSSL_self_test") == "BoringSSL"
    assert name_of(BLAS, b"dgemm_", b"scipy_openblas_get_config64_") == "OpenBLAS"


@pytest.mark.parametrize(
    ("soname", "runtime", "name"),
    [
        ("libgomp.so.1", OPENMP, "GNU OpenMP"),
        ("libgomp-a34b3233.so.1.0.0", OPENMP, "GNU OpenMP"),
        ("pkg/libs/libiomp5.so", OPENMP, "Intel OpenMP"),
        ("libscipy_openblas64_-fdde5778.so", BLAS, "OpenBLAS"),
        ("libopenblasp-r0-c9541ae0.3.9.dev.so", BLAS, "OpenBLAS"),
        ("libcrypto.so.3", OPENSSL, "OpenSSL"),
        ("libstdc++.so.6", CXX, "GNU libstdc++"),
        ("libstdc++-a9383cce.so.6.0.28", CXX, "GNU libstdc++"),
    ],
)
def test_a_library_is_known_by_its_name_with_and_without_a_hash(soname: str, runtime: Runtime, name: str) -> None:
    found = named_by(soname, runtime)
    assert found is not None
    assert found.name == name


@pytest.mark.parametrize("soname", ["libgompertz.so.1", "libcryptopp.so", "libz3.so", "libm.so.6"])
def test_other_libraries_are_no_runtimes(soname: str) -> None:
    assert [runtime.id for runtime in RUNTIMES if named_by(soname, runtime)] == []


def test_a_runtimes_own_library_does_not_embed_it() -> None:
    assert is_embedded(elf("pkg/_core.so", exports=[b"__cxa_throw"]), CXX)
    assert not is_embedded(elf("pkg/libstdc++.so.6", exports=[b"__cxa_throw"]), CXX)
    assert not is_embedded(elf("pkg/renamed.so", exports=[b"__cxa_throw"], soname="libstdc++.so.6"), CXX)
    assert not is_embedded(elf("pkg/_core.so"), CXX)


def test_only_what_is_defined_counts_as_exported() -> None:
    facts = elf(exports=[b"a", b"c"])
    assert list(exports(facts, (b"a", b"b", b"c"))) == [b"a", b"c"]
