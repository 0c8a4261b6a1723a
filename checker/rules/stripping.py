"""What the rules on shipped symbols and debug information share: which files count, and how one finding tells of all."""

from __future__ import annotations

from checker.model.artifact import ReadProblem
from checker.model.finding import Observation
from checker.model.globs import any_match
from checker.rules.architectures import is_native
from checker.rules.wording import evidence, listing, shown_size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from checker.model.case import Case
    from checker.model.elf import ElfFacts


def judged(case: Case, keep: tuple[str, ...]) -> list[ElfFacts]:
    """The programs, libraries and extension modules that are not kept whole on purpose."""
    return [facts for facts in case.objects if is_native(facts) and not any_match(keep, facts.path)]


def unreadable(files: list[ElfFacts], what: str) -> Iterator[ReadProblem]:
    """The files whose section headers cannot be read: how much a strip would save is not known."""
    for facts in files:
        if facts.strippable is None:
            reason = (
                f"its section headers cannot be read, so how much of it is {what} is not known; build it again, or strip it"
            )
            yield ReadProblem(file=facts.path, reason=reason)


def observe(case: Case, savings: list[tuple[int, ElfFacts]], what: str, subject: str, remedy: str) -> Observation:
    """One finding for all files, the largest savings first; it is the file's own where there is but one.

    Args:
        case: the artifact.
        savings: (bytes, file), at least one.
        what: the name of the bytes, for the message.
        subject: of the finding.
        remedy: of the finding.
    """
    savings = sorted(savings, key=lambda pair: (-pair[0], pair[1].path))
    saved = sum(size for size, _ in savings)
    before = sum(facts.size for _, facts in savings)
    one = len(savings) == 1
    message = f"ships {shown_size(saved)} of {what}; a strip takes {'it' if one else f'{len(savings)} files'} "
    message += f"from {shown_size(before)} to {shown_size(before - saved)}"
    if not one:
        message += f": {listing([f'{facts.path} has {shown_size(size)}' for size, facts in savings])}"
    return Observation(
        file=savings[0][1].path if one else case.inventory.name,
        subject=subject,
        message=message,
        evidence=evidence(saved=saved, files=tuple(f"{facts.path}: {size} of {facts.size} bytes" for size, facts in savings)),
        remedy=remedy,
    )
