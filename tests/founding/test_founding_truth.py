"""What the loader says of the founding matrix is what the founding reports said, and what ``truth.tsv`` keeps.

Nothing here asks the product; ``test_founding_verdicts.py`` does.
"""

from __future__ import annotations

import platform
from typing import TYPE_CHECKING

import pytest

from tools.fixtures import founding
from tools.fixtures.toolchain import identity

if TYPE_CHECKING:
    from tools.fixtures.founding import Measured

ADDREF = "_ZNSt15__exception_ptr13exception_ptr9_M_addrefEv"
LIBSTDCXX = "libstdc++.so.6"


def test_the_matrix_spans_every_axis() -> None:
    names = [variant.name for variant in founding.variants()]
    assert names == sorted(set(names))
    assert sum(name.startswith("string-plain-") for name in names) == 2 * 2 * 2 * 5
    assert sum(name.startswith("exception-ptr-") for name in names) == 2 * 2 * 2 * 2 * 5
    kept = [line.partition("\t")[0] for line in founding.TRUTH.read_text().splitlines() if not line.startswith("#")]
    assert kept == names


def test_the_same_tools_measure_the_table_that_is_kept(measured: dict[str, Measured]) -> None:
    kept = founding.TRUTH.read_text()
    here = f"# {identity(*founding.PROGRAMS)}; glibc {platform.libc_ver()[1]}"
    if kept.partition("\n")[0] != here:
        pytest.skip(f"truth.tsv was measured with other tools than {here}")
    assert founding.table(measured.values()) == kept


@pytest.mark.parametrize("program", ["string-plain", "exception-ptr-plain"])
@pytest.mark.parametrize(
    ("linker", "library", "needed"),
    [
        ("bfd", "nothing", False),
        ("gold", "nothing", False),
        ("bfd", "dynamic-before", False),
        ("gold", "dynamic-before", True),
        ("bfd", "dynamic-after", True),
        ("gold", "dynamic-after", True),
    ],
)
def test_with_gxx_an_extra_lstdcxx_undoes_the_static_runtime_unless_it_is_dropped(
    measured: dict[str, Measured], program: str, linker: str, library: str, *, needed: bool
) -> None:
    variant = measured[f"{program}-gxx-{linker}-static-{library}"]
    assert (LIBSTDCXX in variant.runtimes) is needed
    assert variant.error == ""
    assert variant.good is not needed


@pytest.mark.parametrize(
    ("library", "addref", "needed", "loads"),
    [
        ("dynamic-before", True, True, True),
        ("nothing", True, False, False),
        ("archive-before", True, False, False),
        ("archive-after", False, False, True),
    ],
)
def test_with_gcc_gold_and_lto_only_the_archive_after_the_objects_is_good(
    measured: dict[str, Measured], library: str, *, addref: bool, needed: bool, loads: bool
) -> None:
    variant = measured[f"exception-ptr-lto-gcc-gold-static-{library}"]
    assert (ADDREF in variant.undefined) is addref
    assert (LIBSTDCXX in variant.runtimes) is needed
    assert (variant.error == "") is loads
    assert variant.good is (library == "archive-after")


@pytest.mark.parametrize("linker", ["bfd", "gold"])
@pytest.mark.parametrize("runtime", ["shared", "static"])
def test_the_gcc_driver_links_no_runtime_whatever_its_flags(measured: dict[str, Measured], linker: str, runtime: str) -> None:
    variant = measured[f"string-plain-gcc-{linker}-{runtime}-nothing"]
    assert LIBSTDCXX not in variant.runtimes
    assert "undefined symbol: _Z" in variant.error


@pytest.mark.parametrize("linker", ["bfd", "gold"])
def test_addref_alone_misses_an_object_that_does_not_load(measured: dict[str, Measured], linker: str) -> None:
    variant = measured[f"string-plain-gcc-{linker}-static-nothing"]
    assert ADDREF not in variant.undefined
    assert "_ZTISt9exception" in variant.undefined
    assert variant.error


def test_a_sidecar_hands_the_shared_runtime_back(measured: dict[str, Measured]) -> None:
    handed = measured["sidecar-shared-user-static"]
    assert handed.error == ""
    assert LIBSTDCXX in handed.runtimes
    assert measured["sidecar-static-user-static"].good


def test_without_a_runtime_an_extension_loads_by_its_sidecars_need_alone(measured: dict[str, Measured]) -> None:
    lucky = measured["sidecar-shared-user-none"]
    assert lucky.error == ""
    assert any(name.startswith(("_ZSt", "_ZTI")) for name in lucky.undefined)
    assert "undefined symbol" in measured["sidecar-static-user-none"].error


@pytest.mark.parametrize("kind", ["torch-user", "torch-bundled"])
def test_a_library_chain_supplies_cxx_symbols_and_only_the_absent_one_fails(measured: dict[str, Measured], kind: str) -> None:
    assert measured[kind].error == ""
    assert "_ZN2at5emptyEl" in measured[kind].undefined
    assert measured[f"{kind}-missing"].error.endswith("undefined symbol: _ZN3c1011synchronizeEl")
