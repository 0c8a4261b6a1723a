"""Notes and .comment."""

from __future__ import annotations

import json
import struct
from typing import TYPE_CHECKING

import pytest

from checker.model.elf import DlopenNote, Note, Notes
from tests import elfwriter
from tests.elfwriter import (
    I686,
    NT_GNU_PROPERTY_TYPE_0,
    PF_R,
    PT_GNU_PROPERTY,
    PT_NOTE,
    S390X,
    SHT,
    X86_64,
    Elf,
    Section,
    build,
    build_id,
    write,
    x86_isa_needed,
)
from tests.elfwriter import Machine as Target

if TYPE_CHECKING:
    from collections.abc import Callable

    from checker.model.elf import ElfFacts

    Read = Callable[[bytes], ElfFacts]

NONE = Notes(build_id=None, abi_tag=None, x86_isa_needed=0, properties=(), dlopen=(), others=())
FDO_DLOPEN = 0x407C0C0A
ENTRY = {"soname": ["libz.so.1", "libz.so"], "feature": "zlib", "priority": "suggested", "description": "Compression"}


def notes(*written: elfwriter.Note, machine: Target = X86_64) -> Elf:
    return Elf(machine=machine, notes=written)


def dlopen(content: bytes) -> elfwriter.Note:
    return elfwriter.Note(b"FDO", FDO_DLOPEN, content)


@pytest.mark.parametrize("machine", [X86_64, I686, S390X], ids=lambda m: m.name)
def test_build_id_and_abi_tag_are_told(machine: Target, read: Read) -> None:
    tag = elfwriter.Note(b"GNU", 1, struct.pack(machine.order + "4I", 0, 3, 2, 1))
    found = read(write(notes(build_id(b"\xab\xcd"), tag, machine=machine))).notes
    assert (found.build_id, found.abi_tag) == ("abcd", (0, 3, 2, 1))


def test_a_file_without_notes_has_none(read: Read) -> None:
    assert read(write(Elf())).notes == NONE


def test_properties_are_kept_and_the_isa_need_is_told(read: Read) -> None:
    feature = struct.pack("<III4x", 0xC0000002, 4, 3)
    both = elfwriter.Note(b"GNU", NT_GNU_PROPERTY_TYPE_0, x86_isa_needed(6).description + feature)
    found = read(write(notes(both))).notes
    assert found.x86_isa_needed == 6
    assert found.properties == ((0xC0008002, b"\6\0\0\0"), (0xC0000002, b"\3\0\0\0"))


def test_properties_of_a_32_bit_file_are_padded_to_4(read: Read) -> None:
    description = struct.pack("<IIHxx", 0xC0000000, 2, 9) + struct.pack("<III", 0xC0008002, 4, 2)
    found = read(write(notes(elfwriter.Note(b"GNU", NT_GNU_PROPERTY_TYPE_0, description), machine=I686))).notes
    assert (found.x86_isa_needed, found.properties[0]) == (2, (0xC0000000, b"\x09\0"))


def test_a_property_segment_outside_the_note_segments_counts_once(read: Read) -> None:
    image = build(notes(x86_isa_needed(2)))
    assert read(image.data).notes.properties == ((0xC0008002, b"\2\0\0\0"),)
    place = image.data.index(struct.pack("<I", PT_NOTE), 64)
    alone = image.data[:place] + struct.pack("<I", 0x60000000) + image.data[place + 4 :]
    assert struct.pack("<I", PT_GNU_PROPERTY) in alone
    assert read(alone).notes.properties == ((0xC0008002, b"\2\0\0\0"),)


def test_libraries_opened_by_name_are_told(read: Read) -> None:
    second = {"soname": ["liblzma.so.5"]}
    found = read(write(notes(dlopen(json.dumps([ENTRY, second]).encode() + b"\0")))).notes
    assert found.dlopen == (
        DlopenNote(sonames=("libz.so.1", "libz.so"), feature="zlib", priority="suggested", description="Compression"),
        DlopenNote(sonames=("liblzma.so.5",), feature="", priority="", description=""),
    )
    assert found.others == ()


@pytest.mark.parametrize(
    "content",
    [b"", b"[", b"\xff\xfe", b"{}", b"[1]", b'[{"soname": "x"}]', b'[{"soname": [1]}]', b'[{"soname": [], "feature": 1}]',
     b"[" * 30000, b"[]" + b" " * (1 << 16), b"9" * 5000],
)  # fmt: skip
def test_dlopen_metadata_that_is_not_what_it_should_be_is_kept_as_another_note(content: bytes, read: Read) -> None:
    found = read(write(notes(dlopen(content)))).notes
    assert found.dlopen == ()
    assert found.others == (Note(owner="FDO", type=FDO_DLOPEN, description=content[:4096]),)


