"""``expected.toml`` of ``wheelproof policy test``: which rules must fire for which wheel.

Its keys are ``good/NAME`` or ``bad/NAME``, as globs; its values are arrays of rule ids. A wheel that several keys name must
make all their rules fire.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from checker.cli.request import UsageError
from checker.model.globs import matches
from checker.model.record import record
from checker.policy.problems import hint
from checker.policy.read import Document, kind_of
from checker.rules.registry import RULES
from checker.waive import EXPIRED, UNMATCHED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

EXPECTED_FILE = "expected.toml"


@record
class Expectations:
    """(Glob over ``FOLDER/NAME``, rules that must fire), in file order."""

    entries: tuple[tuple[str, tuple[str, ...]], ...]

    def of(self, file: str) -> tuple[str, ...]:
        """The rules that must fire for that wheel, each once."""
        return tuple(dict.fromkeys(rule for glob, rules in self.entries if matches(glob, file) for rule in rules))


def read_expectations(directory: str, wheels: Sequence[str]) -> Expectations:
    """What ``DIR/expected.toml`` says; nothing where it is not there.

    Raises:
        UsageError: with every mistake in it: what names no wheel, or no rule, would otherwise never be missed.
    """
    path = os.path.join(directory, EXPECTED_FILE)  # noqa: PTH118 (paths stay as the user typed them)
    if os.path.exists(path) and not os.path.isfile(path):  # noqa: PTH110, PTH113 (as above; a pipe would be waited for)
        raise UsageError(f"{path}: is no file")
    try:
        with open(path, "rb") as stream:  # noqa: PTH123
            source = stream.read()
    except FileNotFoundError:
        return Expectations(entries=())
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror or error}") from error
    document = Document(source, path, ())
    table = document.table or {}
    mistakes = [*map(str, document.problems), *_mistakes(document, table, wheels)]
    if mistakes:
        raise UsageError(*mistakes)
    return Expectations(entries=tuple((glob, tuple(rules)) for glob, rules in table.items()))


def _mistakes(document: Document, table: dict[str, Any], wheels: Sequence[str]) -> Iterator[str]:
    known = [*(rule.id for rule in RULES), UNMATCHED, EXPIRED]
    for glob, rules in table.items():
        if not any(matches(glob, wheel) for wheel in wheels):
            near = hint(glob, wheels)
            yield str(document.problem((glob,), f"names no wheel here{near or ', such as ' + chr(34) + wheels[0] + chr(34)}"))
        if not isinstance(rules, list):
            yield str(document.problem((glob,), f"must be an array of rule ids, not {kind_of(rules)}"))
            continue
        for index, rule in enumerate(rules):
            if not isinstance(rule, str):
                yield str(document.problem((glob, index), f"must be a rule id, not {kind_of(rule)}"))
            elif rule not in known:
                near = hint(rule, known) or "; `wheelproof rules` lists them"
                yield str(document.problem((glob, index), f'there is no rule "{rule}"{near}'))
