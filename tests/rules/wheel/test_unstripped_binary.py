from __future__ import annotations

from checker.model.elf import Strippable
from checker.rules.wheel.unstripped_binary import RULE, Parameters
from tests.rules.builders import MODULE, case, elf, told

MINIMUM = Parameters().minimum


def test_a_symbol_table_is_told_with_what_a_strip_would_make_of_the_file() -> None:
    shipping = elf(MODULE, size=24_680_000, strippable=Strippable(symbols=12_340_000, debug=0))
    (found,) = told(RULE, case(shipping, elf("pkg/clean.so")))
    assert (found.file, found.subject) == (MODULE, ".symtab")
    assert "ships 12.3 MB of symbol tables" in found.message
    assert found.message.endswith("a strip takes it from 24.7 MB to 12.3 MB")
    assert dict(found.evidence) == {"saved": 12_340_000, "files": (f"{MODULE}: 12340000 of 24680000 bytes",)}


def test_debug_information_is_left_to_the_other_rule() -> None:
    shipping = elf("other.so", strippable=Strippable(symbols=0, debug=2 * MINIMUM))
    assert told(RULE, case(shipping)) == []


def test_less_than_the_minimum_is_silent() -> None:
    assert told(RULE, case(elf(MODULE, strippable=Strippable(symbols=MINIMUM - 1, debug=0)))) == []
    assert len(told(RULE, case(elf(MODULE, strippable=Strippable(symbols=10, debug=0))), minimum=10)) == 1
