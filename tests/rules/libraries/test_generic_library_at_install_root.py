from __future__ import annotations

import pytest

from checker.model.artifact import ArtifactKind, FileKind
from checker.model.record import replace
from checker.rules.libraries.generic_library_at_install_root import RULE
from tests.rules.builders import case, elf, member, told, wheel


def test_versions_of_one_library_are_told_together() -> None:
    libraries = (elf("libwhisper.so", soname="libwhisper.so.1"), elf("libwhisper.so.1", soname="libwhisper.so.1"))
    (found,) = told(RULE, case(*libraries))
    assert (found.file, found.subject) == ("libwhisper.so", "libwhisper")
    assert "libwhisper.so and libwhisper.so.1 land" in found.message


def test_what_lands_there_from_the_data_folder_counts() -> None:
    (found,) = told(RULE, case(elf("pkg-1.0.data/platlib/libwhisper.so", soname="libwhisper.so")))
    assert found.file == "pkg-1.0.data/platlib/libwhisper.so"
    assert told(RULE, case(elf("pkg-1.0.data/data/lib/libwhisper.so", soname="libwhisper.so"))) == []


def test_a_library_with_the_distributions_name_in_its_own_is_silent() -> None:
    metadata = wheel(distribution="Demo-Tool")
    assert told(RULE, case(elf("libdemo_tool.so.1"), metadata=metadata)) == []


@pytest.mark.parametrize("path", ["utils.py", "tests/__init__.py", "tests/test_a.py", "_utils.abi3.so"])
def test_modules_under_names_that_others_use_are_told(path: str) -> None:
    objects = (elf(path),) if path.endswith(".so") else ()
    members = () if objects else (member(path),)
    (found,) = told(RULE, case(*objects, members=members))
    assert found.file == path


def test_a_folder_counts_where_it_holds_modules_or_libraries() -> None:
    assert told(RULE, case(members=(member("include/pkg/a.h"), member("docs/index.html")))) == []
    (found,) = told(RULE, case(members=(member("lib64/cmake/a.cmake"), member("lib64/x/liba.a", kind=FileKind.ARCHIVE))))
    assert found.subject == "lib64"


def test_the_distribution_itself_may_have_such_a_name() -> None:
    assert told(RULE, case(members=(member("build/__init__.py"),), metadata=wheel(distribution="build"))) == []


def test_ordinary_names_and_other_artifacts_are_silent() -> None:
    members = (member("pkg/tests/__init__.py"), member("pkg_cli.py"), member("typing_extensions.py"))
    assert told(RULE, case(elf("_pkg.abi3.so"), elf("pkg.libs/liba.so"), members=members)) == []
    folder = case(members=(member("tests/__init__.py"),))
    folder = replace(folder, inventory=replace(folder.inventory, kind=ArtifactKind.DIRECTORY))
    assert told(RULE, folder) == []
