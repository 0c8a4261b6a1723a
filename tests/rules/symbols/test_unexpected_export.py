from __future__ import annotations

import pytest

from checker.model.elf import Binding
from checker.model.record import replace
from checker.model.resolution import RootVerdict
from checker.rules.symbols.unexpected_export import RULE
from tests.rules.builders import MODULE, case, elf, table, told

LIBRARY = "pkg/libfoo.so"
MODULE_ROOT = (RootVerdict(path=MODULE, host="python", loads=()),)


def test_what_a_module_exports_beside_its_init_function_fires() -> None:
    (found,) = told(RULE, case(elf(symbols=table(b"PyInit__core", b"helper", (b"_Z1fv", Binding.STB_WEAK)))))
    assert (found.file, found.subject) == (MODULE, "_Z1fv")
    assert "2 symbols" in found.message


@pytest.mark.parametrize(
    "name", [b"PyInit__core", b"PyModExport__core", b"PyInitU_caf_dma", b"__pyx_module_is_main_pkg___core", b"_end"]
)
def test_what_interpreters_cython_and_linkers_want_is_silent(name: bytes) -> None:
    assert told(RULE, case(elf(symbols=table(name)))) == []


def test_local_and_undefined_symbols_and_version_nodes_are_silent() -> None:
    node = table((b"V_1", Binding.STB_GLOBAL, 0xFFF1))
    node = replace(node, raw=node.raw[:24] + node.raw[24:32] + bytes(8) + node.raw[40:])
    assert told(RULE, case(elf(symbols=node))) == []
    assert told(RULE, case(elf(symbols=table((b"a", Binding.STB_LOCAL))))) == []


def test_libraries_are_asked_only_where_the_policy_names_them() -> None:
    objects = (elf(symbols=table(b"helper")), elf(LIBRARY, symbols=table(b"foo_open", b"inner")))
    assert [each.file for each in told(RULE, case(*objects, roots=MODULE_ROOT))] == [MODULE]
    (found,) = told(RULE, case(*objects, roots=MODULE_ROOT), libraries=("**/libfoo.so",), allowed=("foo_*",))
    assert (found.file, found.subject) == (LIBRARY, "inner")
    assert ("expected", ("foo_*",)) in found.evidence
