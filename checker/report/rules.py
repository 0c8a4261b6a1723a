"""The rules' own documentation, as lines."""

from __future__ import annotations

import re
from itertools import groupby

from checker.report.text import Line, Style, line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from checker.model.rule import Rule
    from checker.report.text import Segment


_WIDEST = 40
"""Up to here defaults are padded, so that what parameters mean stands in a column."""
_EMPHASIS = re.compile(r"(`[^`]*`)|\*\*([^*]+)\*\*|(?<![\w*])\*(\w[^*]*\w|\w)\*(?![\w*])")
"""Markdown's code span, which is kept as it is; strong; and emphasis."""


def listing(rules: Sequence[Rule], levels: Mapping[str, str]) -> tuple[Line, ...]:
    """One line for each rule, by family: id, level in the policy in force, summary."""
    width = max((len(rule.id) for rule in rules), default=0)
    rows: list[Line] = []
    for family, members in groupby(rules, key=lambda rule: rule.family):
        rows += [line(family, style=Style.STRONG)]
        for rule in members:
            level = levels[rule.id]
            name = ("  " + rule.id.ljust(width + 2), Style.PLAIN)
            shown = (level.ljust(len("warning") + 2), Style.DIM if level == "off" else Style.PLAIN)
            rows.append(Line(lead=(name, shown), body=((summary(rule), Style.PLAIN),)))
    return tuple(rows)


def page(rule: Rule, level: str, parameters: Mapping[str, tuple[str, str]]) -> tuple[Line, ...]:
    """The rule's docstring under its id, with its level and its parameters.

    Args:
        rule: the rule.
        level: in the policy in force.
        parameters: name → default as TOML, and what it means.
    """
    rows = [Line(body=((rule.id, Style.STRONG), (f"  {level} in the policy in force", Style.DIM))), line()]
    rows += blocks(rule.doc.strip())
    if parameters:
        rows += [line("Parameters", style=Style.STRONG), line()]
        width = max(len(f"{name} = {default}") for name, (default, _) in parameters.items())
        for name, (default, meaning) in parameters.items():
            lead = (f"  {f'{name} = {default}'.ljust(min(width, _WIDEST))}  ", Style.PLAIN)
            rows.append(Line(lead=(lead,), body=((meaning, Style.DIM),)))
    return tuple(rows)


def blocks(doc: str) -> Iterator[Line]:
    """One line for each paragraph and list item of a docstring, so that a terminal can wrap it; code stays as it is."""
    block = ""
    for text in [*doc.splitlines(), ""]:
        is_code = text.startswith("    ")
        if block and (not text or is_code or text.startswith(("- ", "## "))):
            yield _block(block)
            block = ""
        if is_code or not text:
            yield line(text)
        else:
            block = f"{block} {text.strip()}" if block else text


def _block(text: str) -> Line:
    if text.startswith("## "):
        return line(text.removeprefix("## "), style=Style.STRONG)
    if text.startswith("- "):
        return Line(lead=(("- ", Style.PLAIN),), body=_segments(text[2:]))
    return Line(body=_segments(text))


def _segments(text: str) -> tuple[Segment, ...]:
    """Text with Markdown's emphasis as style."""
    segments: list[Segment] = []
    at = 0
    for found in _EMPHASIS.finditer(text):
        segments.append((text[at : found.start()], Style.PLAIN))
        segments.append((found[1], Style.PLAIN) if found[1] is not None else (found[2] or found[3], Style.STRONG))
        at = found.end()
    segments.append((text[at:], Style.PLAIN))
    return tuple(segment for segment in segments if segment[0])


def summary(rule: Rule) -> str:
    """What it finds, without a full stop."""
    return rule.doc.strip().partition("\n")[0].removesuffix(".")


def part(rule: Rule, heading: str) -> str:
    """The text under one heading of the documentation."""
    return rule.doc.partition(f"## {heading}\n")[2].partition("\n## ")[0].strip()
