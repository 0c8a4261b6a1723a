"""What holds of archives holds with either codec: which one reads an artifact hangs on its size alone."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

import pytest

from checker.archive.codec import at_hand, fastest

if TYPE_CHECKING:
    from collections.abc import Callable

    from checker.archive.codec import Codec


@pytest.fixture(params=[at_hand, fastest], ids=["at-hand", "fastest"], autouse=True)
def codec(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Codec:
    """The codec of every artifact in the test, small or large."""
    choose: Callable[[], Codec] = request.param
    chosen = choose()
    module = import_module("checker.archive.scan")  # its function, of the same name, stands for it in the package
    monkeypatch.setattr(module, "codec_for", lambda _size: chosen)
    monkeypatch.setattr(module, "fastest", lambda: chosen)
    return chosen
