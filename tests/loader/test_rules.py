"""Rules one by one: those that no linker's output shows, and those that are pure functions."""

from __future__ import annotations

import time

import pytest

from checker.closure import Preload, Process, Setup
from checker.loaders import glibc, musl
from checker.loaders.reference import Effect, Reference
from checker.model.elf import Definition, ElfIdentity, ElfType, Machine, Use
from checker.model.resolution import LoadOutcome
from tests.elfwriter import (
    AARCH64,
    ABS,
    DEFINED,
    Elf,
    Hash,
    Relocation,
    Symbol,
    Type,
    VersionDefinition,
    VersionNeed,
    Visibility,
    write,
    x86_isa_needed,
)
from tests.elfwriter import Binding as WrittenBinding
from tests.elfwriter import NeededVersion as WrittenVersion
from tests.loader.systems import opener, system
from tests.loader.worlds import JUMP_SLOT, asking, facts_of, judged, load, world

PLAIN = Elf(soname="liba.so", symbols=(Symbol(name="f", shndx=DEFINED),))


def definition(**fields: object) -> Definition:
    usual: dict[str, object] = {
        "version": None,
        "index": 1,
        "hidden": False,
        "binding": 1,
        "type": 2,
        "visibility": 0,
        "defined": True,
        "absolute": False,
        "value": 1,
        "symbol": 1,
    }
    return Definition(**(usual | fields))  # type: ignore[arg-type]


def reference(version: bytes | None = None, *, exact: bool = False, plt_class: bool = False) -> Reference:
    return Reference(name=b"f", version=version, version_hidden=exact, plt_class=plt_class)


def taken(
    asked: Reference, *entries: Definition, release: tuple[int, ...] = (2, 36), has_versions: bool = True
) -> Definition | None:
    return glibc.match(asked, entries, has_versions=has_versions, release=release).definition


BASE = definition(value=10)
FIRST = definition(version=b"V1", index=2, hidden=True, value=11)
SECOND = definition(version=b"V2", index=3, value=12)


# Versions


def test_an_exact_version_is_taken_even_if_hidden() -> None:
    assert taken(reference(b"V1"), SECOND, FIRST) == FIRST


def test_before_2_42_a_base_definition_that_stands_first_is_taken_for_any_version() -> None:
    assert taken(reference(b"V2"), BASE, SECOND, release=(2, 41)) == BASE
    assert taken(reference(b"V2"), BASE, SECOND, release=(2, 42)) == SECOND
    assert taken(reference(b"V9"), BASE, SECOND, release=(2, 42)) == BASE


def test_a_hidden_need_takes_no_base_definition() -> None:
    assert taken(reference(b"V9", exact=True), BASE) is None


def test_an_unversioned_reference_takes_the_oldest_version_or_the_only_one() -> None:
    third = definition(version=b"V3", index=4, value=13)
    assert taken(reference(), SECOND, FIRST) == FIRST
    assert taken(reference(), SECOND) == SECOND
    assert taken(reference(), SECOND, third) is None


def test_versions_mean_nothing_in_an_object_without_version_tables() -> None:
    assert taken(reference(b"V9"), BASE, has_versions=False) == BASE


# Which entries are definitions


@pytest.mark.parametrize(
    ("entry", "release", "accepted"),
    [
        (definition(value=0), (2, 36), False),
        (definition(value=0, type=6), (2, 36), True),
        (definition(value=0, absolute=True), (2, 27), False),
        (definition(value=0, absolute=True), (2, 28), True),
        (definition(type=3), (2, 36), False),
        (definition(type=10), (2, 36), True),
        (definition(binding=0), (2, 36), False),
        (definition(binding=10), (2, 36), True),
        (definition(visibility=2), (2, 23), True),
        (definition(visibility=2), (2, 24), False),
        (definition(visibility=3), (2, 36), True),
    ],
)
def test_glibc_takes_a_definition_by_value_type_binding_and_visibility(
    entry: Definition, release: tuple[int, ...], *, accepted: bool
) -> None:
    assert (taken(reference(), entry, release=release) is not None) == accepted


