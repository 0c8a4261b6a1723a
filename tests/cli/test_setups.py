"""``--preload``, ``--library-path`` and ``--executable``, with the real engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from checker.cli.main import main
from tests.engine.artifacts import library, wheel

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Tell = Callable[..., tuple[int, str, str]]

EXTENSION = "pkg/_core.cpython-311-x86_64-linux-gnu.so"
LIBRARY = "pkg/lib/libhelper.so.1"
PROGRAM = "pkg/bin/tool"
GLIBC = ("libc.so.6", "GLIBC_2.2.5")


@pytest.fixture
def tell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Tell:
    """Run a command on ``demo.whl``-like: exit code, output, complaints."""
    user = library(uses=("helper",), defines=("PyInit__core",), needed=("libc.so.6",), wants={"malloc": GLIBC})
    helper = library(defines=("helper",), soname="libhelper.so.1", needed=("libc.so.6",), wants={"free": GLIBC})
    program = library(
        uses=("helper",), needed=("libhelper.so.1", "libc.so.6"), runpath="$ORIGIN/../lib", interpreter="/lib64/ld.so"
    )
    path = wheel(tmp_path, {EXTENSION: user, LIBRARY: helper, PROGRAM: program})
    monkeypatch.chdir(tmp_path)

    def run(command: str, *words: str) -> tuple[int, str, str]:
        code = main([command, path.name, *words])
        told = capsys.readouterr()
        return code, told.out, told.err

    return run


@pytest.mark.parametrize("words", [("--preload", f"{LIBRARY}:global"), ("--executable", PROGRAM)])
def test_a_set_up_that_brings_the_symbol_mends_the_verdict(tell: Tell, words: tuple[str, ...]) -> None:
    assert tell("check")[0] == 1
    assert tell("check", "--preload", LIBRARY)[0] == 1
    assert tell("check", *words)[0] == 0


def test_show_and_explain_take_the_set_up_too(tell: Tell) -> None:
    words = ("--preload", f"{LIBRARY}:global")
    assert "only through preloading" in tell("show", *words)[1]
    assert f"bound to {LIBRARY}" in tell("explain", "helper", *words)[1]


@pytest.mark.parametrize("command", ["check", "show"])
@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("--preload", "libhelper.so.1:global"), f'no shared object of that path in the artifact; did you mean "{LIBRARY}"?'),
        (("--preload", ":global"), "--preload :global: write MEMBER or MEMBER:global"),
        (("--library-path", "pkg/libs"), 'no folder of that path in the artifact; did you mean "pkg/lib"?'),
        (("--executable", "pkg/bin/tol"), f'no program of that path in the artifact; did you mean "{PROGRAM}"?'),
        (("--executable", ""), "no program"),
    ],
)
def test_what_is_not_there_is_wrong_usage_with_the_nearest_right_path(
    tell: Tell, command: str, words: tuple[str, ...], complaint: str
) -> None:
    code, out, err = tell(command, *words)
    assert (code, out) == (2, "")
    assert complaint in err


@pytest.mark.parametrize("command", ["check", "show", "explain"])
def test_help_tells_of_the_set_up(capsys: pytest.CaptureFixture[str], command: str) -> None:
    main([command, "--help"])
    told = capsys.readouterr().out
    assert all(flag in told for flag in ("--preload", "--library-path", "--executable", "RTLD_GLOBAL", "LD_LIBRARY_PATH"))
