from __future__ import annotations

from typing import TYPE_CHECKING

from checker.model.closure import ProviderKind
from checker.model.record import replace
from checker.model.resolution import RootVerdict
from checker.rules.libraries.clashing_runtimes import RULE
from tests.rules.builders import MODULE, case, edge, elf, listed, told

if TYPE_CHECKING:
    from checker.model.closure import Edge
    from checker.model.elf import ElfFacts

OTHER = "pkg/_other.so"
PROGRAM = "pkg/bin/tool"
GOMP = (b"GOMP_parallel", b"omp_get_max_threads")
KMP = (*GOMP, b"__kmpc_fork_call")


def library(path: str, *exports: bytes, soname: str | None = None) -> ElfFacts:
    return elf(path, exports=exports, soname=soname or path.rpartition("/")[2])


def need(path: str, needer: str = MODULE) -> Edge:
    return edge(path.rpartition("/")[2], ProviderKind.MEMBER, path, needer)


ONE = library("pkg.libs/libgomp-0a1b2c3d.so.1", *GOMP)
TWO = library("pkg.libs/libgomp-4e5f6a7b.so.1", *GOMP)


def test_two_openmp_of_two_modules_are_in_one_process() -> None:
    needs = (need(ONE.path), need(TWO.path, OTHER))
    (found,) = told(RULE, case(elf(), elf(OTHER), ONE, TWO, libraries=needs))
    assert (found.file, found.subject) == (ONE.path, "openmp")
    assert "GNU OpenMP comes twice in one process" in found.message


def test_llvms_and_intels_abort() -> None:
    intel, llvm = library("pkg/libiomp5.so", *KMP), library("pkg/libomp.so", *KMP)
    needs = (need(intel.path), need(llvm.path))
    (found,) = told(RULE, case(elf(), intel, llvm, libraries=needs))
    assert "OMP: Error #15" in found.message


def test_a_program_is_a_process_of_its_own() -> None:
    roots = (RootVerdict(path=MODULE, host="python", loads=()), RootVerdict(path=PROGRAM, host="executable", loads=()))
    apart = (need(ONE.path), need(TWO.path, PROGRAM))
    assert told(RULE, case(elf(), elf(PROGRAM), ONE, TWO, libraries=apart, roots=roots)) == []
    together = (need(ONE.path, PROGRAM), need(TWO.path, PROGRAM))
    (found,) = told(RULE, case(elf(), elf(PROGRAM), ONE, TWO, libraries=together, roots=roots))
    assert dict(found.evidence)["roots"] == (PROGRAM,)


def test_a_copy_that_nobody_needs_does_not_come_into_the_process() -> None:
    assert told(RULE, case(elf(), ONE, TWO, libraries=(need(ONE.path),))) == []


def test_two_files_of_one_soname_are_one_to_the_loader() -> None:
    same = replace(TWO, soname=ONE.soname)
    assert told(RULE, case(elf(), elf(OTHER), ONE, same, libraries=(need(ONE.path), need(same.path, OTHER)))) == []


def test_the_platforms_copy_beside_a_bundled_one_is_told() -> None:
    needs = (need(ONE.path), edge("libgomp.so.1", ProviderKind.PLATFORM, "libgomp.so.1", OTHER))
    (found,) = told(RULE, case(elf(), elf(OTHER), ONE, libraries=needs))
    assert "libgomp.so.1" in listed(found, "copies")


def test_only_the_platforms_copies_are_nobodys_fault() -> None:
    needs = tuple(edge(name, ProviderKind.PLATFORM, name) for name in ("libgomp.so.1", "libomp.so.5"))
    assert told(RULE, case(elf(), libraries=needs)) == []


def test_another_wheels_copy_counts_where_its_bytes_are_given() -> None:
    given = (("torch", library("torch/lib/libgomp-4e5f6a7b.so.1", *GOMP)),)
    (found,) = told(RULE, case(elf(), ONE, libraries=(need(ONE.path),), provided_objects=given))
    assert "torch:torch/lib/libgomp-4e5f6a7b.so.1" in found.message
    assert "--exclude 'libgomp.so*'" in found.remedy


