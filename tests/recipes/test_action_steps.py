"""``action.yml``: its own steps, run as a runner would, and what linters say of it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tests.recipes.conftest import BAD, GOOD, ROOT, recipe, tool

if TYPE_CHECKING:
    from pathlib import Path

yaml = pytest.importorskip("yaml", reason="nox -s recipes installs it")
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))


def filled(text: str, inputs: dict[str, str]) -> str:
    """The text with its expressions evaluated; an expression that nobody foresaw fails."""
    known = {
        **{f"inputs.{name}": inputs.get(name, one.get("default", "")) for name, one in ACTION["inputs"].items()},
        "github.action_path": str(ROOT),
        "steps.python.outputs.python-path": sys.executable,
    }
    return re.sub(r"\$\{\{ (.+?) \}\}", lambda found: known[found[1]], text)


def run_steps(workspace: Path, inputs: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Every ``run`` step in order, until one fails, in a workspace with a runner's files."""
    temp = workspace / "temp"
    temp.mkdir(exist_ok=True)
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(temp),
        "RUNNER_TEMP": str(temp),
        "GITHUB_OUTPUT": str(temp / "output"),
        "GITHUB_STEP_SUMMARY": str(temp / "summary"),
        **{name: value for name, value in os.environ.items() if name.startswith(("PIP_", "SSL_", "XDG_"))},
    }
    for step in ACTION["runs"]["steps"]:
        if "run" not in step:
            continue
        assert "${{" not in step["run"], "an input would become shell text"
        given = {name: filled(value, inputs) for name, value in step.get("env", {}).items()}
        bash = [shutil.which("bash") or "bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
        done = subprocess.run(
            bash, cwd=workspace, env={**environment, **given}, capture_output=True, text=True, check=False, timeout=600
        )
        if done.returncode:
            break
    return done


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One workspace for all, since installing is slow; a package named like ours lies in wait there."""
    tool("zizmor")
    folder = tmp_path_factory.mktemp("workspace")
    (folder / "dist").mkdir()
    (folder / "checker").mkdir()
    (folder / "checker" / "__init__.py").write_text("raise SystemExit('the workspace was run')\n")
    return folder


def test_the_steps_install_check_and_set_outputs(workspace: Path) -> None:
    shutil.copy(GOOD, workspace / "dist")
    done = run_steps(workspace, {"artifacts": "dist/*.whl"})
    assert (done.returncode, done.stderr) == (0, "")
    assert f"dist/{GOOD.name}: ok" in done.stdout
    assert "pass" in (workspace / "temp" / "output").read_text(encoding="utf-8")


def test_an_input_is_never_a_command(workspace: Path) -> None:
    done = run_steps(workspace, {"artifacts": 'dist/*.whl"; touch pwned; "$(touch pwned)'})
    assert done.returncode == 2
    assert not (workspace / "pwned").exists()


def test_a_bad_wheel_fails_the_step(workspace: Path) -> None:
    shutil.copy(BAD, workspace / "dist")
    done = run_steps(workspace, {"artifacts": "dist/*.whl"})
    assert done.returncode == 1
    assert "::error file=dist/" in done.stdout
    assert "❌ fails" in (workspace / "temp" / "summary").read_text(encoding="utf-8")


def test_every_action_is_pinned_by_its_commit() -> None:
    used = [step["uses"] for step in ACTION["runs"]["steps"] if "uses" in step]
    assert used
    assert all(re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", name) for name in used)


def test_every_input_reaches_the_step_and_every_output_leaves_it() -> None:
    check = ACTION["runs"]["steps"][-1]
    wanted = {f"${{{{ inputs.{name} }}}}" for name in ACTION["inputs"]} - {"${{ inputs.python-version }}"}
    assert set(check["env"].values()) == wanted
    assert {one["value"] for one in ACTION["outputs"].values()} == {
        f"${{{{ steps.check.outputs.{name} }}}}" for name in ACTION["outputs"]
    }


def test_the_linters_find_nothing_in_the_action() -> None:
    path = str(ROOT / "action.yml")
    for words in (
        [tool("zizmor"), "--offline", "--no-progress", path],
        [tool("check-jsonschema"), "--builtin-schema", "vendor.github-actions", path],
    ):
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


def test_the_linters_find_nothing_in_the_example_workflow(tmp_path: Path) -> None:
    workflow = tmp_path / ".github" / "workflows" / "wheels.yml"
    workflow.parent.mkdir(parents=True)
    workflow.write_text(recipe("github-workflow") + "\n", encoding="utf-8")
    for words in (
        [tool("zizmor"), "--offline", "--no-progress", str(workflow)],
        [tool("check-jsonschema"), "--builtin-schema", "vendor.github-workflows", str(workflow)],
    ):
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


def test_actionlint_finds_nothing_in_the_example_workflow(tmp_path: Path) -> None:
    workflow = tmp_path / "wheels.yml"
    workflow.write_text(recipe("github-workflow") + "\n", encoding="utf-8")
    done = subprocess.run([tool("actionlint"), str(workflow)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")


def test_the_example_workflow_sets_no_input_that_is_not_there() -> None:
    workflow = yaml.safe_load(recipe("github-workflow"))
    (step,) = (step for step in workflow["jobs"]["check"]["steps"] if "wheelproof/" in step.get("uses", ""))
    assert set(step["with"]) <= set(ACTION["inputs"])
