from __future__ import annotations

from html.parser import HTMLParser

import pytest

from checker.report import markdown
from checker.report.markdown import code, render, text
from tests.report import builders as build
from tests.report.samples import SAMPLES, failing, hostile, long, passing


class Tags(HTMLParser):
    """Every tag that a browser would see."""

    def __init__(self) -> None:
        super().__init__()
        self.found: set[str] = set()

    def handle_starttag(self, tag: str, attrs: object) -> None:  # noqa: D102 (HTMLParser's)
        assert not attrs
        self.found.add(tag)


def test_the_table_counts_and_names_the_oldest_true_platform() -> None:
    rows = [row for row in render(failing()).splitlines() if row.startswith("| ")]
    assert rows[1] == f"| <code>{build.WHEEL}</code> | ❌ fails | 1 | 2 | 1 | 1 | 1 | <code>manylinux_2_14_x86_64</code> |"
    assert rows[2].startswith("| <code>other.whl</code> | ✅ passes | 0 | 0 | 0 | 0 | 0 |")


def test_findings_have_their_remedy_and_evidence_and_waived_ones_their_reason() -> None:
    shown = render(failing())
    assert f"**🔴 error** <code>missing-library</code> in {code(build.CORE)}" in shown
    assert "**Fix:** run auditwheel repair" in shown
    assert "- soname: <code>libbar.so.2</code>" in shown
    assert "*build-time helper*" in shown
    assert "**Could not be checked**" in shown


def test_findings_of_one_cause_are_one_block_that_lists_them_all() -> None:
    files = [f"pkg/{letter}.so" for letter in "abcd"]
    same = [
        build.finding(file=file, subject=name, message=f"needs {name}", remedy=f"mend {file}")
        for name in ("libx.so", "liby.so")
        for file in (files if name == "libx.so" else files[:1])
    ]
    shown = render(build.report(build.artifact(*same)))
    assert shown.count("**🔴 error**") == 1
    assert f"in {code('pkg/a.so')}, {code('pkg/b.so')} and 2 more files  \nneeds libx.so." in shown
    assert "- likewise liby.so in pkg/a.so\n" in shown
    assert "**Fix:** mend FILE." in shown
    for each in same:
        assert f"- {code(each.file)} {each.subject}, fingerprint {code(each.fingerprint)}\n" in shown
    assert shown.count("- soname: ") == 1


def test_a_passing_report_is_its_table() -> None:
    assert render(passing()).splitlines()[0] == "## wheelproof: ✅ passes"
    assert "###" not in render(passing())


@pytest.mark.parametrize("name", SAMPLES)
def test_the_only_markup_is_ours(name: str) -> None:
    tags = Tags()
    tags.feed(render(SAMPLES[name]()))
    assert tags.found <= {"code", "details", "summary"}


def test_a_name_cannot_break_a_table_mention_anybody_or_link() -> None:
    rows = [row for row in render(hostile()).splitlines() if row.startswith("| ")]
    assert {row.count("|") for row in rows} == {9}
    assert text("@team") == "&#64;team"
    assert text("http://x www.y :smile: a_b _c_ #1 std::move") == (
        "http&#58;//x www&#46;y &#58;smile: a_b &#95;c&#95; &#35;1 std::move"
    )


def test_what_would_be_too_long_is_left_out_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(markdown, "LIMIT", 600)
    shown = render(long())
    assert len(shown) < 1000
    assert "The rest is left out here" in shown


def test_what_is_written_is_bounded_in_bytes_and_begins_with_the_first_findings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(markdown, "LIMIT", 4000)
    told = [build.finding(subject=f"lib{index:03}.so", message=f"{index} {'é' * 200}") for index in range(100)]
    shown = render(build.report(build.artifact(*told)))
    assert len(shown.encode()) < 5000
    assert shown.count("é" * 200) > 1
    assert shown.endswith("the JSON report has all of it.\n")
