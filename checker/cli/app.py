"""The command line in full: help, completion, mistakes, and every command. Its commands only say what is asked for.

Typer calls a command's function inside its own error handling; so that exit codes and interrupts stay ours, each function
leaves a request in the context, which :func:`parse` returns. Options of ``check`` are also told in :mod:`checker.cli.words`.
"""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any

import typer

from checker import __version__
from checker.cli import examples
from checker.cli.formats import FORMATS
from checker.cli.options import Artifacts, FailOn, FailOnLevel, Policies, Providers
from checker.cli.platform_app import platform_app
from checker.cli.policy_app import policy_app
from checker.cli.request import (
    CheckRequest,
    ExplainRequest,
    Request,
    RulesRequest,
    ShowRequest,
    Target,
)
from checker.cli.words import LEAST_WIDTH

if TYPE_CHECKING:
    from collections.abc import Sequence

PROGRAM = "wheelproof"
GATE_HELP = (
    "Run a command on artifacts only if they pass.\n\n"
    "wheelproof gate [OPTIONS] [ARTIFACT]... -- COMMAND... runs it on the very bytes that were checked. "
    "Everything before -- is as for check; with no artifact there, what the command would upload is checked, if it is a known "
    "publisher. The exit code is the command's; where it was not run, check's."
)

_SETTINGS: dict[str, Any] = {"no_args_is_help": True, "rich_markup_mode": None, "pretty_exceptions_enable": False}
app = typer.Typer(
    name=PROGRAM,
    help="Prove, before a wheel is published, that it will load and behave as it claims on every system that it claims.",
    epilog=examples.PROGRAM,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    **_SETTINGS,
)
app.add_typer(policy_app, name="policy")
app.add_typer(platform_app, name="platform")


def parse(words: Sequence[str]) -> Request | int:
    """The request of these words, or the exit code where typer has answered by itself (help, a mistake)."""
    requests: list[Request] = []
    try:
        app(args=list(words), prog_name=PROGRAM, obj=requests)
    except SystemExit as done:
        if not requests:
            return done.code if isinstance(done.code, int) else 1
    return requests[0]


Artifact = Annotated[str, typer.Argument(metavar="ARTIFACT", help="A wheel, another zip file, a directory, or an ELF file.")]
Formats = Annotated[
    list[str] | None,
    typer.Option(
        "--format",
        metavar="FMT[=FILE]",
        help=f"{', '.join(FORMATS)}; repeatable. The terminal's report goes to standard output unless another format does.",
        show_default=False,
    ),
]
Platform = Annotated[
    str | None,
    typer.Option(
        metavar="TAG|FILE",
        help="Judge for this platform in place of the tags': manylinux_2_28_x86_64 (it and all later), "
        "glibc-2.36-x86_64 (that C library, beside the newest builds of all others), or a platform file.",
        show_default=False,
    ),
]
Python = Annotated[
    str | None,
    typer.Option(
        metavar="TAG|FILE",
        help="Judge for this interpreter in place of those of file names and tags: cp311, or a platform file that has one.",
        show_default=False,
    ),
]
Roots = Annotated[
    list[str] | None,
    typer.Option(
        "--root",
        metavar="MEMBER",
        help="An object that is loaded on its own; repeatable. Without it: extension modules, executables, "
        "and shared objects that no other member needs.",
        show_default=False,
    ),
]
Preloads = Annotated[
    list[str] | None,
    typer.Option(
        "--preload",
        metavar="MEMBER[:global]",
        help="A library opened before the roots, as ctypes.CDLL does; with :global as with RTLD_GLOBAL; repeatable, in order. "
        "NAME:MEMBER for one of a --provider NAME.",
        show_default=False,
    ),
]
LibraryPath = Annotated[
    list[str] | None,
    typer.Option(
        "--library-path",
        metavar="FOLDER",
        help="A folder of the artifact, or NAME:FOLDER of a --provider, in LD_LIBRARY_PATH; repeatable, in order.",
        show_default=False,
    ),
]
Executable = Annotated[
    str | None,
    typer.Option(
        "--executable",
        metavar="MEMBER",
        help="The program that opens the roots in place of an interpreter; NAME:MEMBER for one of a --provider.",
        show_default=False,
    ),
]
Limits = Annotated[
    list[str] | None,
    typer.Option(
        "--limit",
        metavar="NAME=NUMBER",
        help="Another bound on what is read, such as total_size=64G; repeatable.",
        show_default=False,
    ),
]
Baseline = Annotated[
    str | None,
    typer.Option(
        "--baseline",
        metavar="OLD",
        help="An earlier artifact that size-over-budget compares one ARTIFACT with; a policy must set a budget of growth.",
        show_default=False,
    ),
]
IndexUrl = Annotated[
    str | None,
    typer.Option(
        "--index-url",
        metavar="URL",
        help="Where wheels asked for by name come from, in place of the index that pip is configured for.",
        show_default=False,
    ),
]
FromFiles = Annotated[
    list[str] | None,
    typer.Option(
        "--from-file",
        metavar="FILE|-",
        help="A file that lists further artifacts, one a line; - reads standard input; repeatable.",
        show_default=False,
    ),
]
OutputWidth = Annotated[
    int | None,
    typer.Option(
        "--output-width",
        metavar="COLUMNS",
        min=LEAST_WIDTH,
        max=99999,
        help="Wrap the report on standard output at this width, in a pipe as well.",
        show_default=False,
    ),
]
AllPlatforms = Annotated[
    bool, typer.Option("--all-platforms", help="Of a release asked for by name, every wheel for Linux or for every system.")
]
Bindings = Annotated[bool, typer.Option("--bindings", help="Tell every symbol's provider in the JSON report.")]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Tell everything, with evidence.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing of what is fine, and no remedies.")]


