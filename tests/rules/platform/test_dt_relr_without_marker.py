from __future__ import annotations

from typing import TYPE_CHECKING

from checker.model.closure import ProviderKind
from checker.model.platform import PlatformId
from checker.model.record import replace
from checker.rules.platform.dt_relr_without_marker import RULE
from checker.rules.symbols import symbol_version_missing
from tests.rules.builders import MODULE, case, elf, missing_version, promise, told, version_need

if TYPE_CHECKING:
    from checker.model.elf import ElfFacts

NEEDS = (version_need("libc.so.6", b"GLIBC_2.2.5"),)
MARKED = (version_need("libc.so.6", b"GLIBC_2.2.5", b"GLIBC_ABI_DT_RELR"),)


def on(family: str, *release: int) -> tuple[object, ...]:
    oldest = PlatformId(family=family, release=release, architecture="x86_64")
    return (replace(promise("the tag"), oldest=oldest, judged=(oldest,)),)


def test_without_the_marker_new_loaders_refuse_and_old_ones_crash() -> None:
    (found,) = told(RULE, case(elf(has_relr=True, version_needs=NEEDS)))
    assert (found.file, found.subject) == (MODULE, "DT_RELR")
    assert "glibc 2.36 and later refuse the file" in found.message
    assert told(RULE, case(elf(has_relr=True, version_needs=NEEDS), promises=on("glibc", 2, 39))) != []


def test_the_version_check_that_asks_for_the_marker_is_told_here_alone() -> None:
    refused = missing_version("libc.so.6", b"GLIBC_ABI_DT_RELR", ProviderKind.PLATFORM)
    asked = case(elf(has_relr=True, version_needs=NEEDS), missing_versions=(refused,))
    assert told(symbol_version_missing.RULE, asked) == []
    assert len(told(RULE, asked)) == 1


def test_a_file_without_the_c_library_fails_on_old_loaders_only() -> None:
    alone = elf(has_relr=True, needed=())
    (found,) = told(RULE, case(alone))
    assert "glibc before 2.36 does not apply them and crashes, and manylinux_2_17_x86_64 promises 2.17" in found.message
    assert told(RULE, case(alone, promises=on("glibc", 2, 36))) == []


def test_musl_has_no_marker_and_applies_it_from_its_release_on() -> None:
    musl = elf(has_relr=True, needed=("libc.musl-x86_64.so.1",))
    (found,) = told(RULE, case(musl, promises=on("musl", 1, 2)))
    assert "musl before 1.2.4" in found.message
    assert told(RULE, case(musl, promises=on("musl", 1, 2, 4))) == []


def test_the_marker_and_files_without_the_table_are_silent() -> None:
    assert told(RULE, case(elf(has_relr=True, version_needs=MARKED))) == []
    assert told(RULE, case(elf(version_needs=NEEDS))) == []


def test_a_static_program_relocates_itself() -> None:
    assert told(RULE, case(elf("pkg.data/scripts/tool", has_relr=True, needed=(), flags_1=0x08000000))) == []


def test_the_compiler_s_own_library_cannot_be_linked_again_and_is_linked_statically() -> None:
    (found,) = told(RULE, case(grafted("libgcc_s-2d945d6c.so.1"), promises=on("musl", 1, 2)))
    assert found.message.startswith("has compact relocations (DT_RELR): musl before 1.2.4")
    assert found.remedy.startswith("Link the compiler's own libraries statically (-static-libgcc); or accept it in a waiver")


def test_libraries_that_came_from_the_build_image_are_told_once_for_their_folder() -> None:
    names = ("libXau-d5d7809a.so.6.0.0", "libgcc_s-2d945d6c-c8f934f9.so.1", "libgfortran-2c33b284.so.5")
    own = elf("demo/libcore.so", has_relr=True, needed=("libc.musl-x86_64.so.1",))
    mine, theirs = told(RULE, case(own, *(grafted(name) for name in names), promises=on("musl", 1, 2)))
    assert (mine.file, mine.remedy) == (own.path, "Link libcore.so with -Wl,-z,nopack-relative-relocs")
    assert theirs.file == f"demo.libs/{names[0]}"
    assert theirs.message.startswith("3 grafted libraries have compact relocations (DT_RELR): musl before 1.2.4")
    assert theirs.message.endswith(f"they are {names[0]}, {names[1]} and {names[2]}")
    assert theirs.remedy == (
        "Link the compiler's own libraries statically (-static-libgcc -static-libgfortran) and build "
        "libXau-d5d7809a.so.6.0.0 with -Wl,-z,nopack-relative-relocs; or accept it in a waiver, if Alpine 3.17 and older, "
        "which fail, need not be served"
    )


def test_a_compiler_s_library_that_no_tool_renamed_is_linked_statically_too() -> None:
    (found,) = told(RULE, case(elf("demo/libgcc_s.so.1", has_relr=True, needed=()), promises=on("musl", 1, 2)))
    assert found.remedy == "Link it statically (-static-libgcc)"


def grafted(name: str) -> ElfFacts:
    return elf(f"demo.libs/{name}", has_relr=True, soname=name, needed=("libc.musl-x86_64.so.1",))
