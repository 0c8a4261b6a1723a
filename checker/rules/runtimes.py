"""Runtimes of which a process, or one lookup scope in it, should hold a single copy; and who carries one.

An object carries a runtime when it exports names that only the runtime itself defines: looked up through the object's own
hash table, as the loader would, a few names a family. A copy whose names are hidden (``-Wl,--exclude-libs,ALL``, a version
script, ``-fvisibility=hidden``) is not seen so, and cannot be met by anyone else's lookups either.
"""

from __future__ import annotations

from functools import lru_cache

from checker.model.globs import any_match
from checker.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from checker.model.elf import ElfFacts


@record
class Implementation:
    """One maker's form of a runtime.

    Attributes:
        name: for people.
        markers: exported names, one of which tells it; nothing but this runtime defines them.
        unless: exported names that tell it is another implementation after all, which has the markers for compatibility.
        sonames: globs over the file name or DT_SONAME of its shared library, auditwheel's hashes included.
    """

    name: str
    markers: tuple[bytes, ...]
    unless: tuple[bytes, ...]
    sonames: tuple[str, ...]


@record
class Runtime:
    """One family of runtimes.

    Attributes:
        id: as policies name it.
        name: for people.
        contested: exported names over which two copies in one scope meet: the first in load order is taken for both.
        implementations: in the order in which they are tried; an object carries one of a family at most.
    """

    id: str
    name: str
    contested: tuple[bytes, ...]
    implementations: tuple[Implementation, ...]


def _implementation(name: str, markers: tuple[bytes, ...], *stems: str, unless: tuple[bytes, ...] = ()) -> Implementation:
    """``libfoo`` of the stems stands for ``libfoo.so``, ``libfoo.so.1``, ``libfoo-0a1b2c3d.so.1`` and their like."""
    sonames = tuple(f"{stem}{tail}" for stem in stems for tail in (".so", ".so.*", "-*.so", "-*.so.*"))
    return Implementation(name=name, markers=markers, unless=unless, sonames=sonames)


