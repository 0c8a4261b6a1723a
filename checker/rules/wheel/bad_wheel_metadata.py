"""WHEEL, METADATA or RECORD break their standard, or the tags in WHEEL are not the file name's.

## What

Faults of the three files as such (absent, unreadable lines, no UTF-8) and of the dist-info folder
(none, several); tags in WHEEL that are not those of the file name (compressed sets are expanded,
order does not count); a `Wheel-Version` that is absent or unknown, a `Root-Is-Purelib` that is absent
or neither true nor false; and what the core metadata standard refuses in METADATA: requirements,
Python versions, extras, license expressions and paths, content types, and from version 2.4 on a
`License-File` that is not in the wheel. Names and versions are compared by `bad-wheel-name`.

## Why it breaks

Installers choose a wheel by its file name and some check the rest afterwards: then the installation
stops. pip 24.1 and later refuse requirements that older ones took; PyPI refuses the upload. Others go
on, and the installed project says of itself what is not so.

## Causes and fixes

- The tag in the file name was changed with `mv`: use `wheel tags --platform-tag TAG WHEEL`, which
  changes both; `auditwheel repair` does so too.
- `>=1.*` or `>dev`: a wildcard goes with `==` and `!=` alone, and a version is a PEP 440 one.
- A license that is no SPDX expression in `project.license`: write `LicenseRef-Name`, or the right id.
- WHEEL or METADATA was written or edited by a script: let a build backend write it.

## References

PyPA specifications "Binary distribution format" and "Core metadata"; PEP 425, PEP 427, PEP 440, PEP
508, PEP 639.
"""

from __future__ import annotations

from checker.model.artifact import ReadProblem
from checker.model.finding import Observation
from checker.model.rule import NoParameters, Rule
from checker.rules.core_metadata import faults, metadata_version
from checker.rules.wheel_headers import REBUILD, values
from checker.rules.wording import counted, evidence, listing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from checker.model.artifact import Tag, WheelMetadata
    from checker.model.case import Case
    from checker.rules.core_metadata import Fault

_LICENSES_INSIDE = (2, 4)
"""PEP 639: from this version on the files that License-File names are below dist-info/licenses."""
_LONGEST_SHOWN = 80


def check(case: Case, parameters: NoParameters) -> Iterator[Observation | ReadProblem]:  # noqa: ARG001 - every rule is asked in the same way
    """One observation for each faulty file, header and contradiction."""
    wheel = case.inventory.wheel
    if wheel is None:
        return
    yield from _faults(wheel)
    if wheel.wheel_fields:
        yield from _wheel_version(wheel)
        yield from _root_is_purelib(wheel)
        yield from _tags(wheel)
    if wheel.metadata_fields:
        yield from _metadata(wheel)
        yield from _license_files(case, wheel)


def _faults(wheel: WheelMetadata) -> Iterator[Observation]:
    """What was found while the files were read, once for each file."""
    by_file: dict[str, list[str]] = {}
    for problem in wheel.problems:
        by_file.setdefault(problem.file, []).append(problem.reason)
    for file, reasons in by_file.items():
        more = f" ({counted(len(reasons) - 1, 'further fault')})" if len(reasons) > 1 else ""
        yield Observation(
            file=file,
            subject=file.rpartition("/")[2],
            message=reasons[0] + more,
            evidence=evidence(faults=reasons),
            remedy=REBUILD,
        )


def _wheel_version(wheel: WheelMetadata) -> Iterator[Observation]:
    found = values(wheel.wheel_fields, "Wheel-Version")
    if found and found[0].partition(".")[0] == "1":
        return
    told = f"is {found[0]!r}, and installers know 1.0" if found else "is absent"
    yield Observation(
        file=f"{wheel.dist_info}/WHEEL",
        subject="Wheel-Version",
        message=f"Wheel-Version {told}",
        evidence=evidence(wheel_version=found),
        remedy=REBUILD,
    )


def _root_is_purelib(wheel: WheelMetadata) -> Iterator[Observation]:
    if not values(wheel.wheel_fields, "Root-Is-Purelib"):
        yield Observation(
            file=f"{wheel.dist_info}/WHEEL",
            subject="Root-Is-Purelib",
            message="Root-Is-Purelib is absent, so that installers must guess where the files go",
            evidence=evidence(fields=tuple(dict.fromkeys(name for name, _ in wheel.wheel_fields))),
            remedy=REBUILD,
        )


