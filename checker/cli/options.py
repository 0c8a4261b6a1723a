"""Arguments and options that several commands of :mod:`checker.cli.app` have."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

import typer


class FailOn(str, Enum):
    """The levels of ``--fail-on``."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


Artifacts = Annotated[
    list[str],
    typer.Argument(metavar="ARTIFACT", help="Wheels, other zip files, directories, or single ELF files.", show_default=False),
]
Policies = Annotated[
    list[str] | None,
    typer.Option(
        "--policy",
        metavar="NAME|FILE",
        help="A shipped policy or a policy file; repeatable, later ones win. "
        "Without it: wheelproof.toml or [tool.wheelproof] of pyproject.toml, here or above in the repository, "
        "else 'recommended'.",
        show_default=False,
    ),
]
FailOnLevel = Annotated[FailOn, typer.Option("--fail-on", help="The least level that makes the exit code 1.")]
Providers = Annotated[
    list[str] | None,
    typer.Option(
        "--provider",
        metavar="NAME=PATH",
        help="The artifact of another distribution whose libraries the process has; repeatable.",
        show_default=False,
    ),
]
