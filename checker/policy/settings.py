"""What holds for one rule in one place."""

from __future__ import annotations

from checker.model.finding import Level
from checker.model.globs import any_match
from checker.model.policy import RuleSetting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from checker.model.policy import Override, Place, Policy


def variants(policy: Policy, rule: str) -> tuple[RuleSetting, ...]:
    """Every setting that the rule has somewhere: the base first, then those of overrides, each once.

    An engine asks the rule once for each distinct ``parameters`` among those that are not off, and keeps an observation when
    :func:`level_in_force` says so of its places.
    """
    found = [_base(policy, rule)]
    found.extend(setting for override in policy.overrides for setting in override.settings if setting.rule == rule)
    return tuple(setting for index, setting in enumerate(found) if setting not in found[:index])


def rules_off(policy: Policy) -> frozenset[str]:
    """The rules that are off everywhere."""
    on = {setting.rule for override in policy.overrides for setting in override.settings if setting.level is not Level.OFF}
    return frozenset(setting.rule for setting in policy.settings if setting.level is Level.OFF and setting.rule not in on)


def setting_for(policy: Policy, rule: str, place: Place) -> RuleSetting:
    """The setting that holds for one rule in one place.

    The last override that names the rule and matches the place wins, else the base holds. The rule's ``files`` limit it in
    either case: for a file outside them the level is ``Level.OFF``.

    Raises:
        KeyError: the policy does not know the rule.
    """
    setting = next(
        (
            setting
            for override in reversed(policy.overrides)
            for setting in override.settings
            if setting.rule == rule and _holds(override, place)
        ),
        None,
    ) or _base(policy, rule)
    if setting.files and not any_match(setting.files, place.file):
        return RuleSetting(rule=rule, level=Level.OFF, parameters=setting.parameters, files=setting.files)
    return setting


def level_in_force(policy: Policy, asked: RuleSetting, places: Iterable[Place]) -> Level:
    """How grave it is what a rule, asked with these parameters, observes of one file: ``Level.OFF`` where it does not count.

    A wheel with several tags makes several promises, and each is judged by its own setting; the gravest counts. So an override
    for some tags can loosen a rule only for a wheel that has no other tags, and tightens it for every wheel that has one.
    """
    settings = (setting_for(policy, asked.rule, place) for place in places)
    levels = (setting.level for setting in settings if setting is asked or setting.parameters == asked.parameters)
    return max(levels, key=lambda level: level.rank, default=Level.OFF)


def _holds(override: Override, place: Place) -> bool:
    return (not override.files or any_match(override.files, place.file)) and is_within(
        place, override.architectures, override.tags
    )


def is_within(place: Place, architectures: tuple[str, ...], tags: tuple[str, ...]) -> bool:
    """Whether the place is of one of these architectures and tags; of nothing said it is."""
    return (not architectures or place.architecture in architectures) and (
        not tags or any(any_match(tags, tag) for tag in place.tags)
    )


def _base(policy: Policy, rule: str) -> RuleSetting:
    for setting in policy.settings:
        if setting.rule == rule:
            return setting
    raise KeyError(rule)
