"""``--format html``: one file to look at, without a server or network.

Everything that an artifact's author chose is escaped as text or stands in a JSON block that the script reads as data. The
page's own script and style are allowed by their hashes (Content-Security-Policy), so that nothing else in it can run. Findings,
objects and origins are plain HTML; the script adds the search, the load-order graphs and the size map.
"""

from __future__ import annotations

from checker.report.html.page import render

__all__ = ["render"]
