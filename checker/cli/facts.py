"""``wheelproof show`` and ``wheelproof explain``: facts about one artifact, without a verdict."""

from __future__ import annotations

import os

from checker.cli import codes, output
from checker.cli.audit import check_roots, options_for, policy_for
from checker.cli.request import UsageError
from checker.report.text import Style, counted, line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from checker.cli.lookup import Meaning
    from checker.cli.request import ExplainRequest, ShowRequest, Target
    from checker.model.case import Case
    from checker.model.finding import Finding
    from checker.model.report import ArtifactReport
    from checker.model.rule import Rule
    from checker.report.explain import Supply
    from checker.report.text import Line

    Symbols = Callable[[Case, tuple[Finding, ...]], Iterable[str]]
    """The symbols of which the report's lookups shall tell, by a case and its findings."""


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
    from checker.cli.lookup import asked_symbols, meanings, no_such_finding, suggestions
    from checker.rules.registry import RULES

    what, rules = request.what, [rule.id for rule in RULES]
    report = _audited(request.artifact, request.target, lambda case, findings: asked_symbols(case, findings, what))
    found = meanings(report, what, rules)
    # Of an artifact that could not be read a rule has nothing to say, and that must not look like a pass.
    if _exit_code(report) and all(meaning.kind == "rule" for meaning in found):
        for problem in report.unchecked:
            output.complain(f"{problem.file}: {problem.reason}")
        return _exit_code(report)
    if not found:
        if lines := no_such_finding(report, what):
            raise UsageError(*lines)
        near = suggestions(report, what, rules)
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        raise UsageError(f"{request.artifact} has no file, library, symbol or finding named {what}, and no rule is{hint}")
    rows: list[Line] = []
    for meaning in found:
        rows += [*([line()] if rows else []), *_story(report, meaning)]
    output.print_lines(rows)
    return 0


def _audited(
    path: str, target: Target, symbols: Callable[[Case, tuple[Finding, ...]], Iterable[str]] | None = None
) -> ArtifactReport:
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
    from checker.report import explain as presentation
    from checker.report import stories

    name = meaning.name
    if meaning.kind == "symbol":
        return presentation.symbol(report, name, *_of_symbol(report, name))
    if meaning.kind == "library":
        return presentation.library(report, name)
    if meaning.kind == "file":
        return presentation.file(report, name)
    if meaning.kind == "rule":
        return stories.rule(report, name, _rule(name))
    found = next(finding for finding in report.findings if finding.fingerprint == name)
    return stories.finding(report, found, _rule(found.rule), _parts(report, found))


def _of_symbol(report: ArtifactReport, name: str) -> tuple[str, Iterable[Supply]]:
    """How it reads, and which platforms define it."""
    from checker.cli.supplies import supplies
    from checker.model.demangle import demangled

    return demangled(name), supplies(report.case, name)


def _parts(report: ArtifactReport, found: Finding) -> list[list[Line]]:
    """The stories of the libraries that a finding is about, and of the first of its symbols."""
    from checker.cli.lookup import libraries_of, symbols_of
    from checker.report import explain as presentation

    parts = [presentation.library_sections(report, soname, found.file) for soname in libraries_of(report, found)]
    names = symbols_of(report.case, found)
    parts += [presentation.symbol_sections(report, name, *_of_symbol(report, name)) for name in names[:1]]
    more = counted(len(names) - 1, "symbol")
    return [
        *parts,
        *([[line(f"and {more} like it: wheelproof explain ARTIFACT SYMBOL", style=Style.DIM)]] if names[1:] else []),
    ]


def _rule(identifier: str) -> Rule | None:
    """``None`` for findings about the policy, which no rule makes."""
    from checker.rules.registry import RULES

    return next((rule for rule in RULES if rule.id == identifier), None)
