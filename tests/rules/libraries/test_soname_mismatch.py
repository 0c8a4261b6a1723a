from __future__ import annotations

from checker.model.closure import ProviderKind
from checker.rules.libraries.soname_mismatch import RULE
from tests.rules.builders import case, edge, elf, promise, told

PATH = "pkg.libs/libz.915b4635.so.1"
NEED = edge("libz.915b4635.so.1", ProviderKind.MEMBER, PATH)


def test_a_renamed_library_that_kept_its_soname_is_told() -> None:
    (found,) = told(RULE, case(elf(), elf(PATH, soname="libz.so.1"), libraries=(NEED,)))
    assert (found.file, found.subject) == (PATH, "libz.so.1")
    assert found.remedy == f"Set the SONAME to what the others need: patchelf --set-soname libz.915b4635.so.1 {PATH}"


def test_all_are_told_together() -> None:
    other = "pkg.libs/libpng16.1d0d8f4e.so.16"
    needs = (NEED, edge("libpng16.1d0d8f4e.so.16", ProviderKind.MEMBER, other))
    (found,) = told(RULE, case(elf(), elf(other, soname="libpng16.so.16"), elf(PATH, soname="libz.so.1"), libraries=needs))
    assert "libz.915b4635.so.1 says libz.so.1" in found.message
    assert "libpng16.1d0d8f4e.so.16 says libpng16.so.16" in found.message


def test_a_library_that_is_needed_by_two_names_is_told() -> None:
    needs = (NEED, edge("libz.so.1", ProviderKind.MEMBER, PATH, needer="pkg/_other.so"))
    (found,) = told(RULE, case(elf(), elf(PATH, soname="libz.so.1"), libraries=needs))
    assert "needed as libz.915b4635.so.1 and libz.so.1" in str(dict(found.evidence)["libraries"])


def test_no_soname_is_told_only_of_a_library_that_is_needed() -> None:
    (found,) = told(RULE, case(elf(), elf(PATH), libraries=(NEED,)))
    assert "no SONAME" in found.message
    assert told(RULE, case(elf(), elf(PATH))) == []


def test_agreement_is_silent_and_so_are_modules() -> None:
    assert told(RULE, case(elf(), elf(PATH, soname="libz.915b4635.so.1"), libraries=(NEED,))) == []
    module = "pkg/_C.cpython-311-x86_64-linux-gnu.so"
    need = edge("_C.cpython-311-x86_64-linux-gnu.so", ProviderKind.MEMBER, module)
    assert told(RULE, case(elf(), elf(module), libraries=(need,))) == []


def test_musl_minds_two_names_only() -> None:
    musl = (promise("musllinux_1_2_x86_64", family="musl"),)
    assert told(RULE, case(elf(), elf(PATH, soname="libz.so.1"), libraries=(NEED,), promises=musl)) == []
    needs = (NEED, edge("libz.so.1", ProviderKind.MEMBER, PATH))
    assert told(RULE, case(elf(), elf(PATH, soname="libz.so.1"), libraries=needs, promises=musl)) != []