def test_a_canonical_plt_entry_answers_for_an_address_and_not_for_a_call() -> None:
    canonical = definition(defined=False)
    assert taken(reference(), canonical) == canonical
    assert taken(reference(plt_class=True), canonical) is None


def test_musl_passes_an_object_over_for_its_first_entry_that_is_not_hidden() -> None:
    indirect = definition(type=10)
    assert musl.match(reference(), (indirect, BASE)).definition is None
    assert musl.match(reference(), (FIRST, SECOND)).definition == SECOND
    assert musl.match(reference(b"V1"), (FIRST,)).definition is None
    assert musl.match(reference(), (definition(visibility=2),)).definition is not None


# Paths


def test_path_lists_keep_empty_elements_and_drop_trailing_slashes() -> None:
    assert glibc.split_paths("/a//:b/::/") == ("/a", "b", "", "/")
    assert glibc.split_paths("/a;b:c", ":;") == ("/a", "b", "c")
    assert musl.split_paths(":/a::b\n/c:") == ("/a", "b", "/c")


@pytest.mark.parametrize(
    ("text", "expanded"),
    [
        ("$ORIGIN/x", "/o/x"),
        ("${ORIGIN}x", "/ox"),
        ("$ORIGINx", "$ORIGINx"),
        ("$ORIGIN_/x", "$ORIGIN_/x"),
        ("$ORIGIN-x", "/o-x"),
        ("$LIB:$", "lib64:$"),
        ("$PLATFORM", None),
        ("$UNKNOWN/x", "$UNKNOWN/x"),
    ],
)
def test_tokens_are_expanded_and_an_element_without_value_is_dropped(text: str, expanded: str | None) -> None:
    assert glibc.expand(text, {"ORIGIN": "/o", "LIB": "lib64"}) == expanded


def test_what_becomes_longer_than_any_path_opens_nothing_and_takes_no_memory() -> None:
    assert glibc.expand("$ORIGIN" * 100_000, {"ORIGIN": "/o" * 30_000}) is None
    assert musl.run_path_elements("/a:" + "$ORIGIN" * 100_000, "/o" * 30_000) == (("/a", "/a"),)


def test_many_dollar_signs_take_linear_time() -> None:
    start = time.process_time()
    assert glibc.expand("$" * 1_000_000, {"ORIGIN": "/o"}) is None
    assert time.process_time() - start < 1


def test_any_other_token_voids_a_whole_run_path_in_musl() -> None:
    assert musl.run_path_elements("$ORIGIN/a:/b", "/o") == (("$ORIGIN/a", "/o/a"), ("/b", "/b"))
    assert musl.run_path_elements("$ORIGIN/a:/$LIB", "/o") == ()


def test_processor_directories_follow_the_release_and_the_processor() -> None:
    of = glibc.subdirectories
    assert of("x86_64", 0b1111, (2, 37)) == ("glibc-hwcaps/x86-64-v4", "glibc-hwcaps/x86-64-v3", "glibc-hwcaps/x86-64-v2")
    assert of("x86_64", 0b0011, (2, 41)) == ("glibc-hwcaps/x86-64-v2",)
    assert of("x86_64", 0b1111, (2, 31))[:3] == ("tls/haswell/avx512_1/x86_64", "tls/haswell/avx512_1", "tls/haswell/x86_64")
    assert of("x86_64", 0b0001, (2, 23)) == ("tls/x86_64/x86_64", "tls/x86_64", "tls", "x86_64/x86_64", "x86_64")
    assert of("aarch64", 0, (2, 41)) == ()


def test_reserved_names_are_told_by_their_beginning() -> None:
    assert all(map(musl.is_reserved, ("libc.so.6", "libm.so.6", "libm.helper.so", "libpthread.so.0")))
    assert not any(map(musl.is_reserved, ("libmm.so", "libresolv.so.2", "ld-linux-x86-64.so.2", "xlibc.so")))


