"""A declared artifact has in it what was declared, as the product's own readers and the standard library read it."""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING, Any

import pytest

from checker.elf import read_elf
from checker.engine import Options, read
from checker.model.elf import Binding, Relro, Stack
from checker.model.sparse import SparseBytes
from tests.cases.artifacts import write_artifact
from tests.cases.elves import elf_bytes
from tests.cases.form import ArtifactForm, ElfForm

if TYPE_CHECKING:
    from pathlib import Path

    from checker.model.elf import ElfFacts

X86_64, AARCH64, MUSL = (
    "cp311-cp311-manylinux_2_17_x86_64",
    "cp311-cp311-manylinux2014_aarch64",
    "cp311-cp311-musllinux_1_2_x86_64",
)


def facts(tag: str = X86_64, **fields: Any) -> ElfFacts:  # noqa: ANN401 - fields of the form
    content = elf_bytes("demo/x.so", ElfForm.model_validate(fields), tag)
    return read_elf("demo/x.so", SparseBytes(size=len(content), parts=((0, content),)))


def wants(found: ElfFacts) -> list[tuple[str, str]]:
    return [(need.file, version.name.decode()) for need in found.version_needs for version in need.versions]


def test_what_is_left_out_is_as_a_sound_build_has_it() -> None:
    found = facts()
    assert (found.stack, found.relro, found.bind_now) == (Stack.NOT_EXECUTABLE, Relro.FULL, True)
    assert found.needed == ("libc.so.6",)
    assert found.notes.build_id is not None
    assert [name.decode() for name in found.imports.names] == ["clock_gettime"]


@pytest.mark.parametrize(
    ("tag", "library", "version"),
    [
        (X86_64, "libc.so.6", "GLIBC_2.17"),
        ("cp311-cp311-manylinux_2_5_x86_64.manylinux1_x86_64", "libc.so.6", "GLIBC_2.2.5"),
        ("cp311-cp311-manylinux_2_28_i686", "libc.so.6", "GLIBC_2.28"),
        (AARCH64, "libc.so.6", "GLIBC_2.17"),
        ("cp311-cp311-manylinux_2_39_riscv64", "libc.so.6", "GLIBC_2.34"),
        (MUSL, "libc.musl-x86_64.so.1", None),
    ],
)
def test_a_use_of_the_c_library_is_as_new_as_the_tag(tag: str, library: str, version: str | None) -> None:
    found = facts(tag)
    assert found.needed == (library,)
    assert wants(found) == ([] if version is None else [(library, version)])


@pytest.mark.parametrize("fields", [{"libc": False}, {"needed": ["libm.so.6"]}, {"dynamic": False}])
def test_no_use_of_the_c_library_where_none_is_wanted(fields: dict[str, Any]) -> None:
    assert facts(**fields).imports.names == ()


def test_versions_of_imports_are_needed_of_their_files() -> None:
    found = facts(imports=["f@V_1 of l.so", {"name": "g", "weak": True}], version_needs={"l.so": ["V_2"]}, libc=False)
    assert found.needed == ("l.so",)
    assert wants(found) == [("l.so", "V_1"), ("l.so", "V_2")]
    assert [(each.name, each.version, each.weak) for each in found.each_import()] == [(b"f", b"V_1", False), (b"g", None, True)]


def test_exports_have_versions_bindings_and_types() -> None:
    unique = {"name": "u", "binding": "gnu_unique", "type": "object"}
    found = facts(soname="l.so", exports=["a@@V_2", "a@V_1", unique])
    assert [(each.version, each.hidden) for each in found.symbols.definitions(b"a")] == [(b"V_2", False), (b"V_1", True)]
    assert found.symbols.definitions(b"u")[0].binding == Binding.STB_GNU_UNIQUE
    assert [each.name for each in found.version_definitions][1:] == [b"V_2", b"V_1"]


def test_the_machine_is_the_tags_unless_one_is_given() -> None:
    assert facts(AARCH64).identity.machine.name == "EM_AARCH64"
    assert facts(AARCH64, machine="s390x").identity.machine.name == "EM_S390"
    assert facts(e_machine=190, e_flags=5).identity.machine.name == "EM_CUDA"


