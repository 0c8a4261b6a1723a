"""The cases of ``testdata/rules``: each holds what it says of its rule, and each rule's answers about all fixtures are kept.

A new answer in another rule's snapshot is a question to its author: is it true?
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from checker.rules.registry import RULES
from tests.cases.form import load_case
from tests.cases.survey import BEYOND_RULES, SNAPSHOTS, Answers, case_files, case_name, snapshot, survey

if TYPE_CHECKING:
    from pathlib import Path

UPDATE = bool(os.environ.get("UPDATE_SNAPSHOTS"))
SUBJECTS = (*(rule.id for rule in RULES), BEYOND_RULES)


@pytest.mark.parametrize("path", case_files(), ids=case_name)
def test_the_rule_says_what_its_case_expects_and_nothing_else(path: Path) -> None:
    form = load_case(path)
    answers = survey()[case_name(path)].get(path.parent.name, Answers((), ()))
    found = sorted((finding.file, finding.subject) for finding in answers.findings)
    assert found == sorted((one.file, one.subject) for one in form.expect)
    for one in form.expect:
        texts = [each.message for each in answers.findings if (each.file, each.subject) == (one.file, one.subject)]
        assert any(one.message in text for text in texts), f"{one.message!r} is in none of {texts}"
    assert sorted(file for file, _ in answers.unchecked) == sorted(one.file for one in form.unchecked)
    for each in form.unchecked:
        reasons = [reason for file, reason in answers.unchecked if file == each.file]
        assert any(each.reason in reason for reason in reasons), f"{each.reason!r} is in none of {reasons}"


@pytest.mark.parametrize("subject", SUBJECTS)
def test_what_a_rule_says_of_every_fixture_is_as_it_was(subject: str) -> None:
    path = SNAPSHOTS / f"{subject}.txt"
    text = snapshot(subject)
    if UPDATE:
        SNAPSHOTS.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    assert path.is_file(), f"{path.name} is missing: UPDATE_SNAPSHOTS=1 writes it"
    assert text == path.read_text(encoding="utf-8"), "read the difference; UPDATE_SNAPSHOTS=1 accepts it"


def test_no_snapshot_is_an_orphan() -> None:
    for path in SNAPSHOTS.iterdir():
        if UPDATE and path.stem not in SUBJECTS:
            path.unlink()
    assert {path.name for path in SNAPSHOTS.iterdir()} == {f"{subject}.txt" for subject in SUBJECTS}
