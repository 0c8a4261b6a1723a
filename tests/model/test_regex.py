from __future__ import annotations

import re

import pytest

from checker.model.regex import regex


def test_a_pattern_answers_as_a_compiled_one_does() -> None:
    pattern = regex(r"(\d+)-(x)", re.IGNORECASE)
    for _ in range(2):
        found = pattern.fullmatch("12-X")
        assert found is not None
        assert found.groups() == ("12", "X")
        assert pattern.sub("", "a1-xb") == "ab"
    assert pattern.pattern == r"(\d+)-(x)"


def test_nothing_is_compiled_before_it_is_asked() -> None:
    broken = regex("(")
    with pytest.raises(re.error):
        broken.search("x")
