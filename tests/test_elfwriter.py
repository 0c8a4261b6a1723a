"""The test suite's own ELF writer against two independent readers: readelf and the loader."""

from __future__ import annotations

import re
import shutil
import struct
import subprocess
import sys
import sysconfig
from typing import TYPE_CHECKING

import pytest

from tests.elfwriter import (
    DEFINED,
    MACHINES,
    S390X,
    UND,
    VER_FLG_BASE,
    X86_64,
    Binding,
    Elf,
    Hash,
    Machine,
    NeededVersion,
    Relocation,
    Section,
    Symbol,
    Type,
    VersionDefinition,
    VersionNeed,
    Visibility,
    build,
    build_id,
    gnu_hash,
    sysv_hash,
    write,
    x86_isa_needed,
)

if TYPE_CHECKING:
    from pathlib import Path

RETURN_42 = b"\xb8\x2a\0\0\0\xc3"  # mov eax, 42; ret
readelf = shutil.which("readelf")
needs_readelf = pytest.mark.skipif(readelf is None, reason="readelf (Debian: binutils) is not here")
needs_loader = pytest.mark.skipif(
    sysconfig.get_config_var("MULTIARCH") != "x86_64-linux-gnu", reason="needs glibc's loader on x86_64"
)


def everything(machine: Machine) -> Elf:
    """A file that uses every table at once."""
    return Elf(
        machine=machine,
        needed=("libc.so.6", "libm.so.6"),
        soname="libx.so.1",
        runpath="$ORIGIN/../x.libs",
        flags=8,
        flags_1=1,
        symbols=(
            Symbol(name="current", shndx=DEFINED, version=3),
            Symbol(name="old", shndx=DEFINED, version=2, hidden=True, size=3),
            Symbol(name="absent", binding=Binding.WEAK),
            Symbol(name="malloc", version=4),
            Symbol(name="own", binding=Binding.LOCAL, shndx=DEFINED, version=0),
            Symbol(name="kept", type=Type.OBJECT, visibility=Visibility.PROTECTED, shndx=DEFINED, version=2),
        ),
        version_needs=(
            VersionNeed("libc.so.6", (NeededVersion("GLIBC_2.2.5", 4), NeededVersion("GLIBC_2.14", 5))),
            VersionNeed("libm.so.6", (NeededVersion("GLIBC_2.29", 6),)),
        ),
        version_definitions=(
            VersionDefinition("libx.so.1", 1, VER_FLG_BASE),
            VersionDefinition("V1", 2),
            VersionDefinition("V2", 3, 0, ("V1",)),
        ),
        relocations=(
            Relocation(type=machine.glob_dat, symbol="absent"),
            Relocation(type=machine.relative, addend=4),
            Relocation(type=machine.absolute, symbol=2),
        ),
        plt_relocations=(Relocation(type=machine.jump_slot, symbol="malloc"),),
        notes=(build_id(bytes(range(20))), *((x86_isa_needed(2),) if machine is X86_64 else ())),
        relro=True,
        sysv_hash=Hash.CORRECT,
        text=RETURN_42,
        sections=(Section(".comment", b"GCC: (a) 12\0"),),
    )


