"""A file calls libc's unchecked functions where the compiler could have put the checked ones.

## What

C and C++ files for glibc that import functions of the `printf` family under their plain names
(`fprintf`, `sprintf`, …) and no checked function at all (`__fprintf_chk`, `__memcpy_chk`, …). With
`-D_FORTIFY_SOURCE=2` and optimisation glibc's headers always put the checked ones in place of
these; `memcpy` and its like they change only where the size is known, so those prove nothing.

Off by default, since it is a heuristic over names. One file of the link that was fortified is
enough to silence it. Files that call nothing of the family are not judged, nor is Rust, Go or what
is linked against musl, which has no checked functions. `snprintf` and `vsnprintf` do not count:
they keep their names for some formats, or where C++'s library takes their address. Neither do the
functions with variable arguments in C++, unless `.comment` names GCC alone: clang cannot redirect
them there. Of a static program nothing can be said.

## Why it breaks

Nothing breaks. An overflow that the checked function would have noticed, and ended the process,
goes on to whatever lies behind the buffer; `%n` in a format that an attacker supplies works.

## Causes and fixes

- No flag: `-O2 -D_FORTIFY_SOURCE=2` for C and C++; 3 with GCC 12 or clang 9 and glibc 2.34 or
  later (setuptools: CFLAGS; CMake: `add_compile_definitions` for optimised builds).
- The flag without optimisation (`-O0`), or `-U_FORTIFY_SOURCE`: the headers then leave it out.
- A bundled library: build it with the flag, or take it from a distribution.

## References

feature_test_macros(7), _FORTIFY_SOURCE; glibc manual, "Source Fortification"; glibc
`libio/bits/stdio2.h`.
"""

from __future__ import annotations

from checker.model.artifact import ReadProblem
from checker.model.finding import Observation
from checker.model.regex import regex
from checker.model.rule import NoParameters, Rule
from checker.rules.architectures import is_native
from checker.rules.toolchain import is_by_c_compilers, is_by_gcc_alone, is_cxx, is_static, needs_musl
from checker.rules.wording import evidence, listing, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from checker.model.case import Case
    from checker.model.elf import ElfFacts

_WITH_A_LIST = frozenset({b"vfprintf", b"vprintf", b"vsprintf", b"vasprintf", b"vdprintf"})
_WITH_ARGUMENTS = frozenset({b"fprintf", b"printf", b"sprintf", b"asprintf", b"dprintf"})
_CHECKED = regex(rb"(?!__stack_chk_fail)__\w+_chk(?:ieee128)?")
"""The names of ``debug/`` in glibc; on ppc64le those with the newer long double have a suffix."""


def check(case: Case, parameters: NoParameters) -> Iterator[Observation | ReadProblem]:  # noqa: ARG001 - every rule is asked in the same way
    """One observation for each file without any checked function."""
    for facts in case.objects:
        if not is_native(facts) or not is_by_c_compilers(facts) or needs_musl(facts):
            continue
        if is_static(facts):
            if any(promise.oldest.family != "musl" for promise in case.promises):
                yield ReadProblem(file=facts.path, reason=_STATIC)
            continue
        plain = _unchecked(facts)
        if plain:
            yield Observation(
                file=facts.path,
                subject="_FORTIFY_SOURCE",
                message="is not fortified: it calls the unchecked functions of the C library and none of the checked ones "
                "(__printf_chk and its like)",
                evidence=evidence(compilers=facts.comment, unchecked=plain),
                remedy=f"Compile it, and the static libraries in it, with -O2 -D_FORTIFY_SOURCE=2 (setuptools: CFLAGS; CMake: "
                f"add_compile_definitions); {listing(plain, 1)} then becomes __{plain[0]}_chk",
            )


_STATIC = (
    "it is linked statically, so no import tells whether it was compiled with -D_FORTIFY_SOURCE=2; look at its build, and set "
    'level = "off" for this file in an [[override]]'
)


def _unchecked(facts: ElfFacts) -> tuple[str, ...]:
    candidates = _WITH_A_LIST if is_cxx(facts) and not is_by_gcc_alone(facts) else _WITH_A_LIST | _WITH_ARGUMENTS
    plain = candidates.intersection(facts.imports.names)
    if not plain or _has_checked(facts):
        return ()
    return tuple(text(name) for name in sorted(plain))


def _has_checked(facts: ElfFacts) -> bool:
    return b"_chk" in facts.symbols.strings and any(map(_CHECKED.fullmatch, facts.imports.names))


RULE = Rule(id="missing-fortify", family="hardening", parameters=NoParameters, check=check, doc=__doc__ or "")
