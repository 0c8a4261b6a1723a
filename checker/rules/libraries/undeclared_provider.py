"""A library comes from another distribution that the wheel does not require.

## What

A `[[provider]]` of the policy supplies a needed library, and `Requires-Dist` in METADATA does not
name that distribution.

## Why it breaks

Nothing makes the installer bring it. In the project's own environment it is always there; a user
who installs only this wheel gets "cannot open shared object file" from its first import.

## Causes and fixes

- Name it in the project's dependencies (`[project] dependencies` in `pyproject.toml`), with the
  versions whose libraries are compatible with the one that was linked: a C++ library such as
  libtorch is compatible with its own minor version only.
- The dependency is dynamic and was not computed in this build: look at the build backend's hook.
- The library need not come from there: bundle it, and take the `[[provider]]` out of the policy.

## References

Core metadata specification, "Requires-Dist"; PEP 508.
"""

from __future__ import annotations

from checker.model.closure import ProviderKind
from checker.model.finding import Observation
from checker.model.rule import NoParameters, Rule
from checker.rules.requirements import normalized, required
from checker.rules.wording import evidence, listing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from checker.model.case import Case


def check(case: Case, parameters: NoParameters) -> Iterator[Observation]:  # noqa: ARG001 - every rule is asked in the same way
    """One observation for each distribution."""
    wheel = case.inventory.wheel
    if wheel is None:
        return
    named = set(required(case))
    supplied: dict[str, list[tuple[str, str]]] = {}
    for edge in case.libraries:
        if edge.provider is ProviderKind.DECLARED and edge.path:
            supplied.setdefault(edge.path.partition(":")[0], []).append((edge.soname, edge.needer))
    for name, needs in sorted(supplied.items()):
        if normalized(name) in named:
            continue
        libraries = tuple(sorted({soname for soname, _ in needs}))
        yield Observation(
            file=f"{wheel.dist_info}/METADATA",
            subject=name,
            message=f"does not require {name}, whose libraries the wheel needs: {listing(libraries)}",
            evidence=evidence(
                libraries=libraries, needed_by=tuple(sorted({needer for _, needer in needs})), requires_dist=wheel.requires
            ),
            remedy=f'Add "{name}" with the compatible versions to [project] dependencies in pyproject.toml',
        )


RULE = Rule(id="undeclared-provider", family="libraries", parameters=NoParameters, check=check, doc=__doc__ or "")
