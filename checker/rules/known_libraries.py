"""Libraries that maintainers meet under other people's names: where each usually comes from.

The resolver never asks this table: it only chooses the words of a remedy, and tells a library that
Linux distributions have (so that it may be there) from one that nobody knows.
"""

from __future__ import annotations

from functools import lru_cache

from checker.model.globs import any_match

LIBPYTHON = ("libpython*.so*", "libpypy*.so*")
"""The interpreter as a shared library."""

UNWINDERS = ("libgcc_s.so*", "libgcc_s-*.so*", "libunwind.so*")
"""Libraries that unwind the stack; C code needs them as well."""
CXX_RUNTIME = (
    "libstdc++.so.*",
    "libstdc++-*.so*",
    "libc++.so*",
    "libc++-*.so*",
    "libc++abi.so*",
    "libc++abi-*.so*",
    "libc++_shared.so",
    "libsupc++.so*",
    *UNWINDERS,
)
"""C++ runtimes and their unwinders, also under the hashed names that auditwheel gives."""

MUSL = ("libc.musl-*.so.1", "libc.so", "ld-musl-*.so.1")
GLIBC = ("libc.so.6", "libc.so.6.1", "ld-linux*.so.*", "ld64.so.*", "ld.so.1")
"""The C libraries and their loaders, by the names in DT_NEEDED."""
GLIBC_OF_TODAY = ("libc.so.6", "libm.so.6", "libmvec.so.1", "libresolv.so.2")
"""Where a current glibc has its symbols; the others of its libraries are empty since 2.34."""

_SYSTEM: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("the NVIDIA driver", ("libcuda.so.*", "libnvidia-*.so.*", "libnvcuvid.so.*", "libnvoptix.so.*")),
    ("OpenSSL", ("libssl.so*", "libcrypto.so*")),
    ("the X Window System", ("libX*.so.*", "libxcb*.so.*", "libxkb*.so.*", "libICE.so.*", "libSM.so.*")),
    (
        "a graphics driver",
        ("libGL*.so.*", "libEGL*.so.*", "libOpenGL.so.*", "libgbm.so.*", "libdrm*.so.*", "libvulkan.so.*", "libva*.so.*"),
    ),
    ("an OpenCL driver", ("libOpenCL.so.*",)),
    ("the desktop", ("libwayland-*.so.*", "libgtk-*.so.*", "libgdk*.so.*", "libatk*.so.*", "libcairo*.so.*", "libpango*.so.*")),
    (
        "the desktop",
        ("libdbus-*.so.*", "libcups*.so.*", "libfontconfig.so.*", "libfreetype.so.*", "libgio-*.so.*", "libgmodule-*.so.*"),
    ),
    ("the desktop", ("libharfbuzz*.so.*", "libspeechd.so.*", "libpcsclite.so.*")),
    ("sound", ("libasound.so.*", "libpulse*.so.*", "libjack.so.*")),
    ("unixODBC", ("libodbc.so.*", "libodbcinst.so.*")),
    ("PostgreSQL", ("libpq.so.*",)),
    ("terminals", ("libtinfo*.so.*", "libncurses*.so.*", "libreadline.so.*", "libedit.so.*")),
    ("GCC", ("libgomp.so.*", "libgfortran.so.*", "libquadmath.so.*", "libitm.so.*", "libstdc++.so.*", "libgcc_s.so.*")),
    ("LLVM", ("libc++.so.*", "libc++abi.so.*", "libomp.so*", "libunwind.so.*")),
    ("the system", ("libsystemd.so.*", "libudev.so.*", "libusb-*.so.*", "libcrypt.so.*", "libnsl.so.*", "libtirpc.so.*")),
    ("the system", ("libselinux.so.*", "libcap.so.*", "libpam*.so.*", "libuuid.so.*", "libnuma.so.*", "libaio.so.*")),
    ("NSS", ("libnss3.so", "libnssutil3.so", "libsmime3.so", "libnspr4.so", "libplc4.so", "libplds4.so")),
    ("compression", ("libbz2.so.*", "liblzma.so.*", "libzstd.so.*", "liblz4.so.*", "libbrotli*.so.*")),
    ("a database's client", ("libpq.so.*", "libmysqlclient.so.*", "libmariadb.so.*", "libfbclient.so.*", "libclntsh.so.*")),
    ("unixODBC", ("libodbc*.so.*",)),
    ("Kerberos", ("libgssapi_krb5.so.*", "libkrb5*.so.*", "libk5crypto.so.*", "libcom_err.so.*")),
    ("ROCm", ("libamdhip64.so.*", "libhip*.so.*", "libroc*.so.*")),
    (
        "the system",
        ("libsqlite3.so.*", "libffi.so.*", "libexpat.so.*", "libxml2.so.*", "libxslt.so.*", "libcurl.so.*", "libz.so.*"),
    ),
)

