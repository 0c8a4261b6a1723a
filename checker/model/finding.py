"""What a rule answers, and what becomes of it."""

from __future__ import annotations

from enum import Enum

from checker.model.digest import sha256
from checker.model.record import record


class Level(Enum):
    """How grave a finding is."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"
    OFF = "off"

    @property
    def rank(self) -> int:
        """0 for off up to 3 for error."""
        return _RANKS[self.value]


_RANKS = {"off": 0, "note": 1, "warning": 2, "error": 3}

EvidenceValue = str | int | tuple[str, ...]


@record
class Observation:
    """One answer of a rule that is not fine; the engine makes a :class:`Finding` of it.

    Attributes:
        file: member path; the artifact's name for what concerns the whole.
        subject: the library, symbol, version or field concerned; with the rule and the file it identifies the finding.
        message: one sentence, without a full stop at the end, that a tired maintainer understands.
        evidence: sorted (key, value) pairs that prove it.
        remedy: what to do: the very flag, file or line to change.
    """

    file: str
    subject: str
    message: str
    evidence: tuple[tuple[str, EvidenceValue], ...]
    remedy: str


@record
class Waived:
    """The recorded exception that accepts a finding."""

    reason: str
    owner: str
    expires: str


@record
class PolicyLine:
    """A line of a policy file, numbered from 1."""

    source: str
    line: int


@record
class Finding:
    """One observation, judged.

    Attributes:
        rule: id of the rule.
        level: by the policy.
        file, subject, message, evidence, remedy: as in :class:`Observation`.
        fingerprint: 16 hex digits of the SHA-256 of rule, file and subject: stable across versions of the artifact's bytes.
        waived: ``None`` while open.
        policy_line: where a policy file of the project's own sets what is broken (a parameter of the rule, a stale waiver);
            ``None`` where nothing but the rule itself is.
    """

    rule: str
    level: Level
    file: str
    subject: str
    message: str
    evidence: tuple[tuple[str, EvidenceValue], ...]
    remedy: str
    fingerprint: str
    waived: Waived | None = None
    policy_line: PolicyLine | None = None


def fingerprint(rule: str, file: str, subject: str) -> str:
    """Identity of a finding: the first 16 hex digits of SHA-256 over rule, file and subject, NUL-separated."""
    identity = f"{rule}\0{file}\0{subject}".encode("utf-8", "surrogatepass")
    return sha256(identity).hexdigest()[:16]
