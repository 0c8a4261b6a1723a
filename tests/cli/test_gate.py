"""``wheelproof gate``: a command runs on what passed, and on nothing else."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest

from checker.cli import gate
from checker.cli.check import check

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from checker.cli.request import CheckRequest
    from tests.cli.conftest import Commands, Done

    Run = Callable[..., Done]
    Write = Callable[[str, str], str]

RAN = (sys.executable, "-c", "import sys; print('ran', *sys.argv[1:]); sys.exit(7)")


def test_a_pass_runs_the_command_and_hands_on_its_exit_code(run: Run, artifact: Write) -> None:
    done = run("gate", artifact("a.whl", "fine"), "--", *RAN, "upload", "a.whl", "--skip-existing")
    assert done.code == 7
    assert done.out.splitlines() == ["a.whl: ok (1 ELF object, manylinux_2_17_x86_64)", "ran upload a.whl --skip-existing"]
    assert "passed: a.whl sha256:" in done.err
    assert "wheelproof: running " in done.err


@pytest.mark.parametrize(("text", "code"), [("error", 1), ("unchecked", 3)])
def test_what_does_not_pass_runs_nothing(run: Run, artifact: Write, text: str, code: int) -> None:
    done = run("gate", artifact("a.whl", text), "--", *RAN)
    assert done.code == code
    assert "ran" not in done.out
    assert "was not run" in done.err


def test_options_before_the_dashes_are_those_of_check(run: Run, artifact: Write) -> None:
    done = run("gate", "--fail-on", "warning", "--format=json", artifact("a.whl", "warning"), "--", *RAN)
    assert done.code == 1
    assert done.out.startswith("{")


def test_one_of_several_that_fails_stops_it(run: Run, artifact: Write) -> None:
    assert run("gate", artifact("a.whl", "fine"), artifact("b.whl", "error"), "--", *RAN).code == 1


def test_a_path_that_is_not_there_stops_it(run: Run, artifact: Write) -> None:
    done = run("gate", artifact("a.whl", "fine"), "b.whl", "--", *RAN)
    assert (done.code, "ran" in done.out) == (2, False)


@pytest.fixture
def written_meanwhile(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Write:
    """Has a file written between the check and the command."""

    def write(name: str, text: str) -> str:
        def slow(request: CheckRequest) -> int:
            code = check(request)
            (tmp_path / name).write_text(text)
            return code

        monkeypatch.setattr(gate, "check", slow)
        return name

    return write


def test_a_wheel_that_was_not_checked_is_not_handed_on(run: Run, artifact: Write) -> None:
    artifact("b.whl", "error")
    for named in ("b.whl", "*.whl"):
        done = run("gate", artifact("a.whl", "fine"), "--", *RAN, named)
        assert done.code == 2
        assert done.err.endswith(f"b.whl would be handed to {sys.executable} unchecked; name it before -- as well\n")


def test_bytes_that_change_under_the_check_stop_it(run_here: Run, artifact: Write, written_meanwhile: Write) -> None:
    written_meanwhile("a.whl", "other")
    done = run_here("gate", artifact("a.whl", "fine"), "--", *RAN)
    assert done.code == 3
    assert "a.whl: changed while it was checked" in done.err


def test_without_a_command_the_way_is_told(run: Run, artifact: Write) -> None:
    name = artifact("a.whl", "fine")
    assert "there is no command behind --" in run("gate", name, "--").err
    forgotten = run("gate", name)
    assert (forgotten.code, "write -- and the command" in forgotten.err) == (2, True)


def test_a_directory_is_refused(run: Run, commands: Commands) -> None:
    (commands.folder / "dist").mkdir()
    done = run("gate", "dist", "--", *RAN)
    assert (done.code, "dist is a directory" in done.err) == (2, True)


def test_a_command_that_cannot_be_run_is_told_as_shells_do(run: Run, artifact: Write, commands: Commands) -> None:
    name = artifact("a.whl", "fine")
    assert run("gate", name, "--", "no-such-program").code == gate.NOT_FOUND
    if os.name != "nt":
        assert run("gate", name, "--", str(commands.folder / "a.whl"), "x").code == gate.NOT_EXECUTABLE
        killed = run("gate", name, "--", sys.executable, "-c", "import os; os.kill(os.getpid(), 9)")
        assert killed.code == 137


def test_the_help_shows_the_options_of_check(run: Run) -> None:
    shown = run("gate", "--help").out
    assert "-- COMMAND..." in " ".join(shown.split())
    assert "--fail-on" in shown


def test_a_wheel_of_an_index_cannot_be_handed_on(run: Run) -> None:
    done = run("gate", "wheelproof-sample==1.0", "--", *RAN)
    assert (done.code, "ran" in done.out) == (2, False)
    assert "wheelproof-sample==1.0: no such file" in done.err


def test_a_pattern_of_every_depth_is_looked_into(run: Run, artifact: Write, tmp_path: Path) -> None:
    deep = tmp_path / "dist" / "x" / "y"
    deep.mkdir(parents=True)
    (deep / "b.whl").write_text("error")
    done = run("gate", artifact("a.whl", "fine"), "--", *RAN, "dist/**/*.whl")
    assert done.code == 2
    assert "b.whl would be handed to" in done.err


def program(folder: Path, name: str, body: str) -> str:
    """A program of that name that runs Python text."""
    path = folder / name
    path.write_text(f"#!{sys.executable}\nimport pathlib, sys\n{body}\n")
    path.chmod(0o755)
    return str(path)


needs_scripts = pytest.mark.skipif(os.name == "nt", reason="Windows runs no script by its first line")


@needs_scripts
def test_what_a_known_publisher_would_upload_is_checked_unnamed(run: Run, tmp_path: Path) -> None:
    twine = program(tmp_path, "twine", "print('ran', *sys.argv[1:])")
    (tmp_path / "dist").mkdir()
    (tmp_path / "dist" / "a.whl").write_text("fine")
    done = run("gate", "--", twine, "upload", "dist/*")
    assert (done.code, done.out.splitlines()[-1]) == (0, "ran upload dist/*")
    (tmp_path / "dist" / "b.whl").write_text("error")
    done = run("gate", "--quiet", "--", twine, "upload", "dist/*")
    assert (done.code, "ran" in done.out) == (1, False)
    assert "was not run" in done.err


@pytest.mark.parametrize("command", [("sh", "-c", "twine upload dist/*"), ("make", "publish"), ("twine", "@list")])
def test_nothing_named_and_nothing_known_runs_nothing(run: Run, command: tuple[str, ...]) -> None:
    done = run("gate", "--", *command)
    assert done.code == 2
    assert f"which wheels {command[0]} hands on cannot be seen; name them before --" in done.err


def test_a_publisher_without_a_wheel_runs_nothing(run: Run) -> None:
    done = run("gate", "--", "uv", "publish")
    assert (done.code, "uv would upload no wheel that is here" in done.err) == (2, True)


def test_a_publisher_s_folder_may_hold_no_other_wheel(run: Run, tmp_path: Path, artifact: Write) -> None:
    (tmp_path / "dist").mkdir()
    (tmp_path / "dist" / "b.whl").write_text("error")
    done = run("gate", artifact("a.whl", "fine"), "--", "hatch", "publish")
    assert done.code == 2
    assert "b.whl would be handed to hatch unchecked" in done.err


def test_what_builds_anew_is_never_run(run: Run, artifact: Write) -> None:
    done = run("gate", artifact("a.whl", "fine"), "--", "flit", "publish")
    assert done.code == 2
    assert "flit publish builds anew what it uploads" in done.err


def test_beside_the_checked_no_other_may_lie_for_a_command_that_names_none(run: Run, artifact: Write) -> None:
    artifact("b.whl", "error")
    done = run("gate", artifact("a.whl", "fine"), "--", *RAN, "publish")
    assert done.code == 2
    assert f"b.whl may be handed on by {sys.executable} unchecked" in done.err
    assert run("gate", "a.whl", "--", *RAN, "a.whl").code == 7


def test_a_wheel_that_appears_during_the_check_stops_it(run_here: Run, artifact: Write, written_meanwhile: Write) -> None:
    written_meanwhile("b.whl", "error")
    done = run_here("gate", artifact("a.whl", "fine"), "--", *RAN, "*.whl")
    assert done.code == 3
    assert "b.whl would be handed to" in done.err
    assert "was not run" in done.err


@pytest.mark.parametrize(("exit_code", "code"), [(0, 3), (5, 5)])
def test_bytes_that_the_command_changes_are_told(run: Run, artifact: Write, exit_code: int, code: int) -> None:
    text = f"import sys; open('a.whl', 'w').write('anew'); sys.exit({exit_code})"
    done = run("gate", artifact("a.whl", "fine"), "--", sys.executable, "-c", text)
    assert done.code == code
    assert f"a.whl: changed while {sys.executable} ran" in done.err


def test_a_command_may_take_the_wheel_away(run: Run, artifact: Write) -> None:
    done = run("gate", artifact("a.whl", "fine"), "--", sys.executable, "-c", "import os; os.rename('a.whl', 'b.txt')")
    assert (done.code, "changed" in done.err) == (0, False)
