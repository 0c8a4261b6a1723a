"""The formats of ``check``. A reporter is imported only where it is asked for: most cost more than a small check."""

from __future__ import annotations

from checker.cli.request import UsageError
from checker.report import terminal
from checker.report.text import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from checker.model.report import Report

TERMINAL = "terminal"
FORMATS = (TERMINAL, "json", "sarif", "github", "markdown", "junit", "cyclonedx")


def require(name: str) -> None:
    """Make sure that the format can be written, before anything is judged.

    Raises:
        UsageError: there is no such format, or the package that writes it is not installed.
    """
    if name not in FORMATS:
        raise UsageError(f"--format {name}: the formats are {', '.join(FORMATS)}")
    if name == "cyclonedx":
        from importlib.util import find_spec

        if find_spec("cyclonedx") is None:
            raise UsageError("--format cyclonedx needs a package more: pip install 'wheelproof[cyclonedx]'")


def render(name: str, report: Report, verbosity: terminal.Verbosity) -> str:
    """The report in one of :data:`FORMATS`; only the terminal's depends on the verbosity."""
    if name == TERMINAL:
        return plain(terminal.lines(report, verbosity))
    if name == "json":
        from checker.report import json

        return json.render(report)
    if name == "github":
        from checker.report import github

        return github.render(report)
    if name == "markdown":
        from checker.report import markdown

        return markdown.render(report)
    if name == "cyclonedx":
        from checker.report import cyclonedx

        return cyclonedx.render(report)
    return _with_rules(name, report)


def _with_rules(name: str, report: Report) -> str:
    from checker.rules.registry import RULES

    if name == "sarif":
        from checker.report import sarif

        return sarif.render(report, RULES)
    from checker.report import junit

    return junit.render(report, RULES)
