from __future__ import annotations

import pytest

from checker.model.closure import ProviderKind
from checker.model.resolution import RootVerdict, Via
from checker.rules.libraries.undeclared_dependency import RULE
from tests.rules.builders import MODULE, bound, case, edge, elf, promise, resolution, told


def test_symbols_that_the_interpreters_libraries_rescue_are_told_once_for_the_library() -> None:
    found_ones = tuple(bound(name, "libz.so.1", Via.INTERPRETER_DEPENDENCY) for name in (b"crc32", b"adler32"))
    (found,) = told(RULE, case(elf(), resolutions=found_ones))
    assert (found.file, found.subject) == (MODULE, "libz.so.1")
    assert "interpreter" in found.message


@pytest.mark.parametrize("library", ["libm.so.6", "libdl.so.2", "libpthread.so.0"])
def test_what_every_interpreter_links_is_told_only_where_a_sibling_brings_it(library: str) -> None:
    def findings(via: Via) -> int:
        return len(told(RULE, case(elf(), resolutions=(bound(b"pow", library, via),))))

    assert (findings(Via.INTERPRETER_DEPENDENCY), findings(Via.SIBLING)) == (0, 1)


def test_what_a_program_defines_for_its_own_libraries_is_silent() -> None:
    """As Qt's programs take the address of QObject::eventFilter, so that their libraries bind it to the program's PLT."""
    use = bound(b"eventFilter", "pkg/tool", Via.SIBLING, object="pkg/liba.so")
    roots = (RootVerdict(path="pkg/tool", host="executable", loads=()),)
    assert told(RULE, case(elf("pkg/tool"), elf("pkg/liba.so"), resolutions=(use,), roots=roots)) == []


def test_a_siblings_symbol_is_told() -> None:
    (found,) = told(RULE, case(elf(), resolutions=(bound(b"helper", "pkg/libhelper.so", Via.SIBLING),)))
    assert "libhelper.so" in found.remedy


def test_the_sibling_that_brings_the_library_is_named() -> None:
    helper = "pkg/libhelper.so"
    needs = tuple(edge("libhelper.so", ProviderKind.MEMBER, helper, needer) for needer in ("pkg/libb.so", "pkg/liba.so"))
    (found,) = told(RULE, case(elf(), resolutions=(bound(b"helper", helper, Via.SIBLING),), libraries=needs))
    assert "there only because pkg/liba.so and pkg/libb.so need it" in found.message
    assert dict(found.evidence)["needed_by"] == ("pkg/liba.so", "pkg/libb.so")


def test_a_symbol_of_the_root_hangs_on_that_root() -> None:
    use = bound(b"helper", MODULE, Via.SIBLING, object="pkg/liba.so")
    needs = (edge("_core.so", ProviderKind.MEMBER, MODULE, "pkg/other.so"),)
    (found,) = told(RULE, case(elf(), elf("pkg/liba.so"), resolutions=(use,), libraries=needs))
    assert "there only because it is the root" in found.message


def test_what_the_interpreter_brings_in_one_root_and_a_sibling_in_another_is_told_as_both() -> None:
    uses = tuple(bound(b"zlibVersion", "libz.so.1", via) for via in (Via.SIBLING, Via.INTERPRETER_DEPENDENCY))
    needs = (edge("libz.so.1", ProviderKind.PLATFORM, "libz.so.1", "pkg/liba.so"),)
    (found,) = told(RULE, case(elf(), resolutions=uses, libraries=needs))
    assert "only because the interpreter links it or pkg/liba.so needs it" in found.message


def test_a_symbol_that_the_named_library_has_too_needs_no_luck() -> None:
    found = bound(b"close", "libutil.so.1", Via.INTERPRETER_DEPENDENCY, version=b"GLIBC_2.2.5", version_file="libc.so.6")
    known = (promise(libraries={"libc.so.6": [b"close"]}),)
    assert told(RULE, case(elf(), resolutions=(found,), promises=known)) == []
    assert told(RULE, case(elf(), resolutions=(found,))) != []


@pytest.mark.parametrize("via", [Via.NEEDED, Via.INTERPRETER, Via.PRELOAD])
def test_other_bindings_are_silent(via: Via) -> None:
    assert told(RULE, case(elf(), resolutions=(bound(b"x", "libm.so.6", via),))) == []


def test_the_c_library_is_in_every_process() -> None:
    assert told(RULE, case(elf(), resolutions=(bound(b"free", "libc.so.6", Via.INTERPRETER_DEPENDENCY),))) == []


def test_the_cxx_runtime_and_failures_are_other_rules() -> None:
    others = (bound(b"__cxa_throw", "libstdc++.so.6", Via.SIBLING), resolution(b"x"))
    assert told(RULE, case(elf(), resolutions=others)) == []
