"""``docs/policies.md`` is true: its TOML is valid, and its commands do what it says."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from checker.policy.builtin import schema_text, shipped_names

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "policies.md").read_text(encoding="utf-8")
BLOCKS = dict(re.findall(r"<!-- ([\w-]+) -->\n```\w+\n(.*?)\n```", TEXT, re.DOTALL))
MISSING = "missing_sidecar-{}-cp38-abi3-manylinux_2_17_x86_64.whl"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder from which the paths of the text lead somewhere."""
    defect = Path("testdata") / "defects" / "missing-sidecar"
    shutil.copytree(ROOT / defect, tmp_path / defect)
    for kind, version in (("good", "1.1"), ("bad", "1.0")):
        (tmp_path / "wheels" / kind).mkdir(parents=True)
        shutil.copy(ROOT / defect / MISSING.format(version), tmp_path / "wheels" / kind)
    (tmp_path / "more.toml").write_text("schema = 1\n", encoding="utf-8")
    return tmp_path


def run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """A ``wheelproof …`` line of the text."""
    program, *words = shlex.split(command)
    assert program == "wheelproof"
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1"}
    return subprocess.run(
        [sys.executable, "-m", "checker", *words], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


def test_every_block_of_the_text_is_tested() -> None:
    assert len(re.findall(r"^```\w", TEXT, re.MULTILINE)) == len(BLOCKS)
    assert set(BLOCKS) == {"commands", "policy", "pyproject", "test-commands", "expected"}


@pytest.mark.parametrize(("block", "file"), [("policy", "wheelproof.toml"), ("pyproject", "pyproject.toml")])
def test_the_policies_of_the_text_are_valid(block: str, file: str, folder: Path) -> None:
    (folder / file).write_text(BLOCKS[block], encoding="utf-8")
    done = run(f"wheelproof policy validate ./{file}", folder)
    assert (done.returncode, done.stderr) == (0, "")
    content = tomllib.loads(BLOCKS[block])
    policy = json.loads(json.dumps(content.get("tool", {}).get("wheelproof", content), default=str))
    jsonschema.Draft202012Validator(json.loads(schema_text())).validate(policy)


def test_the_policy_of_the_text_shows_every_table_there_is() -> None:
    schema = json.loads(schema_text())
    content = tomllib.loads(BLOCKS["policy"])
    assert set(content) == set(schema["properties"])
    for table, keys in (("Target", content["target"]), ("Provider", content["provider"][0])):
        assert set(keys) == set(schema["$defs"][table]["properties"])
    shown = {key for override in content["override"] for key in override}
    assert shown == set(schema["$defs"]["Override"]["properties"])


def test_the_commands_of_the_text_run(folder: Path) -> None:
    for command in BLOCKS["commands"].splitlines():
        done = run(command, folder)
        assert (done.returncode, done.stderr) == (0, ""), command
    (folder / "wheels" / "expected.toml").write_text(BLOCKS["expected"], encoding="utf-8")
    for command in BLOCKS["test-commands"].splitlines():
        done = run(command, folder)
        assert (done.returncode, done.stderr) == (0, ""), done.stdout


def test_the_text_names_each_shipped_policy() -> None:
    table = TEXT.partition("| name | for |")[2]
    named = {name for row in re.findall(r"^\|([^|]*)\|", table, re.MULTILINE) for name in re.findall(r"`([\w-]+)`", row)}
    assert named == set(shipped_names())