def test_the_library_to_exclude_has_the_name_from_before_the_repair() -> None:
    blas = (b"openblas_get_config", b"dgemm_")
    ours = library("pkg.libs/libopenblasp-r0-0a1b2c3d.3.21.so", *blas)
    given = (("numpy", library("numpy.libs/libopenblas.so.0", *blas)),)
    needs = (need(ours.path), edge("libopenblas.so.0", ProviderKind.DECLARED, "numpy:numpy.libs/libopenblas.so.0", MODULE))
    (found,) = told(RULE, case(elf(), ours, libraries=needs, provided_objects=given))
    assert "--exclude 'libopenblasp-r0.3.21.so*'" in found.remedy
    same = (("torch", library("torch/lib/other.so", *GOMP, soname=ONE.soname)),)
    assert told(RULE, case(elf(), ONE, libraries=(need(ONE.path),), provided_objects=same)) == []


def test_what_another_wheel_needs_of_the_platform_counts_too() -> None:
    given = (("tool", elf("tool/_x.so", needed=("libgomp.so.1", "libc.so.6"))),)
    (found,) = told(RULE, case(elf(), ONE, libraries=(need(ONE.path),), provided_objects=given))
    assert "libgomp.so.1" in listed(found, "copies")


def test_copies_of_openssl_meet_in_one_scope_only() -> None:
    names = (b"EVP_DigestInit_ex", b"SSL_new")
    one, two = library("pkg/libcrypto-0a1b2c3d.so.3", *names), library("pkg/libshape.so", *names)
    apart = (need(one.path), need(two.path, OTHER))
    assert told(RULE, case(elf(), elf(OTHER), one, two, libraries=apart)) == []
    (found,) = told(RULE, case(elf(), one, two, libraries=(need(one.path), need(two.path))))
    assert found.subject == "openssl"
    assert "pkg/libshape.so (linked in)" in found.message


def test_blas_with_names_of_their_own_do_not_meet() -> None:
    plain = library("pkg/libopenblas.so.0", b"openblas_get_config", b"dgemm_")
    scipy = library("pkg/libscipy_openblas.so", b"scipy_openblas_get_config", b"scipy_dgemm_")
    mkl = library("pkg/libmkl_rt.so.2", b"MKL_Get_Version", b"dgemm_")
    assert told(RULE, case(elf(), plain, scipy, libraries=(need(plain.path), need(scipy.path)))) == []
    (found,) = told(RULE, case(elf(), plain, mkl, libraries=(need(plain.path), need(mkl.path))))
    assert "MKL and OpenBLAS meet" in found.message


def test_a_static_cxx_runtime_beside_the_systems_is_told_once_for_all_roots() -> None:
    static = library("pkg/libcore.so", b"__cxa_throw")
    needs = (
        need(static.path),
        need(static.path, OTHER),
        edge("libstdc++.so.6", ProviderKind.PLATFORM, "libstdc++.so.6", static.path),
    )
    roots = tuple(RootVerdict(path=path, host="python", loads=()) for path in (MODULE, OTHER))
    (found,) = told(RULE, case(elf(), elf(OTHER), static, libraries=needs, roots=roots))
    assert dict(found.evidence)["roots"] == (MODULE, OTHER)


def test_the_systems_name_counts_for_modules_that_are_given_the_copy() -> None:
    own = library("pkg/libstdc++.so.6", b"__cxa_throw")
    (found,) = told(RULE, case(elf(), own, libraries=(need(own.path),)))
    assert found.subject == "libstdc++.so.6"
    assert told(RULE, case(elf(), own)) == []
    program = (RootVerdict(path=MODULE, host="executable", loads=()),)
    assert told(RULE, case(elf(), own, libraries=(need(own.path),), roots=program)) == []
    hashed = library("pkg.libs/libstdc++-0a1b2c3d.so.6", b"__cxa_throw")
    assert told(RULE, case(elf(), hashed, libraries=(need(hashed.path),))) == []


def test_families_are_chosen() -> None:
    needs = (need(ONE.path), need(TWO.path, OTHER))
    assert told(RULE, case(elf(), elf(OTHER), ONE, TWO, libraries=needs), families=("cxx",)) == []
