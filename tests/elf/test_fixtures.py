"""One library, built for every architecture of manylinux: testdata/elf/uses.c."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from checker.model.elf import Machine, Use, View

if TYPE_CHECKING:
    from collections.abc import Callable

    from checker.model.elf import ElfFacts

    Read = Callable[[bytes], ElfFacts]

FOLDER = Path(__file__).parents[2] / "testdata" / "elf"
MACHINES = {
    "x86_64": (Machine.EM_X86_64, 64, True),
    "i686": (Machine.EM_386, 32, True),
    "aarch64": (Machine.EM_AARCH64, 64, True),
    "armv7l": (Machine.EM_ARM, 32, True),
    "ppc64le": (Machine.EM_PPC64, 64, True),
    "s390x": (Machine.EM_S390, 64, False),
    "riscv64": (Machine.EM_RISCV, 64, True),
    "loongarch64": (Machine.EM_LOONGARCH, 64, True),
}
# These psABIs have no GLOB_DAT: a GOT entry is an ordinary word.
WITHOUT_GLOB_DAT = {"ppc64le", "riscv64", "loongarch64"}
architectures = pytest.mark.parametrize("architecture", MACHINES)


def fixture(architecture: str) -> bytes:
    return (FOLDER / f"uses-{architecture}-lld.so").read_bytes()


def test_the_manifest_names_every_fixture_with_its_digest() -> None:
    lines = (FOLDER / "SHA256SUMS").read_text("utf-8").splitlines()
    listed = {name: digest for digest, name in (line.split() for line in lines)}
    assert set(listed) == {path.name for path in FOLDER.iterdir()} - {"SHA256SUMS", "build.sh"}
    for name, digest in listed.items():
        assert hashlib.sha256((FOLDER / name).read_bytes()).hexdigest() == digest, name


@architectures
def test_the_identity_is_the_architectures(architecture: str, read: Read) -> None:
    identity = read(fixture(architecture)).identity
    assert (identity.machine, identity.bits, identity.little_endian) == MACHINES[architecture]


@architectures
def test_every_kind_of_use_is_told_on_every_architecture(architecture: str, read: Read) -> None:
    facts = read(fixture(architecture))
    got = Use.ABSOLUTE if architecture in WITHOUT_GLOB_DAT else Use.GLOB_DAT
    module = Use.TLS_DESCRIPTOR if architecture == "aarch64" else Use.TLS_MODULE
    uses = {found.name: (found.uses, found.weak) for found in facts.each_import() if b"tls_get" not in found.name}
    assert uses == {
        b"elsewhere": (Use.ABSOLUTE | Use.JUMP_SLOT, False),
        b"elsewhere_data": (got, False),
        b"elsewhere_initial_tls": (Use.TLS_OFFSET, False),
        b"elsewhere_tls": (module, False),
        b"free": (Use.JUMP_SLOT, False),
        b"malloc": (Use.JUMP_SLOT, False),
        b"maybe_present": (got | Use.JUMP_SLOT, True),
    }
    table = facts.symbols
    own = {table.name(s): Use(u) for s, u in zip(facts.self_references, facts.self_uses, strict=True)}
    assert own == {b"exported": Use.ABSOLUTE, b"own_tls": module}
    assert facts.static_tls


@architectures
def test_versions_and_strings_are_told_on_every_architecture(architecture: str, read: Read) -> None:
    facts = read(fixture(architecture))
    assert (facts.view, facts.soname, facts.runpath) == (View.DYNAMIC, "libuses.so.1", "$ORIGIN/libs")
    assert facts.needed in {("libc.so.6",), ("libc.so.6", facts.needed[-1])}  # the loader too, for __tls_get_addr
    names = [(d.name, d.base) for d in facts.version_definitions]
    assert names == [(b"libuses.so.1", True), (b"FIRST", False), (b"SECOND", False)]
    wanted = {found.name: found.version for found in facts.each_import()}
    assert wanted[b"elsewhere"] is None
    assert (wanted[b"malloc"] or b"").startswith(b"GLIBC_2.")
    assert facts.notes.build_id is not None
    assert len(facts.notes.build_id) == 40


@architectures
def test_exports_are_found_through_both_hash_tables(architecture: str, read: Read) -> None:
    table = read(fixture(architecture)).symbols
    assert table.gnu_hash is not None
    assert table.sysv_hash is not None
    for name, version in ((b"exported", b"FIRST"), (b"exported_in_second", b"SECOND"), (b"addresses", b"FIRST")):
        (found,) = table.definitions(name)
        assert (found.version, found.hidden, found.defined) == (version, False, True)
        assert found.symbol in table.sysv_hash.candidates(name)
    assert table.definitions(b"malloc") == ()
