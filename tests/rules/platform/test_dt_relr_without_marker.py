from __future__ import annotations

from checker.model.closure import ProviderKind
from checker.model.platform import PlatformId
from checker.model.record import replace
from checker.rules.platform.dt_relr_without_marker import RULE
from checker.rules.symbols import symbol_version_missing
from tests.rules.builders import MODULE, case, elf, missing_version, promise, told, version_need

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


def test_the_compiler_s_own_library_cannot_be_linked_again_and_is_to_be_left_out() -> None:
    relinked, bundled = (
        elf(has_relr=True, soname=soname, needed=("libc.musl-x86_64.so.1",))
        for soname in ("libcore.so", "libgcc_s-2d945d6c.so.1")
    )
    remedies = [told(RULE, case(facts, promises=on("musl", 1, 2)))[0].remedy for facts in (relinked, bundled)]
    assert "-z,nopack-relative-relocs" in remedies[0]
    assert "-static-libgcc" in remedies[1]
    assert "nopack" not in remedies[1]
