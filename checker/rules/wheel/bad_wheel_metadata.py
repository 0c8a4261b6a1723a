"""The wheel's own files break their standard, or contradict one another.

## What

Faults of WHEEL, METADATA and RECORD as files (absent, unreadable lines, no UTF-8), a file name that
is none; tags in WHEEL that are not those of the file name (compressed sets are expanded, order does
not count); a `Wheel-Version` that is absent or unknown; a missing `Root-Is-Purelib`; a name or
version in METADATA that is not the file name's.

## Why it breaks

Installers choose a wheel by its file name and some check the rest afterwards: then the installation
stops. Others go on, and the installed project says of itself what is not so: `pip check` and lock
files see another version or platform.

## Causes and fixes

- The wheel was renamed by hand, or the tag in the name was changed with `mv`: use `wheel tags
  --platform-tag TAG WHEEL`, which changes both.
- `auditwheel repair` was run and then an old WHEEL was put back, or WHEEL was written by the
  project's own script: let a build backend write it.
- A version that is computed twice, with and without the local part (`+cu121`).

## References

PyPA specifications "Binary distribution format" and "Core metadata"; PEP 425, PEP 427, PEP 440, PEP
503.
"""

from __future__ import annotations

from checker.model.finding import Observation
from checker.model.rule import NoParameters, Rule
from checker.rules.requirements import normalized
from checker.rules.wording import counted, evidence, listing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from checker.model.artifact import Tag, WheelMetadata
    from checker.model.case import Case

_REBUILD = (
    "Let the build backend write the file: build the wheel again, and change finished wheels with wheel unpack and wheel pack"
)


def check(case: Case, parameters: NoParameters) -> Iterator[Observation]:  # noqa: ARG001 - every rule is asked in the same way
    """One observation for each faulty file, and one for each contradiction."""
    wheel = case.inventory.wheel
    if wheel is None:
        return
    yield from _faults(wheel)
    if wheel.wheel_fields:
        yield from _wheel_version(wheel)
        yield from _root_is_purelib(wheel)
        yield from _tags(wheel)
    if wheel.metadata_fields:
        yield from _name_and_version(wheel)


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
            remedy=_REBUILD,
        )


def _values(fields: tuple[tuple[str, str], ...], name: str) -> tuple[str, ...]:
    return tuple(value for field, value in fields if field.lower() == name.lower())


def _wheel_version(wheel: WheelMetadata) -> Iterator[Observation]:
    found = _values(wheel.wheel_fields, "Wheel-Version")
    if len(found) == 1 and found[0].partition(".")[0] == "1":
        return
    told = f"is {listing(found)}, and installers know 1.0" if found else "is absent"
    yield Observation(
        file=f"{wheel.dist_info}/WHEEL",
        subject="Wheel-Version",
        message=f"Wheel-Version {told}",
        evidence=evidence(wheel_version=found),
        remedy=_REBUILD,
    )


def _root_is_purelib(wheel: WheelMetadata) -> Iterator[Observation]:
    if not _values(wheel.wheel_fields, "Root-Is-Purelib"):
        yield Observation(
            file=f"{wheel.dist_info}/WHEEL",
            subject="Root-Is-Purelib",
            message="Root-Is-Purelib is absent, so that installers must guess where the files go",
            evidence=evidence(fields=tuple(dict.fromkeys(name for name, _ in wheel.wheel_fields))),
            remedy=_REBUILD,
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


def _name_and_version(wheel: WheelMetadata) -> Iterator[Observation]:
    for field, expected, same in (("Name", wheel.distribution, _same_name), ("Version", wheel.version, _same_version)):
        found = _values(wheel.metadata_fields, field)
        if len(found) == 1 and (not expected or same(found[0], expected)):
            continue
        told = f"says {field} {listing(found)}, and the file name says {expected}" if found else f"does not say its {field}"
        yield Observation(
            file=f"{wheel.dist_info}/METADATA",
            subject=field,
            message=f"METADATA {told}" if len(found) < 2 else f"METADATA has {len(found)} lines of {field}: {listing(found)}",  # noqa: PLR2004 - more than one
            evidence=evidence(metadata=found, file_name=expected),
            remedy=_REBUILD,
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


RULE = Rule(id="bad-wheel-metadata", family="wheel", parameters=NoParameters, check=check, doc=__doc__ or "")
