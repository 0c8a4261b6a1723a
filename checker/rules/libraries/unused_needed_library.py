"""A library is needed, and nothing uses it.

## What

A library that files of the artifact need and the loader finds, while no file of the artifact imports a symbol that it
defines: it is loaded in vain in every process. Told once for each library, with all who need it. A library that one file
uses and another merely names is not told: it is loaded in any case. Passed over are the C library's own parts, the C++
runtime and libgcc, which compilers name of themselves, the globs of `allowed`, and what only shims need: files that
import nothing and gather other libraries. Of libraries whose symbols are not known (a `[[provider]]` whose bytes were not
given, or a library outside the measured platform) nothing is told.

## Why it breaks

The loader must find, map and relocate the library all the same: the import fails on a system without it, takes longer on
the others, and a wheel that bundles it is larger for nothing. With the library come its own needs.

## Causes and fixes

- The link line names more than is used, and the linker keeps it all: add `-Wl,--as-needed` before the libraries (it is the
  default of Debian's and Ubuntu's GCC, and not of the manylinux images').
- A `pkg-config --libs` or CMake target that lists the private dependencies of a static library: link against what is used.
- On a finished file: `patchelf --remove-needed libfoo.so.1 FILE`, before `auditwheel repair`.
- It is needed for what its initializers do (a plug-in that registers itself, an allocator): accept it by `allowed`.

## References

ld(1), "--as-needed"; ldd(1), "-u, --unused"; gABI chapter 5, "Shared Object Dependencies".
"""

from __future__ import annotations

from checker.model.closure import ProviderKind
from checker.model.finding import Observation
from checker.model.globs import any_match
from checker.model.record import record
from checker.model.rule import Rule
from checker.rules.known_libraries import is_cxx_runtime, is_libc, is_libpython
from checker.rules.wording import evidence, listing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from checker.model.case import Case
    from checker.model.closure import Edge
    from checker.model.elf import ElfFacts

_PARTS_OF_LIBC = ("libm.so.*", "libpthread.so.*", "libdl.so.*", "librt.so.*", "libutil.so.*", "libmvec.so.*", "libresolv.so.*")


@record
class Parameters:
    """What may be needed without use.

    Attributes:
        allowed: globs over needed names.
    """

    allowed: tuple[str, ...] = (*_PARTS_OF_LIBC, "libatomic.so.*")


def check(case: Case, parameters: Parameters) -> Iterator[Observation]:
    """One observation for each library."""
    needs: dict[str, list[Edge]] = {}
    for edge in case.libraries:
        if edge.path is not None:
            needs.setdefault(edge.path, []).append(edge)
    unused = [edges for edges in needs.values() if all(edge.used is False for edge in edges)]
    if not unused:
        return
    borrowed = {each.path for each in case.resolutions}
    objects = {facts.path: facts for facts in case.objects}
    for edges in unused:
        soname = edges[0].soname
        if edges[0].path in borrowed or any_match(parameters.allowed, soname) or _has_its_reasons(soname):
            continue
        needers = sorted({edge.needer for edge in edges if edge.needer in objects and not _is_shim(objects[edge.needer])})
        if needers and not any(_asks_versions(objects[needer], soname) for needer in needers):
            yield _observe(edges[0], needers)


def _has_its_reasons(soname: str) -> bool:
    """It is in every process, or the compiler adds it; a needed libpython is ``forbidden-needed-library``'s to tell."""
    return is_libc(soname) or is_cxx_runtime(soname) or is_libpython(soname)


def _observe(edge: Edge, needers: list[str]) -> Observation:
    is_bundled = edge.provider is ProviderKind.MEMBER
    verb = "needs" if len(needers) == 1 else "need"
    return Observation(
        file=edge.path if is_bundled and edge.path is not None else needers[0],
        subject=edge.soname,
        message=f"{listing(needers)} {verb} {edge.soname}, and nothing in the artifact uses a symbol of it",
        evidence=evidence(needed_by=needers, library=edge.path, provider=edge.provider.value),
        remedy=f"Link {needers[0]} with -Wl,--as-needed before the libraries, or mend it before the repair: "
        f"patchelf --remove-needed {edge.soname} {needers[0]}",
    )


def _is_shim(facts: ElfFacts) -> bool:
    """It asks for no symbol but such as may be absent (``__gmon_start__`` and its like are in every file)."""
    return not any(uses and not weak for uses, weak in zip(facts.imports.uses, facts.imports.weak, strict=True))


def _asks_versions(facts: ElfFacts, soname: str) -> bool:
    """The linker met a symbol of it."""
    return any(need.file == soname for need in facts.version_needs)


RULE = Rule(id="unused-needed-library", family="libraries", parameters=Parameters, check=check, doc=__doc__ or "")
