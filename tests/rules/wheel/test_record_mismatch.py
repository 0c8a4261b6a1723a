from __future__ import annotations

import base64
import hashlib
from typing import TYPE_CHECKING

import pytest

from checker.model.artifact import ReadProblem
from checker.rules.wheel.record_mismatch import RULE
from tests.rules.builders import ask, case, member, record_line, told, wheel

if TYPE_CHECKING:
    from checker.model.artifact import Member, RecordEntry
    from checker.model.case import Case

RECORD = "pkg-1.0.dist-info/RECORD"
DIGEST = hashlib.sha256(b"content")
HASH = "sha256=" + base64.urlsafe_b64encode(DIGEST.digest()).rstrip(b"=").decode()


def files(*names: str) -> tuple[Member, ...]:
    return (*(member(name, DIGEST.hexdigest(), 7) for name in names), member(RECORD))


def asked(*lines: RecordEntry, names: tuple[str, ...] = ("a.py",)) -> Case:
    return case(members=files(*names), metadata=wheel(record=(*lines, record_line(RECORD))))


def test_equal_hashes_and_sizes_are_silent() -> None:
    assert told(RULE, asked(record_line("a.py", HASH, 7))) == []


def test_a_right_hash_with_padding_is_told_as_such_and_not_as_wrong() -> None:
    (found,) = told(RULE, asked(record_line("a.py", HASH + "=", 7)))
    assert "ends in '='" in found.message


def test_a_right_hash_in_hex_digits_is_told_as_such_and_not_as_another() -> None:
    (found,) = told(RULE, asked(record_line("a.py", f"sha256={DIGEST.hexdigest()}", 7)))
    assert "as hex digits in place of URL-safe Base64" in found.message
    assert dict(found.evidence)["kind"] == "hex"


def test_one_wrong_hash_is_the_files_own() -> None:
    (found,) = told(RULE, asked(record_line("a.py", "sha256=AAAA", 8)))
    assert (found.file, found.subject) == ("a.py", "a.py")
    assert "SHA-256" in found.message


def test_many_wrong_hashes_are_one_finding() -> None:
    names = tuple(f"{number:02}.py" for number in range(44))
    (found,) = told(RULE, asked(*(record_line(name, "sha256=AAAA", 7) for name in names), names=names))
    assert (found.file, found.subject) == (RECORD, "hash")
    assert dict(found.evidence)["files"] == names


EMPTY = "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(b"").digest()).rstrip(b"=").decode()


@pytest.mark.parametrize("line", [record_line("pkg/"), record_line("pkg/", EMPTY, 0), record_line("pkg/sub/", "", 0)])
def test_a_line_for_a_folder_of_the_wheel_is_silent(line: RecordEntry) -> None:
    assert told(RULE, asked(record_line("pkg/sub/a.py", HASH, 7), line, names=("pkg/sub/a.py",))) == []


@pytest.mark.parametrize(
    "line", [record_line("gone/"), record_line("pkg/", HASH, 7), record_line("a.py/"), record_line("../pkg/")]
)
def test_a_line_with_a_slash_that_is_for_no_folder_is_told(line: RecordEntry) -> None:
    found = told(RULE, asked(record_line("pkg/a.py", HASH, 7), line, names=("pkg/a.py",)))
    assert "absent" in {dict(each.evidence)["kind"] for each in found}


def test_both_directions_are_told() -> None:
    found = told(RULE, asked(record_line("gone.py", HASH, 7)))
    assert {dict(each.evidence)["kind"] for each in found} == {"unlisted", "absent"}


def test_a_wrong_size_a_missing_hash_and_a_forbidden_one_are_told() -> None:
    for line, kind in (
        (record_line("a.py", HASH, 8), "size"),
        (record_line("a.py", "", 7), "unhashed"),
        (record_line("a.py", "md5=AAAA", 7), "algorithm"),
    ):
        (found,) = told(RULE, asked(line))
        assert dict(found.evidence)["kind"] == kind


def test_a_path_that_is_listed_twice_is_compared_each_time() -> None:
    assert told(RULE, asked(record_line("a.py", HASH, 7), record_line("a.py", HASH, 7, line=2))) == []
    (found,) = told(RULE, asked(record_line("a.py", HASH, 7), record_line("a.py", "sha256=AAAA", 7, line=2)))
    assert dict(found.evidence)["kind"] == "hash"


def test_of_two_members_of_one_name_the_last_is_compared_as_installers_do() -> None:
    twice = (member("a.py", "cd" * 32, 7), member("a.py", DIGEST.hexdigest(), 7), member(RECORD))
    assert told(RULE, case(members=twice, metadata=wheel(record=(record_line("a.py", HASH, 7), record_line(RECORD))))) == []


def test_absolute_paths_are_one_fact_and_not_three() -> None:
    names = ("a.py", "b.py")
    (found,) = told(RULE, asked(*(record_line(f"/{name}", HASH, 7) for name in names), names=names))
    assert (found.subject, found.file) == ("path", RECORD)
    (found,) = told(RULE, asked(record_line("/a.py", HASH, 7)))
    assert found.subject == "/a.py"


def test_signatures_and_members_of_nested_archives_need_no_line() -> None:
    everything = (*files("a.py"), member(RECORD + ".jws"), member(RECORD + ".p7s"), member("in.whl!/x.py"))
    lines = (record_line("a.py", HASH, 7), record_line("in.whl", HASH, 7))
    nested = case(members=(*everything, member("in.whl", DIGEST.hexdigest(), 7)), metadata=wheel(record=lines))
    assert told(RULE, nested) == []


def test_a_member_that_could_not_be_read_is_not_called_wrong() -> None:
    broken = case(members=(member("a.py", ""),), metadata=wheel(record=(record_line("a.py", HASH, 7),)))
    assert told(RULE, broken) == []


def test_no_record_and_another_algorithm_could_not_be_checked() -> None:
    (answer,) = ask(RULE, case(metadata=wheel(record=None)))
    assert isinstance(answer, ReadProblem)
    (answer,) = ask(RULE, asked(record_line("a.py", "sha512=AAAA", 7)))
    assert isinstance(answer, ReadProblem)
    assert "sha512" in answer.reason
