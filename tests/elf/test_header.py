"""The file header and program headers."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import pytest

from checker.model.elf import ElfReadError, ElfType, Machine, Relro, Stack, View
from tests.elfwriter import ARMV7L, DT, MACHINES, PF_R, PF_W, PF_X, S390X, X86_64, Elf, build, write
from tests.elfwriter import Machine as Target

if TYPE_CHECKING:
    from collections.abc import Callable

    from checker.model.elf import ElfFacts

    Read = Callable[[bytes], ElfFacts]

PT_INTERP, PT_GNU_STACK = 3, 0x6474E551


def patched(data: bytes, offset: int, replacement: bytes) -> bytes:
    return data[:offset] + replacement + data[offset + len(replacement) :]


@pytest.mark.parametrize("machine", MACHINES, ids=lambda m: m.name)
def test_class_byte_order_machine_and_flags_are_told(machine: Target, read: Read) -> None:
    identity = read(write(Elf(machine=machine, osabi=3))).identity
    assert identity.bits == machine.bits
    assert identity.little_endian == (machine.order == "<")
    assert identity.machine == Machine(machine.number)
    assert identity.flags == machine.flags
    assert (identity.type, identity.os_abi, identity.abi_version) == (ElfType.ET_DYN, 3, 0)


def test_an_unknown_machine_and_type_survive_and_print(read: Read) -> None:
    identity = read(patched(write(Elf()), 16, b"\x34\x12\x78\x56")).identity
    assert (str(identity.type), str(identity.machine)) == ("ElfType(0x1234)", "Machine(0x5678)")


@pytest.mark.parametrize(
    ("offset", "value", "message"),
    [
        (0, b"\x7fELG", "byte 0x0: not an ELF file, which begins with 7f 45 4c 46: 7f 45 4c 47"),
        (4, b"\3", "byte 0x4: unknown file class (EI_CLASS): 3"),
        (5, b"\0", "byte 0x5: unknown byte order (EI_DATA): 0"),
        (6, b"\2", "byte 0x6: unknown ELF version (EI_VERSION): 2"),
        (20, b"\0\0\0\0", "byte 0x14: unknown ELF version (e_version): 0"),
        (54, b"\x20\0", "byte 0x36: a program header's size (e_phentsize) is not 56: 32"),
    ],
)
def test_a_header_that_no_loader_takes_is_a_read_error_with_its_offset(
    offset: int, value: bytes, message: str, read: Read
) -> None:
    with pytest.raises(ElfReadError) as caught:
        read(patched(write(Elf()), offset, value))
    assert str(caught.value) == message


def test_a_program_header_size_of_the_other_class_is_named_at_its_own_offset(read: Read) -> None:
    with pytest.raises(ElfReadError, match="is not 32: 56") as caught:
        read(patched(write(Elf(machine=ARMV7L)), 42, b"\x38\0"))
    assert caught.value.offset == 42


def test_program_headers_outside_the_file_are_a_read_error(read: Read) -> None:
    data = write(Elf())
    with pytest.raises(ElfReadError, match="the program header table ends outside the file") as caught:
        read(patched(data, 32, struct.pack("<Q", 1 << 60)))
    assert caught.value.offset == 1 << 60


def test_the_number_of_program_headers_beyond_a_half_word_is_in_the_first_section_header(read: Read) -> None:
    image = build(Elf(sections=()))
    data = image.data
    (count,) = struct.unpack_from("<H", data, 56)
    (sections,) = struct.unpack_from("<Q", data, 40)
    many = patched(data, 56, b"\xff\xff")
    assert read(patched(many, sections + 44, struct.pack("<I", count))).segments == read(data).segments
    with pytest.raises(ElfReadError, match="more than 65535 program headers: 4294967295"):
        read(patched(many, sections + 44, b"\xff" * 4))


def test_segments_keep_file_order_and_all_fields(read: Read) -> None:
    facts = read(write(Elf(machine=S390X, segments=((0x60000000, 7, 64, 0x1234, 5),))))
    last = facts.segments[-1]
    assert (last.type, last.flags, last.offset, last.address, last.file_size, last.memory_size, last.alignment) == (
        0x60000000, 7, 64, 0x1234, 5, 5, 1,
    )  # fmt: skip


@pytest.mark.parametrize("machine", [X86_64, ARMV7L], ids=lambda m: m.name)
def test_flags_of_a_32_bit_program_header_are_read_from_its_end(machine: Target, read: Read) -> None:
    loads = [segment.flags for segment in read(write(Elf(machine=machine))).segments if segment.type == 1]
    assert loads == [PF_R | PF_X, PF_R | PF_W]


@pytest.mark.parametrize(
    ("flags", "stack"), [(None, Stack.ABSENT), (PF_R | PF_W, Stack.NOT_EXECUTABLE), (PF_R | PF_W | PF_X, Stack.EXECUTABLE)]
)
def test_the_stack_is_what_pt_gnu_stack_asks(flags: int | None, stack: Stack, read: Read) -> None:
    assert read(write(Elf(stack=flags))).stack is stack


@pytest.mark.parametrize(
    ("elf", "relro", "bind_now"),
    [
        (Elf(), Relro.NONE, False),
        (Elf(flags=8), Relro.NONE, True),
        (Elf(relro=True), Relro.PARTIAL, False),
        (Elf(relro=True, flags=8), Relro.FULL, True),
        (Elf(relro=True, flags_1=1), Relro.FULL, True),
        (Elf(relro=True, entries=((24, 0),)), Relro.FULL, True),
    ],
)
def test_relro_is_full_with_any_way_of_binding_now(elf: Elf, relro: Relro, bind_now: bool, read: Read) -> None:  # noqa: FBT001
    facts = read(write(elf))
    assert (facts.relro, facts.bind_now) == (relro, bind_now)


def test_the_interpreter_is_the_first_one_without_its_nul(read: Read) -> None:
    assert read(write(Elf())).interpreter is None
    assert read(write(Elf(interpreter="/lib64/ld-linux-x86-64.so.2"))).interpreter == "/lib64/ld-linux-x86-64.so.2"


def test_an_interpreter_longer_than_a_path_is_a_read_error(read: Read) -> None:
    with pytest.raises(ElfReadError, match="PT_INTERP is longer than 4096 bytes: 5000"):
        read(write(Elf(segments=((PT_INTERP, PF_R, 0, 0, 5000),))))


def test_a_file_without_pt_dynamic_tells_headers_only(read: Read) -> None:
    facts = read(write(Elf(dynamic=False)))
    assert facts.view is View.SECTIONS
    assert not facts.is_dynamic
    assert (facts.dynamic, facts.needed, facts.soname, facts.symbols.count, len(facts.imports)) == ((), (), None, 0, 0)
    assert facts.segments


def test_the_last_of_several_pt_gnu_stack_counts(read: Read) -> None:
    assert read(write(Elf(segments=((PT_GNU_STACK, PF_R | PF_W | PF_X, 0, 0, 0),)))).stack is Stack.EXECUTABLE


def test_without_program_headers_their_size_does_not_matter(read: Read) -> None:
    data = patched(write(Elf(dynamic=False)), 54, bytes(4))
    assert read(data).segments == ()


def test_relr_counts_only_with_a_size(read: Read) -> None:
    assert not read(write(Elf())).has_relr
    assert read(write(Elf(relr=(0x2000, 1)))).has_relr
    assert not read(write(Elf(entries=((DT.RELR, 0), (DT.RELRSZ, 0))))).has_relr
