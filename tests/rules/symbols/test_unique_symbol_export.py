from __future__ import annotations

from checker.model.elf import Binding
from checker.rules.symbols.unique_symbol_export import RULE
from tests.rules.builders import MODULE, case, elf, table, told

UNIQUE = Binding.STB_GNU_UNIQUE


def test_unique_symbols_fire_with_their_number() -> None:
    symbols = table(
        b"PyInit__core", (b"_ZZN3foo1fEvE1b", UNIQUE), (b"_ZZN3foo1fEvE1a", UNIQUE), (b"_Z4weakv", Binding.STB_WEAK)
    )
    (found,) = told(RULE, case(elf(symbols=symbols)))
    assert (found.file, found.subject) == (MODULE, "_ZZN3foo1fEvE1a")
    assert "2 unique symbols" in found.message
    assert ("count", 2) in found.evidence


def test_other_bindings_and_undefined_ones_are_silent() -> None:
    assert told(RULE, case(elf(symbols=table(b"f", (b"g", Binding.STB_WEAK), (b"h", UNIQUE, 0))))) == []


def test_what_the_policy_allows_does_not_count() -> None:
    symbols = table((b"_ZNSt7collate2idE", UNIQUE), (b"_ZN3foo1aE", UNIQUE))
    (found,) = told(RULE, case(elf(symbols=symbols)), allowed=("_ZNSt*",))
    assert found.subject == "_ZN3foo1aE"
    assert told(RULE, case(elf(symbols=symbols)), allowed=("_ZN*",)) == []


def test_of_thousands_the_evidence_has_some() -> None:
    symbols = table(*((b"_ZN3foo%dE" % number, UNIQUE) for number in range(1000)))
    (found,) = told(RULE, case(elf(symbols=symbols)))
    assert "1000 unique symbols" in found.message
    assert len(dict(found.evidence)["symbols"]) == 200  # type: ignore[arg-type]
