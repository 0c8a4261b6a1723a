from __future__ import annotations

from checker.model.artifact import Tag
from checker.model.closure import ProviderKind
from checker.rules.libraries.forbidden_needed_library import RULE
from tests.rules.builders import MODULE, case, edge, elf, told

LIBPYTHON, CXX = "libpython3.8.so.1.0", "libstdc++.so.6"


def test_libpython_fires_whatever_the_policys_own_list() -> None:
    for libraries in ((), (CXX,)):
        (found,) = told(RULE, case(elf(needed=(LIBPYTHON, "libc.so.6"))), libraries=libraries)
        assert (found.file, found.subject) == (MODULE, LIBPYTHON)
        assert f"patchelf --remove-needed {LIBPYTHON}" in found.remedy


def test_libpython_may_be_allowed() -> None:
    assert told(RULE, case(elf(needed=(LIBPYTHON,))), allow_libpython=True) == []


def test_a_forbidden_library_fires_with_the_driver_that_mends_it() -> None:
    (found,) = told(RULE, case(elf(needed=(CXX,))), libraries=("libstdc++.so*",))
    assert "g++ -static-libstdc++" in found.remedy
    assert "-l:libstdc++.a after the objects" in found.remedy


def test_the_closure_is_followed_only_when_asked_and_cycles_end() -> None:
    edges = (
        edge("liba.so", ProviderKind.MEMBER, "pkg/liba.so"),
        edge(CXX, ProviderKind.PLATFORM, CXX, needer="pkg/liba.so"),
        edge("_core.so", ProviderKind.MEMBER, MODULE, needer="pkg/liba.so"),
    )
    asked = case(elf(needed=("liba.so",)), libraries=edges)
    assert told(RULE, asked, libraries=(CXX,)) == []
    (found,) = told(RULE, asked, libraries=(CXX,), via="closure")
    assert ("needed_by", (MODULE, "pkg/liba.so")) in found.evidence
    assert "through pkg/liba.so" in found.message


def test_other_libraries_are_silent() -> None:
    assert told(RULE, case(elf())) == []


def test_on_android_every_extension_module_needs_libpython() -> None:
    """As aiohttp 3.14.5 for Android does; python/cpython#115780."""
    needer = elf(needed=("libpython3.14.so", "libc.so"))
    asked = case(needer, tags=(Tag(python="cp314", abi="cp314", platform="android_24_arm64_v8a"),), promises=())
    assert told(RULE, asked) == []
    assert [each.subject for each in told(RULE, asked, libraries=("libc.so",))] == ["libc.so"]
    both = case(
        needer,
        tags=(
            Tag(python="cp314", abi="cp314", platform="android_24_arm64_v8a"),
            Tag(python="cp314", abi="cp314", platform="linux_aarch64"),
        ),
        promises=(),
    )
    assert [each.subject for each in told(RULE, both)] == ["libpython3.14.so"]