CXX = Runtime(
    id="cxx",
    name="C++ runtime",
    contested=(b"__cxa_throw", b"_ZNSt8ios_base4InitC1Ev"),
    implementations=(
        # libc++abi keeps its handlers in exported variables; libsupc++ has them in the namespace __cxxabiv1.
        _implementation("LLVM libc++", (b"__cxa_new_handler",), "libc++", "libc++abi", "libc++_shared"),
        _implementation("GNU libstdc++", (b"__cxa_throw", b"_ZNSt8ios_base4InitC1Ev"), "libstdc++"),
    ),
)
UNWINDER = Runtime(
    id="unwinder",
    name="unwinder",
    contested=(b"_Unwind_RaiseException",),
    implementations=(
        _implementation("LLVM libunwind", (b"__unw_getcontext", b"unw_getcontext"), "libunwind"),
        _implementation("libgcc", (b"_Unwind_RaiseException",), "libgcc_s"),
    ),
)
OPENMP = Runtime(
    id="openmp",
    name="OpenMP",
    contested=(b"omp_get_max_threads",),
    implementations=(
        # Intel's is LLVM's under another name, so that only the file's name tells them apart; both have GCC's entry points.
        _implementation("GNU OpenMP", (b"GOMP_parallel", b"GOMP_parallel_start"), "libgomp", unless=(b"__kmpc_fork_call",)),
        _implementation("LLVM OpenMP", (b"__kmpc_fork_call",), "libomp"),
        _implementation("Intel OpenMP", (b"__kmpc_fork_call",), "libiomp5"),
    ),
)
BLAS = Runtime(
    id="blas",
    name="BLAS",
    contested=(b"dgemm_", b"dgemm_64_", b"cblas_dgemm", b"cblas_dgemm64_", b"scipy_dgemm_", b"scipy_dgemm_64_"),
    implementations=(
        _implementation(
            "OpenBLAS",
            (
                b"openblas_get_config",
                b"openblas_get_config64_",
                b"scipy_openblas_get_config",
                b"scipy_openblas_get_config64_",
            ),
            "libopenblas*",
            "libscipy_openblas*",
        ),
        _implementation("MKL", (b"MKL_Get_Version", b"mkl_get_version"), "libmkl_rt", "libmkl_core", "libmklml_*"),
        _implementation("BLIS", (b"bli_init",), "libblis*"),
        _implementation(
            "another BLAS", (b"dgemm_",), "libblas", "libcblas", "libatlas", "libsatlas", "libtatlas", "libflexiblas"
        ),
    ),
)
OPENSSL = Runtime(
    id="openssl",
    name="OpenSSL",
    contested=(b"EVP_DigestInit_ex", b"SSL_new"),
    implementations=(
        _implementation("BoringSSL", (b"BORINGSSL_self_test",)),
        # libcrypto; libssl always comes with it.
        _implementation("OpenSSL", (b"EVP_DigestInit_ex", b"OPENSSL_init_crypto", b"SSLeay"), "libcrypto"),
    ),
)
ZLIB = Runtime(
    id="zlib",
    name="zlib",
    contested=(b"inflateInit2_",),
    implementations=(
        _implementation("zlib-ng", (b"zng_inflateInit2",), "libz-ng"),
        _implementation("zlib", (b"inflateInit2_",), "libz"),
    ),
)
PROTOBUF = Runtime(
    id="protobuf",
    name="Protocol Buffers",
    contested=(
        b"_ZN6google8protobuf8internal13VerifyVersionEiiPKc",
        b"_ZN6google8protobuf14DescriptorPool24internal_generated_poolEv",
    ),
    implementations=(
        _implementation(
            "Protocol Buffers",
            (
                b"_ZN6google8protobuf8internal13VerifyVersionEiiPKc",
                b"_ZN6google8protobuf14DescriptorPool24internal_generated_poolEv",
            ),
            "libprotobuf",
            "libprotobuf-lite",
        ),
    ),
)
CUDART = Runtime(
    id="cuda-runtime",
    name="CUDA runtime",
    contested=(b"__cudaRegisterFatBinary", b"cudaLaunchKernel"),
    implementations=(_implementation("the CUDA runtime", (b"__cudaRegisterFatBinary",), "libcudart", "libcudart.*"),),
)
ALLOCATOR = Runtime(
    id="allocator",
    name="memory allocator",
    contested=(b"malloc",),
    implementations=(
        _implementation("jemalloc", (b"mallctl", b"je_mallctl"), "libjemalloc"),
        _implementation("mimalloc", (b"mi_malloc",), "libmimalloc"),
        _implementation("tcmalloc", (b"tc_malloc",), "libtcmalloc", "libtcmalloc_minimal"),
    ),
)

RUNTIMES: tuple[Runtime, ...] = (CXX, UNWINDER, OPENMP, BLAS, OPENSSL, ZLIB, PROTOBUF, CUDART, ALLOCATOR)
"""All families, in the order in which they are told."""


def exports(facts: ElfFacts, names: Iterable[bytes]) -> Iterator[bytes]:
    """Those of the names that the object defines for others to find."""
    definitions = facts.symbols.definitions
    for name in names:
        found = definitions(name)
        # Nearly every answer is empty, and every object is asked.
        if found and any(one.defined for one in found):
            yield name


def carried(facts: ElfFacts, runtime: Runtime) -> Implementation | None:
    """The implementation of that family that the object exports; ``None`` where it exports none.

    Among those whose names it has, the one whose library its file name or DT_SONAME names; else the first.
    """
    found = [one for one in runtime.implementations if _is_there(facts, one)]
    if not found:
        return None
    names = (facts.soname or "", facts.path.rpartition("/")[2])
    named = (one for one in found if any(any_match(one.sonames, name) for name in names))
    return next(named, found[0])


def _is_there(facts: ElfFacts, implementation: Implementation) -> bool:
    for _ in exports(facts, implementation.markers):
        return next(exports(facts, implementation.unless), None) is None
    return False


@lru_cache(maxsize=1024)
def named_by(soname: str, runtime: Runtime) -> Implementation | None:
    """The implementation of that family whose library has such a name; ``None`` for any other library."""
    name = soname.rpartition("/")[2]
    return next((one for one in runtime.implementations if any_match(one.sonames, name)), None)


def is_embedded(facts: ElfFacts, runtime: Runtime) -> bool:
    """The object carries the runtime within itself, and is not the runtime's own library."""
    if carried(facts, runtime) is None:
        return False
    names = (facts.soname or "", facts.path)
    return all(named_by(name, runtime) is None for name in names)
