"""``wheelproof platform``: capture, list, show, and judging by what was captured."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from checker.cli.main import main
from tests.cli.conftest import Done
from tests.engine import artifacts
from tests.platforms.roots import debian, library, root

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Run = Callable[..., Done]

EXTENSION = "pkg/_core.cpython-311-x86_64-linux-gnu.so"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run ``wheelproof`` in a folder with a small root called ``image``."""
    files = debian(
        **{"libz.so.1": library("libz.so.1", "inflate", version="ZLIB_1.2"), "libm.so.6": library("libm.so.6", "cos")}
    )
    files["usr/bin/python3.11"] = library(None, "PyLong_FromLong", needed=("libm.so.6", "libc.so.6"))
    root(tmp_path / "image", files)
    monkeypatch.chdir(tmp_path)

    def call(*words: str) -> Done:
        capsys.readouterr()
        code = main(words)
        told = capsys.readouterr()
        return Done(code=code, out=told.out, err=told.err)

    return call


def test_capture_tells_what_it_wrote(run: Run) -> None:
    done = run("platform", "capture", "image", "-o", "a.platform", "--python", "/usr/bin/python3.11")
    assert (done.code, done.err) == (0, "")
    assert done.out == (
        "a.platform: glibc-2.36-x86_64, Test GNU/Linux 1 (one), cpython-3.11\n  4 libraries, 4 with their symbols\n"
    )


def test_capture_tells_of_libraries_that_it_could_not_read(run: Run, tmp_path: Path) -> None:
    place = tmp_path / "image/usr/lib/x86_64-linux-gnu/libz.so.1"
    place.write_bytes(place.read_bytes()[:200])
    done = run("platform", "capture", "image", "-o", "a.platform")
    assert done.code == 0
    assert (
        "  4 libraries, 3 with their symbols\n  could not be read: /usr/lib/x86_64-linux-gnu/libz.so.1: not readable: "
        in done.out
    )


def test_show_tells_a_file(run: Run) -> None:
    run("platform", "capture", "image", "-o", "a.platform", "--python", "/usr/bin/python3.11", "--library", "none")
    done = run("platform", "show", "a.platform")
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0] == "glibc-2.36-x86_64"
    assert lines[1].startswith("  captured from Test GNU/Linux 1 (one), by wheelproof ")
    assert lines[3:] == [
        "  cpython-3.11, brings libm.so.6, libc.so.6",
        "    /usr/bin/python3.11  1 symbol",
        "newest versions",
        "  GLIBC_2.36",
        "4 libraries",
        "  ld-linux-x86-64.so.2  1 symbol",
        "  libc.so.6  1 symbol",
        "  libm.so.6  1 symbol",
        "  libz.so.1  symbols not known: not asked for",
    ]


@pytest.mark.parametrize(
    ("name", "newest", "row"),
    [
        ("glibc-2.17-x86_64", "  GLIBC_2.17", "  libdl.so.2  "),
        ("manylinux2014_aarch64", "  GLIBCXX_3.4.19", "  libm.so.6  "),
        ("musllinux_1_2_x86_64", "newest versions", "  libc.so  "),
    ],
)
def test_show_tells_a_known_platform(run: Run, name: str, newest: str, row: str) -> None:
    done = run("platform", "show", name)
    assert (done.code, done.err) == (0, "")
    assert newest in done.out.splitlines()
    assert any(line.startswith(row) and line.endswith(" symbols") for line in done.out.splitlines())


def test_list_tells_what_is_known(run: Run) -> None:
    done = run("platform", "list")
    assert (done.code, done.err) == (0, "")
    words = done.out.split()
    assert {"glibc", "musl", "x86_64", "riscv64", "cpython-3.8,"} <= set(words)
    assert "  x86_64       2.5 to 2.44  (40 releases)\n" in done.out


