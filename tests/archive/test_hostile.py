"""Broken bytes give facts or this layer's own error, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from checker.archive import ArchiveError, Limits
from checker.archive.headers import parse_headers
from checker.archive.record import parse_record
from checker.archive.wheelname import parse_wheel_name
from tests.archive.zips import WHEEL_NAME, look, look_at, wheel_files, zip_bytes

if TYPE_CHECKING:
    from pathlib import Path

GOOD = zip_bytes(wheel_files(), comment=b"c")
LIMITS = Limits(member_size=1 << 20, total_size=1 << 22)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("hostile") / WHEEL_NAME


def test_the_good_wheel_is_good(tmp_path: Path) -> None:
    seen = look_at(tmp_path, GOOD, WHEEL_NAME)

    assert seen.inventory.problems == ()
    assert seen.inventory.wheel is not None
    assert seen.inventory.wheel.problems == ()


@pytest.mark.parametrize("size", range(0, len(GOOD), 64))
def test_a_wheel_cut_short_is_refused(tmp_path: Path, size: int) -> None:
    with pytest.raises(ArchiveError) as caught:
        look_at(tmp_path, GOOD[:size], WHEEL_NAME)

    assert caught.value.message


def scanned_or_refused(path: Path, data: bytes) -> None:
    path.write_bytes(data)
    try:
        seen = look(path, LIMITS)
    except ArchiveError:
        return
    sound = {member.path for member in seen.inventory.members if member.sha256 or member.link is not None}
    told = {problem.file for problem in seen.inventory.problems}
    assert all(member.path in sound or member.path in told for member in seen.inventory.members)


@settings(max_examples=250, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(flips=st.lists(st.integers(0, len(GOOD) * 8 - 1), min_size=1, max_size=4))
def test_flipped_bits_give_facts_or_an_error(path: Path, flips: list[int]) -> None:
    data = bytearray(GOOD)
    for bit in flips:
        data[bit // 8] ^= 1 << bit % 8

    scanned_or_refused(path, bytes(data))


DIRECTORY = GOOD.index(b"PK\1\2")


@settings(max_examples=250, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(at=st.integers(DIRECTORY, len(GOOD) - 1), new=st.binary(min_size=1, max_size=8))
def test_other_bytes_in_the_directory_and_end_record_give_facts_or_an_error(path: Path, at: int, new: bytes) -> None:
    scanned_or_refused(path, GOOD[:at] + new + GOOD[at + len(new) :])


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(min_size=1, max_size=200), tail=st.sampled_from([b"", GOOD[-23:], GOOD[DIRECTORY:]]))
def test_garbage_gives_facts_or_an_error(path: Path, data: bytes, tail: bytes) -> None:
    scanned_or_refused(path, data + tail)


@given(text=st.text(alphabet=st.sampled_from('ab:, \t\r\n"0=\x0c\u2028')))
def test_any_text_is_parsed_or_told_line_by_line(text: str) -> None:
    entries, faults = parse_record(text, Limits())
    lines = [line for line in text.split("\n") if line.removesuffix("\r")]
    assert len(entries) + len(faults) >= min(len(lines), 21)

    fields, _ = parse_headers(text, Limits())
    assert all(name and ":" not in name for name, _ in fields)


PARTS = st.text(alphabet=st.sampled_from("aZ01._"), max_size=6)
VERSIONS = st.one_of(
    PARTS, st.from_regex(r"\Av?(1!)?0(\.\d)?[._]?(a|rc|c|x)?[._]?\d?[._]?(post|r)?\d?(\.?dev)?\d?(\+[a._0]*)?\Z")
)


@settings(max_examples=500)
@given(distribution=PARTS, version=VERSIONS, build=st.sampled_from(["", "-1", "-1a", "-a", "-"]))
def test_wheel_names_are_taken_as_packaging_takes_them(distribution: str, version: str, build: str) -> None:
    from packaging.utils import InvalidWheelFilename, parse_wheel_filename

    name = f"{distribution}-{version}{build}-py3-none-any.whl"
    parsed = parse_wheel_name(name, 1000)
    try:
        parse_wheel_filename(name)
    except InvalidWheelFilename:
        assert parsed.problem
        assert not parsed.distribution
    else:
        assert (parsed.distribution, parsed.version, parsed.build) == (distribution, version, build.removeprefix("-"))
