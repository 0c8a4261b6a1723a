from __future__ import annotations

import pytest

from checker.model.elf import View
from checker.rules.runpaths.absolute_run_path import RULE
from tests.rules.builders import MODULE, case, elf, promise, told


def test_an_absolute_entry_fires_and_the_remedy_keeps_the_others() -> None:
    (found,) = told(RULE, case(elf(runpath="$ORIGIN/../lib:/opt/vendor/lib")))
    assert (found.file, found.subject) == (MODULE, "/opt/vendor/lib")
    assert "patchelf --set-rpath '$ORIGIN/../lib' pkg/_core.so" in found.remedy


@pytest.mark.parametrize("path", ["$ORIGIN:", ":$ORIGIN", "$ORIGIN::$ORIGIN/a", ".", "lib", "$ORIGINAL/lib", ":::"])
def test_empty_and_relative_entries_mean_the_current_directory(path: str) -> None:
    (found,) = told(RULE, case(elf(runpath=path)))
    assert "current directory" in found.message


def test_the_remedy_names_each_entry_that_stays_once() -> None:
    (found,) = told(RULE, case(elf(runpath="/a:$ORIGIN:$ORIGIN/b:$ORIGIN")))
    assert "--set-rpath '$ORIGIN:$ORIGIN/b' pkg" in found.remedy


def test_a_needle_in_dt_rpath_counts_and_keeps_its_tag() -> None:
    (found,) = told(RULE, case(elf(rpath="/a:$ORIGIN")))
    assert "--force-rpath --set-rpath '$ORIGIN'" in found.remedy


def test_dt_rpath_beside_dt_runpath_is_evidence_only() -> None:
    assert told(RULE, case(elf(rpath="/a", runpath="$ORIGIN"))) == []
    (found,) = told(RULE, case(elf(rpath="/a", runpath="/b")))
    assert ("ignored_rpath", "/a") in found.evidence
    assert found.subject == "/b"


@pytest.mark.parametrize("path", ["$ORIGIN", "${ORIGIN}/../lib", "$ORIGIN/a:$ORIGIN/b", ""])
def test_entries_at_origin_and_an_empty_string_are_silent(path: str) -> None:
    assert told(RULE, case(elf(runpath=path))) == []


def test_what_the_policy_allows_is_silent() -> None:
    assert told(RULE, case(elf(runpath="/usr/local/cuda/lib64")), allowed=("/usr/local/cuda/*",)) == []


def test_musl_skips_empty_elements() -> None:
    musl = (promise("musllinux_1_2_x86_64", family="musl"),)
    assert told(RULE, case(elf(runpath="$ORIGIN:"), promises=musl)) == []
    assert told(RULE, case(elf(runpath="$ORIGIN:lib"), promises=musl)) != []


def test_an_object_without_pt_dynamic_has_no_run_path() -> None:
    assert told(RULE, case(elf(runpath="/a", view=View.SECTIONS))) == []
