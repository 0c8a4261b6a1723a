"""A header that must stand once in WHEEL or METADATA stands there twice.

## What

Every header that the standards give one value: in WHEEL `Wheel-Version`, `Root-Is-Purelib` and
`Build`, in METADATA `Name`, `Version`, `Summary`, `License`, `Requires-Python` and the like. A
`Description` header beside a description behind the headers is no duplicate here. Headers that may be
repeated (`Tag`, `Requires-Dist`, `Classifier`, …) and unknown ones are left alone.

## Why it breaks

The standard does not say which of the two holds: pip takes the first, others the last, and tools
that validate (PyPI's upload among them, for METADATA) refuse the file.

## Causes and fixes

- A script appended a line to a finished file: let it replace the old one, or change the source of
  the metadata (`pyproject.toml`) and build again.
- The same field is set by `setup.cfg` and by a plugin: leave one of them.
- A summary or license text with a line break that was written without indentation.

## References

PyPA specifications "Core metadata" ("Multiple use" is said of each field) and "Binary distribution
format"; PEP 566; CPython `email.message.Message.__getitem__`.
"""

from __future__ import annotations

from checker.model.finding import Observation
from checker.model.rule import NoParameters, Rule
from checker.rules.wording import evidence, listing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from checker.model.case import Case

_ONCE_IN_WHEEL = frozenset({"wheel-version", "root-is-purelib", "build"})
"""Not Generator: installers do not look at it, and a tool that changes a wheel may add its own."""
_ONCE_IN_METADATA = frozenset({
    "metadata-version", "name", "version", "summary", "description", "description-content-type", "keywords", "home-page",
    "download-url", "author", "author-email", "maintainer", "maintainer-email", "license", "license-expression",
    "requires-python",
})  # fmt: skip
_SHOWN = 60


def check(case: Case, parameters: NoParameters) -> Iterator[Observation]:  # noqa: ARG001 - every rule is asked in the same way
    """One observation for each header."""
    wheel = case.inventory.wheel
    if wheel is not None:
        yield from _repeated(f"{wheel.dist_info}/WHEEL", wheel.wheel_fields, _ONCE_IN_WHEEL)
        yield from _repeated(f"{wheel.dist_info}/METADATA", wheel.metadata_fields, _ONCE_IN_METADATA)


def _repeated(file: str, fields: Iterable[tuple[str, str]], once: frozenset[str]) -> Iterator[Observation]:
    found: dict[str, list[tuple[str, str]]] = {}
    for name, value in fields:
        lowered = name.lower()
        if lowered in once:
            found.setdefault(lowered, []).append((name, value))
    for pairs in found.values():
        if len(pairs) == 1:
            continue
        name = pairs[0][0]
        values = tuple(value for _, value in pairs)
        different = tuple(dict.fromkeys(values))
        shown = listing([repr(value if len(value) <= _SHOWN else f"{value[:_SHOWN]}…") for value in different])
        yield Observation(
            file=file,
            subject=name,
            message=f"has {len(pairs)} lines of {name}"
            + (f", which say {shown}" if len(different) > 1 else f", all of which say {shown}" if values[0] else ""),
            evidence=evidence(values=values),
            remedy=f"Leave one line of {name}: build the wheel again, and change finished wheels with wheel unpack and "
            "wheel pack",
        )


RULE = Rule(id="wheel-duplicate-header", family="wheel", parameters=NoParameters, check=check, doc=__doc__ or "")
