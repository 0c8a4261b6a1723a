"""The generators of platform data, on small inputs."""

from __future__ import annotations

import hashlib
import importlib
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from checker.model.platform import PlatformId
from checker.platforms.library import TableLibrary
from checker.platforms.table import DATA, load

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Tool = Callable[[str], Any]

TOOLS = Path(__file__).parents[2] / "tools" / "platform_data"


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch) -> Iterator[Tool]:
    """Imports a module of the generators by name, and forgets it afterwards."""
    if not TOOLS.exists():
        pytest.skip("the tools are not part of an installed package")
    monkeypatch.syspath_prepend(str(TOOLS))
    before = set(sys.modules)
    yield importlib.import_module
    for name in set(sys.modules) - before:
        if getattr(sys.modules[name], "__file__", "") and str(TOOLS) in str(sys.modules[name].__file__):
            del sys.modules[name]


ABILISTS = (
    b"\x02c\0pthread\0"  # libraries
    b"\x03\x02\x00\x00\x02\x02\x05\x02\x22\x00"  # versions 2.0, 2.2.5, 2.34
    b"\x02x86-linux-gnu\0x86_64-linux-gnu\0"  # targets
    b"\x03\x00dup\0\x01\x00\x80\x02\x80\x81"  # dup: 2.0 in c on target 0; 2.2.5 in c on target 1, the last inclusion
    b"start\0\x03\x81\x01\x82"  # start: 2.2.5 and 2.34 in pthread on both targets
    b"\x01\x00table\0\x02\x88\x02\x80\x81"  # an object of 264 bytes
    b"\x00\x00"  # no thread-local object
)


def test_abilists_are_read_by_library_version_and_target(tool: Tool) -> None:
    found = [(one.name, one.library, one.targets, one.versions, one.kind) for one in tool("abilists").read(ABILISTS)]
    assert found == [
        ("dup", "c", ("x86-linux-gnu",), ((2, 0),), "F"),
        ("dup", "c", ("x86_64-linux-gnu",), ((2, 2, 5),), "F"),
        ("start", "pthread", ("x86-linux-gnu", "x86_64-linux-gnu"), ((2, 2, 5), (2, 34)), "F"),
        ("table", "c", ("x86_64-linux-gnu",), ((2, 2, 5),), "D"),
    ]


def test_abilists_of_another_layout_are_refused(tool: Tool) -> None:
    with pytest.raises(ValueError, match="1 bytes after the last inclusion"):
        list(tool("abilists").read(ABILISTS + b"\x00"))


def test_rows_of_many_architectures_become_few_lines_that_say_the_same(tool: Tool, tmp_path: Path) -> None:
    tables = tool("tables")
    first = {"x86_64": (2, 2, 5), "i686": (2, 0), "aarch64": (2, 17)}
    rows = {
        "i686": [("open", "GLIBC_2.0"), ("copy", "GLIBC_2.0"), ("late", "GLIBC_2.30")],
        "x86_64": [("open", "GLIBC_2.2.5"), ("copy", "GLIBC_2.2.5"), ("copy", "GLIBC_2.14"), ("late", "GLIBC_2.30")],
        "aarch64": [("open", "GLIBC_2.17"), ("copy", "GLIBC_2.17"), ("late", "GLIBC_2.30")],
    }
    made = {arch: [tables.Row(name=n, version=v, kind="F") for n, v in found] for arch, found in rows.items()}
    lines = tables.merge(made, first)
    assert lines == ["copy GLIBC_2.0+ F", "copy GLIBC_2.14 F on=x86_64", "late GLIBC_2.30 F", "open GLIBC_2.0+ F"]
    file = tmp_path / "lib.txt"
    head = [f"versions {arch} {' '.join(sorted({v for _, v in found}))}" for arch, found in rows.items()]
    file.write_text("\n".join([*head, "", *lines, ""]), "ascii")
    for architecture, expected in rows.items():
        library = TableLibrary(
            "lib",
            load(str(file)),
            platform=PlatformId(family="glibc", release=(2, 44), architecture=architecture),
            first_version=first[architecture],
            covers=lambda _: True,
            loader="ld.so",
        )
        found = {
            (name, (entry.version or b"").decode())
            for name in ("open", "copy", "late")
            for entry in library.definitions(name.encode())
        }
        assert found == set(expected)


def test_a_symbol_with_gaps_between_releases_has_a_row_for_each_span(tool: Tool) -> None:
    measure, musl = tool("measure"), tool("musl")

    def build(*names: str) -> object:
        exports = tuple(measure.Export(name=name, version="", kind="F", hidden=False) for name in names)
        return measure.Measured(soname="", needed=(), versions=(), exports=exports)

    rows = musl.rows({(1, 2, 3): build("a", "open64", "b"), (1, 2, 5): build("b", "c"), (1, 2, 6): build("a", "b", "c")})
    assert [(row.name, row.since, row.until) for row in rows] == [
        ("a", None, (1, 2, 5)),
        ("a", (1, 2, 6), None),
        ("b", None, None),
        ("c", (1, 2, 5), None),
        ("open64", None, (1, 2, 4)),
    ]


