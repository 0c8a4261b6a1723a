"""``wheelproof show`` and ``wheelproof explain``: facts about one artifact, without a verdict."""

from __future__ import annotations

import os

from checker.cli import codes, output
from checker.cli.audit import check_roots, options_for, policy_for
from checker.cli.request import UsageError
from checker.report.text import line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from checker.cli.lookup import Meaning
    from checker.cli.request import ExplainRequest, ShowRequest, Target
    from checker.model.case import Case
    from checker.model.report import ArtifactReport
    from checker.report.text import Line


def show(request: ShowRequest) -> int:
    """Print what the artifact holds and needs.

    Returns:
        0; 3 where nothing of the artifact could be read.

    Raises:
        UsageError: as :func:`checker.cli.check.check`.
    """
    from checker.report import show as presentation

    report = _audited(request.artifact, request.target)
    output.print_lines(presentation.lines(report, verbose=request.verbose))
    return _exit_code(report)


def explain(request: ExplainRequest) -> int:
    """Print the story of everything that the words mean.

    Returns:
        0; 3 where nothing of the artifact could be read.

    Raises:
        UsageError: the artifact holds nothing of that name; or as :func:`checker.cli.check.check`.
    """
    from checker.cli.lookup import meanings, suggestions, symbols

    report = _audited(request.artifact, request.target, lambda case: symbols(case, request.what))
    found = meanings(report, request.what)
    if not found and _exit_code(report):
        for problem in report.unchecked:
            output.complain(f"{problem.file}: {problem.reason}")
        return _exit_code(report)
    if not found:
        near = suggestions(report, request.what)
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        raise UsageError(f"{request.artifact} has no file, library, symbol or finding named {request.what}{hint}")
    rows: list[Line] = []
    for meaning in found:
        rows += [*([line()] if rows else []), *_story(report, meaning)]
    output.print_lines(rows)
    return 0


def _audited(path: str, target: Target, symbols: Callable[[Case], Iterable[str]] | None = None) -> ArtifactReport:
    if not os.path.lexists(path):
        raise UsageError(f"{path}: no such file or directory")
    policy = policy_for(target)
    options = options_for(target, bindings=True, closures=True, searches=True, symbols=symbols)
    from checker import engine

    try:
        report = engine.audit(path, policy, options)
    except engine.UsageError as error:
        raise UsageError(str(error)) from error
    check_roots([report], target.roots)
    return report


def _exit_code(report: ArtifactReport) -> int:
    whole = report.case.inventory.name
    unread = not report.case.inventory.members and any(problem.file == whole for problem in report.unchecked)
    return codes.UNCHECKED if unread else codes.COMPLIANT


def _story(report: ArtifactReport, meaning: Meaning) -> tuple[Line, ...]:
    from checker.model.demangle import demangled
    from checker.report import explain as presentation

    if meaning.kind == "symbol":
        from checker.cli.supplies import supplies

        return presentation.symbol(report, meaning.name, demangled(meaning.name), supplies(report.case, meaning.name))
    tell = {
        "file": presentation.file,
        "library": presentation.library,
        "rule": presentation.rule,
        "finding": presentation.finding,
    }[meaning.kind]
    return tell(report, meaning.name)
