from __future__ import annotations

from checker.model.elf import CutPart
from checker.rules.platform.truncated_elf_data import RULE
from tests.rules.builders import MODULE, case, elf, told


def test_a_file_without_its_section_headers_fires_with_the_bytes_that_are_missing() -> None:
    (found,) = told(RULE, case(elf(cut=(CutPart(what="section header table", offset=4000, size=640),))))
    assert (found.file, found.subject) == (MODULE, "section header table")
    assert "at least 544 bytes" in found.message
    assert ("parts", ("section header table: 640 bytes at 0xfa0",)) in found.evidence


def test_several_parts_are_listed() -> None:
    parts = tuple(CutPart(what=name, offset=4096, size=1) for name in (".symtab", ".strtab"))
    (found,) = told(RULE, case(elf(cut=parts)))
    assert ".symtab and .strtab" in found.message
    assert "1 byte " in found.message


def test_a_whole_file_is_silent() -> None:
    assert told(RULE, case(elf())) == []
