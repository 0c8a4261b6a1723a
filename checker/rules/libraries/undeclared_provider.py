"""A library comes from another distribution that the wheel does not require, or not in the version that has it.

## What

A `[[provider]]` of the policy supplies a needed library, and `Requires-Dist` in METADATA does not
name that distribution; or, when the wheel was checked beside one version of it (`--provider
NAME=WHEEL`), does not admit that version; or, for the distributions in `pinned`, admits more than one.

## Why it breaks

Nothing makes the installer bring it. In the project's own environment it is always there; a user
who installs only this wheel gets "cannot open shared object file" from its first import. A version
that was never checked may lack a symbol, and the import ends with "undefined symbol".

## Causes and fixes

- Name it in the project's dependencies (`[project] dependencies` in `pyproject.toml`), with the
  versions whose libraries are compatible with the one that was linked: a C++ library such as
  libtorch is compatible with its own minor version only.
- The dependency is dynamic and was not computed in this build: look at the build backend's hook.
- The requirement and the build differ: build against a version that is admitted, or check beside
  the one that was linked.
- A pinned distribution: write `name==1.2.3`, the version that was linked.
- The library need not come from there: bundle it, and take the `[[provider]]` out of the policy.

## References

Core metadata specification, "Requires-Dist"; PEP 508; PEP 440, "Version specifiers".
"""

from __future__ import annotations

from checker.model.artifact import ReadProblem
from checker.model.closure import ProviderKind
from checker.model.finding import Observation
from checker.model.globs import any_match
from checker.model.record import record
from checker.model.rule import Rule
from checker.rules.requirements import normalized, requirements
from checker.rules.wording import evidence, listing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from packaging.specifiers import SpecifierSet

    from checker.model.case import Case


@record
class Parameters:
    """Parameters.

    Attributes:
        pinned: globs over names of distributions that `Requires-Dist` must pin to one version each, as in `name==1.2.3`.
    """

    pinned: tuple[str, ...] = ()


def check(case: Case, parameters: Parameters) -> Iterator[Observation | ReadProblem]:
    """At most one answer for each distribution."""
    wheel = case.inventory.wheel
    if wheel is None:
        return
    supplied: dict[str, list[tuple[str, str]]] = {}
    for edge in case.libraries:
        if edge.provider is ProviderKind.DECLARED and edge.path:
            supplied.setdefault(edge.path.partition(":")[0], []).append((edge.soname, edge.needer))
    versions = {normalized(name): version for name, version in case.provided}
    metadata = f"{wheel.dist_info}/METADATA"
    for name, needs in sorted(supplied.items()):
        libraries = tuple(sorted({soname for soname, _ in needs}))
        written = requirements(case, name)
        version = versions.get(normalized(name))
        is_pinned = any_match(parameters.pinned, normalized(name))
        if not written:
            message = f"does not require {name}, whose libraries the wheel needs: {listing(libraries)}"
            remedy = f'Add "{name}" with the compatible versions to [project] dependencies in pyproject.toml'
        elif version is None and not is_pinned:
            continue
        else:
            try:
                fault = _fault(_specifiers(written), name, version, is_pinned=is_pinned)
            except ValueError as error:
                reason = str(error).partition("\n")[0]
                yield ReadProblem(file=metadata, reason=f"which versions of {name} are admitted cannot be read: {reason}")
                continue
            if fault is None:
                continue
            message = f"{fault[0]}, and the wheel needs its {listing(libraries)}"
            remedy = fault[1]
        yield Observation(
            file=metadata,
            subject=name,
            message=message,
            evidence=evidence(
                libraries=libraries,
                needed_by=tuple(sorted({needer for _, needer in needs})),
                requires_dist=written or wheel.requires,
                checked_with=version,
            ),
            remedy=remedy,
        )


def _specifiers(written: Sequence[str]) -> tuple[SpecifierSet, ...]:
    from packaging.requirements import Requirement

    return tuple(Requirement(value).specifier for value in written)


def _fault(admitted: Sequence[SpecifierSet], name: str, version: str | None, *, is_pinned: bool) -> tuple[str, str] | None:
    """What is wrong with the versions that are admitted, and what to do; ``None`` when nothing is.

    Markers are not asked: of several requirements of one distribution each may hold somewhere.
    """
    shown = " or ".join(f"{name}{specifier}" for specifier in admitted)
    public = (version or "VERSION").partition("+")[0]
    if version is not None and not any(specifier.contains(version, prereleases=True) for specifier in admitted):
        return (
            f"requires {shown}, which does not admit {version}, the one that it was checked with",
            f"Admit the version that was linked ({name}=={public}), or check beside an admitted one (--provider {name}=WHEEL)",
        )
    if is_pinned and not all(map(_is_one_version, admitted)):
        return (
            f"requires {shown}, which admits several versions, and the policy asks for one",
            f'Write "{name}=={public}" in [project] dependencies in pyproject.toml, for the version that was linked',
        )
    return None


def _is_one_version(specifier: SpecifierSet) -> bool:
    return any(each.operator in {"==", "==="} and not each.version.endswith(".*") for each in specifier)


RULE = Rule(id="undeclared-provider", family="libraries", parameters=Parameters, check=check, doc=__doc__ or "")
