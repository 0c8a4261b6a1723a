"""A file has compact relative relocations, and nothing in it keeps a loader away that would not apply them.

## What

DT_RELR, which glibc applies from 2.36 and musl from 1.2.4 on, under a tag that promises older ones.
With glibc the version need `GLIBC_ABI_DT_RELR` of libc.so.6 is the marker that makes an older loader
refuse the file; a file with it is judged by that need like by any other (`platform-tag-too-old`).
musl has no such marker. Told too is a file that needs versions and libc.so.6 without the marker:
every glibc from 2.36 on refuses it. Libraries that a repair tool grafted into one folder are told
together.

## Why it breaks

An older loader passes over the unknown tag in silence. The pointers in the file's data stay as the
linker left them, and the process dies at the first use of one: a virtual call, a table of methods. A
glibc that knows the tag says "DT_RELR without GLIBC_ABI_DT_RELR dependency".

## Causes and fixes

- `-Wl,-z,pack-relative-relocs`, or a distribution's compiler that has it as a default: link with
  `-Wl,-z,nopack-relative-relocs` for tags below manylinux_2_36 and for musllinux_1_2 and older.
- lld with `--pack-dyn-relocs=relr` (before lld 20 it adds no marker): leave it out, or use
  `-z pack-relative-relocs`.
- Libraries grafted from a musllinux_1_2 image. Alpine packs the relocations of its packages since 3.18
  (its compiler does not by itself), and pypa's images have never been older, so that no image tag
  helps. The compiler's own libraries can be linked statically: `-static-libgcc -static-libstdc++
  -static-libgfortran`. Others are built from source with `LDFLAGS=-Wl,-z,nopack-relative-relocs`, in
  cibuildwheel's `before-all`. Rust's standard library asks for libgcc_s by name, which no flag changes.
- What fails are Alpine 3.13 to 3.17, of which the last ran out of support in November 2024. Where they
  need not be served, say so in a waiver of this rule.
- A tool that rewrote the version needs dropped the marker: link again.

## References

gABI, "Relative Relocation Table"; glibc 2.36 NEWS and `elf/dl-version.c`, `_dl_check_map_versions`;
musl 1.2.4 release notes; Alpine 3.18 release notes; pypa/manylinux, README ("3.13+ compatible") and `build.sh`.
"""

from __future__ import annotations

from checker.model.finding import Observation
from checker.model.rule import NoParameters, Rule
from checker.rules.architectures import is_native, suits
from checker.rules.bundled import file_name, is_grafted, stem
from checker.rules.installed import directory
from checker.rules.versions import RELR_MARKER, dotted, has_relr_marker
from checker.rules.wording import evidence, listing, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from checker.model.case import Case, Promise
    from checker.model.elf import ElfFacts
    from checker.model.platform import PlatformId

_APPLIED_SINCE = {"glibc": (2, 36), "musl": (1, 2, 4)}
_STATIC_FLAGS = {
    "libgcc_s": "-static-libgcc",
    "libstdc++": "-static-libstdc++",
    "libgfortran": "-static-libgfortran",
    "libquadmath": "-static-libgfortran",
}
"""What makes GCC's drivers link their own library statically; GCC manual, "Link Options"."""


def check(case: Case, parameters: NoParameters) -> Iterator[Observation]:  # noqa: ARG001 - every rule is asked in the same way
    """One observation for each file, and one for all that were grafted into a folder."""
    groups: dict[tuple[str, ...], list[ElfFacts]] = {}
    for facts in case.objects:
        if not facts.has_relr or not is_native(facts) or _relocates_itself(facts):
            continue
        failures = _failures(case, facts)
        if failures:
            place = directory(facts.path) if is_grafted(facts.path) else facts.path
            groups.setdefault((place, *failures.values()), []).append(facts)
    for group in groups.values():
        yield _observe(group, _failures(case, group[0]))


def _failures(case: Case, facts: ElfFacts) -> dict[PlatformId, str]:
    """What happens on each promised platform where not all is well."""
    suiting = (promise for promise in case.promises if suits(facts, promise.oldest.architecture))
    return {promise.oldest: how for promise in suiting if (how := _failure(facts, promise))}


def _observe(group: Sequence[ElfFacts], failures: dict[PlatformId, str]) -> Observation:
    marker = " without a marker" if any(platform.family == "glibc" for platform in failures) else ""
    what = f"compact relocations (DT_RELR){marker}: {listing(list(failures.values()))}"
    message = f"has {what}"
    if len(group) > 1:
        names = listing([file_name(facts.path) for facts in group])
        message = f"{len(group)} grafted libraries have {what}; they are {names}"
    return Observation(
        file=group[0].path,
        subject="DT_RELR",
        message=message,
        evidence=evidence(
            marker=text(RELR_MARKER),
            platforms=tuple(map(str, failures)),
            paths=tuple(facts.path for facts in group),
            needed=tuple(sorted({soname for facts in group for soname in facts.needed})),
        ),
        remedy=_remedy(group, any(platform.family == "musl" for platform in failures)),
    )


def _remedy(group: Sequence[ElfFacts], is_musl: bool) -> str:  # noqa: FBT001 - one of two loaders
    flags: set[str] = set()
    others: list[str] = []
    for facts in group:
        flag = _STATIC_FLAGS.get(stem(facts.path))
        flags.update([flag] if flag else [])
        others += [] if flag else [file_name(facts.path)]
    relinked = f"{listing(others)} with -Wl,-z,nopack-relative-relocs"
    if not is_grafted(group[0].path):
        return f"Link {relinked}" if others else f"Link it statically ({' '.join(flags)})"
    ways = [f"link the compiler's own libraries statically ({' '.join(sorted(flags))})"] if flags else []
    ways += [f"build {relinked}"] if others else []
    end = "; or accept it in a waiver, if Alpine 3.17 and older, which fail, need not be served" if is_musl else ""
    steps = " and ".join(ways)
    return steps[0].upper() + steps[1:] + end


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
