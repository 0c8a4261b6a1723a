"""Two copies of a runtime that must be one come together.

## What

For each family of `families`, the copies that the artifact brings, the platform's where it is needed, and those of the
wheels given by `--provider`. An object carries a runtime when it *exports* the runtime's own names, as a library or beside
its own code; hidden copies meet nobody.

- OpenMP is told for two copies anywhere in a process: all extension modules of the artifact count as one process, a
  program with its libraries as another.
- C++ runtime, BLAS, OpenSSL, Protocol Buffers and the CUDA runtime are told where two copies that define the same names
  are in the *scope* of one root: each module has a scope of its own (RTLD_LOCAL).
- A C++ runtime that is bundled under the system's own SONAME (`libstdc++.so.6`) is told where modules are given it.

Two files with one SONAME are one to the loader. A copy that nothing needs is `orphan-bundled-library`'s.

## Why it breaks

- OpenMP: each copy has threads of its own, so that the process has twice as many as processors, and `omp_set_num_threads`
  reaches one of them. LLVM's and Intel's find each other and abort ("OMP: Error #15").
- C++ runtime: the loader binds each name to the first copy in the scope, and inlined code of the other goes on with its own:
  streams are initialised twice, locales and exceptions of one are unknown to the other. The crash is in `std::ostream`,
  `std::locale` or `__cxa_throw`, far from the cause.
- BLAS: whichever is first serves both, with the other's integer width and calling convention: wrong results, or a crash in
  `dgemm_`.
- OpenSSL, Protocol Buffers, CUDA: structures of one version are handed to the code of the other; a kernel or a descriptor
  that was registered in one is unknown to the other ("File already exists in database", "invalid device function").
- A `libstdc++.so.6` of one's own: the first to be loaded serves the whole process. Where it is this one, a later module that
  was built with a newer compiler fails with "version `GLIBCXX_…' not found"; where it is the system's, this artifact may.

## Causes and fixes

- A static runtime with its names exported: link with `-Wl,--exclude-libs,ALL` or a version script, so that nobody else is
  bound to it; or link all parts against the shared one.
- Parts built by different compilers or in different images: build all with one, and run `auditwheel repair` once over all.
- Another wheel of the process brings the runtime: use that one (`auditwheel repair --exclude libgomp.so.1`, a run path to it,
  and its name in Requires-Dist and in a `[[provider]]`).
- `libstdc++.so.6`: every manylinux tag promises it, so leave it out; or link `-static-libstdc++` and hide its names.

## References

glibc `elf/dl-lookup.c`; LLVM OpenMP runtime, `kmp_runtime.cpp` (`__kmp_register_library_startup`); threadpoolctl,
"multiple_openmp.md"; libstdc++ manual, "Linkage"; Protocol Buffers issue 1941; PEP 600.
"""

from __future__ import annotations

from checker.model.artifact import ArtifactKind
from checker.model.closure import ProviderKind
from checker.model.finding import Observation
from checker.model.record import record
from checker.model.rule import Rule
from checker.rules.bundled import stem
from checker.rules.runtime_copies import Closures, copies_of, in_one_process, in_one_scope
from checker.rules.runtimes import CXX, OPENMP, RUNTIMES
from checker.rules.wording import evidence, listing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Literal

    from checker.model.case import Case
    from checker.rules.runtime_copies import Copy
    from checker.rules.runtimes import Runtime


@record
class Parameters:
    """Parameters.

    Attributes:
        families: which runtimes are asked for.
    """

    families: tuple[
        Literal["cxx", "unwinder", "openmp", "blas", "openssl", "zlib", "protobuf", "cuda-runtime", "allocator"], ...
    ] = ("cxx", "openmp", "blas", "openssl", "protobuf", "cuda-runtime")


