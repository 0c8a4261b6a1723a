"""``wheelproof policy test``, with the real engine."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.elfwriter.spec import AARCH64
from tests.engine.artifacts import library, wheel

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.cli.conftest import Commands, Done

    Run = Callable[..., Done]

DEFECTS = Path(__file__).parents[2] / "testdata" / "defects"
NAMES = ("absolute-run-path", "missing-sidecar")
MENDED = "absolute_run_path-1.1-cp38-abi3-manylinux_2_17_x86_64.whl"
BAD = "absolute_run_path-1.0-cp38-abi3-manylinux_2_17_x86_64.whl"
ALSO_BAD = "missing_sidecar-1.0-cp38-abi3-manylinux_2_17_x86_64.whl"


@pytest.fixture
def folder(commands: Commands) -> Path:
    """``wheels`` with a good and two bad ones."""
    made = commands.folder / "wheels"
    for name, kind, version in (("absolute-run-path", "good", "1.1"), *((name, "bad", "1.0") for name in NAMES)):
        (made / kind).mkdir(parents=True, exist_ok=True)
        for path in (DEFECTS / name).glob(f"*-{version}-*.whl"):
            shutil.copy(path, made / kind)
    return made


def test_good_wheels_that_pass_and_bad_ones_that_fail_are_all_right(run: Run, folder: Path) -> None:
    done = run("policy", "test", folder.name, module="checker")
    assert (done.code, done.err) == (0, "")
    assert done.out == (
        "policy recommended\n"
        f"  ok     good/{MENDED}  passes\n"
        f"  ok     bad/{BAD}   fails (absolute-run-path)\n"
        f"  ok     bad/{ALSO_BAD}     fails (missing-library)\n"
        "\n"
        "3 wheels, 0 wrong\n"
    )


def test_a_good_wheel_that_fails_and_a_bad_one_that_passes_are_wrong(run: Run, folder: Path) -> None:
    (folder / "good" / MENDED).rename(folder / "bad" / MENDED)
    (folder / "bad" / BAD).rename(folder / "good" / BAD)
    done = run("policy", "test", folder.name, module="checker")
    assert done.code == 1
    rows = done.out.splitlines()
    assert rows[1].startswith(f"  WRONG  good/{BAD}")
    assert rows[1].endswith(": must pass")
    assert rows[2].startswith("  ok     bad/") or rows[2].endswith(": must fail")
    assert rows[-1] == "3 wheels, 2 wrong"


def test_the_policy_that_is_named_decides(run: Run, folder: Path) -> None:
    (folder / "own.toml").write_text('rules.missing-library.level = "error"\n')
    done = run("policy", "test", folder.name, "--policy", "wheels/own.toml", module="checker")
    assert done.code == 1
    assert "policy wheels/own.toml\n" in done.out
    assert f"  WRONG  bad/{BAD}   passes: must fail\n" in done.out


def test_fail_on_moves_the_line(run: Run, folder: Path) -> None:
    noted = {"demo/_core.abi3.so": library(defines=("PyInit__core",), needed=("libc.so.6",), runpath="$ORIGIN/nothing")}
    wheel(folder / "good", noted, tag="cp38-abi3-manylinux_2_17_x86_64")
    assert run("policy", "test", folder.name, module="checker").code == 0
    done = run("policy", "test", folder.name, "--fail-on", "note", module="checker")
    assert done.code == 1
    assert "dead-run-path): must pass" in done.out


def test_rules_that_must_fire_are_named_by_file(run: Run, folder: Path) -> None:
    expected = folder / "expected.toml"
    expected.write_text('"bad/*" = []\n"bad/absolute_*" = ["absolute-run-path"]\n"bad/miss*" = ["missing-library"]\n')
    assert run("policy", "test", folder.name, module="checker").code == 0
    expected.write_text('"bad/missing_*" = ["missing-library", "record-mismatch", "wrong-architecture"]\n')
    done = run("policy", "test", folder.name, module="checker")
    assert done.code == 1
    assert "fails (missing-library): record-mismatch and wrong-architecture must fire\n" in done.out


def test_mistakes_in_what_is_expected_are_told_at_once(run: Run, folder: Path) -> None:
    (folder / "expected.toml").write_text(
        f'"bad/{BAD[:-1]}" = ["missing-library"]\n"bad/*" = ["mising-library", "zzz",\n1]\n"good/*" = "a"\n'
    )
    done = run("policy", "test", folder.name, module="checker")
    assert (done.code, done.out) == (2, "")
    assert done.err.splitlines() == [
        f'wheelproof: wheels/expected.toml:1: "bad/{BAD[:-1]}": names no wheel here; did you mean "bad/{BAD}"?',
        ('wheelproof: wheels/expected.toml:2: "bad/*"[0]: there is no rule "mising-library"; did you mean "missing-library"?'),
        'wheelproof: wheels/expected.toml:2: "bad/*"[1]: there is no rule "zzz"; `wheelproof rules` lists them',
        'wheelproof: wheels/expected.toml:3: "bad/*"[2]: must be a rule id, not an integer',
        'wheelproof: wheels/expected.toml:4: "good/*": must be an array of rule ids, not a string',
    ]
    (folder / "expected.toml").write_text('"x" =\n')
    assert run("policy", "test", folder.name, module="checker").err == (
        "wheelproof: wheels/expected.toml:1: not TOML: Invalid value\n"
    )


def test_what_could_not_be_checked_is_neither_good_nor_bad(run: Run, folder: Path) -> None:
    for kind in ("good", "bad"):
        wheel(folder / kind, {"demo/lib.so": library(machine=AARCH64)[:100]})
    done = run("policy", "test", folder.name, module="checker")
    assert done.code == 3
    assert done.out.count("  ?      ") == 2
    assert "         demo/lib.so: " in done.out
    assert done.out.endswith("5 wheels, 0 wrong, 2 could not be checked\n")
    (folder / "bad" / MENDED).write_bytes((folder / "good" / MENDED).read_bytes())
    assert run("policy", "test", folder.name, module="checker").code == 1, "1 wins over 3"


def test_a_folder_that_is_not_there_leaves_half_of_it_unshown(run: Run, folder: Path) -> None:
    shutil.rmtree(folder / "bad")
    done = run("policy", "test", folder.name, module="checker")
    assert done.code == 0
    assert done.out.endswith("there is no folder bad: nothing shows that the policy refuses anything\n")


def test_nothing_to_test_is_wrong_usage(run: Run, folder: Path) -> None:
    for path in (folder / "good").iterdir():
        path.unlink()
    done = run("policy", "test", folder.name, module="checker")
    assert (done.code, done.out, done.err) == (2, "", "wheelproof: wheels/good: no wheel (*.whl) in it\n")
    assert run("policy", "test", "none", module="checker").err == "wheelproof: none: no such directory\n"
    assert run("policy", "test", f"{folder.name}/bad/{BAD}", module="checker").err.endswith(": not a directory\n")
    done = run("policy", "test", f"{folder.name}/bad", module="checker")
    assert (done.code, done.out) == (2, "")
    assert "has neither a folder good" in done.err


def test_a_policy_with_mistakes_is_wrong_usage(run: Run, folder: Path) -> None:
    done = run("policy", "test", folder.name, "--policy", "recomended", module="checker")
    assert done.code == 2
    assert 'did you mean "recommended"?' in done.err


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_a_pipe_of_expectations_is_not_waited_for(run: Run, folder: Path) -> None:
    os.mkfifo(folder / "expected.toml")
    done = run("policy", "test", folder.name, module="checker")
    assert (done.code, "expected.toml: is no file" in done.err) == (2, True)
