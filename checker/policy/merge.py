"""Lays policy files over one another.

Every rule starts with its own defaults, and off. Then each layer, in order, changes the keys that it names; a parameter is
replaced as a whole, arrays and tables too. Providers, overrides and waivers are appended. A rule that is named without a level,
where no layer before gave it one, is an error-level rule: naming it is choosing it. An override starts from the base that all
layers together make.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from checker.model.finding import Level
from checker.model.policy import Override, Policy, RuleSetting
from checker.policy.parameters import build, plain
from checker.policy.problems import PolicyProblem, dotted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from checker.model.policy import RuleSpec
    from checker.policy.layer import Layer, RuleChange
    from checker.policy.problems import KeyPath

FROM_TAG = "from-tag"


@dataclass(frozen=True, slots=True)
class Origin:
    """Which layer said something, and where in it (relative to the policy's own table)."""

    layer: Layer
    path: KeyPath

    def problem(self, message: str) -> PolicyProblem:
        """A problem at this place."""
        return PolicyProblem(
            file=self.layer.file,
            line=self.layer.line(self.path),
            path=dotted((*self.layer.prefix, *self.path)),
            message=message,
        )


Said = dict[str, tuple[Any, Origin]]
"""Key (``level``, ``files`` or a parameter) → its value as TOML has it, and who said so. Keys nobody named are absent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MergedOverride:
    """An override with, for each rule it names, all that holds there (the base's keys too)."""

    files: tuple[str, ...]
    rules: Mapping[str, Said]
    origin: Origin


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """All layers laid over one another, with the origin of each value.

    Attributes:
        layers: in order; the last gives the name.
        target: ``platform`` and ``python``, where said.
        rules: rule id → what was said of it; every known rule has an entry.
        overrides: in order.
        problems: what only shows once the layers are together.
    """

    layers: tuple[Layer, ...]
    target: Said
    rules: Mapping[str, Said]
    overrides: tuple[MergedOverride, ...]
    problems: tuple[PolicyProblem, ...]


def merge(layers: Sequence[Layer], specs: Sequence[RuleSpec]) -> Merged:
    """Lays the layers over one another, the later over the earlier."""
    problems: list[PolicyProblem] = []
    target: Said = {}
    rules: dict[str, Said] = {spec.id: {} for spec in specs}
    for layer in layers:
        for key, value in (("platform", layer.platform), ("python", layer.python)):
            if value is not None:
                target[key] = (value, Origin(layer, ("target", key)))
        for change in layer.rules:
            origin = Origin(layer, ("rules", change.rule))
            rules[change.rule] = _changed(rules[change.rule], change, origin, problems)
    overrides = []
    for layer in layers:
        for index, override in enumerate(layer.overrides):
            at = Origin(layer, ("override", index))
            changed = {
                change.rule: _changed(rules[change.rule], change, Origin(layer, (*at.path, "rules", change.rule)), problems)
                for change in override.rules
            }
            overrides.append(MergedOverride(files=override.files, rules=changed, origin=at))
    return Merged(layers=tuple(layers), target=target, rules=rules, overrides=tuple(overrides), problems=tuple(problems))


def _changed(base: Said, change: RuleChange, origin: Origin, problems: list[PolicyProblem]) -> Said:
    changed = dict(base)
    named: dict[str, Any] = dict(change.parameters)
    if change.level is not None:
        named["level"] = change.level
    elif "level" not in base:
        changed["level"] = (Level.ERROR.value, origin)
    elif base["level"][0] == Level.OFF.value:
        _, off = base["level"]
        place = f"{off.layer.file}:{off.layer.line(off.path)}" if off.layer.line(off.path) else off.layer.file
        problems.append(
            origin.problem(f'the rule is off (by {place}), so this changes nothing; say level = "error" here as well')
        )
    if change.files is not None:
        named["files"] = change.files
    for key, value in named.items():
        changed[key] = (value, Origin(origin.layer, (*origin.path, key)))
    return changed


def policy_of(merged: Merged, specs: Sequence[RuleSpec]) -> Policy:
    """The effective policy."""
    last = merged.layers[-1]
    parameters = {spec.id: spec.parameters for spec in specs}
    policy = Policy(
        name=last.name,
        description=last.description,
        digest="",
        platform=_said(merged.target, "platform", FROM_TAG),
        python=_said(merged.target, "python", FROM_TAG),
        providers=tuple(provider for layer in merged.layers for provider in layer.providers),
        settings=tuple(setting_of(spec.id, merged.rules[spec.id], spec.parameters) for spec in specs),
        overrides=tuple(
            Override(
                files=override.files,
                settings=tuple(setting_of(rule, said, parameters[rule]) for rule, said in override.rules.items()),
            )
            for override in merged.overrides
        ),
        waivers=tuple(waiver for layer in merged.layers for waiver in layer.waivers),
    )
    return replace(policy, digest=policy_digest(policy))


def setting_of(rule: str, said: Said, parameters: type[Any]) -> RuleSetting:
    """One rule's complete setting from what was said of it."""
    values = {key: value for key, (value, _) in said.items() if key not in {"level", "files"}}
    return RuleSetting(
        rule=rule,
        level=Level(_said(said, "level", Level.OFF.value)),
        parameters=build(parameters, values),
        files=tuple(_said(said, "files", ())),
    )


def with_target(policy: Policy, *, platform: str | None = None, python: str | None = None) -> Policy:
    """The same policy for another platform or Python, where one is given (``--platform``, ``--python``).

    Raises:
        ValueError: the name is none that a target may have; the message says which may.
    """
    from checker.policy.target import check_platform, check_python

    changed = replace(
        policy,
        platform=policy.platform if platform is None else check_platform(platform),
        python=policy.python if python is None else check_python(python),
    )
    return replace(changed, digest=policy_digest(changed))


def policy_digest(policy: Policy) -> str:
    """SHA-256 (hex) over canonical JSON of what decides a verdict.

    Names, descriptions, the places where things are written and the parameters of rules that are off are left out: two policies
    that judge alike by the same words have the same digest.
    """
    content = {
        "platform": policy.platform,
        "python": policy.python,
        "providers": plain(policy.providers),
        "settings": [plain(setting) for setting in policy.settings if setting.level is not Level.OFF],
        "overrides": plain(policy.overrides),
        "waivers": [
            {key: value for key, value in plain(waiver).items() if key not in {"line", "source"}} for waiver in policy.waivers
        ],
    }
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _said(said: Said, key: str, default: Any) -> Any:  # noqa: ANN401 - as TOML has it
    return said[key][0] if key in said else default