def test_the_rest_of_the_file_can_be_said() -> None:
    odd: dict[str, Any] = {
        "stack": "rwx",
        "relro": False,
        "bind_now": False,
        "flags": 4,
        "isa_level": 3,
        "build_id": "",
        "rpath": "/opt",
    }
    found = facts(**odd, entries=[{"tag": "DT_AUXILIARY", "value": "aux.so"}])
    assert (found.stack, found.relro, found.bind_now, found.text_relocations) == (Stack.EXECUTABLE, Relro.NONE, False, True)
    assert (found.notes.x86_isa_needed, found.notes.build_id, found.rpath) == (4, None, "/opt")
    assert found.auxiliary == ("aux.so",)


def test_bytes_can_be_patched_and_cut() -> None:
    form = ElfForm.model_validate({"rodata": ["OpenSSL 3.0"], "patches": [{"part": ".text", "hex": "ccc3"}], "keep": 64})
    assert len(elf_bytes("x", form, X86_64)) == 64
    whole = elf_bytes("x", form.model_copy(update={"keep": None}), X86_64)
    assert b"\xcc\xc3" + bytes(14) + b"OpenSSL 3.0\0" in whole


def test_an_honest_wheel_is_read_whole(tmp_path: Path) -> None:
    form = ArtifactForm.model_validate({"requires": ["torch"], "elf": {"demo/x.so": {}}, "text": {"demo/a.py": "a\n"}})
    path = write_artifact(form, tmp_path)
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        assert archive.namelist() == [
            "demo/a.py",
            "demo/x.so",
            *(f"demo-1.0.dist-info/{n}" for n in ("METADATA", "WHEEL", "RECORD")),
        ]
    inventory, objects, problems = read(str(path), Options())
    assert (len(objects), problems, inventory.problems) == (1, (), ())
    assert inventory.wheel is not None
    assert inventory.wheel.problems == ()
    assert inventory.wheel.requires == ("torch",)
    assert {entry.path for entry in inventory.wheel.record or ()} == {member.path for member in inventory.members}


def test_files_of_the_wheel_can_be_replaced_and_left_out(tmp_path: Path) -> None:
    info = "demo-1.0.dist-info"
    form = ArtifactForm.model_validate(
        {"text": {f"{info}/WHEEL": "Wheel-Version: 1.0\n", f"{info}/METADATA": False}, "record": {f"{info}/WHEEL": ",7"}}
    )
    with zipfile.ZipFile(write_artifact(form, tmp_path)) as archive:
        assert archive.namelist() == [f"{info}/WHEEL", f"{info}/RECORD"]
        assert archive.read(f"{info}/RECORD").decode() == f"{info}/WHEEL,,7\n{info}/RECORD,,\n"


def test_zip_headers_say_what_they_are_told(tmp_path: Path) -> None:
    entries = [
        {"name": "a", "text": "first", "local": {"name": "b"}},
        {"name": "a", "text": "second", "mode": 0o120777, "method": 0},
        {"name": "c", "at": "a"},
    ]
    oddities = {"prefix": "#!/bin/sh\n", "comment": "hello", "suffix": "tail", "entries": entries}
    form = ArtifactForm.model_validate({"kind": "zip", "text": {"x": "x"}, "zip": oddities | {"change": {"x": {"crc": 0}}}})
    content = write_artifact(form, tmp_path).read_bytes()
    assert content.startswith(b"#!/bin/sh\nPK\3\4")
    assert content.endswith(b"hellotail")
    path = tmp_path / "cut.zip"
    path.write_bytes(content.removesuffix(b"tail"))
    with zipfile.ZipFile(path) as archive:
        x, first, second, third = archive.infolist()
        assert (x.CRC, first.filename, second.filename, second.external_attr >> 16) == (0, "a", "a", 0o120777)
        assert third.header_offset == first.header_offset
        assert archive.read(second) == b"second"
        with pytest.raises(zipfile.BadZipFile, match="File name in directory"):
            archive.read(first)


def test_folders_and_single_files_are_written(tmp_path: Path) -> None:
    folder = write_artifact(ArtifactForm.model_validate({"kind": "folder", "text": {"a/b": "c"}}), tmp_path)
    assert (folder / "a" / "b").read_text() == "c"
    single = write_artifact(ArtifactForm.model_validate({"kind": "file", "elf": {"lib/x.so": {}}}), tmp_path)
    assert single.name == "x.so"
    assert single.read_bytes().startswith(b"\x7fELF")
