"""A progress bar for work that turns out to be long."""

from __future__ import annotations

import sys
import time

from checker.report.text import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

    from rich.progress import Progress, TaskID
    from typing_extensions import Self

_PATIENCE = 1.0
"""Seconds before a bar appears; importing rich for less would lengthen the wait."""
_INTERVAL = 0.1


class ProgressBar:
    """Shows (what, done, total) on standard error once the work has lasted a while; nothing where that is no terminal."""

    def __init__(self, *, wanted: bool = True) -> None:
        self.callback = self._update if wanted and sys.stderr.isatty() else None
        self._next = time.monotonic() + _PATIENCE
        self._progress: Progress | None = None
        self._task: TaskID | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._progress is not None:
            self._progress.stop()

    def _update(self, what: str, done: int, total: int) -> None:
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + _INTERVAL
        if self._progress is None or self._task is None:
            self._progress = _new_bar()
            self._task = self._progress.add_task("", total=None)
            self._progress.start()
        self._progress.update(self._task, description=safe(what), completed=done, total=total)


def _new_bar() -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn
    from rich.table import Column

    name = TextColumn("{task.description}", markup=False, table_column=Column(ratio=2, no_wrap=True, overflow="ellipsis"))
    return Progress(name, BarColumn(), TaskProgressColumn(), console=Console(stderr=True), transient=True)
