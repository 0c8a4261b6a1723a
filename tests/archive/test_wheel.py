"""What a wheel says of itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from checker.archive import Limits
from checker.archive.errors import MemberError
from checker.archive.headers import parse_headers
from checker.archive.record import parse_record
from checker.archive.wheelname import expand_tag, parse_wheel_name
from checker.model.artifact import ArtifactKind, RecordEntry
from tests.archive.zips import DIST_INFO, WHEEL_NAME, look_at, raw_zip, wheel_files, zip_bytes

if TYPE_CHECKING:
    from pathlib import Path

    from checker.model.artifact import WheelMetadata


def metadata(tmp_path: Path, files: dict[str, bytes], name: str = WHEEL_NAME, limits: Limits | None = None) -> WheelMetadata:
    inventory = look_at(tmp_path, zip_bytes(files), name, limits).inventory
    assert inventory.kind is ArtifactKind.WHEEL
    assert inventory.wheel is not None
    return inventory.wheel


def told(wheel: WheelMetadata) -> list[tuple[str, str]]:
    return [(problem.file, problem.reason) for problem in (*wheel.name_problems, *wheel.problems)]


def test_a_good_wheel_is_told_whole_and_without_problems(tmp_path: Path) -> None:
    wheel = metadata(tmp_path, wheel_files())

    assert wheel.problems == ()
    assert (wheel.dist_info, wheel.distribution, wheel.version, wheel.build) == (DIST_INFO, "demo", "1.0", "")
    assert [str(tag) for tag in wheel.name_tags] == ["py3-none-any"]
    assert wheel.wheel_tags == wheel.name_tags
    assert wheel.root_is_purelib is False
    assert wheel.wheel_fields[0] == ("Wheel-Version", "1.0")
    assert wheel.metadata_fields == (
        ("Metadata-Version", "2.1"), ("Name", "demo"), ("Version", "1.0"), ("Requires-Dist", "torch>=2"),
    )  # fmt: skip
    assert wheel.requires == ("torch>=2",)
    assert wheel.record == (
        RecordEntry(path="demo/__init__.py", hash="", size=0, line=1),
        RecordEntry(path="demo/_core.so", hash="sha256=abc", size=76804, line=2),
    )


def test_vendored_dist_infos_deeper_in_the_tree_are_ordinary_members(tmp_path: Path) -> None:
    vendored = {f"demo/_vendor/other-2.dist-info/{name}": b"\xff" for name in ("WHEEL", "METADATA", "RECORD")}

    assert metadata(tmp_path, wheel_files() | vendored).problems == ()


@pytest.mark.parametrize("name", ["WHEEL", "METADATA", "RECORD"])
def test_a_missing_file_is_told(tmp_path: Path, name: str) -> None:
    files = wheel_files()
    del files[f"{DIST_INFO}/{name}"]

    wheel = metadata(tmp_path, files)

    assert told(wheel) == [(f"{DIST_INFO}/{name}", "the wheel has no such file; build it again with a build backend")]
    assert (wheel.record is None) == (name == "RECORD")
    assert (wheel.root_is_purelib is None) == (name == "WHEEL")


def test_a_wheel_without_dist_info_is_told_once(tmp_path: Path) -> None:
    wheel = metadata(tmp_path, {"a.py": b""})

    assert wheel.dist_info == ""
    assert [file for file, _ in told(wheel)] == [WHEEL_NAME]
    assert "no .dist-info folder" in wheel.problems[0].reason


def test_of_several_dist_infos_the_one_that_matches_is_read_and_the_fault_told(tmp_path: Path) -> None:
    wheel = metadata(tmp_path, {"aaa-1.dist-info/WHEEL": b""} | wheel_files())

    assert wheel.dist_info == DIST_INFO
    assert told(wheel) == [
        (
            WHEEL_NAME,
            "the wheel has 2 .dist-info folders at its top ('aaa-1.dist-info', 'demo-1.0.dist-info'); it must have one",
        )
    ]


@pytest.mark.parametrize(
    ("wheel_name", "folder", "matches"),
    [
        ("de_mo-1.0-py3-none-any.whl", "De.Mo-1.0.dist-info", True),
        ("demo-1.0+cpu-py3-none-any.whl", "demo-1.0_cpu.dist-info", True),
        ("demo-1.0-py3-none-any.whl", "demo-1.0.0.dist-info", True),
        ("demo-1.0-py3-none-any.whl", "demo-1.1.dist-info", False),
        ("demo-1.0-py3-none-any.whl", "demon-1.0.dist-info", False),
        ("demo-1.0-py3-none-any.whl", "demo-nonsense.dist-info", False),
    ],
)
def test_the_dist_info_folder_must_match_the_file_name_spelling_aside(
    tmp_path: Path, wheel_name: str, folder: str, *, matches: bool
) -> None:
    files = {path.replace(DIST_INFO, folder): content for path, content in wheel_files().items()}

    wheel = metadata(tmp_path, files, wheel_name)

    assert wheel.dist_info == folder
    assert [file for file, _ in told(wheel)] == ([] if matches else [folder])


def test_text_that_is_no_utf8_is_told_with_its_line(tmp_path: Path) -> None:
    files = wheel_files() | {f"{DIST_INFO}/METADATA": b"Name: demo\nAuthor: Andr\xe9\n"}

    wheel = metadata(tmp_path, files)

    assert told(wheel) == [(f"{DIST_INFO}/METADATA", "line 2: byte 0xe9 is no UTF-8; write the file in UTF-8")]
    assert wheel.metadata_fields == (("Name", "demo"), ("Author", "Andr\\xe9"))


def test_of_a_file_that_occurs_twice_the_last_one_is_used(tmp_path: Path) -> None:
    import zlib

    entries = [(path.encode(), content) for path, content in wheel_files().items()]
    entries.append((f"{DIST_INFO}/RECORD".encode(), b"b,,\n"))
    data = raw_zip([(name, content, zlib.crc32(content)) for name, content in entries])

    wheel = look_at(tmp_path, data, WHEEL_NAME).inventory.wheel

    assert wheel is not None
    assert wheel.record == (RecordEntry(path="b", hash="", size=None, line=1),)


def test_a_text_beyond_the_limit_is_not_read_and_told(tmp_path: Path) -> None:
    seen = look_at(tmp_path, zip_bytes(wheel_files()), WHEEL_NAME, Limits(text_size=80))

    assert set(seen.reasons) == {f"{DIST_INFO}/METADATA"}
    assert "limit text_size=80 was reached; --limit text_size=N raises it" in seen.reasons[f"{DIST_INFO}/METADATA"]
    assert seen.inventory.wheel is not None
    assert told(seen.inventory.wheel) == []
    assert seen.inventory.wheel.metadata_fields == ()


@pytest.mark.parametrize(
    ("text", "purelib", "problem"),
    [
        ("Root-Is-Purelib: TRUE\n", True, None),
        ("root-is-purelib: false\n", False, None),
        ("Root-Is-Purelib: maybe\n", None, "Root-Is-Purelib must be true or false (found 'maybe')"),
        ("Root-Is-Purelib: true\nRoot-Is-Purelib: false\n", True, None),
        ("Tag: py3-none\n", None, "Tag: py3-none is not of the form python-abi-platform"),
        (f"Tag: {'.'.join('abc')}-{'.'.join('abc')}-{'x.' * 200}y\n", None, "there are more than 1000 tags"),
    ],
)
def test_wheel_fields_are_read_and_faults_told(tmp_path: Path, text: str, *, purelib: bool | None, problem: str | None) -> None:
    wheel = metadata(tmp_path, wheel_files() | {f"{DIST_INFO}/WHEEL": text.encode()})

    assert wheel.root_is_purelib is purelib
    reasons = [reason for _, reason in told(wheel)]
    assert reasons == [] if problem is None else problem in reasons[0]


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("numpy-2.4.6-cp311-cp311-manylinux_2_27_x86_64.whl", ("numpy", "2.4.6", "")),
        ("a_b.c-1!2.0.post1.dev3+cu121.x_y-1abc-py2.py3-none-any.whl", ("a_b.c", "1!2.0.post1.dev3+cu121.x_y", "1abc")),
        ("Jinja2-3.0rc1-py3-none-any.whl", ("Jinja2", "3.0rc1", "")),
        ("x-1-2-py3-none-any.whl", ("x", "1", "2")),
    ],
)
def test_a_wheel_name_is_taken_apart(name: str, parts: tuple[str, str, str]) -> None:
    parsed = parse_wheel_name(name, 100)

    assert (parsed.distribution, parsed.version, parsed.build, parsed.problem) == (*parts, "")


@pytest.mark.parametrize(
    "name",
    [
        "demo.whl",
        "demo-1.0.whl",
        "demo-1.0-py3-none.whl",
        "demo-one-py3-none-any.whl",
        "demo-1.0-build-py3-none-any.whl",
        "de__mo-1.0-py3-none-any.whl",
        "demo-1.0-py3-none-any-extra-more.whl",
        "demo-1.0-py3..-none-any.whl",
        f"demo-1.0-{'a.' * 40}a-{'b.' * 40}b-any.whl",
    ],
)
def test_a_name_that_is_no_wheel_name_is_told(name: str) -> None:
    parsed = parse_wheel_name(name, 1000)

    assert parsed.problem
    assert (parsed.distribution, parsed.tags) == ("", ())


def test_a_name_that_only_installers_accept_is_accepted() -> None:
    parsed = parse_wheel_name("_demo-1.0-py3-none-any.whl", 100)

    assert (parsed.distribution, parsed.version, parsed.problem) == ("_demo", "1.0", "")


def test_a_compressed_tag_set_is_expanded_and_sorted_in_lower_case() -> None:
    tags = expand_tag("py3.py2-none-Win32.any", 4)

    assert tags is not None
    assert [str(tag) for tag in tags] == ["py2-none-any", "py2-none-win32", "py3-none-any", "py3-none-win32"]
    assert expand_tag("py3.py2-none-win32.any", 3) is None


def test_headers_fold_and_end_at_the_first_blank_line() -> None:
    fields, faults = parse_headers("A: 1\r\nB : two\r\n  lines\r\n\tmore\r\nC:\r\n\r\nD: body\r\n", Limits())

    assert fields == (("A", "1"), ("B", "two\nlines\nmore"), ("C", ""))
    assert faults == []


def test_bad_header_lines_are_told_with_their_numbers() -> None:
    fields, faults = parse_headers("  before\nA: 1\nno header\nname with space: x\n\ufeffB: 2\nC: 3", Limits())

    assert fields == (("A", "1"), ("C", "3"))
    assert [fault.partition(":")[0] for fault in faults] == ["line 1", "line 3", "line 4", "line 5"]


def test_faults_and_headers_are_bounded() -> None:
    _, faults = parse_headers("bad\n" * 1000, Limits())
    assert len(faults) == 21
    assert faults[-1] == "980 further faults of this kind"

    assert len(parse_headers("A: 1\n" * 5 + "\nbody\n", Limits(headers=5))[0]) == 5
    with pytest.raises(MemberError, match="limit headers=5 was reached"):
        parse_headers("A: 1\n" * 6, Limits(headers=5))


def test_record_lines_are_read_with_and_without_quotes() -> None:
    text = 'a.py,sha256=x,1\r\n"b,""c"".py",sha256=y,22\nd.dist-info/RECORD,,\n\n'

    entries, faults = parse_record(text, Limits())

    assert [(e.path, e.hash, e.size, e.line) for e in entries] == [
        ("a.py", "sha256=x", 1, 1),
        ('b,"c".py', "sha256=y", 22, 2),
        ("d.dist-info/RECORD", "", None, 3),
    ]
    assert faults == []


@pytest.mark.parametrize(
    "line",
    [
        "a",
        "a,b",
        "a,b,1,2",
        ",sha256=x,1",
        "a,sha256=x,-1",
        "a,sha256=x,1e3",
        "a,h,²",
        f"a,h,{'9' * 5000}",
        '"a,h,1',
        '"a"b,h,1',
    ],
)
def test_a_bad_record_line_is_told_with_its_number_and_the_others_are_read(line: str) -> None:
    entries, faults = parse_record(f"x,,\n{line}\ny,,\n", Limits())

    assert [e.path for e in entries] == ["x", "y"]
    assert len(faults) == 1
    assert faults[0].startswith("line 2: ")
    assert len(faults[0]) < 250


def test_record_lines_are_bounded() -> None:
    assert len(parse_record("a,,\n" * 10, Limits(members=10))[0]) == 10
    with pytest.raises(MemberError, match="limit members=10 was reached"):
        parse_record("\n" * 11, Limits(members=10))


def test_a_record_beyond_the_limit_counts_as_unread_and_is_told(tmp_path: Path) -> None:
    files = wheel_files() | {f"{DIST_INFO}/RECORD": b"a,,\n" * 10}

    seen = look_at(tmp_path, zip_bytes(files), WHEEL_NAME, Limits(members=9))

    assert "it has more than 9 lines: the limit members=9 was reached" in seen.reasons[f"{DIST_INFO}/RECORD"]
    assert seen.inventory.wheel is not None
    assert (seen.inventory.wheel.record, seen.inventory.wheel.problems) == (None, ())


def test_characters_that_some_readers_take_for_line_ends_are_none() -> None:
    entries, faults = parse_record("a\x0cb\u2028c,,\n", Limits())

    assert [e.path for e in entries] == ["a\x0cb\u2028c"]
    assert faults == []
