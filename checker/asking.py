"""Asks the rules, each with the parameters that the policy has for the place concerned."""

from __future__ import annotations

from checker.model.artifact import ReadProblem
from checker.model.finding import Finding, Level, fingerprint
from checker.model.policy import Place
from checker.model.record import replace
from checker.platforms.tags import LEGACY
from checker.policy.settings import is_within, level_in_force, variants
from checker.rules.architectures import tag_architecture

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from checker.model.artifact import Tag
    from checker.model.case import Case
    from checker.model.finding import Observation, PolicyLine
    from checker.model.policy import Policy
    from checker.model.rule import Rule


def ask(
    rules: Iterable[Rule], case: Case, policy: Policy, places: Places
) -> tuple[tuple[Finding, ...], tuple[ReadProblem, ...]]:
    """The findings of every enabled rule, and what a rule could not decide, in the order of the rules."""
    findings: list[Finding] = []
    undecided: list[ReadProblem] = []
    for rule in rules:
        if not rule.when(case):
            continue
        told, unknown = _ask_one(rule, case, policy, places)
        findings += told
        undecided += unknown
    return tuple(findings), tuple(undecided)


class Places:
    """Where in one case an answer can stand, as far as a policy tells places apart."""

    def __init__(self, case: Case) -> None:
        """Index what tells a file's architecture."""
        self._made_for = {facts.path: facts.identity.architecture for facts in case.objects}
        # A tag and its alias are one promise: of manylinux2014_x86_64.manylinux_2_17_x86_64 one is left.
        self._promises = sorted({(_names(tag), tag_architecture(tag.platform)) for tag in case.tags}) or [((), "")]

    def of(self, file: str) -> tuple[Place, ...]:
        """The places of one member, or of the artifact by its name: one for each promise that its tags make."""
        own = self._made_for.get(file)
        return tuple(
            Place(file=file, architecture=architecture if own is None else own, tags=names)
            for names, architecture in self._promises
        )

    def concerns(self, architectures: tuple[str, ...], tags: tuple[str, ...]) -> bool:
        """Whether what is said for these architectures and tags is said of this artifact, or of an object in it."""
        own = {architecture for _, architecture in self._promises} | set(self._made_for.values())
        return (not architectures or not own.isdisjoint(architectures)) and all(
            is_within(Place(file="", architecture="", tags=names), (), tags) for names, _ in self._promises
        )


def _names(tag: Tag) -> tuple[str, ...]:
    """The tag, and the same with the alias of its platform, sorted."""
    word, _, rest = tag.platform.partition("_")
    others = [tag.platform]
    for alias, (major, minor) in LEGACY.items():
        modern = f"manylinux_{major}_{minor}_"
        if word == alias:
            others.append(modern + rest)
        elif tag.platform.startswith(modern):
            others.append(f"{alias}_{tag.platform.removeprefix(modern)}")
    return tuple(sorted(f"{tag.python}-{tag.abi}-{platform}" for platform in others))


def _ask_one(rule: Rule, case: Case, policy: Policy, places: Places) -> tuple[list[Finding], list[ReadProblem]]:
    """One rule, once for each set of parameters in force somewhere."""
    asked: list[object] = []
    rounds: list[list[Finding]] = []
    undecided: list[ReadProblem] = []
    for variant in variants(policy, rule.id):
        if variant.level is Level.OFF or variant.parameters in asked:
            continue
        asked.append(variant.parameters)
        rounds.append([])
        for answer in rule.check(case, variant.parameters):
            level = level_in_force(policy, variant, places.of(answer.file))
            if level is Level.OFF:
                continue
            if isinstance(answer, ReadProblem):
                undecided.append(replace(answer, reason=f"{rule.id}: {answer.reason}"))
            else:
                rounds[-1].append(_finding(rule.id, level, answer, variant.line))
    return _each_once(rounds), undecided


def _finding(rule: str, level: Level, answer: Observation, line: PolicyLine | None) -> Finding:
    return Finding(
        rule=rule,
        level=level,
        file=answer.file,
        subject=answer.subject,
        message=answer.message,
        evidence=tuple(sorted(answer.evidence)),
        remedy=answer.remedy,
        fingerprint=fingerprint(rule, answer.file, answer.subject),
        policy_line=line,
    )


def _each_once(rounds: Sequence[Sequence[Finding]]) -> list[Finding]:
    """The findings of a rule that was asked with several parameters: where two rounds tell of one thing, the graver one's."""
    chosen: dict[str, int] = {}
    ranks: dict[str, int] = {}
    for number, findings in enumerate(rounds):
        for finding in findings:
            if finding.level.rank > ranks.get(finding.fingerprint, 0):
                ranks[finding.fingerprint] = finding.level.rank
                chosen[finding.fingerprint] = number
    return [finding for number, findings in enumerate(rounds) for finding in findings if chosen[finding.fingerprint] == number]
