"""``wheelproof rules``: what is asked, and why."""

from __future__ import annotations

import json

from checker.cli import output
from checker.cli.audit import policy_for
from checker.cli.request import Target, UsageError
from checker.policy.problems import hint
from checker.report import rules as rules_report
from checker.rules.registry import RULES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from checker.cli.request import RulesRequest


def rules(request: RulesRequest) -> int:
    """List the rules with their levels in the policy in force, or print the documentation of one.

    Raises:
        UsageError: no rule has that id, or the policy in force cannot be used.
    """
    levels = {setting.rule: setting.level.value for setting in policy_for(Target()).settings}
    if request.rule is None:
        output.print_lines(rules_report.listing(RULES, levels))
        return 0
    rule = next((rule for rule in RULES if rule.id == request.rule), None)
    if rule is None:
        raise UsageError(f'there is no rule "{request.rule}"{hint(request.rule, [rule.id for rule in RULES])}')
    from checker.policy.fieldtypes import descriptions, toml_defaults

    told = descriptions(rule.parameters)
    parameters = {
        name: (json.dumps(value, ensure_ascii=False), told.get(name, ""))
        for name, value in toml_defaults(rule.parameters).items()
    }
    output.print_lines(rules_report.page(rule, levels[rule.id], parameters))
    return 0
