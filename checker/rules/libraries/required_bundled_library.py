"""A library that the artifact must bring is not in it, or is not the one that is used.

## What

For each glob of `libraries`, some member's file name must match. Where an object needs a library of
such a name, the member itself must satisfy the need, and no system's or other distribution's
library. A need that is not satisfied at all although the member is there is told by
`unreachable-bundled-library`.

## Why it breaks

The code that opens the library at run time (`dlopen`, a plug-in loader, a delegate) finds nothing,
often only when a user asks for that feature. No import fails in the test that the wheel passed.

## Causes and fixes

- The optional part was not built: look for its switch in the build log
  (`-DEXECUTORCH_BUILD_CUDA=ON` and the like).
- It was built and not packaged: `package_data`, or the CMake `install(TARGETS …)` component that
  the wheel takes.
- `auditwheel repair` gave it a new name: `--exclude` it, or name the hashed form in the policy
  (`libfoo-*.so*`).

## References

The project's own policy; auditwheel, "repair --exclude".
"""

from __future__ import annotations

from checker.model.closure import ProviderKind
from checker.model.finding import Observation
from checker.model.globs import any_match, matches
from checker.model.record import record
from checker.model.rule import Rule
from checker.rules.wording import evidence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from checker.model.case import Case


@record
class Parameters:
    """Parameters.

    Attributes:
        libraries: globs over file names, each of which some shared library of the artifact must have.
    """

    libraries: tuple[str, ...] = ()


def check(case: Case, parameters: Parameters) -> Iterator[Observation]:
    """One observation for each library that is absent, and for each need that something else satisfies."""
    if not parameters.libraries:
        return
    names = {facts.path.rpartition("/")[2] for facts in case.objects if facts.is_dynamic}
    for glob in parameters.libraries:
        if not any(matches(glob, name) for name in names):
            yield Observation(
                file=case.inventory.name,
                subject=glob,
                message=f"does not hold {glob}, which the policy requires",
                evidence=evidence(required=glob),
                remedy="Build the part that makes it and add the file to the package (package_data, or CMake's "
                "install(TARGETS …))",
            )
    yield from _supplied_by_others(case, parameters, names)


def _supplied_by_others(case: Case, parameters: Parameters, names: set[str]) -> Iterator[Observation]:
    seen: set[tuple[str, str]] = set()
    for edge in case.libraries:
        name = edge.soname.rpartition("/")[2]
        if edge.provider in {ProviderKind.MEMBER, ProviderKind.NONE} or (edge.needer, edge.soname) in seen:
            continue
        if name in names and any_match(parameters.libraries, name):
            seen.add((edge.needer, edge.soname))
            yield Observation(
                file=edge.needer,
                subject=edge.soname,
                message=f"needs {edge.soname} and is given the one of {edge.path or edge.provider.value}, not the "
                "artifact's own",
                evidence=evidence(root=edge.root, provider=edge.provider.value, path=edge.path, how=edge.how.value),
                remedy=f"Let a run path lead to the artifact's own: patchelf --add-rpath '$ORIGIN/…' {edge.needer}",
            )


RULE = Rule(id="required-bundled-library", family="libraries", parameters=Parameters, check=check, doc=__doc__ or "")
