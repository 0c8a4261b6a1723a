from __future__ import annotations

import pytest

from checker.model.closure import Attempt
from checker.model.elf import Machine
from checker.model.record import replace
from checker.rules.libraries.unreachable_bundled_library import RULE
from tests.rules.builders import MODULE, case, edge, elf, identity, told


@pytest.mark.parametrize(
    ("needer", "sidecar", "entry"),
    [
        (MODULE, "pkg/libx.so", "$ORIGIN"),
        (MODULE, "pkg.libs/libx.so", "$ORIGIN/../pkg.libs"),
        (MODULE, "pkg-1.0.data/platlib/pkg/lib/libx.so", "$ORIGIN/lib"),
        ("pkg-1.0.data/scripts/tool", "pkg/libx.so", "$ORIGIN/../lib/python3.11/site-packages/pkg"),
    ],
)
def test_the_run_path_that_would_reach_it_is_told(needer: str, sidecar: str, entry: str) -> None:
    (found,) = told(RULE, case(elf(needer), elf(sidecar), libraries=(edge("libx.so", needer=needer),)))
    assert (found.file, found.subject) == (needer, "libx.so")
    assert ("reached_by", entry) in found.evidence
    assert f"patchelf --add-rpath '{entry}'" in found.remedy


def test_another_file_name_with_the_right_soname_must_be_renamed() -> None:
    (found,) = told(RULE, case(elf(), elf("pkg/libx.so.1.2", soname="libx.so.1"), libraries=(edge("libx.so.1"),)))
    assert found.remedy.startswith("Rename pkg/libx.so.1.2 to libx.so.1")


def test_a_run_path_that_leads_to_the_folder_is_not_asked_for_again() -> None:
    looked = (Attempt(place="site-packages/pkg", source=f"DT_RUNPATH $ORIGIN of {MODULE}", outcome="no such file"),)
    need = replace(edge("libx.so.1"), looked_in=looked)
    (found,) = told(RULE, case(elf(), elf("pkg/libx.so", soname="libx.so.1"), libraries=(need,)))
    assert found.message == "needs libx.so.1; the artifact holds it as pkg/libx.so, but not under that name"
    assert found.remedy == "Rename pkg/libx.so to libx.so.1, the name that the loader opens"


def test_the_file_of_the_needed_name_is_told_before_its_copies() -> None:
    copies = [elf(f"pkg/{name}", soname="libx.so.1") for name in ("libx.so", "libx.so.1", "libx.so.1.2")]
    (found,) = told(RULE, case(elf(), *copies, libraries=(edge("libx.so.1"),)))
    assert "holds it as pkg/libx.so.1," in found.message
    assert "Rename" not in found.remedy


def test_a_need_with_a_directory_is_mended_at_the_link() -> None:
    (found,) = told(RULE, case(elf(), elf("pkg/libx.so"), libraries=(edge("build/libx.so"),)))
    assert "-Wl,-soname,libx.so" in found.remedy


def test_one_for_another_machine_does_not_help() -> None:
    foreign = elf("pkg/libx.so", identity=identity(machine=Machine.EM_AARCH64))
    assert told(RULE, case(elf(), foreign, libraries=(edge("libx.so"),))) == []


def test_a_library_that_is_nowhere_is_silent() -> None:
    assert told(RULE, case(elf(), libraries=(edge("libx.so"),))) == []