def test_lfs64_names_come_by_the_loader_from_1_2_4_on() -> None:
    assert musl.lfs64_name(b"open64", (1, 2, 3)) is None
    assert musl.lfs64_name(b"open64", (1, 2, 4)) == b"open"
    assert musl.lfs64_name(b"posix_fallocate64", (1, 2, 5)) is None
    assert musl.lfs64_name(b"posix_fallocate64", (1, 2, 6)) == b"posix_fallocate"
    assert musl.lfs64_name(b"own64", (1, 2, 6)) is None


# Candidates


def identity(**fields: object) -> ElfIdentity:
    usual: dict[str, object] = {
        "bits": 64,
        "little_endian": True,
        "machine": Machine.EM_X86_64,
        "type": ElfType.ET_DYN,
        "os_abi": 0,
        "abi_version": 0,
        "flags": 0,
    }
    return ElfIdentity(**(usual | fields))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("met", "in_glibc", "in_musl"),
    [
        (identity(), Effect.TAKEN, Effect.TAKEN),
        (identity(os_abi=3), Effect.TAKEN, Effect.TAKEN),
        (identity(os_abi=9), Effect.FATAL, Effect.TAKEN),
        (identity(bits=32), Effect.PASSED_OVER, Effect.FATAL),
        (identity(bits=32, os_abi=9), Effect.PASSED_OVER, Effect.FATAL),
        (identity(little_endian=False), Effect.FATAL, Effect.FATAL),
        (identity(machine=Machine.EM_AARCH64), Effect.PASSED_OVER, Effect.TAKEN),
        (identity(machine=Machine.EM_AARCH64, os_abi=9), Effect.FATAL, Effect.TAKEN),
        (identity(type=ElfType.ET_REL), Effect.FATAL, Effect.FATAL),
        (identity(type=ElfType.ET_EXEC), Effect.TAKEN, Effect.TAKEN),
    ],
)
def test_a_candidate_is_taken_passed_over_or_ends_the_search(met: ElfIdentity, in_glibc: Effect, in_musl: Effect) -> None:
    assert glibc.candidate(identity(), met, is_dynamic=True)[0] is in_glibc
    assert musl.candidate(identity(), met, is_dynamic=True)[0] is in_musl


def test_a_file_without_a_dynamic_section_ends_the_search() -> None:
    assert glibc.candidate(identity(), identity(), is_dynamic=False)[0] is Effect.FATAL
    assert musl.candidate(identity(), identity(), is_dynamic=False)[0] is Effect.FATAL


def test_a_relocation_of_another_machine_fails_in_musl_that_mapped_the_file() -> None:
    foreign = Elf(machine=AARCH64, soname="liba.so", symbols=(Symbol(name="f", shndx=DEFINED),))
    relocated = Elf(
        machine=AARCH64,
        soname="liba.so",
        symbols=(Symbol(name="f", shndx=DEFINED),),
        relocations=(Relocation(type=AARCH64.glob_dat, symbol="f"),),
    )
    for elf, outcome in ((foreign, LoadOutcome.LOADS), (relocated, LoadOutcome.FAILS)):
        assert load(world({"root.so": asking("f"), "liba.so": elf}), loader="musl-1.2.5").outcome is outcome


# Storage


def test_static_storage_is_laid_from_the_end_in_multiples_of_the_alignment() -> None:
    assert glibc.static_tls_left(1664, 1664, 1) == 0
    assert glibc.static_tls_left(1664, 1665, 1) is None
    assert glibc.static_tls_left(1712, 64, 64) == 1600
    assert glibc.static_tls_left(1712, 8, 8) == 1704
    assert glibc.static_tls_left(1664, 1, 128) is None


# Waiting for the first call


def test_the_static_block_of_other_machines_than_x86_is_aligned_to_16_and_to_32_from_2_35() -> None:
    assert glibc.static_tls_alignment(Machine.EM_386, (2, 31)) == 64
    assert glibc.static_tls_alignment(Machine.EM_AARCH64, (2, 34)) == 16
    assert glibc.static_tls_left(1664, 32, 32, best_alignment=16) is None
    assert glibc.static_tls_alignment(Machine.EM_AARCH64, (2, 35)) == 32
    assert glibc.static_tls_left(1664, 32, 32, best_alignment=32) == 1632


