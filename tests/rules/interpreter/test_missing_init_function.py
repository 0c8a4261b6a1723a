from __future__ import annotations

import pytest

from checker.model.elf import ElfType
from checker.rules.interpreter.missing_init_function import RULE
from tests.rules.builders import case, elf, identity, told

CORE = "pkg/_core.cpython-311-x86_64-linux-gnu.so"


def test_a_module_that_uses_the_interpreter_and_has_no_init_function_fires() -> None:
    (found,) = told(RULE, case(elf(CORE, imports=[b"PyModule_Create2"])))
    assert (found.file, found.subject) == (CORE, "PyInit__core")
    assert "PyModExport__core" in found.message


def test_the_init_function_of_another_name_is_told() -> None:
    (found,) = told(RULE, case(elf("pkg/_core.abi3.so", exports=(b"PyInit__other", b"PyInitialize_it"))))
    assert "it has PyInit__other" in found.message
    assert ("found", ("PyInit__other",)) in found.evidence


@pytest.mark.parametrize("export", [b"PyInit__core", b"PyModExport__core", b"init_core"])
def test_each_kind_of_init_function_is_one(export: bytes) -> None:
    assert told(RULE, case(elf(CORE, imports=[b"PyModule_Create2"], exports=(export,)))) == []


def test_a_package_s_own_module_bears_the_name_of_its_folder() -> None:
    path = "pkg/_services/__init__.cpython-311-x86_64-linux-gnu.so"
    assert told(RULE, case(elf(path, imports=[b"PyModule_Create2"], exports=(b"PyInit__services",)))) == []
    (found,) = told(RULE, case(elf(path, imports=[b"PyModule_Create2"], exports=(b"PyInit___init__",))))
    assert found.subject == "PyInit__services"


def test_a_name_beyond_ascii_is_punycode() -> None:
    path = "pkg/öl.cpython-311-x86_64-linux-gnu.so"
    assert told(RULE, case(elf(path, imports=[b"PyModule_Create2"], exports=(b"PyInitU_l_0ga",)))) == []
    (found,) = told(RULE, case(elf(path, imports=[b"PyModule_Create2"])))
    assert found.subject == "PyInitU_l_0ga"


def test_a_library_that_is_only_named_so_is_silent() -> None:
    by_ctypes = elf(CORE, imports=[b"malloc"], exports=(b"compute",))
    needed = elf("pkg/_shared.cpython-311-x86_64-linux-gnu.so", imports=[b"PyErr_Occurred"])
    needer = elf("pkg/_user.so", needed=("_shared.cpython-311-x86_64-linux-gnu.so",))
    operators = elf("pkg/_ops.abi3.so", imports=[b"PyErr_Occurred"], needed=("libtorch.so", "libtorch_cpu.so"))
    assert told(RULE, case(by_ctypes, needed, needer, operators)) == []


@pytest.mark.parametrize("path", ["pkg/libcore.so", "pkg/lib-core.abi3.so", "pkg/libcore.abi3.so.6", "pkg/core.so.1.2"])
def test_other_names_are_silent(path: str) -> None:
    assert told(RULE, case(elf(path, imports=[b"PyErr_Occurred"]))) == []


def test_an_object_file_is_no_module() -> None:
    assert told(RULE, case(elf(CORE, imports=[b"PyErr_Occurred"], identity=identity(type=ElfType.ET_REL)))) == []


def test_what_offers_functions_of_its_own_is_opened_by_whoever_calls_them() -> None:
    """Debuggers, for memray 1.20.0, put ``_inject.abi3.so`` into a process and call ``memray_spawn_client``."""
    path, uses = "memray/_inject.abi3.so", [b"PyGILState_Release"]
    assert told(RULE, case(elf(path, imports=uses, exports=(b"memray_spawn_client",)))) == []
    assert len(told(RULE, case(elf(path, imports=uses, exports=(b"_Z15PyInit__injectv", b"_init"))))) == 1
