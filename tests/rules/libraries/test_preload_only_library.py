from __future__ import annotations

from checker.model.closure import FoundBy, ProviderKind
from checker.model.record import replace
from checker.model.resolution import Via
from checker.rules.libraries.preload_only_library import RULE
from tests.rules import builders as build
from tests.rules.builders import MODULE, ask, told

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
