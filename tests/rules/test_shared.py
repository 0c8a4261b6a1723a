"""What several rules share: names of the C++ runtime, places, versions, words."""

from __future__ import annotations

import pytest

from checker.rules.cxx_runtime import is_cxx_runtime_symbol
from checker.rules.installed import origin_path
from checker.rules.known_libraries import distribution_of, is_cxx_runtime, is_libpython, system_origin
from checker.rules.versions import parsed
from checker.rules.wording import evidence, listing, readable, shown_symbols, text

_RUNTIME = """
__cxa_throw __cxa_begin_catch __cxa_pure_virtual __gxx_personality_v0 _Unwind_Resume __dynamic_cast __udivti3
__register_frame_info _Znwm _ZnwmSt11align_val_t _ZdlPv _ZdaPvm _ZTISt9exception _ZTVSt9exception
_ZTVN10__cxxabiv120__si_class_type_infoE _ZTIi _ZTIPKc _ZSt4cout _ZSt28__throw_bad_array_new_lengthv
_ZNSt15__exception_ptr13exception_ptr9_M_addrefEv _ZNSs4_Rep20_S_empty_rep_storageE
_ZNSt7__cxx1118basic_stringstreamIcSt11char_traitsIcESaIcEEC1Ev _ZNKSt6locale2id5_M_idEv _ZNSo3putEc
_ZN9__gnu_cxx27__verbose_terminate_handlerEv _ZTv0_n24_NSoD1Ev _ZGVNSt7collateIcE2idE
"""
RUNTIME = _RUNTIME.split()
_NOT = """
__cxa_atexit __cxa_finalize __cxa_thread_atexit_impl __gmon_start__ __stack_chk_fail malloc cblas_sgemm
PyFoo_Bar _ZN5torch6TensorD1Ev _ZNSt6vectorIN5torch6TensorESaIS1_EED1Ev _ZNSt4hashIN3c106DeviceEEclERKS1_
_ZTISt8functionIFvN3foo3BarEEE _ZN3FoonwEm _ZN3c10lsERSoRKNS_6DeviceE
"""
NOT = _NOT.split()


@pytest.mark.parametrize("name", RUNTIME)
def test_the_cxx_runtimes_names(name: str) -> None:
    assert is_cxx_runtime_symbol(name)


@pytest.mark.parametrize("name", NOT)
def test_names_of_libc_and_of_users(name: str) -> None:
    assert not is_cxx_runtime_symbol(name)


@pytest.mark.parametrize(
    ("here", "there", "expected"),
    [
        ("/env/a", "/env/a", "$ORIGIN"),
        ("/env/a/b", "/env/a.libs", "$ORIGIN/../../a.libs"),
        ("/env/bin", "/env/lib/x", "$ORIGIN/../lib/x"),
        ("/env", "/env/lib", "$ORIGIN/lib"),
    ],
)
def test_one_directory_as_seen_from_another(here: str, there: str, expected: str) -> None:
    assert origin_path(here, there) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (b"GLIBC_2.2.5", ("GLIBC", (2, 2, 5))),
        (b"GCC_3.0", ("GCC", (3, 0))),
        (b"GLIBC_ABI_DT_RELR", ("GLIBC", (2, 36))),
        (b"GLIBC_PRIVATE", None),
        (b"CXXABI_LDBL_1.3", None),
        (b"GLIBC_" + b"9" * 5000, None),
        (b"\xff_2", None),
    ],
)
def test_version_names_are_taken_apart(name: bytes, expected: object) -> None:
    assert parsed(name) == expected


def test_origins_of_libraries() -> None:
    assert is_libpython("libpython3.11.so.1.0")
    assert is_cxx_runtime("libstdc++-a1b2c3d4.so.6.0.30")
    assert not is_cxx_runtime("libcudart.so.12")
    assert distribution_of("libc10_cuda.so") == "torch"
    assert (distribution_of("libcublas.so.12"), distribution_of("libcublas.so.13")) == ("nvidia-cublas-cu12", "nvidia-cublas")
    assert distribution_of("libgreens.so") == ""
    assert system_origin("libcuda.so.1") == "the NVIDIA driver"


def test_listings_count_what_they_do_not_show() -> None:
    assert [listing(list("abcde"[:size])) for size in range(6)] == [
        "",
        "a",
        "a and b",
        "a, b and c",
        "a, b, c and 1 more",
        "a, b, c and 2 more",
    ]
    symbols = [(b"f%d" % number, None) for number in range(9)]
    assert shown_symbols([*symbols, *symbols]) == "f0, f1, f2 and 6 more"
    assert shown_symbols([(b"f", b"V1"), (b"f", b"V1")]) == "f@V1"


def test_names_from_files_are_printable() -> None:
    assert text(b"a\xff") == "a\\xff"
    assert "\x1b" not in readable(b"a\x1b[31m")
    assert len(readable(b"x" * 9999)) == 120
    assert readable(b"", b"V_1") == "(empty name)@V_1"


def test_evidence_is_sorted_and_without_empty_values() -> None:
    assert evidence(b="x", a=("p",), c="", d=(), e=None, f=0) == (("a", ("p",)), ("b", "x"), ("f", 0))
