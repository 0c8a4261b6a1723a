from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from checker.model.closure import FoundBy, ProviderKind
from checker.model.record import replace
from checker.model.resolution import RootVerdict, Via
from checker.rules.libraries.preload_only_library import RULE
from checker.rules.symbols.unresolved_symbol import RULE as UNRESOLVED
from tests.rules import builders as build
from tests.rules.builders import MODULE, ask, told

if TYPE_CHECKING:
    from checker.model.case import Case

LIBRARY = "pkg.libs/libfoo.so.1"
NEEDED = replace(build.edge("libfoo.so.1", ProviderKind.MEMBER, LIBRARY), how=FoundBy.PRELOADED)
DECLARED = replace(build.edge("libtorch.so", ProviderKind.DECLARED, "torch:libtorch.so"), how=FoundBy.DECLARED)


def test_a_needed_library_that_only_a_preload_brings_is_told_once() -> None:
    use = build.bound(b"foo", LIBRARY, Via.PRELOAD)
    (found,) = told(RULE, build.case(build.elf(), libraries=(NEEDED, NEEDED), resolutions=(use,)))
    assert (found.file, found.subject) == (MODULE, "libfoo.so.1")
    assert LIBRARY in found.message
    assert dict(found.evidence)["mechanism"] == "DT_SONAME"


def test_symbols_from_the_global_scope_are_told_with_their_library() -> None:
    uses = (build.bound(b"foo", LIBRARY, Via.PRELOAD), build.bound(b"bar", LIBRARY, Via.PRELOAD))
    (found,) = told(RULE, build.case(build.elf(), resolutions=uses))
    assert found.subject == LIBRARY
    assert "2 symbols" in found.message
    assert "RTLD_GLOBAL" in str(dict(found.evidence)["mechanism"])
    assert "against libfoo.so.1" in found.remedy


def test_libraries_of_declared_providers_are_accepted_unless_the_policy_says_otherwise() -> None:
    case = build.case(build.elf(), libraries=(DECLARED,))
    assert not told(RULE, case)
    (found,) = told(RULE, case, accept_declared=False)
    assert "another distribution's torch:libtorch.so" in found.message


def test_what_is_found_or_bound_otherwise_is_fine() -> None:
    loaded = replace(NEEDED, how=FoundBy.ALREADY_LOADED)
    uses = tuple(build.bound(b"foo", LIBRARY, via) for via in Via if via is not Via.PRELOAD)
    assert not ask(RULE, build.case(build.elf(), libraries=(loaded, build.edge("libbar.so")), resolutions=uses))


def _beside_a_program(name: str, *, opens: bool = True, **changes: object) -> Case:
    """A file that uses symbols of a library with which a program of the same wheel is started."""
    plugin = build.elf("pkg/module.so", **changes)
    program = build.elf("pkg/bin/server", imports=(b"dlopen",) if opens else ())
    needs = replace(build.edge("libcore.so.1", ProviderKind.MEMBER, name, needer=program.path), root=program.path)
    lost = build.resolution(b"core_alloc", object=plugin.path, roots=(plugin.path,), candidates=("pkg/lib/libcore.so.1",))
    roots = (
        RootVerdict(path=plugin.path, host="library", loads=()),
        RootVerdict(path=program.path, host="executable", loads=()),
    )
    core = build.elf("pkg/lib/libcore.so.1", exports=(b"core_alloc",))
    return build.case(plugin, program, core, roots=roots, libraries=(needs,), resolutions=(lost,))


def test_a_plugin_is_told_with_the_program_that_opens_it_and_not_as_unresolved() -> None:
    case = _beside_a_program("pkg/lib/libcore.so.1")
    (found,) = told(RULE, case)
    assert (found.file, found.subject) == ("pkg/module.so", "pkg/bin/server")
    assert "only that program can open it" in found.message
    assert not told(UNRESOLVED, case)


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(_beside_a_program("pkg/lib/libother.so.1"), id="the program has not what it uses"),
        pytest.param(_beside_a_program("pkg/lib/libcore.so.1", opens=False), id="the program opens nothing"),
        pytest.param(_beside_a_program("pkg/lib/libcore.so.1", exports=(b"PyInit_module",)), id="an extension module"),
        pytest.param(_beside_a_program("pkg/lib/libcore.so.1", soname="libmodule.so.1"), id="made to be linked with"),
    ],
)
def test_what_no_program_opens_stays_unresolved(case: Case) -> None:
    assert not told(RULE, case)
    (found,) = told(UNRESOLVED, case)
    assert "libcore.so.1" in found.message
