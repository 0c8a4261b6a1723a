"""``docs/rules`` is what the rules, their levels and their cases make of it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tools import rule_docs

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_every_page_is_fresh() -> None:
    assert rule_docs.stale() == [], "run python -m tools.rule_docs"


def test_links_of_the_pages_lead_somewhere() -> None:
    for path in rule_docs.FOLDER.glob("*.md"):
        for target in re.findall(r"\]\(([^)#]+)\)", path.read_text(encoding="utf-8")):
            assert target.startswith("http") or (path.parent / target).is_file(), f"{path.name}: {target}"


def test_parameters_are_told_with_type_default_and_meaning() -> None:
    page = (rule_docs.FOLDER / "forbidden-needed-library.md").read_text(encoding="utf-8")
    assert '| `via` | `"direct"` or `"closure"` | `"direct"` | direct: ' in page
    assert "| `libraries` | array of strings | `[]` | globs " in page
    assert "table of strings" in (rule_docs.FOLDER / "symbol-version-too-new.md").read_text(encoding="utf-8")


def test_a_page_tells_the_level_and_its_reason() -> None:
    page = (rule_docs.FOLDER / "missing-library.md").read_text(encoding="utf-8")
    assert "Level in `recommended`: **error** (the loader stops" in page


def test_stale_missing_and_orphan_pages_are_named_and_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(rule_docs, "FOLDER", tmp_path)
    assert rule_docs.main([]) == 0
    assert rule_docs.main(["--check"]) == 0
    (tmp_path / "missing-library.md").unlink()
    (tmp_path / "load-failure.md").write_text("old")
    (tmp_path / "no-such-rule.md").write_text("")
    capsys.readouterr()
    assert rule_docs.main(["--check"]) == 1
    named = [line.partition(" is")[0] for line in capsys.readouterr().out.splitlines()]
    assert named == [f"docs/rules/{name}.md" for name in ("load-failure", "missing-library", "no-such-rule")]
    assert rule_docs.main([]) == 0
    assert rule_docs.stale() == []
