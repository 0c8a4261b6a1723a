from __future__ import annotations

from checker.model.resolution import Interposition
from checker.rules.symbols.interposed_symbol import RULE
from tests.rules.builders import MODULE, case, elf, told

FIRST, SECOND = "pkg.libs/libfirst.so", "pkg.libs/libsecond.so"


def pair(path: str = FIRST, roots: tuple[str, ...] = (MODULE,)) -> Interposition:
    return Interposition(object=SECOND, path=path, symbols=(b"ZSTD_compress", b"ZSTD_free"), roots=roots)


def test_a_pair_is_told_once_with_its_symbols() -> None:
    (found,) = told(RULE, case(elf(), interpositions=(pair(roots=(MODULE, "pkg/_more.so")),)))
    assert (found.file, found.subject) == (SECOND, FIRST)
    assert "2 symbols that it defines and uses are taken from pkg.libs/libfirst.so instead" in found.message
    assert "comes first in the scope of pkg/_core.so and 1 other file: ZSTD_compress and ZSTD_free" in found.message
    assert ("symbols", ("ZSTD_compress", "ZSTD_free")) in found.evidence


def test_a_module_that_takes_over_what_it_loads_is_told() -> None:
    (found,) = told(RULE, case(elf(), interpositions=(pair(MODULE),)))
    assert "comes first" not in found.message


def test_without_a_pair_or_with_what_the_policy_allows_it_is_silent() -> None:
    assert told(RULE, case(elf())) == []
    assert told(RULE, case(elf(), interpositions=(pair(),)), allowed=("ZSTD_*",)) == []
    (found,) = told(RULE, case(elf(), interpositions=(pair(),)), allowed=("*_free",))
    assert "1 symbol that it defines and uses is taken" in found.message