def _print_version(wanted: bool) -> None:  # noqa: FBT001 (typer calls it so)
    if wanted:
        typer.echo(f"{PROGRAM} {__version__}")
        raise typer.Exit


@app.callback()
def _program(
    *,
    _version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Tell the version.")
    ] = False,
) -> None:
    pass


@app.command(epilog=examples.CHECK)
def check(
    context: typer.Context,
    artifacts: Artifacts = None,  # type: ignore[assignment] # with --from-file there need be none
    *,
    policies: Policies = None,
    formats: Formats = None,
    fail_on: FailOnLevel = FailOn.ERROR,
    platform: Platform = None,
    python: Python = None,
    roots: Roots = None,
    providers: Providers = None,
    preloads: Preloads = None,
    library_path: LibraryPath = None,
    executable: Executable = None,
    limits: Limits = None,
    baseline: Baseline = None,
    bindings: Bindings = False,
    index_url: IndexUrl = None,
    all_platforms: AllPlatforms = False,
    from_files: FromFiles = None,
    output_width: OutputWidth = None,
    verbose: Verbose = False,
    quiet: Quiet = False,
) -> None:
    """Audit artifacts and judge them by a policy."""
    if not artifacts and not from_files:
        raise typer.BadParameter("name an artifact, such as dist/*.whl, or a list of them with --from-file")
    request = CheckRequest(
        artifacts=tuple(artifacts or ()),
        target=_target(policies, platform, python, roots, providers, limits, preloads, library_path, executable),
        formats=tuple(formats or ()),
        fail_on=fail_on.value,
        bindings=bindings,
        baseline=baseline,
        verbose=verbose,
        quiet=quiet,
        index_url=index_url,
        all_platforms=all_platforms,
        from_files=tuple(from_files or ()),
        output_width=output_width,
    )
    context.obj.append(request)


@app.command("gate", epilog=examples.GATE, help=GATE_HELP)
@wraps(check)
def gate(*_arguments: Any, **_options: Any) -> None:  # noqa: ANN401 (typer takes the options of check)
    """Run a command only if artifacts pass."""
    # With "--" and a command, checker.cli.main has parsed the words; here is only who wants help or has forgotten it.
    raise typer.BadParameter("behind the artifacts write -- and the command: wheelproof gate WHEEL -- twine upload WHEEL")


@app.command(epilog=examples.SHOW)
def show(
    context: typer.Context,
    artifact: Artifact,
    *,
    policies: Policies = None,
    platform: Platform = None,
    python: Python = None,
    roots: Roots = None,
    providers: Providers = None,
    preloads: Preloads = None,
    library_path: LibraryPath = None,
    executable: Executable = None,
    limits: Limits = None,
    verbose: Verbose = False,
) -> None:
    """Show what an artifact holds, needs, and where that comes from."""
    target = _target(policies, platform, python, roots, providers, limits, preloads, library_path, executable)
    context.obj.append(ShowRequest(artifact=artifact, target=target, verbose=verbose))


@app.command(epilog=examples.EXPLAIN)
def explain(
    context: typer.Context,
    artifact: Artifact,
    what: Annotated[
        str,
        typer.Argument(metavar="WHAT", help="A symbol (NAME or NAME@VERSION), a library, a file, a rule, or a fingerprint."),
    ],
    *,
    policies: Policies = None,
    platform: Platform = None,
    python: Python = None,
    roots: Roots = None,
    providers: Providers = None,
    preloads: Preloads = None,
    library_path: LibraryPath = None,
    executable: Executable = None,
    limits: Limits = None,
) -> None:
    """Tell the whole story of a symbol, library, file, finding or rule."""
    target = _target(policies, platform, python, roots, providers, limits, preloads, library_path, executable)
    context.obj.append(ExplainRequest(artifact=artifact, what=what, target=target))


@app.command(epilog=examples.RULES)
def rules(
    context: typer.Context,
    rule: Annotated[str | None, typer.Argument(metavar="[ID]", help="A rule to read about.", show_default=False)] = None,
) -> None:
    """List the rules, or print what one is about."""
    context.obj.append(RulesRequest(rule=rule))


def _target(  # noqa: PLR0917 (as its callers get them)
    policies: list[str] | None,
    platform: str | None,
    python: str | None,
    roots: list[str] | None,
    providers: list[str] | None,
    limits: list[str] | None,
    preloads: list[str] | None,
    library_path: list[str] | None,
    executable: str | None,
) -> Target:
    return Target(
        policies=tuple(policies or ()),
        platform=platform,
        python=python,
        roots=tuple(roots or ()),
        providers=tuple(providers or ()),
        limits=tuple(limits or ()),
        preloads=tuple(preloads or ()),
        library_path=tuple(library_path or ()),
        executable=executable,
    )
