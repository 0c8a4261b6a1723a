"""The wheel's file name is none, or names another project or version than the wheel's own files do.

## What

A file name that does not have the form `{distribution}-{version}(-{build})-{python}-{abi}-{platform}.whl`
with a valid name, version (PEP 440) and build number; a dist-info folder of another name or version;
a `Name` or `Version` in METADATA that is absent, or another than the file name's; a `Build` in WHEEL
that is another. Spellings do not count: `My.Pkg` is `my_pkg`, `1.0.0` is `1.0`, and names that were
escaped by older standards are still taken by every installer. Tags are compared by
`bad-wheel-metadata`.

## Why it breaks

Installers choose a wheel by its file name and read the rest afterwards: pip then stops with
"has inconsistent name" or "inconsistent version", and PyPI refuses the upload. Others go on, and
what is installed is not what was resolved and locked.

## Causes and fixes

- The file was renamed by hand: build it again, or change tags with `wheel tags`.
- The version is computed twice, once with the local part (`+cu121`) and once without, or at
  another commit: let the build backend compute it once.
- A version that is none, such as `1.0-final` or `2024.x`: write it as PEP 440 has it.

## References

PyPA specifications "Binary distribution format" ("File name convention", "Escaping and Unicode"),
"Names and normalization", "Version specifiers"; PEP 427, PEP 440, PEP 491, PEP 503.
"""

from __future__ import annotations

from checker.model.finding import Observation
from checker.model.rule import NoParameters, Rule
from checker.rules.requirements import normalized
from checker.rules.wheel_headers import REBUILD, values
from checker.rules.wording import evidence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from checker.model.artifact import WheelMetadata
    from checker.model.case import Case


def check(case: Case, parameters: NoParameters) -> Iterator[Observation]:  # noqa: ARG001 - every rule is asked in the same way
    """One observation for each name that is at odds with the file name."""
    wheel = case.inventory.wheel
    if wheel is None:
        return
    for problem in wheel.name_problems:
        is_folder = problem.file == wheel.dist_info
        yield Observation(
            file=problem.file,
            subject="dist-info" if is_folder else "file name",
            message=problem.reason,
            evidence=evidence(dist_info=wheel.dist_info, file_name=case.inventory.name),
            remedy=REBUILD
            if is_folder
            else "Name the file as the build backend did: DISTRIBUTION-VERSION-PYTHON-ABI-PLATFORM.whl",
        )
    if wheel.metadata_fields:
        yield from _name_and_version(wheel)
    yield from _build(wheel)


def _name_and_version(wheel: WheelMetadata) -> Iterator[Observation]:
    for field, expected, same in (("Name", wheel.distribution, _same_name), ("Version", wheel.version, _same_version)):
        found = values(wheel.metadata_fields, field)
        if found and (not expected or same(found[0], expected)):
            continue
        told = f"says {field} {found[0]!r}, and the file name says {expected}" if found else f"does not say its {field}"
        yield Observation(
            file=f"{wheel.dist_info}/METADATA",
            subject=field,
            message=f"METADATA {told}",
            evidence=evidence(metadata=found, file_name=expected),
            remedy=REBUILD,
        )


def _same_name(found: str, expected: str) -> bool:
    return normalized(found) == normalized(expected)


def _same_version(found: str, expected: str) -> bool:
    """Equal by PEP 440; a file name writes ``-`` as ``_``."""
    if found == expected or found.replace("-", "_") == expected:
        return True
    from packaging.version import InvalidVersion, Version

    try:
        return Version(found) == Version(expected.replace("_", "-"))
    except InvalidVersion:
        return False


def _build(wheel: WheelMetadata) -> Iterator[Observation]:
    """Two build numbers; many tools write it into the file name alone, where installers look for it."""
    found = values(wheel.wheel_fields, "Build")
    if found and found[0] != wheel.build and wheel.distribution:
        yield Observation(
            file=f"{wheel.dist_info}/WHEEL",
            subject="Build",
            message=f"WHEEL says Build {found[0]!r}, and the file name {'says ' + wheel.build if wheel.build else 'has none'}",
            evidence=evidence(wheel=found, file_name=wheel.build),
            remedy="Set both at once: wheel tags --build NUMBER WHEEL",
        )


RULE = Rule(id="bad-wheel-name", family="wheel", parameters=NoParameters, check=check, doc=__doc__ or "")
