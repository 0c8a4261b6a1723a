from __future__ import annotations

from checker.model.closure import ProviderKind
from checker.model.elf import Use
from checker.model.record import replace
from checker.rules.symbols import symbol_version_missing
from checker.rules.symbols.private_platform_symbol import RULE
from tests.rules.builders import MODULE, case, edge, elf, missing_version, promise, resolution, told, version_need

PRIVATE = elf(
    version_needs=(version_need("libc.so.6", b"GLIBC_2.2.5", b"GLIBC_PRIVATE"),),
    imports=[(b"__libc_dlopen_mode", 3, Use.JUMP_SLOT), (b"free", 2, Use.JUMP_SLOT)],
)
DENYING = (replace(promise(), private=(("libz.so.1", "_tr_init"), ("libz.so.1", "inflate_fast"))),)
FROM_PLATFORM = (edge("libz.so.1", ProviderKind.PLATFORM, "libz.so.1"),)
INNER = elf(needed=("libz.so.1",), imports=[b"inflate_fast", b"_tr_init", b"inflate"])


def test_glibc_private_fires_with_its_symbols_and_is_told_once() -> None:
    refused = missing_version("libc.so.6", b"GLIBC_PRIVATE", ProviderKind.PLATFORM)
    asked = case(PRIVATE, missing_versions=(refused,))
    (found,) = told(RULE, asked)
    assert (found.file, found.subject) == (MODULE, "GLIBC_PRIVATE")
    assert "__libc_dlopen_mode" in found.message
    assert "free" not in found.message
    assert told(symbol_version_missing.RULE, asked) == []


def test_denied_symbols_of_a_library_of_the_platform_fire() -> None:
    (found,) = told(RULE, case(INNER, libraries=FROM_PLATFORM, promises=DENYING))
    assert (found.file, found.subject) == (MODULE, "_tr_init")
    assert ("symbols", ("_tr_init", "inflate_fast")) in found.evidence
    assert "libz.so.1" in found.message


def test_a_bundled_library_may_be_asked_for_anything() -> None:
    bundled = (edge("libz.so.1", ProviderKind.MEMBER, "pkg.libs/libz.so.1"),)
    assert told(RULE, case(INNER, libraries=bundled, promises=DENYING)) == []


def test_a_symbol_that_a_member_defines_or_that_fails_anyway_is_silent() -> None:
    other = elf("pkg/libother.so", exports=(b"_tr_init", b"inflate_fast"))
    assert told(RULE, case(INNER, other, libraries=FROM_PLATFORM, promises=DENYING)) == []
    lost = (resolution(b"_tr_init"), resolution(b"inflate_fast"))
    assert told(RULE, case(INNER, libraries=FROM_PLATFORM, promises=DENYING, resolutions=lost)) == []


def test_weak_references_and_other_libraries_are_silent() -> None:
    weak = replace(INNER, imports=replace(INNER.imports, weak=bytes([1, 1, 1])))
    assert told(RULE, case(weak, libraries=FROM_PLATFORM, promises=DENYING)) == []
    assert told(RULE, case(elf(imports=[b"_tr_init"]), libraries=FROM_PLATFORM, promises=DENYING)) == []


def test_a_policy_can_deny_more_and_accept_some() -> None:
    assert told(RULE, case(INNER, libraries=FROM_PLATFORM, promises=DENYING), allowed=("_tr_init", "inflate_fast")) == []
    (found,) = told(RULE, case(INNER, libraries=FROM_PLATFORM), denied=("inflate",))
    assert found.subject == "inflate"
    assert told(RULE, case(PRIVATE), allowed=("__libc_dlopen_mode",)) == []
