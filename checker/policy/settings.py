"""What holds for one rule and one file."""

from __future__ import annotations

from checker.model.finding import Level
from checker.model.globs import any_match
from checker.model.policy import RuleSetting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from checker.model.policy import Policy


def variants(policy: Policy, rule: str) -> tuple[RuleSetting, ...]:
    """Every setting that the rule has somewhere: the base first, then those of overrides, each once.

    An engine asks the rule once for each distinct ``parameters`` among those that are not off, and keeps an observation when
    :func:`setting_for` its file has these parameters.
    """
    found = [_base(policy, rule)]
    found.extend(setting for override in policy.overrides for setting in override.settings if setting.rule == rule)
    return tuple(setting for index, setting in enumerate(found) if setting not in found[:index])


def setting_for(policy: Policy, rule: str, file: str) -> RuleSetting:
    """The setting that holds for one rule and one file.

    The last override that names the rule and matches the file wins, else the base holds. The rule's ``files`` limit it in
    either case: for a file outside them the level is ``Level.OFF``.

    Raises:
        KeyError: the policy does not know the rule.
    """
    setting = next(
        (
            setting
            for override in reversed(policy.overrides)
            for setting in override.settings
            if setting.rule == rule and any_match(override.files, file)
        ),
        None,
    ) or _base(policy, rule)
    if setting.files and not any_match(setting.files, file):
        return RuleSetting(rule=rule, level=Level.OFF, parameters=setting.parameters, files=setting.files)
    return setting


def _base(policy: Policy, rule: str) -> RuleSetting:
    for setting in policy.settings:
        if setting.rule == rule:
            return setting
    raise KeyError(rule)
