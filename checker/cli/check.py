"""``wheelproof check``: audit, report in the formats asked for, and tell the verdict by the exit code."""

from __future__ import annotations

import os

from checker.cli import codes, output
from checker.cli.audit import check_baseline, check_roots, expanded, listed, options_for, policy_for, refuse_wheelhouses
from checker.cli.formats import HTML, TERMINAL, render, require
from checker.cli.request import UsageError
from checker.model.record import replace
from checker.model.report import Verdict
from checker.report import terminal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from checker.cli.request import CheckRequest
    from checker.model.report import Report

_VERDICTS = {Verdict.PASS: codes.COMPLIANT, Verdict.FAIL: codes.FINDINGS, Verdict.UNCHECKED: codes.UNCHECKED}


def check(request: CheckRequest) -> int:
    """Judge every artifact that is there.

    Returns:
        The exit code. A path that leads nowhere is wrong usage and outweighs the verdict over the others, which are judged and
        reported all the same.

    Raises:
        UsageError: before anything is judged; or an output file cannot be written.
    """
    outputs = _outputs(request.formats)
    verbosity = _verbosity(request)
    policy = policy_for(request.target)
    artifacts, missing = expanded((*request.artifacts, *listed(request.from_files)))
    named, missing = _by_name(request, missing)
    artifacts = (*artifacts, *named)
    for path in missing:
        output.complain(f"{path}: no such file or directory")
    if not artifacts:
        return codes.USAGE
    refuse_wheelhouses(artifacts)
    if request.baseline is not None:
        check_baseline(artifacts, request.baseline, policy)
    providers = (path for _, _, path in (each.partition("=") for each in request.target.providers))
    _spare_inputs(outputs, (*artifacts, *providers, *filter(None, (request.baseline,))))
    from checker import engine
    from checker.cli.progress import ProgressBar

    with ProgressBar(wanted=not request.quiet) as bar:
        in_full = any(name != TERMINAL for name, _ in outputs)
        looks = any(name == HTML for name, _ in outputs)
        options = options_for(
            request.target,
            bindings=request.bindings or looks,
            closures=looks,
            baseline=request.baseline,
            digest=in_full,
            searches=in_full,
            fail_on=request.fail_on,
            progress=bar.callback,
        )
        try:
            report = engine.run(artifacts, policy, options)
        except engine.UsageError as error:
            raise UsageError(str(error)) from error
    check_roots(report.artifacts, request.target.roots)
    report = _shown_by_name(report, named)
    for name, file in outputs:
        _deliver(report, name, file, verbosity, request.output_width)
    return codes.USAGE if missing else _VERDICTS[report.verdict]


def _by_name(request: CheckRequest, missing: tuple[str, ...]) -> tuple[dict[str, str], tuple[str, ...]]:
    """Path → file name of the wheels that were asked for by name, and what is missing still.

    Raises:
        UsageError: the index cannot serve them, or there are none though an option speaks of an index.
    """
    asks_index = request.all_platforms or request.index_url is not None
    if not missing and not asks_index:
        return {}, ()
    from checker.cli import index

    requirements = tuple(path for path in missing if index.is_requirement(path))
    if asks_index and not requirements:
        raise UsageError("--all-platforms and --index-url are for wheels by name, such as numpy==2.4.6")
    asked = index.Asked(
        platform=request.target.platform,
        python=request.target.python,
        index_url=request.index_url,
        all_platforms=request.all_platforms,
        tell=(lambda _: None) if request.quiet else output.complain,
    )
    wheels = index.fetch(requirements, asked) if requirements else {}
    return wheels, tuple(path for path in missing if path not in requirements)


def _shown_by_name(report: Report, named: dict[str, str]) -> Report:
    """A wheel that was asked for by name is told by its file name, and not by its place in a cache."""
    if not named:
        return report
    artifacts = []
    for artifact in report.artifacts:
        inventory = artifact.case.inventory
        shown = replace(inventory, path=named.get(inventory.path, inventory.path))
        artifacts.append(replace(artifact, case=replace(artifact.case, inventory=shown)))
    return replace(report, artifacts=tuple(artifacts))


def _verbosity(request: CheckRequest) -> terminal.Verbosity:
    if request.verbose and request.quiet:
        raise UsageError("--verbose and --quiet contradict one another")
    if request.verbose:
        return terminal.Verbosity.VERBOSE
    return terminal.Verbosity.QUIET if request.quiet else terminal.Verbosity.NORMAL


def _outputs(formats: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """(Format, file) of each report; the file is empty for standard output, which is the terminal's unless another takes it."""
    outputs = []
    for written in formats:
        name, equals, file = written.partition("=")
        require(name)
        if equals and not file:
            raise UsageError(f"--format {written}: the file's name is missing")
        if file and not os.path.isdir(os.path.dirname(file) or "."):  # noqa: PTH112, PTH120 (pathlib is slow to import)
            raise UsageError(f"--format {written}: there is no folder for that file")
        outputs.append((name, file))
    on_stdout = [name for name, file in outputs if not file]
    if len(on_stdout) > 1:
        raise UsageError(f"only one format can go to standard output, not {' and '.join(on_stdout)}: write FORMAT=FILE")
    files = [file for _, file in outputs if file]
    if len(set(files)) < len(files):
        raise UsageError("two formats would be written to the same file")
    return tuple(outputs) if on_stdout else ((TERMINAL, ""), *outputs)


def _spare_inputs(outputs: Iterable[tuple[str, str]], inputs: Iterable[str]) -> None:
    """A report must not take the place of a file that is judged."""
    there = [path for path in inputs if os.path.exists(path)]  # noqa: PTH110
    for name, file in outputs:
        if file and os.path.exists(file) and any(os.path.samefile(file, path) for path in there):  # noqa: PTH110, PTH121
            raise UsageError(f"--format {name}={file}: that is a file to judge, and the report would take its place")


def _deliver(report: Report, name: str, file: str, verbosity: terminal.Verbosity, width: int | None) -> None:
    if name == TERMINAL and not file:
        output.print_lines(terminal.lines(report, verbosity), width)
        return
    text = render(name, report, verbosity)
    if file:
        output.write_file(file, text)
    else:
        output.print_text(text)
