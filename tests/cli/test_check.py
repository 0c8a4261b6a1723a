"""``wheelproof check`` as a user meets it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from checker import __version__
from tests.report import builders as build

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.cli.conftest import Commands, Done

    Run = Callable[..., Done]
    Write = Callable[[str, str], str]

LIVES_ON_POSIX = pytest.mark.skipif(os.name == "nt", reason="asks for POSIX streams or signals")


@pytest.mark.parametrize(
    ("text", "options", "code"),
    [
        ("fine", (), 0),
        ("note warning", (), 0),
        ("note warning", ("--fail-on", "warning"), 1),
        ("note", ("--fail-on", "warning"), 0),
        ("note", ("--fail-on", "note"), 1),
        ("error", (), 1),
        ("unchecked", (), 3),
        ("unchecked warning", (), 3),
        ("unchecked error", (), 1),
    ],
)
@pytest.mark.parametrize("form", [(), ("--format=json",), ("-q",)])
def test_the_exit_code_is_the_verdict_in_whatever_form(  # noqa: PLR0917
    run_here: Run, artifact: Write, text: str, options: tuple[str, ...], code: int, form: tuple[str, ...]
) -> None:
    assert run_here("check", artifact("a.whl", text), *options, *form).code == code


def test_a_failure_outweighs_what_could_not_be_checked(run_here: Run, artifact: Write) -> None:
    done = run_here("check", artifact("a.whl", "unchecked"), artifact("b.whl", "error"), artifact("c.whl", "fine"))
    assert done.code == 1
    assert [row.split(" (")[0] for row in done.out.splitlines() if ".whl: " in row] == [
        "a.whl: could not be checked in full",
        "b.whl: fails",
        "c.whl: ok",
    ]


def test_success_is_one_line(run: Run, artifact: Write) -> None:
    done = run("check", artifact("a.whl", "fine"))
    assert (done.out, done.err) == ("a.whl: ok (1 ELF object, manylinux_2_17_x86_64)\n", "")


def test_a_path_that_leads_nowhere_is_wrong_usage_and_the_others_are_judged(run_here: Run, artifact: Write) -> None:
    done = run_here("check", "nowhere.whl", artifact("a.whl", "error"))
    assert done.code == 2
    assert done.err == "wheelproof: nowhere.whl: no such file or directory\n"
    assert "a.whl: fails" in done.out


def test_nothing_but_paths_that_lead_nowhere_is_wrong_usage(run_here: Run) -> None:
    done = run_here("check", "a.whl", "b.whl", "--format", "json")
    assert (done.code, done.out) == (2, "")
    assert done.err.count("no such file") == 2


def test_a_pattern_that_the_shell_left_alone_is_expanded(run_here: Run, artifact: Write) -> None:
    artifact("b.whl", "fine")
    artifact("a.whl", "fine")
    done = run_here("check", "*.whl")
    assert (done.code, [row[:5] for row in done.out.splitlines()[:2]]) == (0, ["a.whl", "b.whl"])
    assert run_here("check", "*.zip").code == 2


def test_the_same_artifact_is_judged_once(run_here: Run, artifact: Write) -> None:
    name = artifact("a.whl", "fine")
    assert run_here("check", name, name, "a.*").out.count("a.whl") == 1


def test_reports_go_where_they_are_sent(run_here: Run, artifact: Write, commands: Commands) -> None:
    done = run_here("check", artifact("a.whl", "error"), "--format", "json=out.json", "--format=terminal=out.txt")
    assert done.code == 1
    assert "a.whl: fails" in done.out
    assert json.loads((commands.folder / "out.json").read_text())["verdict"] == "fail"
    assert (commands.folder / "out.txt").read_text() == done.out


def test_json_takes_the_place_of_the_terminals_report(run_here: Run, artifact: Write) -> None:
    done = run_here("check", artifact("a.whl", "error"), "--format", "json")
    assert json.loads(done.out)["artifacts"][0]["path"] == "a.whl"


def test_bindings_are_told_where_they_are_asked_for(run_here: Run, artifact: Write) -> None:
    name = artifact("a.whl", "fine")
    assert "bindings" in json.loads(run_here("check", name, "--format=json", "--bindings").out)["artifacts"][0]
    assert "bindings" not in json.loads(run_here("check", name, "--format=json").out)["artifacts"][0]


@pytest.mark.parametrize("form", ["json", "terminal"])
def test_two_hash_seeds_give_the_same_bytes(run: Run, artifact: Write, form: str) -> None:
    names = [artifact("a.whl", "error warning note unchecked"), artifact("b.whl", "many")]
    first, second = (run("check", *names, "-v", "--format", form, PYTHONHASHSEED=seed) for seed in ("1", "2"))
    assert first == second


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--format", "yaml"), "--format yaml: the formats are terminal, json"),
        (("--format", "json="), "--format json=: the file's name is missing"),
        (("--format", "json=no/out.json"), "--format json=no/out.json: there is no folder for that file"),
        (("--format", "json", "--format", "terminal"), "only one format can go to standard output"),
        (("--format", "json=x", "--format", "terminal=x"), "two formats would be written to the same file"),
        (("--verbose", "--quiet"), "--verbose and --quiet contradict one another"),
        (("--provider", "torch"), "--provider torch: write NAME=PATH"),
        (("--provider", "torch=nowhere.whl"), "--provider torch=nowhere.whl: no such file"),
        (("--limit", "members=none"), "--limit members=none: "),
        (("--platform", "windows"), '--platform: "windows" names no platform'),
        (("--python", "2"), '--python: "2" names no Python'),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_wrong_usage_is_told_and_nothing_is_judged(run_here: Run, artifact: Write, words: tuple[str, ...], told: str) -> None:
    done = run_here("check", artifact("a.whl", "error"), *words)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"wheelproof: {told}")


def test_a_root_that_is_nowhere_does_not_pass(run_here: Run, artifact: Write) -> None:
    names = artifact("a.whl", "fine"), artifact("b.whl", "objects")
    done = run_here("check", *names, "--root", "pkg/_cor.so")
    assert (done.code, done.out, done.err) == (2, "", "wheelproof: --root pkg/_cor.so: no ELF object of that path\n")
    done = run_here("check", *names, "--root", build.LIBRARY)
    assert (done.code, done.err) == (2, "wheelproof: a.whl: has none of the objects named by --root\n")
    assert run_here("check", *names, "--root", build.CORE).code == 1
    assert run_here("show", names[0], "--root", "x").code == 2
    assert run_here("check", artifact("c.whl", "garbage"), "--root", "x").code == 3


def test_an_output_that_cannot_be_written_is_told(run_here: Run, artifact: Write) -> None:
    done = run_here("check", artifact("a.whl", "fine"), "--format", "json=.")
    assert (done.code, done.err.split(": ")[1:3]) == (2, [".", "cannot be written"])


@pytest.mark.parametrize("words", [("check",), ("check", "a.whl", "--no-such"), ("no-such",), ()])
def test_a_command_line_that_makes_no_sense_is_exit_code_2(run: Run, words: tuple[str, ...]) -> None:
    done = run(*words)
    assert done.code == 2
    assert "Usage: wheelproof" in done.err + done.out


@pytest.mark.parametrize("words", [("--version",), ("--version", "check")])
def test_the_version_is_told(run: Run, words: tuple[str, ...]) -> None:
    done = run(*words)
    assert (done.code, done.out) == (0, f"wheelproof {__version__}\n")


def test_help_names_the_exit_codes(run: Run) -> None:
    done = run("check", "--help")
    assert done.code == 0
    assert "3 something could not be checked" in " ".join(done.out.split())


def test_a_fault_of_our_own_is_no_verdict(run: Run, artifact: Write) -> None:
    done = run("check", artifact("a.whl", "crash"))
    assert (done.code, done.out) == (3, "")
    assert r"internal error: RuntimeError: the engine met \x1b[31m what nobody foresaw" in done.err
    assert "Traceback" not in done.err
    assert "Traceback" in run("check", "a.whl", WHEELPROOF_DEBUG="1").err


@LIVES_ON_POSIX
def test_an_interrupt_is_exit_code_130(run: Run, artifact: Write) -> None:
    done = run("check", artifact("a.whl", "interrupt"))
    assert (done.code, done.err) == (130, "wheelproof: interrupted\n")
    assert -done.code != signal.SIGINT


@LIVES_ON_POSIX
@pytest.mark.parametrize("form", ["terminal", "json"])
def test_a_reader_that_goes_away_changes_nothing(commands: Commands, artifact: Write, form: str) -> None:
    command = commands.command("check", artifact("a.whl", "many"), "-v", "--format", form, module="tests.cli.fake_engine")
    with subprocess.Popen(
        command, cwd=commands.folder, env=commands.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == 1


def test_a_directory_of_wheels_is_no_artifact(run_here: Run, commands: Commands, artifact: Write) -> None:
    (commands.folder / "dist").mkdir()
    artifact("dist/a.whl", "error")
    done = run_here("check", "dist")
    assert (done.code, done.out) == (2, "")
    assert done.err == "wheelproof: dist: holds wheels, which are judged one by one: name them (dist/*.whl)\n"


@pytest.mark.parametrize("words", [("a.whl",), ("b.whl", "--provider", "torch=./a.whl")])
def test_a_report_does_not_take_the_place_of_what_is_judged(
    run_here: Run, commands: Commands, artifact: Write, words: tuple[str, ...]
) -> None:
    artifact("a.whl", "fine")
    artifact("b.whl", "fine")
    done = run_here("check", *words, "--format", "json=a.whl")
    assert (done.code, done.err) == (
        2,
        "wheelproof: --format json=a.whl: that is a file to judge, and the report would take its place\n",
    )
    assert (commands.folder / "a.whl").read_text(encoding="utf-8") == "fine"


@LIVES_ON_POSIX
@pytest.mark.parametrize(("closed", "words", "code"), [(1, ("check", "a.whl"), 1), (2, ("check", "nowhere.whl"), 2)])
def test_a_stream_that_the_caller_closed_leaves_the_exit_code(
    commands: Commands, artifact: Write, closed: int, words: tuple[str, ...], code: int
) -> None:
    artifact("a.whl", "error")
    close = f"import os, sys; os.close({closed}); os.execv(sys.argv[1], sys.argv[1:])"
    done = subprocess.run(
        [sys.executable, "-c", close, *commands.command(*words, module="tests.cli.fake_engine")],
        cwd=commands.folder, env=commands.environment(), capture_output=True, check=False, timeout=60,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (code, b"", b"")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="asks for a device that is always full")  # noqa: PTH110
def test_a_full_disk_is_told(commands: Commands, artifact: Write) -> None:
    command = commands.command("check", artifact("a.whl", "fine"), module="tests.cli.fake_engine")
    with open("/dev/full", "wb") as full:  # noqa: PTH123
        done = subprocess.run(
            command, cwd=commands.folder, env=commands.environment(), stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert done.returncode == 2
    assert b"the output cannot be written" in done.stderr


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
def test_every_encoding_of_the_streams_will_do(run: Run, artifact: Write, encoding: str) -> None:
    name = artifact("日本.whl", "error")
    done = run("check", name, PYTHONIOENCODING=encoding)
    assert done.code == 1
    assert (name if encoding == "utf-8" else r"\u65e5\u672c.whl") in done.out
    assert run("check", "é", PYTHONIOENCODING=encoding).code == 2


def test_a_terminal_is_not_needed_and_its_settings_do_not_matter(run: Run, artifact: Write) -> None:
    name = artifact("a.whl", "error warning")
    plain = run("check", name)
    assert "\x1b" not in plain.out
    assert run("check", name, COLUMNS="20", TERM="xterm-256color", CLICOLOR_FORCE="1") == plain
    assert sys.executable not in plain.out + plain.err


def test_artifacts_can_stand_in_a_list_or_come_by_standard_input(run: Run, artifact: Write, commands: Commands) -> None:
    names = [artifact("a.whl", "fine"), artifact("b c.whl", "fine")]
    (commands.folder / "list.txt").write_text("\n".join([*names, "", ""]), encoding="utf-8")
    done = run("check", "--from-file", "list.txt")
    assert (done.code, [row.partition(":")[0] for row in done.out.splitlines()[:2]]) == (0, names)
    piped = subprocess.run(
        commands.command("check", "--from-file", "-", module="tests.cli.fake_engine"),
        cwd=commands.folder, env=commands.environment(), input=b"a.whl\n", capture_output=True, check=False,
    )  # fmt: skip
    assert (piped.returncode, piped.stdout.partition(b":")[0]) == (0, b"a.whl")


def test_a_list_that_is_empty_or_not_there_never_passes(run: Run, commands: Commands) -> None:
    (commands.folder / "empty.txt").write_text("\n")
    for name, told in (("empty.txt", "lists no artifact"), ("none.txt", "cannot be read")):
        done = run("check", "--from-file", name)
        assert (done.code, told in done.err) == (2, True)
    assert run("check").code == 2


def test_a_report_is_wrapped_at_the_width_asked_for_and_gives_no_commands_to_a_runner(run: Run, artifact: Write) -> None:
    name = artifact("a.whl", "error")
    wide, narrow = run("check", name), run("check", "--output-width", "80", name)
    assert narrow.code == wide.code == 1
    assert max(map(len, narrow.out.splitlines())) <= 80 < max(map(len, wide.out.splitlines()))
    assert narrow.out.split() == wide.out.split()
    assert not [row for row in narrow.out.splitlines() if row.lstrip().startswith("::")]