def test_only_x86_ever_left_descriptors_and_aarch64_leaves_no_call_of_a_standard_of_its_own() -> None:
    assert glibc.may_wait(Use.TLS_DESCRIPTOR, (2, 33), Machine.EM_386)
    assert not glibc.may_wait(Use.TLS_DESCRIPTOR, (2, 33), Machine.EM_AARCH64)
    assert not glibc.may_wait(Use.JUMP_SLOT, (2, 36), Machine.EM_AARCH64, other=0x80)
    assert glibc.may_wait(Use.JUMP_SLOT, (2, 29), Machine.EM_AARCH64, other=0x80)
    assert glibc.may_wait(Use.JUMP_SLOT, (2, 36), Machine.EM_X86_64, other=0x80)


def test_thread_local_descriptors_may_wait_until_2_33() -> None:
    assert glibc.may_wait(Use.TLS_DESCRIPTOR, (2, 33))
    assert not glibc.may_wait(Use.TLS_DESCRIPTOR, (2, 34))
    assert not glibc.may_wait(Use.JUMP_SLOT | Use.GLOB_DAT, (2, 33))
    assert musl.may_wait(Use.JUMP_SLOT | Use.GLOB_DAT)
    assert not musl.may_wait(Use.ABSOLUTE)


def test_a_missing_function_waits_for_its_call_when_opened_lazily() -> None:
    installation = world({"root.so": asking("nofn", needed=(), type=JUMP_SLOT)})
    (now,) = judged(installation).loads.values()
    (later,) = judged(installation, lazy=True).loads.values()
    assert (now.outcome, later.outcome) == (LoadOutcome.FAILS, LoadOutcome.LOADS)


# Set-ups


def test_a_setup_of_unknown_files_is_refused() -> None:
    installation = world({"root.so": asking("f", needed=())})
    platform = system("glibc-2.36")
    with pytest.raises(ValueError, match=r"pkg/gone\.so is no shared object"):
        Process(
            installation,
            platform=platform.id,
            baseline=platform,
            host=opener("glibc-2.36", interpreter=False),
            setup=Setup(preloads=(Preload(path="pkg/gone.so"),)),
        )


def test_a_preload_that_does_not_load_keeps_the_root_from_being_opened() -> None:
    installation = world({"root.so": asking("strlen", needed=("libc.so.6",)), "pre.so": asking("nofn", needed=())})
    verdict = load(installation, setup=Setup(preloads=(Preload(path="pre.so"),)))
    assert verdict.outcome is LoadOutcome.FAILS
    assert verdict.because is not None
    assert (verdict.because.object, verdict.because.subject) == ("pre.so", "nofn")
    assert load(installation).outcome is LoadOutcome.LOADS


def test_a_root_that_is_preloaded_has_the_verdict_of_its_own_opening() -> None:
    installation = world({"root.so": asking("nofn", needed=())})
    assert load(installation, setup=Setup(preloads=(Preload(path="root.so"),))).outcome is LoadOutcome.FAILS


def test_a_file_that_is_another_c_library_is_musl_itself() -> None:
    names = ("__libc_start_main", "stdin", "f")
    library = Elf(soname="libown.so", symbols=tuple(Symbol(name=name, shndx=DEFINED) for name in names))
    installation = world({"root.so": asking("f", needed=("libown.so",)), "libown.so": library})
    assert load(installation, loader="glibc-2.36").outcome is LoadOutcome.LOADS
    assert load(installation, loader="musl-1.2.5").outcome is LoadOutcome.FAILS


# Symbolic links


def test_a_loop_of_links_is_no_file() -> None:
    installation = world({"root.so": asking("f")}, {"liba.so": "libb.so", "libb.so": "liba.so"})
    verdict = load(installation)
    assert verdict.because is not None
    assert (verdict.because.kind, verdict.because.subject) == ("library", "liba.so")


def test_a_linked_directory_is_followed_before_its_dots() -> None:
    files = {"root.so": asking("f", runpath="$ORIGIN/there/../up"), "real/up/liba.so": PLAIN, "real/deep/x.so": PLAIN}
    assert load(world(files, {"there": "real/deep"})).outcome is LoadOutcome.LOADS
    assert load(world({**files, "there/x.so": PLAIN})).outcome is LoadOutcome.FAILS


