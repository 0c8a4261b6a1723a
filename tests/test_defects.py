"""Each one-defect wheel fails with its rule alone, and its mended twin passes.

The table is ``testdata/defects/expected.toml``; wheels are asked about through the command line.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tools.fixtures import defects
from tools.fixtures.toml import read_toml

EXPECTED: dict[str, Any] = read_toml(defects.FOLDER / "expected.toml")
ROOT = Path(__file__).resolve().parents[1]


def check(wheel: Path) -> tuple[int, dict[str, Any]]:
    """Exit code and the only artifact of the JSON report."""
    command = [sys.executable, "-m", "checker", "check", "--policy", "recommended", "--format", "json", str(wheel)]
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=wheel.parent, env=environment, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    (artifact,) = json.loads(done.stdout)["artifacts"]
    return done.returncode, artifact


def wheel_of(name: str, version: str) -> Path:
    (path,) = (defects.FOLDER / name).glob(f"*-{version}-*.whl")
    return path


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_a_broken_wheel_fails_with_its_rule_alone(name: str) -> None:
    code, artifact = check(wheel_of(name, defects.VERSIONS["broken"]))
    case = EXPECTED[name]
    errors = [f for f in artifact["findings"] if f["level"] == "error"]
    assert {(f["rule"], f["file"]) for f in errors} == {(case["rule"], case["file"])}
    told = json.dumps(errors)
    for words in case["subject"]:
        assert words in told
    assert all(f["remedy"] for f in errors)
    assert artifact["verdict"] == "fail"
    assert artifact["unchecked"] == []
    assert code == 1


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_a_mended_wheel_passes(name: str) -> None:
    code, artifact = check(wheel_of(name, defects.VERSIONS["mended"]))
    assert [f for f in artifact["findings"] if f["level"] == "error"] == []
    assert artifact["unchecked"] == []
    assert artifact["verdict"] == "pass"
    assert code == 0


@pytest.mark.parametrize("name", sorted(n for n, case in EXPECTED.items() if case["dlopen"] != "loads"))
def test_what_dlopen_refuses_loads_nowhere(name: str) -> None:
    _, artifact = check(wheel_of(name, defects.VERSIONS["broken"]))
    (root,) = (r for r in artifact["roots"] if r["path"] == EXPECTED[name]["file"])
    assert {load["outcome"] for load in root["loads"]} == {"fails"}
