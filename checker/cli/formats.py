"""The formats of ``check``. A reporter is imported only where it is asked for: most cost more than a small check."""

from __future__ import annotations

from checker.cli.request import UsageError
from checker.report import terminal
from checker.report.text import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from checker.model.report import Report

TERMINAL = "terminal"
HTML = "html"
"""It shows bindings and closures, which cost more to find out."""
_WITH_RULES = ("sarif", "junit")
"""Those that tell of every rule, with findings or without."""
FORMATS = (TERMINAL, "json", "sarif", "github", "markdown", "junit", "cyclonedx", HTML)


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
    from importlib import import_module

    reporter = import_module(f"checker.report.{name}")
    if name in _WITH_RULES:
        from checker.rules.registry import RULES

        text: str = reporter.render(report, RULES)
    else:
        text = reporter.render(report)
    return text
