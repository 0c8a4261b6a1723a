from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

import pytest

from checker.model.closure import Closure, ProviderKind, ScopeEntry
from checker.model.record import replace
from checker.report.html import render
from tests.report import builders as build
from tests.report.samples import HOSTILE, SAMPLES, failing, hostile, passing

if TYPE_CHECKING:
    from checker.model.report import Report

VOID = {"meta", "br", "input"}


class Page(HTMLParser):
    """What a browser would make of it: elements, texts, scripts; nesting is held."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.texts: list[str] = []
        self.raw: dict[str, list[str]] = {"script": [], "style": []}
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: D102
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: D102
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:  # noqa: D102
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:  # noqa: D102
        inside = self.open[-1] if self.open else ""
        self.raw.get(inside, self.texts).append(data)

    def having(self, **wanted: str) -> list[dict[str, str | None]]:
        """Attributes of the elements that have these."""
        return [has for _, has in self.elements if wanted.items() <= {(key, value) for key, value in has.items()}]


def looked_at(report: Report) -> Report:
    """The same with a closure: the module needs one library of the artifact and misses another."""
    edges = (build.member_edge(), build.missing_edge())
    scope = (ScopeEntry(provider=ProviderKind.MEMBER, path=build.CORE),)
    closure = Closure(root=build.CORE, platform=build.OLDEST, scope=scope, edges=edges, fatal=())
    first = replace(report.artifacts[0], closures=(closure,), bindings=(build.binding(), build.binding(b"x", path=None)))
    return replace(report, artifacts=(first, *report.artifacts[1:]))


def data_of(page: Page) -> Any:  # noqa: ANN401 (any JSON)
    return json.loads(page.raw["script"][0])


@pytest.mark.parametrize("name", SAMPLES)
def test_every_report_is_well_formed_ours_alone_and_the_same_each_time(name: str) -> None:
    text = render(looked_at(SAMPLES[name]()))
    page = Page(text)
    assert text == render(looked_at(SAMPLES[name]()))
    assert all(not key.startswith("on") and key != "style" for _, has in page.elements for key in has)
    assert [tag for tag, _ in page.elements].count("script") == 2
    identities = [has["id"] for _, has in page.elements if "id" in has]
    assert len(identities) == len(set(identities))


def test_only_the_page_s_own_script_and_style_may_run_and_nothing_is_fetched() -> None:
    page = Page(render(hostile()))
    (policy,) = page.having(**{"http-equiv": "Content-Security-Policy"})
    content = policy["content"] or ""
    assert content.startswith("default-src 'none'; ")
    for kind, text in (("style", page.raw["style"][0]), ("script", page.raw["script"][1])):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in content
    assert not [has for _, has in page.elements if {"src", "action", "srcset"} & set(has)]
    assert all((has.get("href") or "#").startswith("#") for _, has in page.elements)


def test_names_are_text() -> None:
    text = render(hostile())
    page = Page(text)
    assert "<script>alert" not in text
    assert any("<script>alert(1)</script>" in each for each in page.texts)
    assert any("<script>alert(1)</script>" in each for each in data_of(page)[0]["texts"])
    assert "\x1b" not in text
    assert HOSTILE not in text


def test_the_verdict_findings_remedies_and_evidence_are_there_without_the_script() -> None:
    page = Page(render(failing()))
    shown = " ".join(" ".join(page.texts).split())
    assert "1 of 2 artifacts pass" in shown
    assert "To mend it: run auditwheel repair" in shown
    assert "libbar.so.2" in shown
    assert "Accepted: build-time helper, until 2027-03-31" in shown
    assert "byte 0x40: the program headers end outside the file" in shown
    kinds = [has["data-kind"] for tag, has in page.elements if tag == "article"]
    assert sorted(kinds, key=str) == ["error", "note", "unchecked", "waived", "warning", "warning"]


def test_findings_of_one_cause_are_one_block_with_the_evidence_of_each() -> None:
    same = [
        build.finding(file=f"pkg/{letter}.so", message=f"pkg/{letter}.so is bad", evidence=(("proof", f"byte of {letter}"),))
        for letter in "abcd"
    ]
    page = Page(render(build.report(build.artifact(*same))))
    assert len([tag for tag, _ in page.elements if tag == "article"]) == 1
    shown = " ".join(" ".join(page.texts).split())
    assert "pkg/a.so , pkg/b.so and 2 more files: FILE is bad." in shown
    assert all(f"byte of {letter}" in shown for letter in "abcd")
    assert all(finding.fingerprint in shown for finding in same)


def test_a_pass_says_so() -> None:
    shown = " ".join(Page(render(passing())).texts)
    assert f"{build.WHEEL} passes" in shown
    assert "Nothing to find fault with." in shown


def test_the_graph_s_data_tells_each_edge_once_with_where_was_looked() -> None:
    data = data_of(Page(render(looked_at(failing()))))[0]
    texts = data["texts"]
    ((root, platform, edges),) = data["graphs"]
    assert (texts[root], texts[platform], edges) == (build.CORE, "glibc-2.17-x86_64", [0, 1])
    needer, soname, kind, path, how, story = data["edges"][1]
    assert [texts[each] for each in (needer, soname, kind, how)] == [build.CORE, "libbar.so.2", "none", "not found"]
    assert path == -1
    assert "no such file" in texts[story]
    assert [(texts[path], size) for path, size, _ in data["members"]] == [(build.CORE, 4096), (build.LIBRARY, 4096)]


def test_the_bars_are_as_long_as_their_numbers() -> None:
    text = render(looked_at(failing()))
    widths = [float(each) for each in re.findall(r'<rect class="k-[\w-]+" x="[\d.]+" width="([\d.]+)"', text)]
    assert sum(widths) == pytest.approx(400)
