"""No function of a file checks its stack frame before it returns.

## What

C and C++ files that do not import `__stack_chk_fail`, which the check of `-fstack-protector-strong`
calls, though they import functions that are handed the address of a local variable: two at least of
`PyArg_ParseTuple` and its like, `PyErr_Fetch`, `PyDict_Next`, `PyObject_GetBuffer`, `localtime_r`,
`sscanf`, `getsockname`, the constructor of `std::ostringstream` and some more. Their callers would
have been given the check.

Off by default, since it is a heuristic over names. One protected function, of a static library for
example, is enough to silence it. A file compiled with plain `-fstack-protector`, which protects
arrays of characters alone, can be told though it has the flag. Files that import none of those
functions are not judged, nor is Rust, Go or what carries an unwinder of its own as Rust does. Of a
static program nothing can be said.

## Why it breaks

Nothing breaks. A write beyond a local array reaches the return address, and whoever controls what
is written controls where the function returns to; with the check the process ends there.

## Causes and fixes

- No flag: `-fstack-protector-strong` for C and C++ (setuptools: CFLAGS; CMake:
  `add_compile_options`). The interpreters of the manylinux images do not set it, those of most
  distributions do.
- Link-time optimisation by a compiler that drops the flag: give it to the link as well.
- A bundled library: it was built so; build it with the flag, or take it from a distribution.

## References

GCC manual, "Program Instrumentation Options", `-fstack-protector-strong`; glibc
`debug/stack_chk_fail.c`; Linux Standard Base, `__stack_chk_fail`.
"""

from __future__ import annotations

from checker.model.artifact import ReadProblem
from checker.model.finding import Observation
from checker.model.rule import NoParameters, Rule
from checker.rules.architectures import is_native
from checker.rules.toolchain import is_by_c_compilers, is_static
from checker.rules.wording import evidence, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from checker.model.case import Case
    from checker.model.elf import ElfFacts

_CHECK = b"__stack_chk_fail"
_FEWEST = 2
"""One alone can be called with the address of something static, or from a function that does not return, such as ``main``."""

_HANDED_LOCALS = frozenset(
    b"""
    PyArg_ParseTuple PyArg_ParseTupleAndKeywords _PyArg_ParseTuple_SizeT _PyArg_ParseTupleAndKeywords_SizeT PyArg_UnpackTuple
    PyArg_Parse _PyArg_Parse_SizeT PyErr_Fetch PyDict_Next PyObject_GetBuffer PyObject_AsCharBuffer PyBytes_AsStringAndSize
    PyUnicode_AsUTF8AndSize
    clock_gettime gettimeofday getaddrinfo getpeername getsockname getline gmtime_r localtime_r mktime regexec
    sscanf __isoc99_sscanf __isoc23_sscanf statfs statvfs uname
    _ZNSt6localeC1Ev _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_createERmm
    _ZNSt7__cxx1119basic_ostringstreamIcSt11char_traitsIcESaIcEEC1Ev
    _ZNSt7__cxx1118basic_stringstreamIcSt11char_traitsIcESaIcEEC1Ev
    """.split()
)
"""Functions whose callers nearly always hand them the address of a local variable. Those that programs like to call once
with something static (``stat``, ``sigaction``) are not among them. Held against 1,806 files of Debian 12: none of those that
would be told has a check anywhere in its code."""


def check(case: Case, parameters: NoParameters) -> Iterator[Observation | ReadProblem]:  # noqa: ARG001 - every rule is asked in the same way
    """One observation for each file without any sign of the check."""
    for facts in case.objects:
        if not is_native(facts) or not is_by_c_compilers(facts):
            continue
        if is_static(facts):
            yield ReadProblem(file=facts.path, reason=_STATIC)
            continue
        handed = _unchecked_callees(facts)
        if len(handed) >= _FEWEST:
            yield Observation(
                file=facts.path,
                subject="__stack_chk_fail",
                message="has no stack protector: nothing in it calls __stack_chk_fail, so a write beyond a local array goes "
                "unnoticed",
                evidence=evidence(compilers=facts.comment, called_with_locals=handed),
                remedy="Compile it, and the static libraries in it, with -fstack-protector-strong (setuptools: CFLAGS; CMake: "
                "add_compile_options)",
            )


_STATIC = (
    "it is linked statically, so no import tells whether it was compiled with -fstack-protector-strong; look at its build, and "
    'set level = "off" for this file in an [[override]]'
)


def _unchecked_callees(facts: ElfFacts) -> tuple[str, ...]:
    names = frozenset(facts.imports.names)
    return () if _CHECK in names else tuple(text(name) for name in sorted(names & _HANDED_LOCALS))


RULE = Rule(id="missing-stack-protector", family="hardening", parameters=NoParameters, check=check, doc=__doc__ or "")
