"""``wheelproof policy``: show one, find its mistakes, or print the schema."""

from __future__ import annotations

from checker.cli import output
from checker.cli.request import UsageError
from checker.policy.problems import PolicyError
from checker.rules.registry import specs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from checker.cli.request import PolicyRequest


def policy(request: PolicyRequest) -> int:
    """Do what was asked for; the exit code.

    Raises:
        UsageError: with every mistake in the policy.
    """
    if request.action == "schema":
        from checker.policy.builtin import schema_text

        output.print_text(schema_text())
        return 0
    from checker.policy.show import describe_policy

    try:
        described = describe_policy(request.policies, specs())
    except PolicyError as error:
        raise UsageError(*map(str, error.problems)) from error
    if request.action == "show":
        output.print_text(described)
    else:
        output.print_text(f"{', '.join(request.policies) or 'the policy in force'}: ok\n")
    return 0
