"""A symbol of a system library is used that the oldest promised platform does not supply there.

## What

An undefined symbol without a version, or bound to the wrong system library, that no library in
scope exports on the oldest promised platform, while a later release or another library of the
platform has it. Version names cannot show this: there is none, or the wrong file bears it. The tag
`musllinux_1_1` is judged on musl 1.2.2, the oldest that was measured; what musl got since 1.1.24
(`gettid`, `reallocarray`, `__clock_gettime64` on 32-bit processors) is told beside that.

## Why it breaks

The build machine is newer, or its interpreter happens to load the other library, so everything
works there. On the platform that the tag promises, the import fails with "undefined symbol:
shm_open". `ldd -r` on a modern machine finds nothing.

## Causes and fixes

- The library was not on the link line. Until glibc 2.34, `shm_open` and `timer_create` are in
  librt, `pthread_create` in libpthread, `dlopen` in libdl: link with `-lrt`, `-pthread`, `-ldl`, in
  this order after the objects. For `pow` and `exp` it is `-lm`.
- An unversioned reference means that the linker did not see the library: never leave system
  libraries out for the loader to find.
- The symbol is newer than the promise: build in the container of the promised tag, or test for it
  and use `dlsym`.
- On musl: the symbol came with a later release than the oldest of the tag (`pthread_getname_np` and
  `qsort_r` with 1.2.3). The musllinux images have a newer one, and a configure step finds it there.
- On musl: the file, or a static library in it, was compiled with glibc's headers (`__printf_chk` of
  `-D_FORTIFY_SOURCE`, `__cxa_thread_atexit_impl`, `gnu_get_libc_version`). Build all of it on musl.
- On musl: the function is one of a newer zlib than the oldest systems of the tag have, which is 1.2.11
  (`crc32_combine_gen` came with 1.2.12). auditwheel bundles no zlib: link it statically, or without.
- A symbol bound to a file that does not have it (`scalbln` to libc.so.6 in place of libm.so.6)
  comes from a broken stub or a stale link: link with the library that has it.

## References

glibc 2.34 NEWS (libpthread, libdl, librt, libutil and libanl merged into libc); glibc
`elf/dl-lookup.c`, `check_match`: up to 2.29, a search ends at the file that the version need names;
PEP 600.
"""

from __future__ import annotations

from checker.model.artifact import ReadProblem
from checker.model.finding import Observation
from checker.model.rule import NoParameters, Rule
from checker.rules.fates import (
    Fate,
    Fates,
    grouped_by_candidate,
    names_of,
    platforms_of,
    reasons_of,
    roots_of,
    undecided_reason,
    wrongly_bound,
)
from checker.rules.known_libraries import GLIBC_OF_TODAY
from checker.rules.musl_additions import later_than_promised
from checker.rules.wording import counted, evidence, listing, shown_symbols, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from checker.model.case import Case, Promise
    from checker.model.resolution import Resolution

_OPTIONS = {
    "libm.so.6": "-lm",
    "librt.so.1": "-lrt",
    "libdl.so.2": "-ldl",
    "libpthread.so.0": "-pthread",
    "libutil.so.1": "-lutil",
    "libresolv.so.2": "-lresolv",
    "libanl.so.1": "-lanl",
    "libmvec.so.1": "-lmvec",
    "libcrypt.so.1": "-lcrypt",
    "libz.so.1": "-lz",
    "libgomp.so.1": "-fopenmp",
    "libatomic.so.1": "-latomic",
}


def check(case: Case, parameters: NoParameters) -> Iterator[Observation | ReadProblem]:  # noqa: ARG001 - every rule is asked in the same way
    """One observation for each object and library of the platform that has the symbols."""
    fates = Fates(case)
    for path, resolutions in fates.told_by(Fate.PLATFORM).items():
        later = tuple(resolution for resolution in resolutions if _came_later(case, resolution))
        for candidate, group in grouped_by_candidate(tuple(each for each in resolutions if each not in later)):
            yield _observe(path, candidate, group)
        if later:
            yield _observe(path, "", later)
    for path, resolutions in wrongly_bound(case).items():
        for library, group in _by_provider(resolutions):
            yield _observe_wrong(path, library, group)
    for facts, promise, names in later_than_promised(case):
        yield _observe_later(facts.path, promise, names)
    for path, resolutions in fates.undecided(Fate.PLATFORM).items():
        yield ReadProblem(file=path, reason=undecided_reason(resolutions))


def _by_provider(resolutions: tuple[Resolution, ...]) -> Iterator[tuple[str, tuple[Resolution, ...]]]:
    groups: dict[str, list[Resolution]] = {}
    for resolution in resolutions:
        groups.setdefault(resolution.path or "", []).append(resolution)
    for library in sorted(groups):
        yield library, tuple(groups[library])


