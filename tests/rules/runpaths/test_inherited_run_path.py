from __future__ import annotations

from typing import TYPE_CHECKING

from checker.model.closure import FoundBy, ProviderKind
from checker.model.record import replace
from checker.rules.runpaths.inherited_run_path import RULE
from tests.rules.builders import case, edge, elf, promise, told

if TYPE_CHECKING:
    from checker.model.closure import Edge

LIBRARY = "pkg/lib/libfoo.so.1"


def inherited(soname: str = "libbar.so.1", needer: str = LIBRARY, how: FoundBy = FoundBy.INHERITED_RPATH) -> Edge:
    return replace(edge(soname, ProviderKind.MEMBER, f"pkg/lib/{soname}", needer=needer), how=how)


def test_what_a_loaders_rpath_finds_fires_once_for_each_library_with_the_entry_that_would_do() -> None:
    (found,) = told(RULE, case(elf(), libraries=(inherited(), inherited("libbaz.so.2"))))
    assert (found.file, found.subject) == (LIBRARY, "libbar.so.1")
    assert "libbar.so.1 and libbaz.so.2" in found.message
    assert "patchelf --add-rpath '$ORIGIN' pkg/lib/libfoo.so.1" in found.remedy


def test_other_ways_of_finding_are_silent() -> None:
    for how in (FoundBy.RPATH, FoundBy.RUNPATH, FoundBy.ALREADY_LOADED, FoundBy.SYSTEM):
        assert told(RULE, case(elf(), libraries=(inherited(how=how),))) == []


def test_a_library_of_another_distribution_is_silent() -> None:
    assert told(RULE, case(elf(), libraries=(replace(inherited(), provider=ProviderKind.DECLARED),))) == []


def test_names_with_a_digest_are_opened_by_nobody_but_their_users() -> None:
    for path in ("pkg.libs/libfoo-0a1b2c3d.so.1", "pkg.libs/libopenblas-r0-11edc3fa.3.15.so", "pkg/.libs/libfoo-0a1b2c3d.so"):
        assert told(RULE, case(elf(), libraries=(inherited(needer=path),))) == []
        assert told(RULE, case(elf(), libraries=(inherited(needer=path),)), private=()) != []


def test_where_another_root_does_not_find_it_that_is_told_elsewhere() -> None:
    assert told(RULE, case(elf(), libraries=(inherited(), edge("libbar.so.1", needer=LIBRARY)))) == []


def test_a_library_that_every_promised_platform_has_would_be_found_there() -> None:
    libraries = (inherited("libz.so.1"),)
    known = promise(libraries={"libz.so.1": ()})
    assert told(RULE, case(elf(), libraries=libraries, promises=(known,))) == []
    assert told(RULE, case(elf(), libraries=libraries, promises=(known, promise(known=False)))) != []
    assert told(RULE, case(elf(), libraries=libraries, promises=())) != []
