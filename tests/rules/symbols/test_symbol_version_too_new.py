from __future__ import annotations

import pytest

from checker.model.closure import ProviderKind
from checker.model.elf import Use
from checker.rules.symbols.symbol_version_too_new import RULE, Parameters
from tests.rules.builders import MODULE, case, edge, elf, told, version_need

NEEDER = elf(version_needs=(version_need("libc.so.6", b"GLIBC_2.14", b"GLIBC_2.34"),), imports=[(b"memcpy", 2, Use.JUMP_SLOT)])


def test_above_the_policys_ceiling_and_within_the_tags_fires() -> None:
    (found,) = told(RULE, case(NEEDER), ceilings=(("GLIBC", "2.12"),))
    assert (found.file, found.subject) == (MODULE, "GLIBC_2.14")
    assert "memcpy" in found.message
    assert "GLIBC_2.34" not in found.message, "that is above the tag's ceiling, and another rule's"


def test_other_namespaces_bundled_libraries_and_no_ceilings_are_silent() -> None:
    assert told(RULE, case(NEEDER)) == []
    assert told(RULE, case(NEEDER), ceilings=(("GLIBCXX", "3.4"),)) == []
    bundled = (edge("libc.so.6", ProviderKind.MEMBER, "pkg/libc.so.6"),)
    assert told(RULE, case(NEEDER, libraries=bundled), ceilings=(("GLIBC", "2.12"),)) == []


@pytest.mark.parametrize("version", ["", "2.", "GLIBC_2.28", "two"])
def test_a_ceiling_that_is_no_version_is_refused(version: str) -> None:
    with pytest.raises(ValueError, match=f'must be versions such as 2.28, not GLIBC = "{version}"'):
        Parameters(ceilings=(("GLIBC", version),))