def test_what_builds_disagree_about_is_told_as_such(tool: Tool) -> None:
    hosts = tool("hosts")
    needed = ("libm.so.6", "libz.so.1", "libc.so.6")
    builds = [
        hosts.Build(version=(3, 10), exports={"a": "F", "b": "D"}, needed=needed),
        hosts.Build(version=(3, 11), exports={"a": "F", "b": "D"}, needed=needed),
        hosts.Build(version=(3, 11), exports={"a": "F"}, needed=("libm.so.6", "libc.so.6")),
    ]
    assert hosts.lines(builds) == ["a - F", "b - D until=3.11", "b - D maybe since=3.11"]
    assert hosts.head(builds)[-1] == "libraries libm.so.6 libc.so.6 since=2.34"


def test_recorded_inputs_make_the_checked_in_interpreter_rows(tool: Tool) -> None:
    """Python 3.8, 3.10 and 3.12 come from the recorded builds alone, so their rows can be made again without any package."""
    hosts = tool("hosts")
    builds = [build for build in hosts.recorded(TOOLS / "interpreters.txt") if build.version in {(3, 8), (3, 10), (3, 12)}]
    assert len(builds) == 3
    table = load("host/cpython.txt")
    from checker.platforms.interpreters import Interpreter

    for build in builds:
        host = Interpreter("cpython", build.version, (), table)
        told = {name.decode() for name in table.names() if host.definitions(name)}
        assert told == set(build.exports)


def test_recorded_inputs_make_the_free_threaded_file_anew_line_by_line(tool: Tool) -> None:
    hosts = tool("hosts")
    builds = [build for build in hosts.recorded(TOOLS / "interpreters.txt") if build.kind == hosts.FREE_THREADED]
    written = (Path(DATA) / "host" / "cpython-t.txt").read_text("ascii").splitlines()
    assert [line for line in written if not line.startswith("#")] == [*hosts.head(builds), "", *hosts.lines(builds)]


def test_suffixes_are_read_from_an_interpreter_s_own_strings(tool: Tool, tmp_path: Path) -> None:
    file = tmp_path / "python3.15"
    file.write_bytes(b"\x7fELF\0.cpython-315t-x86_64-linux-gnu.so\0.abi3t.so\0.abi3-x86_64-linux-gnu.so\0.abi3.sox\0.so\0")
    assert tool("hosts").suffixes(file) == (".abi3t.so", ".cpython-315t-x86_64-linux-gnu.so")


@pytest.fixture
def fetch(tool: Tool, monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], None]:
    """Fetches by a manifest of one wheel, whose content is ``whole``."""
    sources = tool("sources")
    digest = hashlib.sha256(b"whole").hexdigest()
    source = sources.Source(kind="wheel", package="a", version="1", place="any", file="a-1.whl", sha256=digest)
    monkeypatch.setattr(sources, "manifest", lambda: (source,))
    fetch: Callable[[Path], None] = sources.fetch
    return fetch


def test_packages_in_the_cache_are_not_fetched_again(
    fetch: Callable[[Path], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a-1.whl").write_bytes(b"whole")
    monkeypatch.setattr(subprocess, "run", None)
    fetch(tmp_path)


def test_a_package_with_another_digest_stops_the_build(fetch: Callable[[Path], None], tmp_path: Path) -> None:
    (tmp_path / "a-1.whl").write_bytes(b"whose?")
    with pytest.raises(SystemExit, match=r"a-1\.whl: its SHA-256 is not the recorded one"):
        fetch(tmp_path)


@pytest.mark.parametrize(("code", "told"), [(1, "no longer serve"), (0, "was not downloaded")])
def test_a_package_that_cannot_be_had_stops_the_build(
    fetch: Callable[[Path], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int, told: str
) -> None:
    monkeypatch.setattr(subprocess, "run", lambda command, **_: subprocess.CompletedProcess(command, returncode=code))
    with pytest.raises(SystemExit, match=told):
        fetch(tmp_path)


def test_listings_of_both_layouts_tell_symbol_version_and_kind(tool: Tool, tmp_path: Path) -> None:
    for number, text in enumerate(
        ("GLIBC_2.2.5\n GLIBC_2.2.5 A\n dlopen F\nGLIBC_2.3\n table D 0x8\n", "GLIBC_2.2.5 dlopen F\nGLIBC_2.3 table D 0x8\n")
    ):
        path = tmp_path / str(number)
        path.write_text(text, "ascii")
        assert tool("verify_abilists").listed(path) == {("dlopen", "GLIBC_2.2.5"): "F", ("table", "GLIBC_2.3"): "D"}


def test_departures_are_read_from_listings_of_both_layouts(tool: Tool, tmp_path: Path) -> None:
    listings = {
        "2.20/sysdeps/unix/sysv/linux/x86_64/64/nptl/libdl.abilist": "GLIBC_2.2.5\n GLIBC_2.2.5 A\n dlopen F\n dlsym F\n",
        "2.33/sysdeps/unix/sysv/linux/x86_64/64/libdl.abilist": "GLIBC_2.2.5 dlopen F\nGLIBC_2.2.5 dlsym F\n",
        "2.34/sysdeps/unix/sysv/linux/x86_64/64/libdl.abilist": "GLIBC_2.2.5 dlsym F\n",
    }
    for path, text in listings.items():
        (tmp_path / path).parent.mkdir(parents=True)
        (tmp_path / path).write_text(text, "ascii")
    assert tool("moves").departures(tmp_path) == {("libdl", "dlopen"): (2, 34)}
