"""A needed library is found nowhere.

## What

A DT_NEEDED entry that the loader's own search does not find in the artifact, that the promised
platform does not have, and that no `[[provider]]` of the policy brings. Libraries that Linux
systems often have without the platform promising them (OpenSSL, X11) are told by
`library-outside-platform`; those that lie elsewhere in the artifact by
`unreachable-bundled-library`.

## Why it breaks

The import ends with "libfoo.so.1: cannot open shared object file: No such file or directory",
before any code runs. It works on the build machine, where the library is installed, which is why
nobody noticed.

## Causes and fixes

- The wheel was uploaded without repair: `auditwheel repair WHEEL` copies such libraries in and sets
  the run paths.
- A sidecar of the project itself was not packaged: add it to `package_data`, or to the
  `install(TARGETS …)` of the component that the wheel is made of.
- `auditwheel repair --exclude libfoo.so.1` was used since another distribution brings the library
  (torch, nvidia-…): then that distribution must stand in `Requires-Dist`, and the policy must
  declare it: `[[provider]]` with `requirement = "…"`, `libraries = ["libfoo*.so*"]`, `how =
  "preloaded"` or `"rpath"`.
- The library is not really used: link with `-Wl,--as-needed` in front of it, or take its `-l` out.

## References

gABI chapter 5, "Shared Object Dependencies"; ld.so(8); glibc `elf/dl-load.c`, `_dl_map_object`.
"""

from __future__ import annotations

from checker.model.artifact import ReadProblem
from checker.model.finding import Observation
from checker.model.rule import NoParameters, Rule
from checker.rules.known_libraries import distribution_of
from checker.rules.requirements import requires
from checker.rules.unfound import Cause, looked, platform_is_unknown, unfound
from checker.rules.wording import evidence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from checker.model.case import Case
    from checker.model.closure import Edge


def check(case: Case, parameters: NoParameters) -> Iterator[Observation | ReadProblem]:  # noqa: ARG001 - every rule is asked in the same way
    """One observation for each object and library."""
    unknown = platform_is_unknown(case)
    for lost in unfound(case):
        if lost.cause is not Cause.UNKNOWN:
            continue
        edge = lost.edge
        name = edge.soname or "(empty name)"
        if unknown:
            yield ReadProblem(
                file=edge.needer,
                reason=f"it needs {name}, which is not in the artifact; whether the platform has it is not known",
            )
            continue
        yield Observation(
            file=edge.needer,
            subject=name,
            message=f"needs {name}, which is neither in the artifact nor on the promised platform",
            evidence=evidence(root=edge.root, looked_in=looked(edge), distribution=distribution_of(edge.soname)),
            remedy=_remedy(case, edge),
        )


def _remedy(case: Case, edge: Edge) -> str:
    soname = edge.soname
    folder = _other_package(edge)
    how = "rpath" if folder else "preloaded"
    name = distribution_of(soname)
    if not name and folder and requires(case, folder):
        return (
            f"If {folder}, which Requires-Dist names and to whose directory a run path leads, brings it, add to the policy: "
            f"{_provider(folder, soname, how)}, and check with --provider {folder}=WHEEL"
        )
    if not name:
        return (
            "Bundle it: auditwheel repair WHEEL (with the library on LD_LIBRARY_PATH), or add the project's own "
            "library to the package; "
            f"if another distribution brings it, add to the policy: {_provider('NAME', soname, how)}"
        )
    declaration = f"add to the policy: {_provider(name, soname, how)}"
    if requires(case, name):
        return f"Wheels of {name} carry it: {declaration}; or bundle it: auditwheel repair WHEEL"
    return (
        f"Wheels of {name} carry it: name the distribution in Requires-Dist and {declaration}; or bundle it: "
        "auditwheel repair WHEEL"
    )


def _other_package(edge: Edge) -> str:
    """The package of another distribution to which a run path leads; empty where none does."""
    for attempt in edge.looked_in:
        root, _, path = attempt.place.partition("/")
        if root == "site-packages" and path and attempt.outcome == "not in the artifact":
            return path.partition("/")[0]
    return ""


def _provider(name: str, soname: str, how: str) -> str:
    return f'[[provider]] requirement = "{name}", libraries = ["{soname}"], how = "{how}"'


RULE = Rule(id="missing-library", family="libraries", parameters=NoParameters, check=check, doc=__doc__ or "")
