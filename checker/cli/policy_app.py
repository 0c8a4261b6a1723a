"""The words of ``wheelproof policy``; a part of :mod:`checker.cli.app`."""

from __future__ import annotations

from typing import Annotated

import typer

from checker.cli import examples
from checker.cli.options import Artifacts, FailOn, FailOnLevel, Policies, Providers
from checker.cli.platform_app import SETTINGS
from checker.cli.request import PolicyInitRequest, PolicyRequest, PolicyTestRequest

policy_app = typer.Typer(help="Write, look at and test policies.", epilog=examples.POLICY, **SETTINGS)

PolicyNames = Annotated[
    list[str] | None,
    typer.Argument(metavar="[NAME|FILE]...", help="Policies, later ones win; as with check.", show_default=False),
]


@policy_app.command("show")
def policy_show(context: typer.Context, policies: PolicyNames = None) -> None:
    """Print the effective policy, and the file and line that each value comes from."""
    context.obj.append(PolicyRequest(action="show", policies=tuple(policies or ())))


@policy_app.command("validate")
def policy_validate(context: typer.Context, policies: PolicyNames = None) -> None:
    """Tell every mistake in a policy at once."""
    context.obj.append(PolicyRequest(action="validate", policies=tuple(policies or ())))


@policy_app.command("schema")
def policy_schema(context: typer.Context) -> None:
    """Print the JSON Schema of policy files, for editors."""
    context.obj.append(PolicyRequest(action="schema"))


@policy_app.command("init")
def policy_init(
    context: typer.Context,
    artifacts: Artifacts,
    *,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="The policy to write; - for standard output.")
    ] = "wheelproof.toml",
    force: Annotated[bool, typer.Option("--force", help="Overwrite what is there.")] = False,
    policies: Annotated[
        list[str] | None,
        typer.Option(
            "--policy",
            metavar="NAME|FILE",
            help="What the starter extends; repeatable, later ones win. Without it: recommended.",
            show_default=False,
        ),
    ] = None,
    fail_on: FailOnLevel = FailOn.ERROR,
    platform: Annotated[
        str, typer.Option(metavar="TAG|FILE", help="The platform of [target], as with check; from-tag: what the tags promise.")
    ] = "from-tag",
    python: Annotated[str, typer.Option(metavar="TAG|FILE", help="The interpreter of [target], as with check.")] = "from-tag",
    providers: Providers = None,
) -> None:
    """Write a starter policy that passes today's artifacts.

    Each acceptance is spelled out for review.
    """
    request = PolicyInitRequest(
        artifacts=tuple(artifacts),
        output=output,
        force=force,
        policies=tuple(policies or ()),
        fail_on=fail_on.value,
        platform=platform,
        python=python,
        providers=tuple(providers or ()),
    )
    context.obj.append(request)


@policy_app.command("test")
def policy_test(
    context: typer.Context,
    directory: Annotated[
        str, typer.Argument(metavar="DIR", help="Holds the folders good and bad with wheels, and perhaps an expected.toml.")
    ],
    *,
    policies: Policies = None,
    fail_on: FailOnLevel = FailOn.ERROR,
) -> None:
    """Try a policy: each wheel in DIR/good must pass, and each in DIR/bad must fail."""
    context.obj.append(PolicyTestRequest(directory=directory, policies=tuple(policies or ()), fail_on=fail_on.value))