def read(path: Path, *options: str) -> str:
    """What readelf prints, which must come with no warning."""
    assert readelf is not None
    done = subprocess.run([readelf, "-W", *options, str(path)], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return done.stdout


@needs_readelf
@pytest.mark.parametrize("machine", MACHINES, ids=lambda m: m.name)
def test_readelf_reads_back_what_was_written_for_every_machine(machine: Machine, tmp_path: Path) -> None:
    path = tmp_path / "x.so"
    path.write_bytes(write(everything(machine)))
    text = read(path, "-h", "-l", "-S", "-d", "-V", "-r", "-n", "--dyn-syms")
    for expected in (
        r"\(NEEDED\)\s+Shared library: \[libm\.so\.6\]",
        r"\(SONAME\)\s+Library soname: \[libx\.so\.1\]",
        r"\(RUNPATH\)\s+Library runpath: \[\$ORIGIN/\.\./x\.libs\]",
        r"\(FLAGS_1\)\s+Flags: NOW",
        r"GLOBAL DEFAULT\s+1 current@@V2",
        r"\b3 FUNC\s+GLOBAL DEFAULT\s+1 old@V1",
        r"LOCAL\s+DEFAULT\s+1 own",
        r"OBJECT\s+GLOBAL PROTECTED\s+1 kept@@V1",
        r"WEAK\s+DEFAULT\s+UND absent",
        r"UND malloc@GLIBC_2\.2\.5 \(4\)",
        r"File: libm\.so\.6\s+Cnt: 1",
        r"Flags: BASE\s+Index: 1\s+Cnt: 1\s+Name: libx\.so\.1",
        r"Parent 1: V1",
        r"R_\w+_(RELATIVE|RELATIV)\b",
        r"R_\w+\s+\w+\s+old@V1",
        r"R_\w+(JUMP_SLOT|JUMP_SLO|JMP_SLOT|JMP_SLO)\s+\w+\s+malloc@GLIBC_2\.2\.5",
        r"Build ID: 000102030405060708090a0b0c0d0e0f10111213",
        r"GNU_RELRO",
    ):
        assert re.search(expected, text), (expected, text)
    assert "<corrupt" not in text
    assert "<unknown" not in text
    assert ("x86 ISA needed: x86-64-v2" in text) == (machine is X86_64)


@needs_readelf
def test_without_section_headers_the_dynamic_segment_is_enough(tmp_path: Path) -> None:
    path = tmp_path / "x.so"
    path.write_bytes(write(Elf(needed=("liby.so",), symbols=(Symbol(name="f", shndx=DEFINED),))))
    text = read(path, "-h", "-d", "-s", "--use-dynamic")
    assert re.search(r"Number of section headers:\s+0\b", text)
    assert "[liby.so]" in text
    assert re.search(r"GLOBAL DEFAULT\s+1 f\b", text)


@needs_readelf
def test_the_segments_are_those_that_were_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "x.so"
    elf = Elf(interpreter="/lib/ld.so", stack=7, relro=True, tls=(b"abcd", 64), alignment=0x10000, base=0x400000)
    path.write_bytes(write(elf))
    kinds = re.findall(r"^  ([A-Z_]+)\s+0x", read(path, "-l"), re.MULTILINE)
    assert kinds == ["PHDR", "INTERP", "LOAD", "LOAD", "DYNAMIC", "TLS", "GNU_STACK", "GNU_RELRO"]
    assert re.search(r"GNU_STACK .* RWE ", read(path, "-l"))
    assert re.search(r"TLS .* 0x0*4 0x0*40 ", read(path, "-l"))
    assert "LOAD           0x000000 0x0000000000400000" in read(path, "-l")


@pytest.mark.parametrize("machine", MACHINES, ids=lambda m: m.name)
def test_a_static_file_has_no_dynamic_segment(machine: Machine) -> None:
    image = build(Elf(machine=machine, dynamic=False, stack=None))
    assert set(image.parts) == {".text", ".data"}


def test_the_hash_functions_give_the_published_values() -> None:
    # Ulrich Drepper's and Ali Bahrami's texts print these; the version hashes are glibc's own.
    assert gnu_hash("printf") == 0x156B2BB8
    assert gnu_hash("") == 5381
    assert sysv_hash("printf") == 0x077905A6
    assert sysv_hash("GLIBC_2.2.5") == 0x09691A75


def test_s390x_has_sysv_hash_words_of_eight_bytes() -> None:
    image = build(Elf(machine=S390X, sysv_hash=Hash.CORRECT, symbols=(Symbol(name="f", shndx=DEFINED),)))
    place = image.parts[".hash"]
    assert struct.unpack_from(">QQ", image.data, place.offset) == (1, 2)
    assert place.size == 8 * (2 + 1 + 2)


def test_merged_strings_share_their_ends() -> None:
    spec = Elf(symbols=tuple(Symbol(name=n) for n in ("bar", "foobar", "ar")), tail_merge=True)
    assert build(spec).parts[".dynstr"].size == len("\0foobar\0")


def test_the_same_specification_gives_the_same_bytes() -> None:
    assert write(everything(X86_64)) == write(everything(X86_64))


def test_a_patch_changes_only_the_named_bytes() -> None:
    image = build(Elf(text=bytes(16)))
    patched = image.patched(".text", 2, b"\xff")
    assert [i for i, (a, b) in enumerate(zip(image.data, patched, strict=True)) if a != b] == [image.parts[".text"].offset + 2]


def loads(elf: Elf, path: Path, call: str = "") -> tuple[int, str]:
    """Load the file in a fresh process; its exit status is what ``call`` returns, or 0."""
    path.write_bytes(write(elf))
    code = f"import ctypes, sys; d = ctypes.CDLL({str(path)!r}); sys.exit(getattr(d, {call!r})() if {call!r} else 0)"
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


@needs_loader
@pytest.mark.parametrize("table", ["gnu_hash", "sysv_hash"])
def test_the_loader_finds_a_symbol_through_either_hash_table(table: str, tmp_path: Path) -> None:
    tables = {"gnu_hash": Hash.ABSENT, "sysv_hash": Hash.ABSENT, table: Hash.CORRECT}
    names = tuple(f"f{i}" for i in range(200))
    elf = Elf(symbols=tuple(Symbol(name=n, shndx=DEFINED) for n in names), text=RETURN_42, **tables)  # type: ignore[arg-type]
    assert loads(elf, tmp_path / "x.so", "f137") == (42, "")


@needs_loader
@pytest.mark.parametrize("state", [Hash.EMPTY, Hash.WRONG])
def test_the_loader_finds_nothing_through_a_broken_gnu_hash(state: Hash, tmp_path: Path) -> None:
    elf = Elf(symbols=(Symbol(name="f", shndx=DEFINED),), text=RETURN_42, gnu_hash=state)
    status, error = loads(elf, tmp_path / "x.so", "f")
    assert status == 1
    assert "undefined symbol: f" in error


@needs_loader
def test_the_loader_applies_the_relocations_and_checks_the_versions(tmp_path: Path) -> None:
    elf = everything(X86_64)
    assert loads(elf, tmp_path / "x.so", "current") == (42, "")
    late = VersionNeed("libc.so.6", (NeededVersion("GLIBC_2.999", 4),))
    wrong = Elf(needed=elf.needed, version_needs=(late,), symbols=(Symbol(name="malloc", version=4),))
    status, error = loads(wrong, tmp_path / "y.so")
    assert status == 1
    assert "version `GLIBC_2.999' not found" in error


@needs_loader
@pytest.mark.parametrize("kind", ["glob_dat", "jump_slot", "absolute"])
def test_the_loader_refuses_an_undefined_symbol_that_a_relocation_uses(kind: str, tmp_path: Path) -> None:
    relocation = (Relocation(type=getattr(X86_64, kind), symbol="nowhere"),)
    group = "plt_relocations" if kind == "jump_slot" else "relocations"
    symbols = (Symbol(name="nowhere", shndx=UND),)
    assert loads(Elf(symbols=symbols), tmp_path / "unused.so") == (0, "")
    status, error = loads(Elf(symbols=symbols, **{group: relocation}), tmp_path / "used.so")  # type: ignore[arg-type]
    assert status == 1
    assert "undefined symbol: nowhere" in error


@needs_loader
def test_the_loader_applies_relative_relocations_in_relr_form(tmp_path: Path) -> None:
    def with_slot(address: int) -> Elf:
        slot = Symbol(name="slot", type=Type.OBJECT, shndx=DEFINED, value=address, size=8)
        return Elf(symbols=(slot,), relr=(address,))

    address = build(with_slot(0)).parts[".data"].address
    path = tmp_path / "x.so"
    path.write_bytes(write(with_slot(address)))
    # The slot holds 0 in the file; DT_RELR adds the load address, which is the slot's own less its offset.
    code = (
        f"import ctypes; slot = ctypes.c_size_t.in_dll(ctypes.CDLL({str(path)!r}), 'slot')\n"
        f"print(slot.value == ctypes.addressof(slot) - {address})"
    )
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"


@needs_loader
def test_a_file_with_an_interpreter_runs(tmp_path: Path) -> None:
    exit_42 = b"\xbf\x2a\0\0\0\xb8\x3c\0\0\0\x0f\x05"  # mov edi, 42; mov eax, 60 (exit); syscall
    path = tmp_path / "program"
    path.write_bytes(write(Elf(interpreter="/lib64/ld-linux-x86-64.so.2", text=exit_42, flags_1=0x08000000)))
    path.chmod(0o755)
    assert subprocess.run([str(path)], check=False).returncode == 42
