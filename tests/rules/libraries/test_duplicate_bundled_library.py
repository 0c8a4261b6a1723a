from __future__ import annotations

from typing import TYPE_CHECKING

from checker.model.closure import ProviderKind
from checker.model.elf import Machine
from checker.model.record import replace
from checker.rules.libraries.duplicate_bundled_library import RULE
from tests.rules.builders import case, edge, elf, identity, told

if TYPE_CHECKING:
    from checker.model.elf import ElfFacts


def library(path: str, soname: str | None, build_id: str | None = None) -> ElfFacts:
    facts = elf(path, soname=soname)
    return replace(facts, notes=replace(facts.notes, build_id=build_id))


def test_equal_build_ids_are_one_build_whatever_the_names() -> None:
    one, two = library("pkg/liba.so.1", "liba.so.1", "ab12"), library("pkg/libb.so", "libb.so", "ab12")
    (found,) = told(RULE, case(elf(), one, replace(two, path="pkg/lib/libb.so")))
    assert found.file == "pkg/lib/libb.so"
    assert "the same build" in found.message


def test_links_that_became_files_are_told_once_for_the_folder() -> None:
    libraries = [library(f"pkg/lib{name}.so{tail}", f"lib{name}.so.1", name) for name in "ab" for tail in ("", ".1", ".1.2")]
    (found,) = told(RULE, case(elf(), *libraries, libraries=(edge("liba.so.1", ProviderKind.MEMBER, "pkg/liba.so.1"),)))
    assert (found.file, found.subject) == ("pkg/liba.so", "pkg")
    assert "liba.so.1 3 times and libb.so.1 3 times" in found.message
    assert "pkg/liba.so.1" in found.remedy


def test_what_was_grafted_twice_never_was_a_link() -> None:
    names = [f"lib{name}-0cd532bd{again}.so.1" for name in ("gcc_s", "gfortran") for again in ("", "-c8f934f9")]
    libraries = [library(f"pkg.libs/{name}", name, name.partition("-")[0]) for name in names]
    (found,) = told(RULE, case(elf(), *libraries))
    assert (found.file, found.subject) == ("pkg.libs/libgcc_s-0cd532bd-c8f934f9.so.1", "pkg.libs")
    assert "holds libgcc_s twice and libgfortran twice under hashed names: what had been grafted" in found.message
    assert found.remedy.startswith("Link what needs libgcc_s and libgfortran of the build image statically")


def test_different_builds_of_one_name_count_where_one_is_needed() -> None:
    one, two = library("pkg.libs/liba-0a1b2c3d.so.1", "liba-0a1b2c3d.so.1", "ab"), library("pkg/liba.so.1", "liba.so.1", "cd")
    assert told(RULE, case(elf(), one, two)) == []
    needed = (edge("liba-0a1b2c3d.so.1", ProviderKind.MEMBER, one.path),)
    (found,) = told(RULE, case(elf(), one, two, libraries=needed))
    assert "2 different builds" in found.message
    assert found.remedy == f"Leave out {two.path}: what is needed is {one.path}"


def test_a_chain_of_likenesses_is_one_group() -> None:
    libraries = (
        library("pkg/liba.so", "liba.so.1", "ab"),
        library("pkg/libx.so.2", "libx.so.2", "cd"),
        library("pkg/libz.so.1", "liba.so.1", "cd"),
    )
    needed = (edge("liba.so.1", ProviderKind.MEMBER, "pkg/liba.so"),)
    (found,) = told(RULE, case(*libraries, libraries=needed))
    assert dict(found.evidence)["paths"] == ("pkg/liba.so", "pkg/libx.so.2", "pkg/libz.so.1")


def test_equal_bytes_without_a_build_id_are_one_build() -> None:
    (found,) = told(RULE, case(elf(), library("pkg/liba.so", "liba.so.1"), library("pkg/liba.so.1", "liba.so.1")))
    assert "links became files" in found.message


def test_architectures_and_variants_are_kept_apart() -> None:
    one = library("pkg/a/liba.so.1", "liba.so.1", "ab")
    arm = replace(library("pkg/b/liba.so.1", "liba.so.1", "ab"), identity=identity(machine=Machine.EM_AARCH64))
    assert told(RULE, case(elf(), one, arm)) == []
    fast = library("pkg/fast/liba.so.1", "liba.so.1", "ab")
    assert told(RULE, case(elf(), one, fast)) != []
    assert told(RULE, case(elf(), one, fast), variants=("**/fast/**",)) == []


def test_modules_are_no_libraries() -> None:
    one, two = library("pkg/a.cpython-311-x86_64-linux-gnu.so", None, "ab"), library("pkg/a.abi3.so", None, "ab")
    assert told(RULE, case(one, two)) == []
