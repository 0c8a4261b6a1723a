"""Expected texts in files beside the tests; ``UPDATE_SNAPSHOTS=1`` rewrites them, to be read before they are committed."""

from __future__ import annotations

import os
from pathlib import Path

FOLDER = Path(__file__).parent / "snapshots"


def assert_snapshot(name: str, text: str) -> None:
    path = FOLDER / name
    if os.environ.get("UPDATE_SNAPSHOTS") == "1":
        FOLDER.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    assert text == path.read_text(encoding="utf-8")
