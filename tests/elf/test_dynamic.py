"""PT_DYNAMIC and its strings."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import pytest

from checker.model.elf import ElfReadError, View
from tests.elf.conftest import clear_behind
from tests.elfwriter import DT, MACHINES, PF_R, PF_W, PF_X, PT_GNU_STACK, Elf, Relocation, build, write
from tests.elfwriter import Machine as Target

if TYPE_CHECKING:
    from collections.abc import Callable

    from checker.model.elf import ElfFacts

    Read = Callable[[bytes], ElfFacts]

DT_AUXILIARY, DT_FILTER = 0x7FFFFFFD, 0x7FFFFFFF
PT_LOAD, PT_DYNAMIC = 1, 2


def entry(tag: int, value: int) -> bytes:
    return struct.pack("<QQ", tag, value)


@pytest.mark.parametrize("machine", MACHINES, ids=lambda m: m.name)
def test_strings_are_read_on_every_machine(machine: Target, read: Read) -> None:
    names = (DT_AUXILIARY, "libaux.so"), (DT_FILTER, "libfilter.so")
    facts = read(
        write(Elf(machine=machine, needed=("b.so", "a.so", "b.so"), soname="x.so.1", runpath="$ORIGIN", strings=names))
    )
    assert facts.view is View.DYNAMIC
    assert (facts.needed, facts.soname, facts.rpath, facts.runpath) == (("b.so", "a.so", "b.so"), "x.so.1", None, "$ORIGIN")
    assert (facts.auxiliary, facts.filter) == (("libaux.so",), ("libfilter.so",))


def test_both_run_paths_are_kept(read: Read) -> None:
    facts = read(write(Elf(rpath="/old", runpath="/new")))
    assert (facts.rpath, facts.runpath) == ("/old", "/new")


def test_of_a_repeated_tag_the_last_wins_and_of_needed_all_count(read: Read) -> None:
    strings = ((DT.SONAME, "second.so"), (DT.NEEDED, "c.so"), (DT.FLAGS, "ignored"))
    facts = read(write(Elf(needed=("a.so",), soname="first.so", strings=strings, entries=((DT.FLAGS, 0x10),))))
    assert (facts.soname, facts.needed, facts.flags) == ("second.so", ("a.so", "c.so"), 0x10)


def test_what_follows_dt_null_does_not_exist(read: Read) -> None:
    facts = read(write(Elf(needed=("a.so",), entries_after_null=((DT.NEEDED, 1), (DT.FLAGS, 2)))))
    assert (facts.needed, facts.flags, facts.symbolic) == (("a.so",), 0, False)
    assert all(tag != 0 for tag, _ in facts.dynamic)


@pytest.mark.parametrize(
    ("elf", "field"),
    [
        (Elf(flags=2), "symbolic"),
        (Elf(entries=((16, 0),)), "symbolic"),
        (Elf(flags=4), "text_relocations"),
        (Elf(entries=((22, 0),)), "text_relocations"),
        (Elf(flags=0x10), "static_tls"),
    ],
)
def test_flags_and_their_older_tags_mean_the_same(elf: Elf, field: str, read: Read) -> None:
    assert getattr(read(write(elf)), field)
    assert not getattr(read(write(Elf())), field)


def test_initial_exec_storage_needs_no_flag(read: Read) -> None:
    machine = next(each for each in MACHINES if each.name == "aarch64")
    offset, descriptor = (
        read(write(Elf(machine=machine, relocations=(Relocation(type=kind),)))).static_tls for kind in (1030, 1031)
    )
    assert (offset, descriptor) == (True, False)


def test_names_that_are_no_utf_8_survive_the_way_back_to_bytes(read: Read) -> None:
    image = build(Elf(needed=("libXY.so",)))
    data = image.data.replace(b"libXY.so", b"lib\xff\xfe.so")
    assert read(data).needed[0].encode("utf-8", "surrogateescape") == b"lib\xff\xfe.so"


def test_section_headers_are_not_asked(read: Read) -> None:
    data = bytearray(write(Elf(needed=("a.so",), sections=())))
    data[40:48] = struct.pack("<Q", 0xDEADBEEF)
    assert read(bytes(data)).needed == ("a.so",)


def test_the_last_of_several_pt_dynamic_is_taken_by_its_address(read: Read) -> None:
    text = entry(DT.FLAGS, 2) + entry(DT.NULL, 0)
    draft = build(Elf(needed=("a.so",), text=text, segments=((PT_DYNAMIC, PF_R, 0, 0, len(text)),)))
    address = draft.parts[".text"].address
    facts = read(write(Elf(needed=("a.so",), text=text, segments=((PT_DYNAMIC, PF_R, 0, address, len(text)),))))
    assert (facts.needed, facts.dynamic) == ((), ((DT.FLAGS, 2),))


@pytest.mark.parametrize("tag", [DT.NEEDED, DT.SONAME, DT.RPATH, DT.RUNPATH, DT_AUXILIARY, DT_FILTER])
def test_a_string_outside_the_string_table_is_a_read_error_at_its_entry(tag: int, read: Read) -> None:
    image = build(Elf(entries=((tag, 1 << 40),)))
    with pytest.raises(ElfReadError, match="outside the string table") as caught:
        read(image.data)
    place = image.data.index(entry(tag, 1 << 40))
    assert (caught.value.offset, caught.value.value) == (place, str(1 << 40))


def test_a_needed_name_longer_than_any_path_is_a_read_error(read: Read) -> None:
    with pytest.raises(ElfReadError, match="has no end within 4096 bytes"):
        read(write(Elf(needed=("n" * 5000,))))
    assert read(write(Elf(rpath="r" * 5000))).rpath == "r" * 5000


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        (((DT.STRTAB, 1 << 60),), r"the string table \(DT_STRTAB\) lies in no loadable segment: 0x1000000000000000"),
        (((DT.STRSZ, 1 << 60),), r"the string table \(DT_STRTAB\) is larger than the \d+ bytes left of its segment: 1152"),
        (((DT.SYMTAB, 1 << 60),), "the address of the symbol table"),
        (((DT.SYMENT, 16),), r"a symbol's size \(DT_SYMENT\) is not 24: 16"),
        (((DT.HASH, 1 << 60),), "the address of the SysV hash table"),
        (((DT.GNU_HASH, 1 << 60),), "the address of the GNU hash table"),
        (((DT.VERSYM, 1 << 60),), "the address of the version table"),
        (((DT.VERNEED, 1 << 60),), "the address of needed versions"),
        (((DT.VERDEF, 1 << 60),), "the address of version definitions"),
        (((DT.RELA, 1 << 60), (DT.RELASZ, 24)), "the address of the relocation table"),
        (((DT.RELA, 0), (DT.RELASZ, 1 << 60)), "the relocation table is larger than"),
        (((DT.RELA, 0),), "tells where the relocation table is and not its size"),
        (((DT.RELA, 0), (DT.RELASZ, 25)), "the size of the relocation table is no multiple of a relocation's size: 25"),
        (((DT.RELA, 0), (DT.RELASZ, 24), (DT.RELAENT, 16)), "the size of a relocation is not 24: 16"),
        (((DT.JMPREL, 0), (DT.PLTRELSZ, 24)), "DT_PLTREL is neither DT_RELA nor DT_REL: None"),
    ],
)  # fmt: skip
def test_a_table_that_is_not_where_the_entry_says_is_a_read_error(
    entries: tuple[tuple[int, int], ...], message: str, read: Read
) -> None:
    with pytest.raises(ElfReadError, match=message):
        read(write(Elf(entries=entries)))


def test_a_dynamic_array_without_end_is_a_read_error(read: Read) -> None:
    image = build(Elf())
    data = image.patched(".dynamic", image.parts[".dynamic"].size - 16, entry(0x6FFFFEF9, 1))
    with pytest.raises(ElfReadError, match="PT_DYNAMIC has no DT_NULL"):
        read(data)


def test_a_dynamic_array_of_absurd_length_is_a_read_error(read: Read) -> None:
    with pytest.raises(ElfReadError, match="no DT_NULL within its first 16384 entries"):
        read(write(Elf(entries=((0x6FFFFEF9, 1),) * 20000)))


def test_a_file_whose_pt_dynamic_has_no_bytes_has_no_dynamic_section(read: Read) -> None:
    """As ``objcopy --only-keep-debug`` leaves it: glibc says "object file has no dynamic section"."""
    data = bytearray(write(Elf()))
    for header in range(64, 64 + 56 * struct.unpack_from("<H", data, 56)[0], 56):
        if struct.unpack_from("<I", data, header)[0] == PT_DYNAMIC:
            data[header + 32 : header + 40] = bytes(8)
    facts = read(bytes(data))
    assert (facts.view, facts.dynamic, facts.needed) == (View.SECTIONS, (), ())


def test_an_unknown_tag_survives(read: Read) -> None:
    assert (0x6000000F, 77) in read(write(Elf(entries=((0x6000000F, 77),)))).dynamic


@pytest.mark.parametrize("cleared", [0, 1])
def test_a_table_may_reach_to_the_end_of_the_last_page_of_its_segment_unless_that_is_cleared(cleared: int, read: Read) -> None:
    """As patchelf laid out the programs of casadi 3.8.2: PT_DYNAMIC lies behind its segment, in the same page."""
    image = build(Elf(needed=("a.so",)))
    start, text = image.parts[".dynstr"], image.parts[".text"]
    end = text.offset + text.size
    if cleared:
        image = clear_behind(image)
    else:
        end = min(-(-end // 4096) * 4096, len(image.data))
    room = end - start.offset
    for size in (room, room + 1):
        data = image.data.replace(entry(DT.STRSZ, start.size), entry(DT.STRSZ, size))
        assert data != image.data
        if size == room:
            assert read(data).needed == ("a.so",)
        else:
            with pytest.raises(ElfReadError, match=f"is larger than the {room} bytes left of its segment: {size}"):
                read(data)


@pytest.mark.parametrize("gap", [0, 1])
def test_a_table_may_reach_into_a_segment_that_follows_at_once(gap: int, read: Read) -> None:
    """As patchelf laid out the program of semgrep 1.185.0: its string table begins in one segment and ends in the next.

    A gap makes no difference: it lies in the same page.
    """
    image = build(Elf(needed=("a.so",)))
    place = image.parts[".dynstr"]
    count = struct.unpack_from("<H", image.data, 56)[0]
    headers = [image.data[at : at + 56] for at in range(64, 64 + 56 * count, 56)]
    stack = next(header for header in headers if struct.unpack_from("<I", header)[0] == PT_GNU_STACK)
    first = next(header for header in headers if struct.unpack_from("<II", header) == (PT_LOAD, PF_R | PF_X))
    kind, flags, offset, address, _, size, _, alignment = struct.unpack("<IIQQQQQQ", first)
    cut = place.offset + place.size // 2
    parts = [
        struct.pack("<IIQQQQQQ", kind, flags, start, address + start, address + start, end - start, end - start, alignment)
        for start, end in ((offset, cut - gap), (cut, size))
    ]
    headers.remove(stack)
    headers[headers.index(first) : headers.index(first) + 1] = parts
    data = image.data[:64] + b"".join(headers) + image.data[64 + 56 * count :]
    assert read(data).needed == ("a.so",)


def test_a_dynamic_array_ends_with_its_loadable_segment(read: Read) -> None:
    image = build(Elf())
    headers = range(64, 64 + 56 * struct.unpack_from("<H", image.data, 56)[0], 56)
    data = bytearray(image.data)
    for header in headers:
        kind, flags = struct.unpack_from("<II", data, header)
        if (kind, flags) == (1, PF_R | PF_W):
            struct.pack_into("<Q", data, header + 32, 32)
    with pytest.raises(ElfReadError, match="PT_DYNAMIC has no DT_NULL within its first 2 entries"):
        read(bytes(data))
