from __future__ import annotations

import pytest

from checker.model.artifact import ReadProblem
from checker.model.closure import ProviderKind
from checker.rules.symbols import symbol_version_missing
from checker.rules.symbols.unknown_version_namespace import RULE
from tests.rules.builders import MODULE, Symbols, ask, case, edge, elf, missing_version, promise, told, version_need

ODD = elf(needed=("libz.so.1",), version_needs=(version_need("libz.so.1", b"MYZ_1.0", b"MYZ_1.1"),))
FROM_PLATFORM = (edge("libz.so.1", ProviderKind.PLATFORM, "libz.so.1"),)
WITH_ZLIB = (promise(promised=("libz.so.1",), libraries={"libz.so.1": ()}),)


def test_a_namespace_that_the_promised_library_has_not_fires_once_with_its_versions() -> None:
    (found,) = told(RULE, case(ODD, libraries=FROM_PLATFORM, promises=WITH_ZLIB))
    assert (found.file, found.subject) == (MODULE, "MYZ")
    assert "MYZ_1.0 and MYZ_1.1 of libz.so.1" in found.message
    assert "manylinux_2_17_x86_64" in found.message


def test_the_version_check_that_refuses_it_is_told_here_alone() -> None:
    refused = missing_version("libz.so.1", b"MYZ_1.0", ProviderKind.PLATFORM)
    asked = case(ODD, libraries=FROM_PLATFORM, promises=WITH_ZLIB, missing_versions=(refused,))
    assert told(symbol_version_missing.RULE, asked) == []
    assert len(told(RULE, asked)) == 1


def test_musl_looks_at_no_version_need() -> None:
    promises = (promise("musllinux_1_2_x86_64", family="musl", promised=("libz.so.1",), libraries={"libz.so.1": ()}),)
    assert told(RULE, case(ODD, libraries=FROM_PLATFORM, promises=promises)) == []


@pytest.mark.parametrize("version", [b"ZLIB_1.2.9", b"GLIBC_2.99", b"GLIBC_ABI_DT_RELR", b"GLIBC_PRIVATE", b"GLIBCXX_3.4.99"])
def test_known_namespaces_and_private_versions_are_other_rules(version: bytes) -> None:
    needer = elf(needed=("libz.so.1",), version_needs=(version_need("libz.so.1", version),))
    assert told(RULE, case(needer, libraries=FROM_PLATFORM, promises=WITH_ZLIB)) == []


@pytest.mark.parametrize("provider", [ProviderKind.MEMBER, ProviderKind.DECLARED, ProviderKind.HOST, ProviderKind.NONE])
def test_versions_of_libraries_that_are_not_the_platforms_are_their_own_affair(provider: ProviderKind) -> None:
    needer = elf(needed=("libcudart.so.13",), version_needs=(version_need("libcudart.so.13", b"libcudart.so.13"),))
    libraries = (edge("libcudart.so.13", provider, "x"),)
    assert told(RULE, case(needer, libraries=libraries, promises=(promise(promised=("libcudart.so.13",)),))) == []


def test_a_library_without_any_versions_is_asked_for_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Symbols, "versions", ())
    assert told(RULE, case(ODD, libraries=FROM_PLATFORM, promises=WITH_ZLIB)) == []


def test_of_a_library_known_by_name_only_nothing_is_taken_for_granted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Symbols, "versions", ())
    monkeypatch.setattr(Symbols, "symbols_known", False)
    (answer,) = ask(RULE, case(ODD, libraries=FROM_PLATFORM, promises=WITH_ZLIB))
    assert isinstance(answer, ReadProblem)
    assert answer.file == MODULE
    assert "MYZ_1.0 and MYZ_1.1 of libz.so.1 is not known" in answer.reason


def test_a_library_that_no_tag_promises_and_a_weak_need_are_silent() -> None:
    assert told(RULE, case(ODD, libraries=FROM_PLATFORM)) == []
    weak = elf(needed=("libz.so.1",), version_needs=(version_need("libz.so.1", b"MYZ_1.0", weak=True),))
    assert told(RULE, case(weak, libraries=FROM_PLATFORM, promises=WITH_ZLIB)) == []


def test_without_data_it_could_not_be_checked() -> None:
    (answer,) = ask(RULE, case(ODD, libraries=FROM_PLATFORM, promises=(promise(known=False),)))
    assert isinstance(answer, ReadProblem)
    assert "MYZ" in answer.reason
    plain = elf(version_needs=(version_need("libc.so.6", b"GLIBC_2.2.5"),))
    assert ask(RULE, case(plain, promises=(promise(known=False),))) == []
