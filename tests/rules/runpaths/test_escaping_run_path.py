from __future__ import annotations

import pytest

from checker.rules.runpaths.escaping_run_path import RULE
from tests.rules.builders import MODULE, case, elf, member, told

SCRIPT = "pkg-1.0.data/scripts/tool"


@pytest.mark.parametrize("entry", ["$ORIGIN/../..", "$ORIGIN/../../../../lib", "${ORIGIN}/../../x"])
def test_leaving_site_packages_fires(entry: str) -> None:
    (found,) = told(RULE, case(elf(runpath=f"$ORIGIN:{entry}")))
    assert (found.file, found.subject) == (MODULE, entry)
    assert "site-packages" in found.message


@pytest.mark.parametrize("entry", ["$ORIGIN", "$ORIGIN/..", "$ORIGIN/../nvidia/cublas/lib", "/abs", ""])
def test_other_packages_are_within_and_absolute_entries_are_another_rules(entry: str) -> None:
    assert told(RULE, case(elf(runpath=entry))) == []


@pytest.mark.parametrize("entry", ["$ORIGIN/../lib", "$ORIGIN/../lib/python3.11/site-packages/pkg"])
def test_a_script_may_reach_its_environment(entry: str) -> None:
    assert told(RULE, case(elf(SCRIPT, runpath=entry))) == []


def test_a_script_that_leaves_its_environment_fires() -> None:
    (found,) = told(RULE, case(elf(SCRIPT, runpath="$ORIGIN/../../lib")))
    assert "<environment>" in found.message


def test_a_directory_outside_that_the_wheel_itself_fills_is_silent() -> None:
    data = member("pkg-1.0.data/data/lib/libpkg.so")
    assert told(RULE, case(elf(runpath="$ORIGIN/../../../.."), members=(data,))) != []
    assert told(RULE, case(elf(runpath="$ORIGIN/../../.."), members=(member("pkg-1.0.data/data/lib/libpkg.so"),))) == []


@pytest.mark.parametrize("other", ["/opt/build/lib", ""])
def test_the_remedy_does_not_put_back_what_the_remedy_of_an_absolute_entry_took_out(other: str) -> None:
    (found,) = told(RULE, case(elf(rpath=f"{other}:$ORIGIN:$ORIGIN/../../..")))
    assert found.remedy.endswith(f"patchelf --force-rpath --set-rpath '$ORIGIN' {MODULE}")