# Refusals in their order


def test_a_missing_library_comes_before_a_refused_version_and_that_before_a_symbol() -> None:
    needs = (VersionNeed("liba.so", (WrittenVersion("V2", 2),)),)
    versions = (VersionDefinition("liba.so", 1, 1), VersionDefinition("V1", 2))
    provider = Elf(soname="liba.so", version_definitions=versions, symbols=(Symbol(name="g", shndx=DEFINED, version=2),))
    root = Elf(
        needed=("liba.so",),
        runpath="$ORIGIN",
        version_needs=needs,
        symbols=(Symbol(name="f", version=2),),
        relocations=(Relocation(type=6, symbol="f"),),
    )
    kinds = []
    for files in ({"root.so": root}, {"root.so": root, "liba.so": provider}):
        verdict = load(world(files))
        assert verdict.because is not None
        kinds.append(verdict.because.kind)
    assert kinds == ["library", "version"]


def test_an_unversioned_symbol_of_a_system_library_with_needs_is_taken_for_a_version_of_another_build() -> None:
    """Debian's libpq defines no versions, where other builds do; it has a table of them for those of libc that it needs."""
    root = Elf(
        needed=("libz.so.1",),
        version_needs=(VersionNeed("libz.so.1", (WrittenVersion("ZLIB_1.2.0", 2),)),),
        symbols=(Symbol(name="zlibVersion", version=2),),
        relocations=(Relocation(type=6, symbol="zlibVersion"),),
    )
    library = system("glibc-2.36").library("libz.so.1")
    assert library is not None
    assert (library.versions, library.needed) == ((), ("libc.so.6",))
    assert load(world({"root.so": root})).outcome is LoadOutcome.LOADS


def test_a_weak_definition_without_a_table_is_an_error_in_musl_only() -> None:
    root = Elf(
        symbols=(Symbol(name="f", shndx=DEFINED, binding=WrittenBinding.WEAK),),
        relocations=(Relocation(type=6, symbol="f"),),
        gnu_hash=Hash.EMPTY,
    )
    assert load(world({"root.so": root})).outcome is LoadOutcome.LOADS
    assert load(world({"root.so": root}), loader="musl-1.2.5").outcome is LoadOutcome.FAILS


def test_a_hidden_definition_of_its_own_is_not_looked_up() -> None:
    root = Elf(
        symbols=(Symbol(name="f", shndx=DEFINED, visibility=Visibility.HIDDEN),),
        relocations=(Relocation(type=6, symbol="f"),),
        gnu_hash=Hash.EMPTY,
    )
    assert load(world({"root.so": root})).outcome is LoadOutcome.LOADS
    assert load(world({"root.so": root}), loader="glibc-2.23").outcome is LoadOutcome.FAILS


def test_an_absolute_symbol_of_its_own_counts_from_2_28_on() -> None:
    root = Elf(
        symbols=(Symbol(name="f", shndx=ABS, value=0, type=Type.NOTYPE),),
        relocations=(Relocation(type=6, symbol="f"),),
    )
    assert load(world({"root.so": root}), loader="glibc-2.27").outcome is LoadOutcome.FAILS
    assert load(world({"root.so": root}), loader="glibc-2.31").outcome is LoadOutcome.LOADS


def test_a_library_for_a_better_processor_is_refused_where_the_setup_has_a_lesser_one() -> None:
    provider = Elf(soname="liba.so", symbols=PLAIN.symbols, notes=(x86_isa_needed(0b0101),))
    installation = world({"root.so": asking("f"), "liba.so": provider})
    assert load(installation).outcome is LoadOutcome.LOADS
    lesser = Setup(isa=0b0011)
    assert load(installation, setup=lesser).outcome is LoadOutcome.FAILS
    assert load(installation, setup=lesser, loader="glibc-2.31").outcome is LoadOutcome.LOADS


def test_written_files_are_read_as_they_were_meant() -> None:
    assert facts_of(write(PLAIN)).soname == "liba.so"
