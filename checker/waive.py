"""Waivers: which findings a policy accepts, and which of its acceptances have gone stale."""

from __future__ import annotations

from checker.model.finding import Finding, Level, PolicyLine, Waived, fingerprint
from checker.model.globs import matches
from checker.model.record import replace
from checker.policy.settings import is_within

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from checker.asking import Places
    from checker.model.policy import Waiver

UNMATCHED = "unmatched-waiver"
EXPIRED = "expired-waiver"


def waive(
    findings: Sequence[Finding],
    waivers: Sequence[Waiver],
    places: Places,
    *,
    artifact: str,
    today: str,
    off: Collection[str] = (),
) -> tuple[Finding, ...]:
    """The findings, with those that a waiver in force accepts marked, and one more for each waiver that is stale.

    Args:
        findings: as the rules gave them.
        waivers: of the policy; the first that fits a finding accepts it. One for some architectures or tags accepts only what
            is so in every place of the file, and is not missed in an artifact that it does not concern.
        places: of the artifact.
        artifact: name under which stale waivers are told.
        today: ISO date that expiry is compared with; empty when nobody gave one, and nothing expires then.
        off: the rules that the policy asks nowhere.
    """
    used: set[int] = set()
    judged: list[Finding] = []
    for finding in findings:
        fitting = [index for index, waiver in enumerate(waivers) if _fits(waiver, finding, places)]
        used.update(fitting)
        in_force = next((waivers[index] for index in fitting if not _is_expired(waivers[index], today)), None)
        if in_force is not None:
            accepted = Waived(reason=in_force.reason, owner=in_force.owner, expires=in_force.expires)
            judged.append(replace(finding, waived=accepted))
        else:
            judged.append(finding)
    for index, waiver in enumerate(waivers):
        if not places.concerns(waiver.architectures, waiver.tags):
            continue
        if _is_expired(waiver, today):
            judged.append(_stale(EXPIRED, waiver, artifact, f"it expired on {waiver.expires}"))
        elif index not in used:
            why = "the rule is off, so there is nothing to accept" if waiver.rule in off else "it matches nothing any more"
            judged.append(_stale(UNMATCHED, waiver, artifact, why))
    return tuple(judged)


def _fits(waiver: Waiver, finding: Finding, places: Places) -> bool:
    return (
        waiver.rule == finding.rule
        and (not waiver.file or matches(waiver.file, finding.file))
        and (waiver.match in finding.subject or waiver.match in finding.message)
        and all(is_within(place, waiver.architectures, waiver.tags) for place in places.of(finding.file))
    )


def _is_expired(waiver: Waiver, today: str) -> bool:
    return bool(waiver.expires and today and waiver.expires < today)


def _stale(rule: str, waiver: Waiver, artifact: str, why: str) -> Finding:
    subject = " ".join(part for part in (waiver.rule, waiver.file, waiver.match) if part)
    place = f"{waiver.source}:{waiver.line}" if waiver.line else waiver.source
    return Finding(
        rule=rule,
        level=Level.WARNING,
        file=artifact,
        subject=subject,
        message=f"the waiver of {waiver.rule} is stale: {why}",
        evidence=(("policy", place), ("reason", waiver.reason)),
        remedy=f"remove the waiver at {place}, or renew it with a new reason",
        fingerprint=fingerprint(rule, artifact, subject),
        policy_line=PolicyLine(source=waiver.source, line=waiver.line) if waiver.line else None,
    )
