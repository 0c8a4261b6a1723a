from __future__ import annotations

import pytest

from checker.model.artifact import ArtifactKind
from checker.model.policy import DeclaredProvider
from checker.model.record import replace
from checker.rules.runpaths.dead_run_path import RULE
from tests.rules.builders import MODULE, case, edge, elf, member, told, wheel

SCRIPT = "pkg-1.0.data/scripts/tool"


def test_a_directory_that_is_not_there_fires_and_the_remedy_keeps_the_others() -> None:
    (found,) = told(RULE, case(elf(runpath="$ORIGIN:$ORIGIN/../lib64")))
    assert (found.file, found.subject) == (MODULE, "$ORIGIN/../lib64")
    assert "site-packages/lib64" in found.message
    assert found.remedy.endswith("patchelf --set-rpath '$ORIGIN' pkg/_core.so")


@pytest.mark.parametrize("entry", ["$ORIGIN", "$ORIGIN/..", "$ORIGIN/lib/", "${ORIGIN}/lib", "$ORIGIN/../pkg/./lib"])
def test_directories_that_the_artifact_fills_are_silent(entry: str) -> None:
    assert told(RULE, case(elf(runpath=entry), members=(member("pkg/lib/libfoo.so"),))) == []


def test_a_directory_that_several_files_look_in_is_told_once() -> None:
    deeper = elf("pkg/deep/_more.so", runpath="$ORIGIN/../lib:$ORIGIN/../lib/")
    (found,) = told(RULE, case(elf(runpath="$ORIGIN/lib"), deeper))
    assert found.file == MODULE
    assert "and 1 other file" in found.message
    assert ("entries", ("$ORIGIN/lib", "$ORIGIN/../lib", "$ORIGIN/../lib/")) in found.evidence


def test_one_entry_that_means_several_directories_is_told_once() -> None:
    (found,) = told(RULE, case(elf(runpath="$ORIGIN/lib"), elf("pkg/deep/_more.so", runpath="$ORIGIN/lib")))
    assert ("leads_to", ("site-packages/pkg/lib", "site-packages/pkg/deep/lib")) in found.evidence


def test_folders_that_a_requirement_may_bring_are_silent() -> None:
    asked = case(elf(runpath="$ORIGIN/../torch/lib"), metadata=wheel(requires=("torch>=2.5",)))
    assert told(RULE, asked) == []
    assert told(RULE, case(elf(runpath="$ORIGIN/../torch/lib"))) != []


def test_a_namespace_that_distributions_share_goes_by_their_names() -> None:
    asked = case(
        elf("nvidia/cusparse/lib/libcusparse.so", runpath="$ORIGIN/../../nvjitlink/lib:$ORIGIN/../../elsewhere/lib"),
        metadata=wheel(requires=("nvidia-nvjitlink-cu12 (>=12.9)",)),
    )
    assert [each.subject for each in told(RULE, asked)] == ["$ORIGIN/../../elsewhere/lib"]


@pytest.mark.parametrize("top", ["lib", "lib64", "build", "src"])
def test_folders_that_no_distribution_has_are_told_whatever_is_required(top: str) -> None:
    assert told(RULE, case(elf(runpath=f"$ORIGIN/../{top}"), metadata=wheel(requires=("torch",)))) != []


def test_a_provider_of_the_policy_is_as_good_as_a_requirement() -> None:
    provider = DeclaredProvider(requirement="arrow", libraries=("libarrow.so",), how="rpath")
    assert told(RULE, case(elf(runpath="$ORIGIN/../pyarrow"), providers=(provider,))) == []
    assert told(RULE, case(elf(runpath="$ORIGIN/../pyarrow"), providers=(replace(provider, how="preloaded"),))) != []


@pytest.mark.parametrize(
    "entry", ["/opt/lib", "", "lib", "$ORIGIN/../../../../../lib", "$ORIGIN/../_solib_k8/_U", "$ORIGIN/$LIB", "$ORIGIN/../.."]
)
def test_what_other_rules_tell_or_nobody_knows_is_silent(entry: str) -> None:
    assert told(RULE, case(elf(runpath=entry))) == []


def test_a_file_that_lacks_a_library_is_missing_librarys() -> None:
    assert told(RULE, case(elf(runpath="$ORIGIN/lib"), libraries=(edge("libfoo.so"),))) == []


def test_a_script_looks_in_its_environment() -> None:
    assert told(RULE, case(elf(SCRIPT, runpath="$ORIGIN/../lib"), members=(member("pkg/__init__.py"),))) == []
    (found,) = told(RULE, case(elf(SCRIPT, runpath="$ORIGIN/../pkg.libs")))
    assert "<environment>/pkg.libs" in found.message


def test_an_artifact_that_is_laid_out_elsewhere_is_not_asked() -> None:
    asked = case(elf(runpath="$ORIGIN/lib"))
    assert told(RULE, replace(asked, inventory=replace(asked.inventory, kind=ArtifactKind.DIRECTORY))) == []


def test_what_the_policy_allows_is_silent() -> None:
    assert told(RULE, case(elf(runpath="$ORIGIN/plugins")), allowed=("$ORIGIN/*",)) == []
