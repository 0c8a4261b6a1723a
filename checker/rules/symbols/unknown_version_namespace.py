"""A file wants a version of a system library whose kind of name the promised platform does not know.

## What

A version need on a library of the platform, promised by the tag, whose namespace (the part of the
name before the first `_`, such as `GLIBCXX`) neither the tag's policy nor the library as it was
measured has. Versions of bundled libraries, of libraries from declared distributions and of libraries
that no tag promises are no matter of this rule; nor is GLIBC_PRIVATE (`private-platform-symbol`), nor
are wheels for musl, whose loader does not look at version needs.

## Why it breaks

No number can be compared, so nobody can say that any promised system has it, and most have not: the
loader ends with "version `FOO_1.2' not found". Tools that pass over names which they do not know call
such a wheel good.

## Causes and fixes

- The build linked a patched or vendored build of the library (its own `--version-script`), under the
  name of the system's: bundle that very build, `auditwheel repair`, or link it statically.
- The distribution of the build machine adds version names of its own: build in the manylinux image.
- A library that got its versions in a later release: let the tag be newer, or build in the image of the
  tag. (One without any versions, as zlib in manylinux1, is not told: the loader only warns.)

## References

PEP 600, "Core definition"; LSB Core, "Symbol Versioning"; auditwheel `manylinux-policy.json`.
"""

from __future__ import annotations

from checker.model.artifact import ReadProblem
from checker.model.closure import ProviderKind
from checker.model.finding import Observation
from checker.model.rule import NoParameters, Rule
from checker.rules.known_libraries import is_libc
from checker.rules.namespaces import Namespaces, namespace
from checker.rules.versions import parsed
from checker.rules.wording import evidence, listing, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from checker.model.case import Case
    from checker.model.elf import ElfFacts
    from checker.rules.namespaces import UnknownVersion


def check(case: Case, parameters: NoParameters) -> Iterator[Observation | ReadProblem]:  # noqa: ARG001 - every rule is asked in the same way
    """One observation for each object, library and namespace; a problem for what nobody measured."""
    namespaces = Namespaces(case)
    for facts in case.objects:
        groups: dict[tuple[str, str], list[UnknownVersion]] = {}
        for unknown in namespaces.unknown_to(facts):
            groups.setdefault((unknown[1], namespace(unknown[2])), []).append(unknown)
        for (soname, name), group in sorted(groups.items()):
            promise = group[0][0]
            versions = tuple(dict.fromkeys(text(version) for _, _, version in group))
            yield Observation(
                file=facts.path,
                subject=text(name.encode("utf-8", "backslashreplace")),
                message=f"needs {listing(versions)} of {soname}, and {promise.tag} knows no such versions of it",
                evidence=evidence(library=soname, versions=versions, tag=promise.tag),
                remedy=f"Bundle the {soname} that it was linked with (auditwheel repair WHEEL), or tag it for systems that "
                "have them",
            )
        yield from _unmeasured(namespaces, facts)
    yield from _without_data(case)


def _unmeasured(namespaces: Namespaces, facts: ElfFacts) -> Iterator[ReadProblem]:
    """Needs of libraries that the promised system has, and that nobody looked into."""
    groups: dict[str, list[UnknownVersion]] = {}
    for unknown in namespaces.unmeasured_for(facts):
        groups.setdefault(unknown[1], []).append(unknown)
    for soname, group in sorted(groups.items()):
        versions = tuple(dict.fromkeys(text(version) for _, _, version in group))
        reason = f"whether {group[0][0].tag} has {listing(versions)} of {soname} is not known: nobody looked into that library"
        yield ReadProblem(file=facts.path, reason=reason)


def _without_data(case: Case) -> Iterator[ReadProblem]:
    """Needs that would have been asked about, had there been data."""
    promises = [promise for promise in case.promises if promise.oldest.family == "glibc" and promise.baseline is None]
    for promise in promises:
        named = {
            namespace(version.name)
            for facts in case.objects
            for need in facts.version_needs
            if is_libc(need.file) or _is_platforms(case, facts.path, need.file)
            for version in need.versions
            if (found := parsed(version.name)) is None or found[0] != "GLIBC"
        }
        if named:
            yield ReadProblem(
                file=case.inventory.name,
                reason=f"no data for {promise.oldest}: whether it knows versions of {listing(sorted(named))} is not known",
            )


def _is_platforms(case: Case, needer: str, soname: str) -> bool:
    return any(
        edge.provider is ProviderKind.PLATFORM for edge in case.libraries if edge.needer == needer and edge.soname == soname
    )


RULE = Rule(id="unknown-version-namespace", family="symbols", parameters=NoParameters, check=check, doc=__doc__ or "")
