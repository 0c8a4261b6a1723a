"""A small exact parser for well-formed ``check`` command lines.

Importing typer takes longer than checking a small wheel. So the common command is read here, and whatever this parser does not
fully understand (help, mistakes, combined short flags, other commands) is left to :mod:`checker.cli.app`. A test feeds both
with the same words and compares.
"""

from __future__ import annotations

from checker.cli.request import CheckRequest, Target
from checker.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_MOST_DIGITS = 5
LEAST_WIDTH = 20
"""Columns below which nothing could be read."""
FAIL_ON = ("error", "warning", "note")


@record
class Option:
    """One option of ``check``.

    Attributes:
        field: in :class:`CheckRequest` or :class:`Target`.
        flags: as written.
        takes_value: else it is a switch.
        choices: the values allowed; empty for any.
        is_number: the value is a number of columns: at least :data:`LEAST_WIDTH`, and five digits at most.
    """

    field: str
    flags: tuple[str, ...]
    takes_value: bool = True
    choices: tuple[str, ...] = ()
    is_number: bool = False


CHECK_OPTIONS = (
    Option(field="policies", flags=("--policy",)),
    Option(field="formats", flags=("--format",)),
    Option(field="fail_on", flags=("--fail-on",), choices=FAIL_ON),
    Option(field="platform", flags=("--platform",)),
    Option(field="python", flags=("--python",)),
    Option(field="roots", flags=("--root",)),
    Option(field="providers", flags=("--provider",)),
    Option(field="preloads", flags=("--preload",)),
    Option(field="library_path", flags=("--library-path",)),
    Option(field="executable", flags=("--executable",)),
    Option(field="limits", flags=("--limit",)),
    Option(field="baseline", flags=("--baseline",)),
    Option(field="bindings", flags=("--bindings",), takes_value=False),
    Option(field="index_url", flags=("--index-url",)),
    Option(field="all_platforms", flags=("--all-platforms",), takes_value=False),
    Option(field="from_files", flags=("--from-file",)),
    Option(field="output_width", flags=("--output-width",), is_number=True),
    Option(field="verbose", flags=("--verbose", "-v"), takes_value=False),
    Option(field="quiet", flags=("--quiet", "-q"), takes_value=False),
)
_BY_FLAG = {flag: option for option in CHECK_OPTIONS for flag in option.flags}


def parse_check(words: Sequence[str]) -> CheckRequest | None:
    """The request of the words after ``check``; ``None`` where the full parser must look."""
    artifacts: list[str] = []
    values: dict[str, list[str]] = {option.field: [] for option in CHECK_OPTIONS}
    rest = iter(words)
    for word in rest:
        if not word.startswith("-"):
            artifacts.append(word)
            continue
        flag, equals, value = word.partition("=")
        option = _BY_FLAG.get(flag)
        if option is None or (equals and not option.takes_value):
            return None
        if option.takes_value and not equals:
            value = next(rest, "")
        if option.takes_value and not _is_plain(value, option):
            return None
        values[option.field].append(value)
    return _request(artifacts, values) if artifacts or values["from_files"] else None


def _is_plain(value: str, option: Option) -> bool:
    if option.field == "from_files" and value == "-":
        return True
    is_allowed = (not option.choices or value in option.choices) and (not option.is_number or _is_number(value))
    return value != "" and not value.startswith("-") and is_allowed


def _is_number(value: str) -> bool:
    return value.isascii() and value.isdigit() and len(value) <= _MOST_DIGITS and int(value) >= LEAST_WIDTH


def _request(artifacts: list[str], values: dict[str, list[str]]) -> CheckRequest:
    return CheckRequest(
        artifacts=tuple(artifacts),
        target=Target(
            policies=tuple(values["policies"]),
            platform=_last(values["platform"]),
            python=_last(values["python"]),
            roots=tuple(values["roots"]),
            providers=tuple(values["providers"]),
            preloads=tuple(values["preloads"]),
            library_path=tuple(values["library_path"]),
            executable=_last(values["executable"]),
            limits=tuple(values["limits"]),
        ),
        formats=tuple(values["formats"]),
        fail_on=_last(values["fail_on"]) or FAIL_ON[0],
        bindings=bool(values["bindings"]),
        baseline=_last(values["baseline"]),
        verbose=bool(values["verbose"]),
        quiet=bool(values["quiet"]),
        index_url=_last(values["index_url"]),
        all_platforms=bool(values["all_platforms"]),
        from_files=tuple(values["from_files"]),
        output_width=int(values["output_width"][-1]) if values["output_width"] else None,
    )


def _last(values: list[str]) -> str | None:
    return values[-1] if values else None