def _tags(wheel: WheelMetadata) -> Iterator[Observation]:
    name, inside = set(wheel.name_tags), set(wheel.wheel_tags)
    if name == inside or not name:
        return
    only_name, only_inside = _texts(name - inside), _texts(inside - name)
    if not inside:
        message = f"WHEEL has no Tag; the file name says {listing(_texts(name))}"
    elif name & inside:
        parts = [f"only the file name says {listing(only_name)}"] if only_name else []
        parts += [f"only WHEEL says {listing(only_inside)}"] if only_inside else []
        message = f"the tags of the file name and of WHEEL differ: {'; '.join(parts)}"
    else:
        message = f"the file name says {listing(only_name)}, and WHEEL says {listing(only_inside)}"
    yield Observation(
        file=f"{wheel.dist_info}/WHEEL",
        subject="Tag",
        message=message,
        evidence=evidence(only_in_file_name=only_name, only_in_wheel=only_inside),
        remedy="Set both at once: wheel tags --python-tag … --abi-tag … --platform-tag … WHEEL (auditwheel repair does it too)",
    )


def _texts(tags: set[Tag]) -> tuple[str, ...]:
    return tuple(sorted(map(str, tags)))


def _metadata(wheel: WheelMetadata) -> Iterator[Observation | ReadProblem]:
    """What is wrong with headers on their own, once for each field."""
    file = f"{wheel.dist_info}/METADATA"
    if not values(wheel.metadata_fields, "Metadata-Version"):
        yield Observation(
            file=file,
            subject="Metadata-Version",
            message="METADATA does not say its Metadata-Version",
            evidence=evidence(fields=tuple(dict.fromkeys(name for name, _ in wheel.metadata_fields))),
            remedy=REBUILD,
        )
    by_field: dict[str, list[Fault]] = {}
    unchecked: dict[tuple[str, str], list[Fault]] = {}
    for fault in faults(wheel.metadata_fields):
        if fault.unchecked:
            unchecked.setdefault((fault.field, fault.reason), []).append(fault)
        else:
            by_field.setdefault(fault.field, []).append(fault)
    for (field, reason), found in unchecked.items():
        more = f" and {counted(len(found) - 1, 'further value')}" if len(found) > 1 else ""
        told = f"{_shown(found[0].value)}{more} {'were' if more else 'was'} not checked"
        yield ReadProblem(file=file, reason=f"{field}: {told}: {reason}")
    for field, found in by_field.items():
        more = f" ({counted(len(found) - 1, 'further value')} of this field)" if len(found) > 1 else ""
        yield Observation(
            file=file,
            subject=field,
            message=f"{field}: {_shown(found[0].value)} breaks the standard: {found[0].reason.rstrip('.')}{more}",
            evidence=evidence(values=tuple(fault.value for fault in found), reasons=tuple(fault.reason for fault in found)),
            remedy="Mend the field where the project says it (pyproject.toml, setup.cfg or setup.py) and build the wheel again",
        )


def _shown(value: str) -> str:
    return repr(value if len(value) <= _LONGEST_SHOWN else value[:_LONGEST_SHOWN] + "…")


def _license_files(case: Case, wheel: WheelMetadata) -> Iterator[Observation]:
    """Licenses that METADATA names and the wheel does not hold."""
    named = values(wheel.metadata_fields, "License-File")
    version = metadata_version(wheel.metadata_fields) if named else None
    if version is None or version < _LICENSES_INSIDE:
        return
    paths = {member.path for member in case.inventory.members}
    absent = tuple(sorted({name for name in named if f"{wheel.dist_info}/licenses/{name}" not in paths}))
    if absent:
        yield Observation(
            file=f"{wheel.dist_info}/METADATA",
            subject="License-File",
            message=f"METADATA names {counted(len(absent), 'License-File')} that the wheel does not hold: {listing(absent)}",
            evidence=evidence(absent=absent, folder=f"{wheel.dist_info}/licenses"),
            remedy=f"Update the build backend: PEP 639 has each file below {wheel.dist_info}/licenses",
        )


RULE = Rule(id="bad-wheel-metadata", family="wheel", parameters=NoParameters, check=check, doc=__doc__ or "")