def test_other_notes_survive_with_their_description_cut(read: Read) -> None:
    found = read(write(notes(elfwriter.Note(b"Xen\xff", 77, b"x" * 5000)))).notes
    assert found.others == (Note(owner="Xen\udcff", type=77, description=b"x" * 4096),)


def test_a_malformed_note_ends_its_segment_and_is_no_fault_of_the_file(read: Read) -> None:
    image = build(notes(build_id(b"\1\2\3\4"), elfwriter.Note(b"GNU", 9, b"kept")))
    for offset, value in ((0, 0xFFFFFFFF), (4, 0xFFFFFFFF), (4, 1 << 20)):
        found = read(image.patched(".note.0", offset, struct.pack("<I", value))).notes
        assert (found.build_id, [note.description for note in found.others]) == (None, [b"kept"])


def test_a_note_segment_outside_the_file_is_passed_over(read: Read) -> None:
    assert read(write(Elf(segments=((PT_NOTE, PF_R, 1 << 40, 0, 64),)))).notes == NONE


def test_absurdly_many_notes_are_cut_off(read: Read) -> None:
    text = struct.pack("<III", 0, 0, 1) * 20000
    draft = Elf(text=text, segments=((PT_NOTE, PF_R, 0, 0, len(text)),))
    offset = build(draft).parts[".text"].offset
    found = read(write(Elf(text=text, segments=((PT_NOTE, PF_R, offset, 0, len(text)),)))).notes
    assert len(found.others) == 4096


def test_notes_of_an_8_byte_aligned_segment_are_8_byte_aligned(read: Read) -> None:
    rows = [
        struct.pack("<III", 2, 3, kind) + b"A\0".ljust(4, b"\0") + text.ljust(8, b"\0")
        for kind, text in ((1, b"one"), (2, b"two"))
    ]
    text = b"".join(rows)
    draft = Elf(text=text, segments=((PT_NOTE, PF_R, 0, 0, len(text)),))
    image = build(draft)
    data = bytearray(image.data)
    header = 64 + 56 * (struct.unpack_from("<H", data, 56)[0] - 1)
    struct.pack_into("<Q", data, header + 8, image.parts[".text"].offset)
    struct.pack_into("<Q", data, header + 48, 8)
    assert [(note.type, note.description) for note in read(bytes(data)).notes.others] == [(1, b"one"), (2, b"two")]


def test_no_more_than_a_mebibyte_of_notes_is_read(read: Read) -> None:
    text = struct.pack("<III", 0, 400_000, 1).ljust(400_012, b"x") * 3
    draft = Elf(text=text, segments=((PT_NOTE, PF_R, 0, 0, len(text)),))
    offset = build(draft).parts[".text"].offset
    found = read(write(Elf(text=text, segments=((PT_NOTE, PF_R, offset, 0, len(text)),)))).notes
    assert len(found.others) == 2


def test_section_counts_beyond_a_half_word_are_in_the_first_section_header(read: Read) -> None:
    data = bytearray(write(Elf(sections=(Section(".comment", b"GCC\0"),))))
    (sections,) = struct.unpack_from("<Q", data, 40)
    count, names = struct.unpack_from("<HH", data, 60)
    struct.pack_into("<HH", data, 60, 0, 0xFFFF)
    struct.pack_into("<QI", data, sections + 32, count, names)
    assert read(bytes(data)).comment == ("GCC",)


def test_comment_strings_are_told_once_each_where_sections_tell_them(read: Read) -> None:
    comment = Section(".comment", b"GCC: (GNU) 13\0clang 18\0GCC: (GNU) 13\0\0odd \xff\0")
    assert read(write(Elf(sections=(comment,)))).comment == ("GCC: (GNU) 13", "clang 18", "odd \\xff")
    assert read(write(Elf())).comment == ()


@pytest.mark.parametrize(("offset", "value"), [(40, 1 << 60), (40, 1), (58, 7), (60, 0xFFFF), (62, 0xFFFE), (62, 0xFFFF)])
def test_wrong_section_headers_take_nothing_but_the_comment(offset: int, value: int, read: Read) -> None:
    data = bytearray(write(Elf(needed=("a.so",), sections=(Section(".comment", b"GCC\0"),))))
    data[offset : offset + (8 if offset == 40 else 2)] = value.to_bytes(8 if offset == 40 else 2, "little")
    facts = read(bytes(data))
    assert (facts.needed, facts.comment) == (("a.so",), ())


def test_notes_of_a_file_without_program_headers_come_from_its_sections(read: Read) -> None:
    written = elfwriter.tables.note_bytes(Elf(), build_id(b"\1\2"))[0]
    image = write(Elf(dynamic=False, sections=(Section(".note.gnu.build-id", written, SHT.NOTE),)))
    data = image[:32] + bytes(8) + image[40:56] + bytes(2) + image[58:]
    facts = read(data)
    assert (facts.segments, facts.notes.build_id) == ((), "0102")