def test_check_judges_by_a_captured_system_and_names_it(run: Run, tmp_path: Path) -> None:
    run("platform", "capture", "image", "-o", "a.platform", "--python", "/usr/bin/python3.11")
    content = artifacts.library(
        uses=("PyLong_FromLong",),
        defines=("PyInit__core",),
        needed=("libz.so.1", "libc.so.6"),
        wants={"inflate": ("libz.so.1", "ZLIB_1.2"), "malloc": ("libc.so.6", "GLIBC_2.36")},
    )
    wheel = artifacts.wheel(tmp_path, {EXTENSION: content}).name
    options = ("--platform", "a.platform", "--python", "./a.platform", "--format", "json")
    done = run("check", wheel, *options)
    report = json.loads(done.out)
    assert (done.code, report["verdict"]) == (0, "pass")
    (name,) = (name for name in report["data"] if name.startswith("a.platform (glibc-2.36-x86_64, sha256:"))
    assert report["data"][name].startswith("sha256:")
    assert report["artifacts"][0]["target"]["platforms"] == [name]
    (tmp_path / "image/usr/lib/x86_64-linux-gnu/libz.so.1").unlink()
    run("platform", "capture", "image", "-o", "a.platform", "--python", "/usr/bin/python3.11")
    assert run("check", wheel, *options).code == 1


def test_explain_asks_the_captured_system_alone(run: Run, tmp_path: Path) -> None:
    run("platform", "capture", "image", "-o", "a.platform")
    content = artifacts.library(defines=("PyInit__core",), needed=("libc.so.6",), wants={"malloc": ("libc.so.6", "GLIBC_2.36")})
    wheel = artifacts.wheel(tmp_path, {EXTENSION: content}).name
    done = run("explain", wheel, "malloc", "--platform", "a.platform")
    assert (done.code, done.err) == (0, "")
    assert "glibc-2.36-x86_64" in done.out
    assert "glibc-2.35" not in done.out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ("capture", "gone", "-o", "a.platform"),
            "gone: no such directory; a root is /, or the directory of an unpacked image",
        ),
        (("capture", "image/etc", "-o", "a.platform"), "image/etc: no C library found"),
        (("capture", "image", "-o", "gone/a.platform"), "--output gone/a.platform: there is no folder for that file"),
        (
            ("capture", "image", "-o", "a.platform", "--architecture", "s390x"),
            "image: has no C library for s390x; there are: x86_64",
        ),
        (
            ("capture", "image", "-o", "a.platform", "--python", "/usr/bin/python9"),
            "/usr/bin/python9: no such file inside the root",
        ),
        (("show", "gone.platform"), "gone.platform: cannot be read: No such file or directory"),
        (("show", "old.platform"), "old.platform: a platform file of version 0; this program reads version 1"),
        (("show", "cut.platform"), "cut.platform: is not whole, or was changed since it was captured; capture it again"),
        (("show", "debian"), "unknown platform 'debian'"),
        (("show", "win32"), "there is no data for win32; wheelproof platform list tells what there is data for"),
        (("show", "glibc-2.99-x86_64"), "there is no data for glibc-2.99-x86_64"),
    ],
)
def test_mistakes_are_wrong_usage(run: Run, tmp_path: Path, words: tuple[str, ...], message: str) -> None:
    (tmp_path / "old.platform").write_text("wheelproof-platform 0\n", encoding="ascii")
    (tmp_path / "cut.platform").write_text("wheelproof-platform 1\ntool 1\n\nlibrary /a", encoding="ascii")
    done = run("platform", *words)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"wheelproof: {message}")


@pytest.mark.parametrize("option", ["--platform", "--python"])
def test_a_file_that_is_not_there_is_told_before_anything_is_judged(run: Run, tmp_path: Path, option: str) -> None:
    wheel = artifacts.wheel(tmp_path, {EXTENSION: artifacts.library()}).name
    done = run("check", wheel, option, "gone.platform")
    assert (done.code, done.out) == (2, "")
    assert done.err == "wheelproof: gone.platform: cannot be read: No such file or directory\n"
