from __future__ import annotations

import pytest

from checker.asking import Places
from checker.model.artifact import Tag
from checker.model.finding import Finding, Level, Waived
from checker.model.policy import Waiver
from checker.waive import EXPIRED, UNMATCHED, waive
from tests.rules.builders import case, elf

PLACES = Places(case())


def finding(**changes: object) -> Finding:
    values: dict[str, object] = {
        "rule": "missing-library",
        "level": Level.ERROR,
        "file": "pkg/a.so",
        "subject": "libx.so.1",
        "message": "needs libx.so.1",
        "evidence": (),
        "remedy": "bundle it",
        "fingerprint": "0" * 16,
    }
    return Finding(**(values | changes))  # type: ignore[arg-type]


def waiver(**changes: object) -> Waiver:
    values: dict[str, object] = {
        "rule": "missing-library",
        "file": "pkg/*.so",
        "match": "libx",
        "reason": "known",
        "owner": "team",
        "expires": "2027-01-01",
        "line": 7,
        "source": "wheelproof.toml",
    }
    return Waiver(**(values | changes))  # type: ignore[arg-type]


def test_a_waiver_in_force_marks_the_finding_and_says_why() -> None:
    (judged,) = waive([finding()], [waiver()], PLACES, artifact="demo.whl", today="2026-12-01")
    assert judged.waived == Waived(reason="known", owner="team", expires="2027-01-01")


def test_rule_file_and_text_must_all_fit() -> None:
    for other in ({"rule": "unresolved-symbol"}, {"file": "lib/*.so"}, {"match": "liby"}):
        judged = waive([finding()], [waiver(**other)], PLACES, artifact="demo.whl", today="")
        assert judged[0].waived is None
        assert judged[1].rule == UNMATCHED


def test_an_expired_waiver_accepts_nothing_and_is_told_with_its_place() -> None:
    judged = waive([finding()], [waiver(expires="2026-11-29")], PLACES, artifact="demo.whl", today="2026-11-30")
    assert judged[0].waived is None
    assert (judged[1].rule, judged[1].level, judged[1].file) == (EXPIRED, Level.WARNING, "demo.whl")
    assert "wheelproof.toml:7" in judged[1].remedy


def test_a_waiver_holds_on_its_last_day_and_without_a_date_for_ever() -> None:
    for last in ("2026-11-30", ""):
        (judged,) = waive([finding()], [waiver(expires=last)], PLACES, artifact="demo.whl", today="2026-11-30")
        assert judged.waived is not None


def test_of_two_that_fit_the_one_in_force_counts_and_neither_is_unmatched() -> None:
    judged = waive(
        [finding()], [waiver(expires="2020-01-01"), waiver(reason="second")], PLACES, artifact="a", today="2026-11-30"
    )
    assert judged[0].waived is not None
    assert judged[0].waived.reason == "second"
    assert [one.rule for one in judged[1:]] == [EXPIRED]


def test_a_waiver_of_a_rule_that_is_off_is_told_as_such() -> None:
    (told,) = waive([], [waiver()], PLACES, artifact="demo.whl", today="", off={"missing-library"})
    assert (told.rule, told.file) == (UNMATCHED, "demo.whl")
    assert told.message == "the waiver of missing-library is stale: the rule is off, so there is nothing to accept"


@pytest.mark.parametrize(
    ("limits", "stale"),
    [
        ({"architectures": ("x86_64",)}, True),
        ({"architectures": ("aarch64",)}, False),
        ({"tags": ("*-manylinux_2_17_*",)}, True),
        ({"tags": ("*-musllinux_*",)}, False),
        ({"tags": ("*-manylinux_2_17_*",), "architectures": ("aarch64",)}, False),
    ],
)
def test_a_waiver_for_some_places_accepts_there_and_is_missed_only_there(limits: dict[str, object], *, stale: bool) -> None:
    places = Places(case(elf("pkg/a.so")))
    (judged, *_) = waive([finding()], [waiver(**limits)], places, artifact="demo.whl", today="")
    assert (judged.waived is not None) is stale
    told = waive([], [waiver(**limits)], places, artifact="demo.whl", today="")
    assert [one.rule for one in told] == ([UNMATCHED] if stale else [])
    told = waive([], [waiver(expires="2020-01-01", **limits)], places, artifact="demo.whl", today="2026-11-30")
    assert [one.rule for one in told] == ([EXPIRED] if stale else [])


def test_a_waiver_for_one_tag_accepts_nothing_of_a_wheel_that_has_another_too() -> None:
    tags = tuple(Tag(python="cp311", abi="cp311", platform=each) for each in ("manylinux_2_17_x86_64", "musllinux_1_2_x86_64"))
    places = Places(case(elf("pkg/a.so"), tags=tags))
    (judged,) = waive([finding()], [waiver(tags=("*-musllinux_*",))], places, artifact="demo.whl", today="")
    assert judged.waived is None