_DISTRIBUTIONS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("torch", ("libtorch*.so", "libc10*.so", "libshm.so", "libcaffe2*.so")),
    ("tensorflow", ("libtensorflow_framework.so*", "libtensorflow_cc.so*")),
    ("pyarrow", ("libarrow*.so*", "libparquet*.so*")),
    ("apache-tvm-ffi", ("libtvm_ffi*.so",)),
    ("tensorrt", ("libnvinfer*.so*", "libnvonnxparser*.so*")),
    ("nvidia-cuda-runtime-cu12", ("libcudart.so.12",)),
    ("nvidia-cuda-nvrtc-cu12", ("libnvrtc.so.12", "libnvrtc-builtins.so.12*")),
    ("nvidia-cuda-cupti-cu12", ("libcupti.so.12",)),
    ("nvidia-cublas-cu12", ("libcublas.so.12", "libcublasLt.so.12")),
    ("nvidia-cufft-cu12", ("libcufft.so.11", "libcufftw.so.11")),
    ("nvidia-cusolver-cu12", ("libcusolver.so.11", "libcusolverMg.so.11")),
    ("nvidia-nvjitlink-cu12", ("libnvJitLink.so.12",)),
    ("nvidia-cuda-runtime", ("libcudart.so*",)),
    ("nvidia-cuda-nvrtc", ("libnvrtc*.so*",)),
    ("nvidia-cuda-cupti", ("libcupti.so*",)),
    ("nvidia-cublas", ("libcublas*.so*", "libnvblas.so*")),
    ("nvidia-cudnn", ("libcudnn*.so*",)),
    ("nvidia-cufft", ("libcufft*.so*",)),
    ("nvidia-cufile", ("libcufile*.so*",)),
    ("nvidia-curand", ("libcurand.so*",)),
    ("nvidia-cusolver", ("libcusolver*.so*",)),
    ("nvidia-cusparse", ("libcusparse.so*",)),
    ("nvidia-nccl", ("libnccl.so*",)),
    ("nvidia-nvjitlink", ("libnvJitLink.so*",)),
    ("nvidia-nvtx", ("libnvToolsExt.so*",)),
    ("mkl", ("libmkl_*.so*",)),
    ("tbb", ("libtbb*.so*",)),
    ("intel-openmp", ("libiomp5.so",)),
    ("intel-sycl-rt", ("libsycl.so*",)),
    ("intel-cmplr-lib-rt", ("libimf.so", "libsvml.so", "libirng.so", "libintlc.so*")),
    ("shiboken6", ("libshiboken6*.so*",)),
)


@lru_cache(maxsize=1024)
def is_libpython(soname: str) -> bool:
    """The library is an interpreter."""
    return any_match(LIBPYTHON, soname)


def is_cxx_runtime(soname: str) -> bool:
    """The library is a C++ runtime or its unwinder."""
    return any_match(CXX_RUNTIME, soname.rpartition("/")[2])


@lru_cache(maxsize=1024)
def is_unwinder(soname: str) -> bool:
    """The library is only the unwinder of a C++ runtime."""
    return any_match(UNWINDERS, soname.rpartition("/")[2])


def is_libc(soname: str) -> bool:
    """The library is a C library or a loader, of either family."""
    return any_match(MUSL, soname) or any_match(GLIBC, soname)


@lru_cache(maxsize=1024)
def system_origin(soname: str) -> str:
    """What usually brings that library on a Linux system, such as ``OpenSSL``; empty when it is in no list."""
    return next((origin for origin, globs in _SYSTEM if any_match(globs, soname)), "")


@lru_cache(maxsize=1024)
def distribution_of(soname: str) -> str:
    """The distribution on the Python Package Index whose wheels carry that library; empty when none is known."""
    return next((name for name, globs in _DISTRIBUTIONS if any_match(globs, soname)), "")
