"""The words of ``wheelproof platform``; a part of :mod:`checker.cli.app`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from checker.cli import examples
from checker.cli.request import PlatformRequest

SETTINGS: dict[str, Any] = {"no_args_is_help": True, "rich_markup_mode": None, "pretty_exceptions_enable": False}
platform_app = typer.Typer(help="Look at platforms, and capture one of your own.", epilog=examples.PLATFORM, **SETTINGS)


@platform_app.command("capture", epilog=examples.CAPTURE)
def platform_capture(
    context: typer.Context,
    root: Annotated[
        str, typer.Argument(metavar="ROOT", help="/, or the directory of an unpacked image. Nothing in it is run.")
    ],
    *,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="The platform file to write, such as debian.platform.")
    ],
    python: Annotated[
        str | None,
        typer.Option(
            metavar="PATH",
            help="An interpreter, too: a program or libpython, by its path inside the root.",
            show_default=False,
        ),
    ] = None,
    libraries: Annotated[
        list[str] | None,
        typer.Option(
            "--library",
            metavar="GLOB",
            help="Capture symbols of these libraries only, besides the C library's and the compilers' runtimes; of others "
            "only that they are there. Repeatable.",
            show_default=False,
        ),
    ] = None,
    architecture: Annotated[
        str | None,
        typer.Option(metavar="ARCH", help="Of several in the root, this one: x86_64, aarch64, i686 …", show_default=False),
    ] = None,
) -> None:
    """Write what a root file system supplies to its loader into a file.

    The file is for --platform, and with an interpreter also for --python.
    """
    context.obj.append(
        PlatformRequest(
            action="capture",
            subject=root,
            output=output,
            python=python,
            libraries=tuple(libraries or ()),
            architecture=architecture,
        )
    )


@platform_app.command("list")
def platform_list(context: typer.Context) -> None:
    """List what is known: C libraries, their releases and architectures, and interpreters."""
    context.obj.append(PlatformRequest(action="list"))


@platform_app.command("show")
def platform_show(
    context: typer.Context,
    name: Annotated[
        str, typer.Argument(metavar="NAME|FILE", help="A tag, one release such as glibc-2.36-x86_64, or a platform file.")
    ],
) -> None:
    """Show a platform: its libraries, how many symbols each has, and the newest versions."""
    context.obj.append(PlatformRequest(action="show", subject=name))
