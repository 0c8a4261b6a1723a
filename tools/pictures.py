"""Takes the pictures of the documents: ``python -m tools.pictures``.

They are of real reports on wheels of ``testdata``, written into ``docs/pictures``: what a terminal shows, and the top of the
HTML report. Wants a pseudo-terminal (not Windows), Chromium, and playwright from the dependency group ``recipes``. What letters
look like hangs on the fonts of the machine, so the files differ between machines and are made anew by hand, where a report's
looks have changed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PICTURES = ROOT / "docs" / "pictures"
TESTDATA = ROOT / "testdata"
WHEELS = (
    "sample/wheelproof_sample-1.0-*.whl",
    "defects/new-glibc-under-old-tag/*-1.0-*.whl",
    "defects/bundled-library-too-old/*-1.0-*.whl",
)
LOOKED_AT = "defects/missing-sidecar/*-1.0-*.whl"
COLUMNS = 124
WIDTH, HEIGHT = 1200, 945
COMMAND = ("check", "dist/*.whl")


def main() -> None:
    """Write both pictures."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "dist").mkdir()
        for pattern in WHEELS:
            shutil.copy(min(TESTDATA.glob(pattern)), folder / "dist")
        drawing = folder / "terminal.html"
        drawing.write_text(_terminal(folder), encoding="utf-8")
        page = folder / "report.html"
        _wheelproof(folder, "check", f"--format=html={page}", str(min(TESTDATA.glob(LOOKED_AT))))
        _photograph(drawing, PICTURES / "terminal.png", element="svg", scale=1)
        _photograph(page, PICTURES / "report.png", element=None, scale=1)


def _command(*words: str) -> tuple[list[str], dict[str, str]]:
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "COLUMNS": str(COLUMNS), "TERM": "xterm-256color"}
    return [sys.executable, "-m", "checker", *words], environment


def _wheelproof(folder: Path, *words: str) -> None:
    command, environment = _command(*words)
    subprocess.run(command, cwd=folder, env=environment, check=False, stdout=subprocess.DEVNULL)


def _terminal(folder: Path) -> str:
    """A page with the drawing of what the command prints on a terminal, its colours included."""
    from rich.console import Console
    from rich.text import Text

    console = Console(record=True, width=COLUMNS, file=open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115, PTH123
    console.print(Text.assemble(("$ ", "dim"), (f"wheelproof {' '.join(COMMAND)}", "bold")))
    wheels = sorted(str(path.relative_to(folder)) for path in folder.glob(COMMAND[-1]))
    console.print(Text.from_ansi(_on_terminal(folder, COMMAND[0], *wheels)))
    drawing = console.export_svg(title="wheelproof", font_aspect_ratio=0.602)
    return f'<!DOCTYPE html><meta charset="utf-8"><body style="margin:0;width:1560px">{drawing}'


def _on_terminal(folder: Path, *words: str) -> str:
    import pty

    leader, follower = pty.openpty()
    command, environment = _command(*words)
    with subprocess.Popen(
        command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=follower, stderr=follower
    ) as process:
        os.close(follower)
        told = b""
        while True:
            try:
                part = os.read(leader, 65536)
            except OSError:  # Linux tells the end of a terminal by EIO
                break
            if not part:
                break
            told += part
        process.wait()
    os.close(leader)
    return told.decode().replace("\r\n", "\n").rstrip("\n")


def _photograph(page: Path, picture: Path, *, element: str | None, scale: float) -> None:
    """A PNG of a page's top, or of one element of it."""
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as run:
        browser = run.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        context = browser.new_context(
            offline=True, viewport={"width": WIDTH, "height": HEIGHT}, device_scale_factor=scale, color_scheme="light"
        )
        opened = context.new_page()
        opened.goto(page.as_uri())
        target = opened.locator(element).first if element else opened
        target.screenshot(path=picture)
        browser.close()


if __name__ == "__main__":
    main()
