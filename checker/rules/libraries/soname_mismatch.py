"""A library's file name and its DT_SONAME do not agree, so that one process can load it twice.

## What

A library of the artifact that other files need, and

- whose DT_SONAME is another name than the one by which it is needed: the loader knows what it has loaded by either name,
  while a search for the second leads to another file, or to none;
- or which has no DT_SONAME at all: then it is known by the path alone that led to it.

Each kind is told once, with all libraries concerned. On musl, which knows libraries by their file names,
only files that are needed by two names are told.

## Why it breaks

A library that was renamed and kept its SONAME answers in the whole process for a name that is not its own: after
`import torchvision`, whoever needs `libz.so.1` is given torchvision's private copy, of whatever version. In the other order
the system's is there already, the renamed file is none the less searched for and loaded, and there are two, each with
its own globals. Without a SONAME, `ctypes.CDLL("…/libfoo.so")` does not satisfy a later need of `libfoo.so`, and the linker
writes the path that it was given into whatever is linked against the file.

## Causes and fixes

- A script renamed the file and patched only those who need it: `patchelf --set-soname NEWNAME FILE` as well, which
  `auditwheel repair` does.
- CMake's `NO_SONAME`, or a link without `-Wl,-soname,libfoo.so`: add it.
- `libfoo.so` was packaged in place of `libfoo.so.1`: package it under the name that is in DT_SONAME.

## References

gABI chapter 5, "Shared Object Dependencies" (DT_SONAME); glibc `elf/dl-load.c`, `_dl_map_object` and `_dl_name_match_p`; musl
`ldso/dynlink.c`, `load_library`; patchelf(1).
"""

from __future__ import annotations

from checker.model.closure import ProviderKind
from checker.model.finding import Observation
from checker.model.rule import NoParameters, Rule
from checker.rules.bundled import file_name, is_library
from checker.rules.wording import evidence, listing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from checker.model.case import Case
    from checker.model.closure import Edge
    from checker.model.elf import ElfFacts


def check(case: Case, parameters: NoParameters) -> Iterator[Observation]:  # noqa: ARG001 - every rule is asked in the same way
    """At most one observation for each kind: whoever builds or renames one library so, does it with all."""
    needs: dict[str, list[Edge]] = {}
    for edge in case.libraries:
        if edge.provider is ProviderKind.MEMBER and edge.path is not None:
            needs.setdefault(edge.path, []).append(edge)
    is_musl = bool(case.promises) and all(promise.oldest.family == "musl" for promise in case.promises)
    misnamed: list[tuple[ElfFacts, list[str]]] = []
    nameless: list[tuple[ElfFacts, list[str]]] = []
    for facts in case.objects:
        names = sorted({file_name(edge.soname) for edge in needs.get(facts.path, ())})
        if not names or not is_library(facts) or (is_musl and len(names) == 1):
            continue
        if facts.soname is None:
            nameless.append((facts, names))
        elif names != [facts.soname]:
            misnamed.append((facts, names))
    if misnamed:
        yield _misnamed(misnamed)
    if nameless:
        yield _nameless(nameless)


def _misnamed(group: list[tuple[ElfFacts, list[str]]]) -> Observation:
    first, names = group[0]
    pairs = [f"{file_name(facts.path)} says {facts.soname}" for facts, _ in group]
    wanted = next((name for name in names if name != first.soname), file_name(first.path))
    return Observation(
        file=first.path,
        subject=first.soname or "",
        message=f"SONAMEs are not the names by which libraries are needed ({listing(pairs)}): each answers for both names "
        "in the whole process, or is loaded beside the one that has that SONAME by right",
        evidence=evidence(libraries=_told(group)),
        remedy=f"Set the SONAME to what the others need: patchelf --set-soname {wanted} {first.path}",
    )


def _nameless(group: list[tuple[ElfFacts, list[str]]]) -> Observation:
    first = group[0][0]
    name = file_name(first.path)
    paths = [facts.path for facts, _ in group]
    verbs = ("has", "is") if len(paths) == 1 else ("have", "are")
    return Observation(
        file=first.path,
        subject=name,
        message=f"{listing(paths)} {verbs[0]} no SONAME and {verbs[1]} needed by name: opened by path before, "
        "such a library does not satisfy the need",
        evidence=evidence(libraries=_told(group)),
        remedy=f"Link it with -Wl,-soname,{name}, or mend the file: patchelf --set-soname {name} {first.path}",
    )


def _told(group: list[tuple[ElfFacts, list[str]]]) -> list[str]:
    return [f"{facts.path}: SONAME {facts.soname or 'absent'}, needed as {listing(names)}" for facts, names in group]


RULE = Rule(id="soname-mismatch", family="libraries", parameters=NoParameters, check=check, doc=__doc__ or "")
