from __future__ import annotations

import shutil
import subprocess
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checker.model.demangle import demangled

READ = {
    "_ZTISt9exception": "typeinfo for std::exception",
    "_ZTV7Derived": "vtable for Derived",
    "_ZdlPv": "operator delete(void*)",
    "_Znwm": "operator new(unsigned long)",
    "_ZNSt15__exception_ptr13exception_ptr9_M_addrefEv": "std::__exception_ptr::exception_ptr::_M_addref()",
    "_ZSt28__throw_bad_array_new_lengthv": "std::__throw_bad_array_new_length()",
    "_ZNSs4_Rep20_S_empty_rep_storageE": (
        "std::basic_string<char, std::char_traits<char>, std::allocator<char> >::_Rep::_S_empty_rep_storage"
    ),
    "_ZN3FooC1ERKS_": "Foo::Foo(Foo const&)",
    "_ZN3FooD0Ev": "Foo::~Foo()",
    "_ZNK3Foo3barEi": "Foo::bar(int) const",
    "_Z1fPFviE": "f(void (*)(int))",
    "_Z1fRA3_KcM1AKFivE": "f(char const (&) [3], int (A::*)() const)",
    "_Z1fIiEvT_": "void f<int>(int)",
    "_Z1fIJidEEvDpRKT_": "void f<int, double>(int const&, double const&)",
    "_ZZ1fIiEvT_ENKUliE_clEi": "f<int>(int)::{lambda(int)#1}::operator()(int) const",
    "_ZN12_GLOBAL__N_11gEv": "(anonymous namespace)::g()",
    "_ZThn16_N1A1fEv": "non-virtual thunk to A::f()",
    "_ZTv0_n24_NSoD1Ev": "virtual thunk to std::basic_ostream<char, std::char_traits<char> >::~basic_ostream()",
    "_ZGVZ1fvE1x": "guard variable for f()::x",
    "_Z1fILi3ELb1ELj4EEvv": "void f<3, true, 4u>()",
    "_ZNK1AcvT_IiEEv": "A::operator int<int>() const",
    "_ZN1AIiE1fINS0_1BEEEvT_": "void A<int>::f<A<int>::B>(A<int>::B)",
    "_Z1gv.part.0.cold": "g() [clone .part.0] [clone .cold]",
    "_Z3fooB5cxx11v": "foo[abi:cxx11]()",
}


@pytest.mark.parametrize("name", READ)
def test_names_are_read(name: str) -> None:
    assert demangled(name) == READ[name]


@pytest.mark.skipif(shutil.which("c++filt") is None, reason="c++filt is not installed")
def test_names_are_written_as_cxxfilt_writes_them() -> None:
    run = subprocess.run(["c++filt", *READ], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines() == list(READ.values())


def test_rusts_older_names_lose_their_hash_and_newer_ones_are_shown_as_they_are() -> None:
    digest = "17h0123456789abcdefE"
    assert demangled(f"_ZN4core3fmt9Formatter9write_str{digest}") == "core::fmt::Formatter::write_str"
    escaped = f"_ZN58_$LT$alloc..string..String$u20$as$u20$core..fmt..Debug$GT$3fmt{digest}"
    assert demangled(escaped) == "<alloc::string::String as core::fmt::Debug>::fmt"
    assert demangled("_RNvC3foo3bar") == "_RNvC3foo3bar"


@pytest.mark.parametrize(
    "name", ["", "cblas_sgemm", "_Z", "_ZN", "_ZN3FooE3", "_Z1fS9_", "_Z1fT_", "_Z99f", "_ZN1fILi3", "_Z1f\xe9"]
)
def test_what_cannot_be_read_is_shown_as_it_is(name: str) -> None:
    assert demangled(name) == name


PAIRS = "".join(f"S_I{one}_{one}_E" for one in (f"S{digit}" for digit in "0123456789ABCDEFGHIJ"))


@pytest.mark.parametrize(
    "name",
    [
        "_Z1f" + "P" * 5000 + "i",
        "_Z1fi" + "".join(f"PS{digit}_" for digit in "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ") * 100,
        "_Z1fSt4pairIiiE" + PAIRS,
        "_Z1fI" + "N1AI" * 2000,
        "_Z" + "Z" * 8000,
        "_Z1fIJ" + "i" * 3000 + "EEv" + "DpT_" * 500,
        "_ZN" + "5aaaaa" * 1300 + "17h" + "0" * 15 + "xE",
        "_Z" + "9" * 8000,
        "_Z1f" + "i" * 10_000,
    ],
    ids=lambda name: name[:24],
)
def test_names_that_grow_without_end_are_refused_in_little_time(name: str) -> None:
    start = time.process_time()
    shown = demangled(name)
    assert time.process_time() - start < 2
    assert len(shown) <= 64 * len(name)


@given(st.lists(st.sampled_from([*"ESTINZKPRODFAMLXJ_0123456789abcdfilmstv", *READ]), max_size=60).map("".join))
@settings(max_examples=400, deadline=None)
def test_any_text_gives_a_text(tail: str) -> None:
    assert isinstance(demangled("_Z" + tail), str)
