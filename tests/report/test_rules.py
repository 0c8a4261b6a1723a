from __future__ import annotations

from checker.model.rule import NoParameters, Rule
from checker.report.rules import listing, page
from checker.report.text import Style, plain

DOC = """A thing breaks.

## What

One paragraph that
goes on.

    code  stays
    as it is

## Causes and fixes

- One that
  goes on.
- Two.
"""


def rule(identifier: str, family: str = "libraries") -> Rule:
    return Rule(id=identifier, family=family, parameters=NoParameters, check=lambda _case, _parameters: (), doc=DOC)


def test_the_listing_is_one_line_a_rule_by_family() -> None:
    rules = [rule("a"), rule("long-name"), rule("b", "wheel")]
    assert plain(listing(rules, {"a": "error", "long-name": "off", "b": "note"})) == (
        "libraries\n"
        "  a          error    A thing breaks\n"
        "  long-name  off      A thing breaks\n"
        "wheel\n"
        "  b          note     A thing breaks\n"
    )


def test_a_page_joins_paragraphs_and_keeps_code() -> None:
    assert plain(page(rule("a"), "error", {"names": ("[]", "which ones"), "most": ("1", "")})) == (
        "a  error in the policy in force\n"
        "\n"
        "A thing breaks.\n"
        "\n"
        "What\n"
        "\n"
        "One paragraph that goes on.\n"
        "\n"
        "    code  stays\n"
        "    as it is\n"
        "\n"
        "Causes and fixes\n"
        "\n"
        "- One that goes on.\n"
        "- Two.\n"
        "\n"
        "Parameters\n"
        "\n"
        "  names = []  which ones\n"
        "  most = 1\n"
    )


def test_emphasis_is_style_and_code_is_kept() -> None:
    doc = "Sum.\n\n## What\n\nUse **g++** and *not* `lib*.so, *x*`; `a*` 2 * 3 *.so **.\n"
    told = Rule(id="a", family="b", parameters=NoParameters, check=lambda *_: (), doc=doc)
    (paragraph,) = [row for row in page(told, "off", {}) if row.body and row.body[0][0].startswith("Use")]
    assert paragraph.body == (
        ("Use ", Style.PLAIN),
        ("g++", Style.STRONG),
        (" and ", Style.PLAIN),
        ("not", Style.STRONG),
        (" ", Style.PLAIN),
        ("`lib*.so, *x*`", Style.PLAIN),
        ("; ", Style.PLAIN),
        ("`a*`", Style.PLAIN),
        (" 2 * 3 *.so **.", Style.PLAIN),
    )
