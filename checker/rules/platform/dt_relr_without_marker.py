"""A file has compact relative relocations, and nothing in it keeps a loader away that would not apply them.

## What

DT_RELR, which glibc applies from 2.36 and musl from 1.2.4 on, under a tag that promises older ones.
With glibc the version need `GLIBC_ABI_DT_RELR` of libc.so.6 is the marker that makes an older loader
refuse the file; a file with it is judged by that need like by any other (`platform-tag-too-old`).
musl has no such marker. Told too is a file that needs versions and libc.so.6 without the marker:
every glibc from 2.36 on refuses it.

## Why it breaks

An older loader passes over the unknown tag in silence. The pointers in the file's data stay as the
linker left them, and the process dies at the first use of one: a virtual call, a table of methods. A
glibc that knows the tag says "DT_RELR without GLIBC_ABI_DT_RELR dependency".

## Causes and fixes

- `-Wl,-z,pack-relative-relocs`, or a distribution's compiler that has it as a default: link with
  `-Wl,-z,nopack-relative-relocs` for tags below manylinux_2_36 and for musllinux_1_2 and older.
- lld with `--pack-dyn-relocs=relr` (before lld 20 it adds no marker): leave it out, or use
  `-z pack-relative-relocs`.
- A bundled libgcc_s or libstdc++ that the build image's distribution linked so (Alpine from 3.18 on):
  `-static-libgcc -static-libstdc++`, or an older image.
- A tool that rewrote the version needs dropped the marker: link again.

## References

gABI, "Relative Relocation Table"; glibc 2.36 NEWS and `elf/dl-version.c`, `_dl_check_map_versions`;
musl 1.2.4 release notes.
"""

from __future__ import annotations

from checker.model.finding import Observation
from checker.model.rule import NoParameters, Rule
from checker.rules.architectures import is_native, suits
from checker.rules.known_libraries import is_cxx_runtime
from checker.rules.versions import RELR_MARKER, dotted, has_relr_marker
from checker.rules.wording import evidence, listing, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from checker.model.case import Case, Promise
    from checker.model.elf import ElfFacts

_APPLIED_SINCE = {"glibc": (2, 36), "musl": (1, 2, 4)}


def check(case: Case, parameters: NoParameters) -> Iterator[Observation]:  # noqa: ARG001 - every rule is asked in the same way
    """One observation for each file."""
    for facts in case.objects:
        if not facts.has_relr or not is_native(facts) or _relocates_itself(facts):
            continue
        failing = [
            (promise, how)
            for promise in case.promises
            if suits(facts, promise.oldest.architecture) and (how := _failure(facts, promise))
        ]
        if failing:
            yield Observation(
                file=facts.path,
                subject="DT_RELR",
                message=f"has compact relocations (DT_RELR) without a marker: {listing([how for _, how in failing])}",
                evidence=evidence(
                    marker=text(RELR_MARKER),
                    platforms=tuple(str(promise.oldest) for promise, _ in failing),
                    needed=facts.needed,
                ),
                remedy=_remedy(facts),
            )


def _remedy(facts: ElfFacts) -> str:
    relink = "Link it with -Wl,-z,nopack-relative-relocs"
    if not is_cxx_runtime(facts.soname or facts.path):
        return relink
    return (
        "It is the compiler's own library, from an image whose distribution packs relocations (Alpine from 3.18 on): "
        "link it statically (-static-libgcc -static-libstdc++), or build in an older image"
    )


def _relocates_itself(facts: ElfFacts) -> bool:
    """A static position-independent program: its own start code applies what its own C library knows."""
    return facts.interpreter is None and not facts.needed and facts.soname is None and facts.flags_1 & 0x08000000 != 0


def _failure(facts: ElfFacts, promise: Promise) -> str:
    """What happens on a promised platform; empty when all is well."""
    oldest = promise.oldest
    since = _APPLIED_SINCE[oldest.family]
    if oldest.family == "glibc":
        if has_relr_marker(facts):
            return ""
        if facts.version_needs and any(name.startswith("libc.so.") for name in facts.needed):
            return f"glibc {dotted(since)} and later refuse the file, and older ones crash"
    if oldest.release < since:
        older = f"{oldest.family} before {dotted(since)}"
        return f"{older} does not apply them and crashes, and {promise.tag} promises {dotted(oldest.release)}"
    return ""


RULE = Rule(id="dt-relr-without-marker", family="platform", parameters=NoParameters, check=check, doc=__doc__ or "")