def _observe_wrong(path: str, library: str, group: tuple[Resolution, ...]) -> Observation:
    names = names_of(group)
    shown = shown_symbols((each.symbol, each.version) for each in group)
    named = tuple(sorted({each.version_file for each in group if each.version_file}))
    return Observation(
        file=path,
        subject=names[0],
        message=f"expects {counted(len(names), 'symbol')} in {listing(named)}, which does not have "
        f"{'it' if len(names) == 1 else 'them'}; that works only "
        "while something else "
        f"brings {library} into the process: {shown}",
        evidence=evidence(
            symbols=names, bound_to=named, found_in=library, roots=roots_of(group), platforms=platforms_of(group)
        ),
        remedy=f"Link with {_OPTIONS.get(library, f'-l for {library}')} after the objects, so that {library} stands in "
        "DT_NEEDED and the "
        "version need names it",
    )


def _observe_later(path: str, promise: Promise, names: tuple[bytes, ...]) -> Observation:
    told = tuple(map(text, names))
    newer = promise.tag.replace("musllinux_1_0_", "musllinux_1_2_").replace("musllinux_1_1_", "musllinux_1_2_")
    return Observation(
        file=path,
        subject=told[0],
        message=f"uses {counted(len(names), 'symbol')} that musl got after 1.1.24, and {promise.tag} promises older ones: "
        f"{listing(told)}",
        evidence=evidence(symbols=told, tag=promise.tag),
        remedy=f"Build it in the container of {promise.tag}, do without the symbol, or let the tag say the truth: "
        f"wheel tags --platform-tag {newer} WHEEL",
    )


def _came_later(case: Case, resolution: Resolution) -> bool:
    """Newer musl has it (as ``pthread_getname_np`` since 1.2.3): no matter that glibc has it too."""
    families = {platform.family for platform in resolution.platforms}
    return families == {"musl"} and not any(promise.judged[-1] in resolution.platforms for promise in case.promises)


def _is_glibc_s(candidate: str, group: tuple[Resolution, ...]) -> bool:
    """The library belongs to the other C library than the platforms on which the symbols are missing."""
    families = {platform.family for resolution in group for platform in resolution.platforms}
    return families == {"musl"} and candidate in GLIBC_OF_TODAY


def _of_older_libraries(group: tuple[Resolution, ...]) -> tuple[str, ...]:
    """Where musl is promised: the libraries beside it from which the symbols are wanted; musl's own have no versions."""
    families = {platform.family for resolution in group for platform in resolution.platforms}
    libraries = {resolution.version_file for resolution in group}
    return tuple(sorted(file for file in libraries if file)) if families == {"musl"} and None not in libraries else ()


def _observe(path: str, candidate: str, group: tuple[Resolution, ...]) -> Observation:
    names = names_of(group)
    shown = shown_symbols((each.symbol, each.version) for each in group)
    platforms = platforms_of(group)
    where = f"on {platforms[0]}" if platforms else "on the platform"
    symbols = counted(len(names), "symbol")
    if candidate and _is_glibc_s(candidate, group):
        message = f"uses {symbols} that glibc has and musl has not, so that it fails {where}: {shown}"
        remedy = (
            "Build it on musl, in the musllinux container: it, or a static library that went into it, was compiled with "
            "glibc's headers"
        )
    elif candidate:
        message = f"uses {symbols} of {candidate} without needing that library, so that it fails {where}: {shown}"
        option = _OPTIONS.get(candidate, f"-l for {candidate}")
        remedy = f"Link with {option} after the objects, so that {candidate} stands in DT_NEEDED (check with readelf -d)"
    elif older := _of_older_libraries(group):
        message = (
            f"uses {symbols} that {listing(older)} of the oldest systems promised does not have yet, so that it fails {where}: "
            f"{shown}"
        )
        remedy = (
            f"Link {listing(older)} statically, with -Wl,--exclude-libs,ALL, since auditwheel repair does not bundle what the "
            "tag promises; or do without the symbol"
        )
    else:
        message = f"uses {symbols} that its system libraries do not supply {where}: {shown}"
        remedy = (
            "Do without the symbol (switch off what the configure step found), or look it up with dlsym; the musllinux images "
            "have a newer musl than their tag promises, so that neither their headers nor their linker refuse it"
            if {platform.family for each in group for platform in each.platforms} == {"musl"}
            else "Build it in the container of the promised tag (then the linker refuses it), do without the symbol, or "
            "promise only the platforms that have it"
        )
    return Observation(
        file=path,
        subject=names[0],
        message=message,
        evidence=evidence(
            symbols=names,
            candidates=tuple(sorted({each for resolution in group for each in resolution.candidates})),
            bound_to=tuple(sorted({each.version_file for each in group if each.version_file})),
            roots=roots_of(group),
            platforms=platforms,
            because=reasons_of(group),
        ),
        remedy=remedy,
    )


RULE = Rule(id="symbol-not-on-platform", family="symbols", parameters=NoParameters, check=check, doc=__doc__ or "")
