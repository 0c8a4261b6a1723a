"""The comparison with auditwheel that is written down, and the words with which pip is asked for its wheels."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from checker.archive.wheelname import parse_wheel_name
from tools.compare_with_auditwheel import CRASH, NO_ELF, NONE, Row, pip_words, read_table, write_table

TABLE = Path(__file__).parents[2] / "tools" / "auditwheel_parity.txt"
ROWS = read_table(TABLE)
TAG = re.compile(r"(manylinux|musllinux)_\d+_\d+_\w+")
ARCHITECTURES = {"x86_64", "i686", "aarch64", "armv7l", "ppc64le", "s390x", "riscv64"}
"""Those that wheels are published for; of loongarch64 none was to be had."""


def test_it_has_a_hundred_and_fifty_wheels_and_more_of_every_architecture_and_both_c_libraries() -> None:
    platforms = {tag.platform for row in ROWS for tag in parse_wheel_name(row.wheel, most_tags=1000).tags}
    assert len(ROWS) >= 150
    for family in ("manylinux", "musllinux"):
        found = {re.sub(r"^[a-z]+\d*(_\d+_\d+)?_", "", platform) for platform in platforms if platform.startswith(family)}
        assert found >= ARCHITECTURES, family


def test_each_row_is_a_wheel_once_with_its_digest_and_two_answers() -> None:
    assert [row.wheel for row in ROWS] == sorted({row.wheel for row in ROWS}, key=str.lower)
    for row in ROWS:
        assert not parse_wheel_name(row.wheel, most_tags=1000).problem
        assert re.fullmatch(r"[0-9a-f]{64}", row.sha256), row
        assert row.ours in {NONE, NO_ELF} or TAG.fullmatch(row.ours), row
        assert row.auditwheel in {NONE, NO_ELF, CRASH} or TAG.fullmatch(row.auditwheel), row


def test_every_difference_is_explained_and_nothing_else() -> None:
    assert [row for row in ROWS if row.is_equal == bool(row.why)] == []


def test_the_table_is_what_the_tool_writes(tmp_path: Path) -> None:
    written = tmp_path / "table.txt"
    write_table(written, ROWS)
    named = re.compile(r"(?m)^# Published.*$")  # the version of auditwheel, which may be another one here
    assert named.sub("", written.read_text(encoding="utf-8")) == named.sub("", TABLE.read_text(encoding="utf-8"))


def test_an_explanation_stays_only_where_both_answers_are_what_they_were(tmp_path: Path) -> None:
    table = tmp_path / "table.txt"
    write_table(
        table, [Row("a.whl", "0", "x", "y", "why a"), Row("b.whl", "0", "x", "y", "why b"), Row("c.whl", "0", "x", "x")]
    )
    write_table(table, [Row("a.whl", "0", "x", "y"), Row("b.whl", "0", "x", "z")])
    assert [(row.wheel, row.auditwheel, row.why) for row in read_table(table)] == [
        ("a.whl", "y", "why a"),
        ("b.whl", "z", ""),
        ("c.whl", "x", ""),
    ]


@pytest.mark.parametrize(
    ("wheel", "options"),
    [
        (
            "numpy-1.19.0-cp37-cp37m-manylinux2014_aarch64.whl",
            "--implementation=cp --python-version=3.7 --abi=cp37m --platform=manylinux2014_aarch64 numpy==1.19.0",
        ),
        (
            "a_b-1.0.post1-py3-none-manylinux_2_17_x86_64.musllinux_1_1_x86_64.whl",
            "--python-version=3 --abi=none --platform=manylinux_2_17_x86_64 --platform=musllinux_1_1_x86_64 a_b==1.0.post1",
        ),
        (
            "x-2-cp310-abi3-linux_x86_64.whl",
            "--implementation=cp --python-version=3.10 --abi=abi3 --platform=linux_x86_64 x==2",
        ),
    ],
)
def test_pip_is_asked_for_that_very_wheel(wheel: str, options: str) -> None:
    assert " ".join(pip_words(wheel)).endswith(options)
