"""Lays policy files over one another.

Every rule starts with its own defaults, and off. Then each layer, in order, changes the keys that it names; a parameter is
replaced as a whole, arrays and tables too. Providers, overrides and waivers are appended. A rule that is named without a level,
where no layer before gave it one, is an error-level rule: naming it is choosing it. An override starts from the base that all
layers together make.
"""

from __future__ import annotations

import os

from checker.model.finding import Level, PolicyLine
from checker.model.platform import is_path
from checker.model.policy import Override, Policy, RuleSetting
from checker.model.record import record
from checker.policy.parameters import build
from checker.policy.problems import PolicyProblem, dotted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from checker.model.policy import RuleSpec
    from checker.policy.layer import Layer, OverrideChange, RuleChange
    from checker.policy.problems import KeyPath

FROM_TAG = "from-tag"


@record
class Origin:
    """Which layer said something, and where in it (relative to the policy's own table)."""

    layer: Layer
    path: KeyPath

    def text(self) -> str:
        """File and line, as far as it is known."""
        line = self.layer.line(self.path)
        return f"{self.layer.file}:{line}" if line else self.layer.file

    def problem(self, message: str) -> PolicyProblem:
        """A problem at this place."""
        return PolicyProblem(
            file=self.layer.file,
            line=self.layer.line(self.path),
            path=dotted((*self.layer.prefix, *self.path)),
            message=message,
        )


Said = dict[str, tuple["Any", Origin]]
"""Key (``level``, ``files`` or a parameter) → its value as TOML has it, and who said so. Keys nobody named are absent."""


@record
class MergedOverride:
    """An override with, for each rule it names, all that holds there (the base's keys too)."""

    said: OverrideChange
    rules: Mapping[str, Said]
    origin: Origin


@record
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
    known = {spec.id: spec for spec in specs}
    problems: list[PolicyProblem] = []
    target: Said = {}
    rules: dict[str, Said] = {spec.id: {} for spec in specs}
    for layer in layers:
        for key, value in (("platform", layer.platform), ("python", layer.python)):
            if value is not None:
                target[key] = (value, Origin(layer=layer, path=("target", key)))
        for change in layer.rules:
            origin = Origin(layer=layer, path=("rules", change.rule))
            rules[change.rule] = _changed(rules[change.rule], change, origin)
            problems += _refusals(rules[change.rule], change, origin, known[change.rule])
    overrides = []
    for layer in layers:
        for index, override in enumerate(layer.overrides):
            changed: dict[str, Said] = {}
            for change in override.rules:
                origin = Origin(layer=layer, path=("override", index, "rules", change.rule))
                changed[change.rule] = _changed(rules[change.rule], change, origin)
                problems += _refusals(changed[change.rule], change, origin, known[change.rule])
            at = Origin(layer=layer, path=("override", index))
            overrides.append(MergedOverride(said=override, rules=changed, origin=at))
    return Merged(layers=tuple(layers), target=target, rules=rules, overrides=tuple(overrides), problems=tuple(problems))


def _changed(base: Said, change: RuleChange, origin: Origin) -> Said:
    named: dict[str, Any] = dict(change.parameters)
    if change.level is not None:
        named["level"] = change.level
    if change.files is not None:
        named["files"] = change.files
    changed = {key: (value, Origin(layer=origin.layer, path=(*origin.path, key))) for key, value in named.items()}
    if "level" not in base and "level" not in changed:
        changed["level"] = (Level.ERROR.value, origin)
    return {**base, **changed}


def _refusals(changed: Said, change: RuleChange, origin: Origin, spec: RuleSpec) -> Iterator[PolicyProblem]:
    """What is wrong with a change only where it stands."""
    level, giver = changed["level"]
    if change.level is None and level == Level.OFF.value:
        # Parameters for a rule that stays off would look like a check that passes.
        yield origin.problem(f'the rule is off (by {giver.text()}), so this changes nothing; say level = "error" here as well')
    if change.parameters:
        try:
            _ = setting_of(changed, spec).parameters
        except ValueError as error:
            yield origin.problem(str(error))


def policy_of(merged: Merged, specs: Sequence[RuleSpec]) -> Policy:
    """The effective policy, of layers that had no problems."""
    last = merged.layers[-1]
    known = {spec.id: spec for spec in specs}
    return Policy(
        name=last.name,
        description=last.description,
        written_target=(_said(merged.target, "platform", FROM_TAG), _said(merged.target, "python", FROM_TAG)),
        platform=_resolved(merged.target, "platform"),
        python=_resolved(merged.target, "python"),
        providers=tuple(provider for layer in merged.layers for provider in layer.providers),
        settings=tuple(setting_of(merged.rules[spec.id], spec) for spec in specs),
        overrides=tuple(
            Override(
                files=override.said.files,
                architectures=override.said.architectures,
                tags=override.said.tags,
                settings=tuple(setting_of(said, known[rule]) for rule, said in override.rules.items()),
            )
            for override in merged.overrides
        ),
        waivers=tuple(waiver for layer in merged.layers for waiver in layer.waivers),
    )


def _resolved(target: Said, key: str) -> str:
    """What ``[target]`` says; a path is relative to the file that says it."""
    if key not in target:
        return FROM_TAG
    value, origin = target[key]
    if not is_path(value):
        return str(value)
    return os.path.join(os.path.dirname(origin.layer.file), value)  # noqa: PTH118, PTH120 (pathlib is slow to import)


def setting_of(said: Said, spec: RuleSpec) -> RuleSetting:
    """One rule's complete setting from what was said of it; the record of its parameters is made when it is asked."""
    return RuleSetting(
        rule=spec.id,
        level=Level(_said(said, "level", Level.OFF.value)),
        make=lambda: build(spec.parameters, _values(said)),
        files=tuple(_said(said, "files", ())),
        line=_line_of_parameters(said),
    )


def _line_of_parameters(said: Said) -> PolicyLine | None:
    """Where a file sets the first parameter; the shipped policies, as they are compiled, have no lines."""
    origins = (origin for key, (_, origin) in said.items() if key not in {"level", "files"})
    lines = (PolicyLine(source=origin.layer.file, line=line) for origin in origins if (line := origin.layer.line(origin.path)))
    return next(lines, None)


def _values(said: Said) -> dict[str, Any]:
    """Parameter → value as TOML has it; what nobody said is absent."""
    return {key: value for key, (value, _) in said.items() if key not in {"level", "files"}}


def _said(said: Said, key: str, default: Any) -> Any:  # noqa: ANN401 - as TOML has it
    return said[key][0] if key in said else default
