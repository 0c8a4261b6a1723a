"""The HTML report in a real browser: what it draws, how it is used, and what an accessibility checker says."""

from __future__ import annotations

import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tests.recipes.conftest import BAD, GOOD, ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

playwright = pytest.importorskip("playwright.sync_api", reason="nox -s recipes installs it")
axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="nox -s recipes installs it")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
MISSING = min((ROOT / "testdata" / "defects" / "missing-sidecar").glob("*-1.0-*.whl"))

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on the path (Debian: chromium)")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as run:
        started = run.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture
def opened(browser: Any, tmp_path: Path) -> Iterator[Any]:  # noqa: ANN401
    """Open the report of some wheels; the page may neither fetch anything nor say anything on its console."""
    complaints: list[str] = []
    context = browser.new_context(offline=True, viewport={"width": 1280, "height": 900})

    def open_(*wheels: Path) -> Any:  # noqa: ANN401
        report = tmp_path / "report.html"
        words = [sys.executable, "-m", "checker", "check", f"--format=html={report}", *map(str, wheels)]
        subprocess.run(words, cwd=ROOT, check=False, capture_output=True)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(report.as_uri())
        return page

    yield open_
    context.close()
    assert complaints == []


@pytest.mark.parametrize("wheels", [(GOOD,), (MISSING,), (GOOD, BAD, MISSING)], ids=["passing", "failing", "several"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_an_accessibility_checker_finds_nothing(opened: Any, wheels: tuple[Path, ...], scheme: str) -> None:  # noqa: ANN401
    page = opened(*wheels)
    page.emulate_media(color_scheme=scheme)
    found = axe.Axe().run(page)
    assert found.violations_count == 0, found.generate_report()


def test_a_missing_library_is_drawn_and_told_where_it_was_looked_for(opened: Any) -> None:  # noqa: ANN401
    page = opened(MISSING)
    missing = page.locator("svg .node.missing")
    assert missing.count() == 1
    assert "libsidecar.so.1" in (missing.locator("text").text_content() or "")
    assert "missing_sidecar.libs (DT_RUNPATH" in (missing.locator("title").text_content() or "")
    page.get_by_text("The same as a list").press("Enter")
    assert "MISSING" in page.locator(".order").inner_text()


def test_search_and_levels_choose_what_is_shown(opened: Any) -> None:  # noqa: ANN401
    page = opened(BAD)
    assert page.locator("article.finding:visible").count() == 1
    page.get_by_label("Search").fill("no such words")
    assert page.locator("article.finding:visible").count() == 0
    page.get_by_label("Search").fill("GLIBC_2.34")
    assert page.locator("article.finding:visible").count() == 1
    page.get_by_role("button", name="error").press("Enter")
    assert page.locator("article.finding:visible").count() == 0
    assert page.locator("output").first.inner_text() == "0 of 1 shown"


def test_the_size_map_is_walked_with_the_keyboard(opened: Any) -> None:  # noqa: ANN401
    page = opened(GOOD)
    page.locator(".map").scroll_into_view_if_needed()
    folder = page.locator(".map button.folder").first
    folder.wait_for()
    name = folder.get_attribute("aria-label") or ""
    folder.press("Enter")
    crumb = page.locator('.crumbs [aria-current="page"]').inner_text()
    assert crumb.removeprefix("/ ") in name
    page.locator(".crumbs button").first.press("Enter")
    assert page.locator('.crumbs [aria-current="page"]').inner_text() == "all files"


def test_it_prints_findings_and_not_what_only_a_screen_can_use(opened: Any) -> None:  # noqa: ANN401
    page = opened(MISSING)
    page.emulate_media(media="print")
    assert page.locator("article.finding").first.is_visible()
    assert not page.locator(".filters").first.is_visible()
    assert not page.locator(".map").first.is_visible()
