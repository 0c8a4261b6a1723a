from __future__ import annotations

from checker.model.elf import Strippable
from checker.rules.wheel.debug_info import RULE, Parameters
from tests.rules.builders import MODULE, case, elf, told

MINIMUM = Parameters().minimum


def test_debug_information_is_told_with_what_a_strip_would_make_of_the_file() -> None:
    shipping = elf(MODULE, size=24_680_000, strippable=Strippable(debug=12_340_000, symbols=0))
    (found,) = told(RULE, case(shipping, elf("pkg/clean.so")))
    assert (found.file, found.subject) == (MODULE, ".debug")
    assert "ships 12.3 MB of debug information" in found.message
    assert found.message.endswith("a strip takes it from 24.7 MB to 12.3 MB")
    assert dict(found.evidence) == {"saved": 12_340_000, "files": (f"{MODULE}: 12340000 of 24680000 bytes",)}


def test_a_symbol_table_is_left_to_the_other_rule() -> None:
    shipping = elf("other.so", strippable=Strippable(debug=0, symbols=2 * MINIMUM))
    assert told(RULE, case(shipping)) == []


def test_less_than_the_minimum_is_silent() -> None:
    assert told(RULE, case(elf(MODULE, strippable=Strippable(debug=MINIMUM - 1, symbols=0)))) == []
    assert len(told(RULE, case(elf(MODULE, strippable=Strippable(debug=10, symbols=0))), minimum=10)) == 1
