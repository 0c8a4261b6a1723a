"""``from checker import audit, load_policy``, as README.md tells it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import checker
from checker import Level, PolicyError, UsageError, Verdict, audit, load_policy

ROOT = Path(__file__).parent.parent
GOOD = min((ROOT / "testdata" / "sample").glob("*.whl"))
BAD = min((ROOT / "testdata" / "defects" / "new-glibc-under-old-tag").glob("*-1.0-*.whl"))


def test_an_artifact_is_judged_by_the_recommended_policy() -> None:
    report = audit(GOOD)
    assert (report.verdict, report.findings, report.policy.name) == (Verdict.PASS, (), "recommended")
    (finding,) = (one for one in audit(str(BAD)).findings if one.level is Level.ERROR)
    assert finding.rule == "platform-tag-too-old"


def test_a_policy_a_platform_and_providers_are_taken(tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text('schema = 1\nextends = ["recommended"]\n[rules.platform-tag-too-old]\nlevel = "warning"\n')
    assert audit(BAD, load_policy(own)).verdict is Verdict.PASS
    assert audit(BAD, platform="glibc-2.36-x86_64").verdict is Verdict.PASS
    assert audit(GOOD, providers={"other": BAD}).verdict is Verdict.PASS


def test_a_policy_around_the_current_directory_is_not_looked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "wheelproof.toml").write_text("broken")
    monkeypatch.chdir(tmp_path)
    assert audit(GOOD).verdict is Verdict.PASS


def test_mistakes_are_exceptions_and_what_cannot_be_read_is_unchecked(tmp_path: Path) -> None:
    with pytest.raises(PolicyError, match="recomended"):
        load_policy("recomended")
    with pytest.raises(UsageError, match="windows"):
        audit(GOOD, platform="windows")
    broken = tmp_path / "x-1.0-py3-none-any.whl"
    broken.write_bytes(b"nothing")
    assert audit(broken).verdict is Verdict.UNCHECKED


def test_what_is_exported_is_there_and_nothing_else() -> None:
    assert all(hasattr(checker, name) for name in checker.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'adit'"):
        checker.adit  # noqa: B018


def test_the_example_of_the_text_runs(tmp_path: Path) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    found = re.search(r"<!-- api -->\n```python\n(.*?)\n```", text, re.DOTALL)
    assert found is not None
    dist = tmp_path / "dist"
    dist.mkdir()
    (dist / BAD.name).write_bytes(BAD.read_bytes())
    (tmp_path / "wheelproof.toml").write_text('schema = 1\nextends = ["recommended"]\n')
    code = re.sub(r'"dist/[^"]+"', f'"dist/{BAD.name}"', found[1])
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "platform-tag-too-old" in done.stdout
