"""The artifact, a file in it, or what an installation takes is larger than the policy allows, or has grown too much.

## What

Budgets in bytes that a policy sets: of the artifact itself (`artifact`), of all its files unpacked
(`installed`), of each file (`member`) and each ELF library or program (`library`); and how much the
artifact may have grown (`growth`, `growth_percent`) over the one that `--baseline OLD` names. Sizes
of single files can be set for some with an override. Without a number nothing is asked; with a
growth budget and without `--baseline` it could not be checked.

## Why it breaks

PyPI refuses files of more than 100 MB and projects of more than 10 GB unless it was asked before;
serverless functions and container layers have limits too. A wheel that doubles in one release has
most often lost its `strip`, or carries a library or the test data twice.

## Causes and fixes

- Symbols for debugging: link with `-s`, or `strip` before the wheel is packed; setuptools and meson
  keep them in debug builds.
- A library twice, or a static archive and headers beside it: leave them out of the package data.
- The growth is wanted: raise the number in the policy, with the reason beside it.

## References

PyPI, "Storage limits"; `auditwheel repair --strip`; GNU binutils, `strip`.
"""

from __future__ import annotations

from checker.model.artifact import ArtifactKind, FileKind, ReadProblem
from checker.model.finding import Observation
from checker.model.record import record
from checker.model.rule import Rule
from checker.rules.bundled import without_hashes
from checker.rules.member_paths import entries
from checker.rules.wording import evidence, shown_size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from checker.model.artifact import Sizes
    from checker.model.case import Case

_SHOWN = 5


@record
class Parameters:
    """Parameters; ``None`` asks nothing.

    Attributes:
        artifact: bytes of the artifact's own file; of a directory, of all files in it.
        installed: bytes of all files, unpacked.
        member: bytes of each file, unpacked.
        library: bytes of each ELF file, unpacked.
        growth: bytes by which the artifact may be larger than the one of ``--baseline``.
        growth_percent: the same in percent of that one's size.
    """

    artifact: int | None = None
    installed: int | None = None
    member: int | None = None
    library: int | None = None
    growth: int | None = None
    growth_percent: float | None = None


def check(case: Case, parameters: Parameters) -> Iterator[Observation | ReadProblem]:
    """One observation for each budget that is exceeded, and for each file."""
    sizes = {member.path: member.size for member in entries(case)}
    installed = sum(sizes.values())
    size = installed if case.inventory.kind is ArtifactKind.DIRECTORY else case.inventory.size
    name = case.inventory.name
    largest = tuple(f"{path} {size}" for path, size in sorted(sizes.items(), key=lambda each: (-each[1], each[0]))[:_SHOWN])
    yield from _over(name, "artifact", size, parameters.artifact, largest)
    yield from _over(name, "installed", installed, parameters.installed, largest)
    for member in entries(case):
        yield from _over(member.path, "member", member.size, parameters.member)
        if member.kind is FileKind.ELF:
            yield from _over(member.path, "library", member.size, parameters.library)
    if parameters.growth is not None or parameters.growth_percent is not None:
        yield from _grown(case, parameters, size, sizes)


def _over(file: str, subject: str, size: int, budget: int | None, largest: tuple[str, ...] = ()) -> Iterator[Observation]:
    if budget is None or size <= budget:
        return
    verb = "takes, when installed," if subject == "installed" else "has"
    yield Observation(
        file=file,
        subject=subject,
        message=f"{file} {verb} {shown_size(size)}, and the budget is {shown_size(budget)}",
        evidence=evidence(bytes=size, budget=budget, largest=largest),
        remedy="Make it smaller (strip, leave out what is not needed), or raise "
        f"{subject} in [rules.size-over-budget] of the policy",
    )


def _grown(case: Case, parameters: Parameters, size: int, sizes: dict[str, int]) -> Iterator[Observation | ReadProblem]:
    old = case.baseline
    if old is None:
        reason = "the policy sets a budget of growth, and nothing was named to compare with: give --baseline OLD"
        yield ReadProblem(file=case.inventory.name, reason=reason)
        return
    grown = size - old.size
    percent = 100 * grown / old.size if old.size else 0.0
    for subject, value, budget, told in (
        ("growth", grown, parameters.growth, shown_size(parameters.growth or 0)),
        ("growth_percent", percent, parameters.growth_percent, f"{parameters.growth_percent or 0:g} %"),
    ):
        if budget is not None and value > budget:
            yield Observation(
                file=case.inventory.name,
                subject=subject,
                message=f"has grown by {shown_size(grown)} ({percent:.1f} %) over {old.name}, and the budget is {told}",
                evidence=evidence(
                    bytes=size, baseline=old.name, baseline_bytes=old.size, budget=told, grown=_growths(old, sizes)
                ),
                remedy="Look at the files that grew (-v names them), or raise "
                f"{subject} in [rules.size-over-budget] of the policy",
            )


def _growths(old: Sizes, sizes: dict[str, int]) -> tuple[str, ...]:
    """The files that grew most, unpacked; names count without the digits that change with a library's content."""
    before = _by_plain_path(old.members)
    now = _by_plain_path(sizes.items())
    grown = sorted((before.get(key, 0) - size, key) for key, size in now.items() if size > before.get(key, 0))
    return tuple(f"{key} +{-less}" for less, key in grown[:_SHOWN])


def _by_plain_path(sizes: Iterable[tuple[str, int]]) -> dict[str, int]:
    found: dict[str, int] = {}
    for path, size in sizes:
        key = without_hashes(path)
        found[key] = found.get(key, 0) + size
    return found


RULE = Rule(id="size-over-budget", family="wheel", parameters=Parameters, check=check, doc=__doc__ or "")
