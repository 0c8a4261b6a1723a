from __future__ import annotations

from checker.model.closure import ProviderKind
from checker.model.resolution import Outcome
from checker.rules.symbols.symbol_version_missing import RULE
from tests.rules.builders import MODULE, OLD, case, edge, elf, missing_version, resolution, told, version_need


def test_a_bundled_library_that_is_too_old_fires() -> None:
    lost = missing_version("libshape.so.1", b"SHAPE_2", ProviderKind.MEMBER, path="pkg/libshape.so.1")
    (found,) = told(RULE, case(elf(), missing_versions=(lost, lost)))
    assert (found.file, found.subject) == (MODULE, "SHAPE_2")
    assert "libshape.so.1" in found.message


def test_an_abort_of_the_process_is_told_as_such() -> None:
    lost = missing_version("libold.so", b"V1", ProviderKind.NONE, path=None, aborts=True)
    (found,) = told(RULE, case(elf(), missing_versions=(lost,)))
    assert "aborts the whole process" in found.message


def test_a_version_of_a_library_that_no_tag_promises_fires_and_a_private_one_is_another_rules() -> None:
    private = missing_version("libc.so.6", b"GLIBC_PRIVATE", ProviderKind.PLATFORM)
    patched = missing_version("libssl.so.3", b"OPENSSL_3.2.0", ProviderKind.PLATFORM)
    found = told(RULE, case(elf(), missing_versions=(private, patched)))
    assert [each.subject for each in found] == ["OPENSSL_3.2.0"]


def test_what_is_newer_than_the_tag_is_another_rules() -> None:
    needer = elf(version_needs=(version_need("libc.so.6", b"GLIBC_2.34"),))
    lost = missing_version("libc.so.6", b"GLIBC_2.34", ProviderKind.PLATFORM)
    assert told(RULE, case(needer, missing_versions=(lost,))) == []


def test_a_symbol_without_its_version_in_a_bundled_library_fires() -> None:
    failing = resolution(b"area", Outcome.VERSION_MISSING, version=b"SHAPE_1", version_file="libshape.so.1")
    libraries = (edge("libshape.so.1", ProviderKind.MEMBER, "pkg/libshape.so.1"),)
    (found,) = told(RULE, case(elf(), resolutions=(failing,), libraries=libraries))
    assert found.subject == "area@SHAPE_1"


def test_a_bundled_librarys_symbol_that_one_release_alone_refuses_is_no_matter_of_the_platform() -> None:
    failing = resolution(
        b"area",
        Outcome.VERSION_MISSING,
        version=b"SHAPE_1",
        version_file="libshape.so.1",
        platforms=(OLD,),
        reason="up to 2.29",
    )
    libraries = (edge("libshape.so.1", ProviderKind.MEMBER, "pkg/libshape.so.1"),)
    (found,) = told(RULE, case(elf(), resolutions=(failing,), libraries=libraries))
    assert ("because", ("up to 2.29",)) in found.evidence


def test_nothing_missing_is_silent() -> None:
    assert told(RULE, case(elf(version_needs=(version_need("libc.so.6", b"GLIBC_2.2.5"),)))) == []


def test_missing_symbols_without_versions_are_other_rules() -> None:
    assert told(RULE, case(elf(), resolutions=(resolution(b"f"),))) == []


def test_nobody_is_told_to_bundle_a_c_library() -> None:
    for file, word in (("libc.so.6", "oldest system"), ("libcudart.so.13", "Bundle the libcudart.so.13")):
        refused = missing_version(file, b"V_9", ProviderKind.PLATFORM)
        (found,) = told(RULE, case(elf(needed=(file,)), missing_versions=(refused,)))
        assert word in found.remedy
