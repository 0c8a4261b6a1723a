"""What the engine hands to the reporters."""

from __future__ import annotations

from enum import Enum

from checker.model.finding import Level
from checker.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from checker.model.artifact import ReadProblem
    from checker.model.case import Case
    from checker.model.closure import Closure
    from checker.model.finding import Finding
    from checker.model.policy import Policy
    from checker.model.resolution import BindingRow, Lookup


class Verdict(Enum):
    """Of an artifact or a whole run; a failure outweighs what could not be checked."""

    PASS = "pass"  # noqa: S105 (a verdict, no password)
    FAIL = "fail"
    UNCHECKED = "unchecked"


@record
class ArtifactReport:
    """One artifact, judged.

    Attributes:
        case: all facts.
        policy: what it was judged by.
        findings: open and waived, sorted by level (gravest first), file, rule, subject.
        unchecked: what could not be checked, sorted.
        verdict: FAIL with an open finding at or above the level asked for; else UNCHECKED with anything unchecked; else PASS.
        bindings: every lookup of every root at the newest platform judged, sorted; ``None`` unless asked for.
        lookups: of the symbols that were asked for, step by step, sorted; ``None`` unless asked for.
        closures: of every root at the oldest platform judged, sorted by root; ``None`` unless asked for.
    """

    case: Case
    policy: Policy
    findings: tuple[Finding, ...]
    unchecked: tuple[ReadProblem, ...]
    verdict: Verdict
    bindings: tuple[BindingRow, ...] | None = None
    closures: tuple[Closure, ...] | None = None
    lookups: tuple[Lookup, ...] | None = None


@record
class Report:
    """One run.

    Attributes:
        version: of this program.
        data: (name, version and digest) of the platform data used, sorted.
        artifacts: in the order given.
        verdict: the worst of theirs: FAIL over UNCHECKED over PASS.
        fail_on: the lowest level of an open finding that fails.
    """

    version: str
    data: tuple[tuple[str, str], ...]
    artifacts: tuple[ArtifactReport, ...]
    verdict: Verdict
    fail_on: Level = Level.ERROR
