from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from checker.model.artifact import ReadProblem
from checker.model.closure import ProviderKind
from checker.model.elf import Use
from checker.model.platform import PlatformId
from checker.model.record import replace
from checker.model.resolution import Outcome, Via
from checker.rules.symbols.symbol_not_on_platform import RULE
from tests.rules.builders import MODULE, OLD, ask, bound, case, edge, elf, member, missing_version, promise, resolution, told

if TYPE_CHECKING:
    from checker.model.case import Case


def test_a_library_of_the_platform_that_is_not_needed_is_named_with_its_option() -> None:
    failing = tuple(resolution(name, candidates=("librt.so.1",), platforms=(OLD,)) for name in (b"shm_open", b"shm_unlink"))
    (found,) = told(RULE, case(elf(), resolutions=failing))
    assert (found.file, found.subject) == (MODULE, "shm_open")
    assert "on glibc-2.17-x86_64" in found.message
    assert "-lrt after the objects" in found.remedy


def test_a_symbol_of_a_later_release_fires() -> None:
    (found,) = told(RULE, case(elf(), resolutions=(resolution(b"getrandom", platforms=(OLD,)),)))
    assert "glibc-2.17-x86_64" in found.message


def test_on_musl_no_container_refuses_a_symbol_that_came_later() -> None:
    musl = PlatformId(family="musl", release=(1, 2, 2), architecture="x86_64")
    (found,) = told(RULE, case(elf(), resolutions=(resolution(b"pthread_getname_np", platforms=(musl,)),)))
    assert found.remedy.startswith("Do without the symbol")
    assert "the container of the promised tag" not in found.remedy


def test_a_symbol_bound_to_the_wrong_library_of_the_platform_fires() -> None:
    failing = resolution(
        b"scalbln", Outcome.VERSION_MISSING, version=b"GLIBC_2.2.5", version_file="libc.so.6", reason="up to 2.29"
    )
    (found,) = told(
        RULE, case(elf(), resolutions=(failing,), libraries=(edge("libc.so.6", ProviderKind.PLATFORM, "libc.so.6"),))
    )
    assert found.subject == "scalbln@GLIBC_2.2.5"
    assert ("because", ("up to 2.29",)) in found.evidence


def test_a_symbol_that_the_named_library_lacks_fires_though_the_interpreter_brings_another() -> None:
    asked: dict[str, Any] = {"promises": (promise(libraries={"libc.so.6": [b"free"], "libm.so.6": [b"scalbln"]}),)}
    lucky = bound(b"scalbln", "libm.so.6", Via.INTERPRETER_DEPENDENCY, version=b"GLIBC_2.2.5", version_file="libc.so.6")
    (found,) = told(RULE, case(elf(), resolutions=(lucky,), **asked))
    assert (found.file, found.subject) == (MODULE, "scalbln@GLIBC_2.2.5")
    assert "libc.so.6, which does not have it" in found.message
    assert "-lm" in found.remedy
    fine = bound(b"free", "libm.so.6", Via.INTERPRETER_DEPENDENCY, version=b"GLIBC_2.2.5", version_file="libc.so.6")
    assert told(RULE, case(elf(), resolutions=(fine,), **asked)) == []


def test_what_the_version_check_already_refuses_is_silent() -> None:
    failing = resolution(b"f", Outcome.VERSION_MISSING, version=b"GLIBC_2.34", version_file="libc.so.6", platforms=(OLD,))
    refused = (missing_version("libc.so.6", b"GLIBC_2.34", ProviderKind.PLATFORM),)
    assert told(RULE, case(elf(), resolutions=(failing,), missing_versions=refused)) == []


def test_symbols_that_nobody_has_or_a_member_has_are_other_rules() -> None:
    failing = (resolution(b"cblas_sgemm"), resolution(b"shape", candidates=("pkg/libshape.so",)))
    assert told(RULE, case(elf(), members=(member("pkg/libshape.so"),), resolutions=failing)) == []


def test_an_undecided_symbol_could_not_be_checked() -> None:
    undecided = resolution(b"f", Outcome.UNDECIDED, version_file="libc.so.6")
    libraries = (edge("libc.so.6", ProviderKind.PLATFORM, "libc.so.6"),)
    (answer,) = ask(RULE, case(elf(), resolutions=(undecided,), libraries=libraries))
    assert isinstance(answer, ReadProblem)


def of_musl(*names: bytes, tag: str = "musllinux_1_1_x86_64", weak: bool = False, **more: Any) -> Case:  # noqa: ANN401 - as elf
    use = elf(imports=[(name, 0, Use.JUMP_SLOT) for name in names], **more)
    if weak:
        use = replace(use, imports=replace(use.imports, weak=b"\1" * len(names)))
    return case(use, promises=(promise(tag, family="musl"),))


@pytest.mark.parametrize("name", [b"gettid", b"reallocarray", b"__clock_gettime64", b"__stat_time64"])
@pytest.mark.parametrize("tag", ["musllinux_1_1_x86_64", "musllinux_1_0_x86_64"])
def test_what_musl_got_after_the_release_of_an_old_tag_fires(name: bytes, tag: str) -> None:
    (found,) = told(RULE, of_musl(b"malloc", name, tag=tag))
    assert (found.file, found.subject) == (MODULE, name.decode())
    assert f"{tag} promises older ones" in found.message
    assert found.remedy.endswith("wheel tags --platform-tag musllinux_1_2_x86_64 WHEEL")


def test_what_old_musl_has_is_silent_and_so_are_newer_tags_weak_references_and_own_definitions() -> None:
    assert told(RULE, of_musl(b"malloc", b"clock_gettime")) == []
    assert told(RULE, of_musl(b"gettid", tag="musllinux_1_2_x86_64")) == []
    assert told(RULE, of_musl(b"gettid", weak=True)) == []
    assert told(RULE, of_musl(b"gettid", exports={b"gettid"})) == []