_CONSEQUENCES = {
    "cxx": "names are bound to the first of them, and code of the other goes on with its own streams, locales and exceptions",
    "blas": "the first of them serves calls that were meant for the other",
    "openssl": "the first of them works on structures of the other",
    "protobuf": "descriptors that one has registered are met, or missed, by the other",
    "cuda-runtime": "kernels that one has registered are unknown to the other",
}
_SYSTEM_NAMES = frozenset({"libstdc++.so.6", "libc++.so.1"})
_KMP = frozenset({"LLVM OpenMP", "Intel OpenMP"})
_HIDE = (
    "Hide the copy that is linked in (-Wl,--exclude-libs,ALL or a version script), or link all parts against one shared library"
)


def check(case: Case, parameters: Parameters) -> Iterator[Observation]:
    """One observation for each set of copies that meet."""
    closures: Closures | None = None
    for runtime in RUNTIMES:
        copies = copies_of(case, runtime) if runtime.id in parameters.families else ()
        if not any(copy.is_own for copy in copies):
            continue
        closures = closures or Closures(case)
        if runtime is CXX:
            yield from _under_the_systems_name(case, copies, closures)
        if len(copies) > 1:
            by_place = {copy.place: copy for copy in copies}
            if runtime is OPENMP:
                meetings = in_one_process(case, by_place, closures)
            else:
                meetings = in_one_scope(case, runtime, by_place, closures)
            for places, roots in meetings:
                yield _observe(runtime, [by_place[place] for place in places], roots, closures)


def _observe(runtime: Runtime, met: list[Copy], roots: list[str], closures: Closures) -> Observation:
    names = list(dict.fromkeys(copy.name for copy in met))
    places = [f"{copy.place}{' (linked in)' if copy.is_embedded else ''}" for copy in met]
    if runtime is OPENMP:
        where = "in one process"
        what = "the second to start aborts it (OMP: Error #15)" if len(_KMP.intersection(names)) > 1 else ""
        what = what or "each starts threads of its own, and what is set in one does not hold in the other"
    else:
        where, what = f"in the scope of {listing(roots)}", _CONSEQUENCES.get(runtime.id, "the first of them serves both")
    verb = "meet" if len(names) > 1 else "comes twice" if len(met) == 2 else f"comes {len(met)} times"  # noqa: PLR2004
    owner = next((copy.owner for copy in met if copy.owner), "")
    if owner:
        remedy = f"Use the one of {owner}: auditwheel repair --exclude '{stem(met[0].place)}.so*' WHEEL, and a run path to it"
    elif any(copy.is_embedded for copy in met):
        remedy = _HIDE
    else:
        others = closures.needers(met[1].place) or places[1:]
        remedy = f"Link {listing(others)} against {met[0].place} too: build all parts in one image, and repair them in one run"
    return Observation(
        file=met[0].place,
        subject=runtime.id,
        message=f"{listing(names)} {verb} {where}, as {listing(places)}: {what}",
        evidence=evidence(
            copies=places, roots=roots, needed_by=[needer for copy in met for needer in closures.needers(copy.place)][:20]
        ),
        remedy=remedy,
    )


def _under_the_systems_name(case: Case, copies: Iterable[Copy], closures: Closures) -> Iterator[Observation]:
    """A wheel's own libstdc++ that modules are given, and that the loader takes for the system's."""
    if case.inventory.kind is not ArtifactKind.WHEEL:
        return
    modules = [root.path for root in case.roots if root.host != "executable"]
    given = {edge.path for edge in case.libraries if edge.provider is ProviderKind.MEMBER}
    for copy in copies:
        if copy.is_own and copy.known_as in _SYSTEM_NAMES and copy.place in given:
            users = [path for path in modules if copy.place in closures.of(path) and path != copy.place]
            if users:
                yield Observation(
                    file=copy.place,
                    subject=copy.known_as,
                    message=f"brings {copy.name} under the system's own SONAME {copy.known_as}: the first to be loaded "
                    "serves the whole process, and fails whoever needs a newer one",
                    evidence=evidence(roots=users[:20], needed_by=closures.needers(copy.place)[:20]),
                    remedy="Leave it out, since every manylinux platform has it; or link -static-libstdc++ -static-libgcc "
                    "and hide the names (-Wl,--exclude-libs,ALL)",
                )


RULE = Rule(id="clashing-runtimes", family="libraries", parameters=Parameters, check=check, doc=__doc__ or "")
