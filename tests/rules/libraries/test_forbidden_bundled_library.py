from __future__ import annotations

import pytest

from checker.model.closure import ProviderKind
from checker.rules.libraries.forbidden_bundled_library import RULE
from tests.rules.builders import case, edge, elf, told


@pytest.mark.parametrize(
    "name",
    [
        "libc.so.6",
        "libc-0a1b2c3d.so.6",
        "libpthread-2-0a1b2c3d.17.so",
        "ld-linux-x86-64.so.2",
        "ld-musl-x86_64.so.1",
        "libcuda.so.1",
        "libcuda.so",
        "libnvidia-ml.so.1",
    ],
)
def test_what_belongs_to_the_users_system_is_told(name: str) -> None:
    (found,) = told(RULE, case(elf(f"pkg.libs/{name}", soname=name)))
    assert found.file == f"pkg.libs/{name}"


@pytest.mark.parametrize(
    "name",
    [
        "libnsl-0a1b2c3d.so.1",
        "libcrypt-0a1b2c3d.so.1",
        "libcudart.so.12",
        "libcublas.so.12",
        "libnvrtc.so.12",
        "libEGL.so",
        "libGLESv2.so",
        "libstdc++-0a1b2c3d.so.6",
        "libmkl_core.so.2",
        "libcap.so.2",
    ],
)
def test_what_wheels_rightly_bring_is_silent(name: str) -> None:
    path = f"pkg.libs/{name}"
    given = (edge(name, ProviderKind.MEMBER, path),)
    assert told(RULE, case(elf(), elf(path, soname=name), libraries=given)) == []


def test_the_soname_tells_a_library_under_another_file_name() -> None:
    (found,) = told(RULE, case(elf("pkg/driver.so", soname="libcuda.so.1")))
    assert found.subject == "libcuda.so.1"


def test_a_module_of_the_same_name_is_no_library() -> None:
    assert told(RULE, case(elf("pkg/libcuda.cpython-311-x86_64-linux-gnu.so"))) == []


def test_opengl_counts_only_where_it_is_given_to_someone() -> None:
    path = "pkg/softgl/libGL.so.1"
    library = elf(path, soname="libGL.so.1")
    assert told(RULE, case(elf(), library)) == []
    assert told(RULE, case(elf(), library, libraries=(edge("libGL.so.1", ProviderKind.PLATFORM, "libGL.so.1"),))) == []
    (found,) = told(RULE, case(elf(), library, libraries=(edge("libGL.so.1", ProviderKind.MEMBER, path),)))
    assert "graphics" in found.message


def test_the_policys_own_list_takes_the_place_of_the_usual_one() -> None:
    libraries = case(elf("pkg/libopenblas.so.0"), elf("pkg/libc.so.6"))
    (found,) = told(RULE, libraries, libraries=("libopenblas*.so*",))
    assert (found.file, "libopenblas*.so*" in found.message) == ("pkg/libopenblas.so.0", True)
