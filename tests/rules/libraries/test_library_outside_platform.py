from __future__ import annotations

from checker.model.artifact import ReadProblem
from checker.model.closure import ProviderKind
from checker.rules.libraries.library_outside_platform import RULE
from tests.rules.builders import MODULE, ask, case, edge, elf, promise, told


def test_a_known_system_library_that_is_not_found_fires() -> None:
    (found,) = told(RULE, case(elf(), libraries=(edge("libssl.so.3"),)))
    assert (found.file, found.subject) == (MODULE, "libssl.so.3")
    assert "OpenSSL" in found.message


def test_one_that_the_measured_platform_has_without_promising_it_fires_once() -> None:
    edges = (edge("libxcb.so.1", ProviderKind.PLATFORM, "libxcb.so.1"),) * 2
    (found,) = told(RULE, case(elf(), libraries=edges))
    assert "manylinux_2_17_x86_64" in found.message


def test_promised_bundled_unknown_and_platform_to_platform_needs_are_silent() -> None:
    edges = (
        edge("libm.so.6", ProviderKind.PLATFORM, "libm.so.6"),
        edge("libssl.so.3", ProviderKind.MEMBER, "pkg/libssl.so.3"),
        edge("libgreens.so"),
        edge("libc.musl-x86_64.so.1"),
        edge("libxcb.so.1", ProviderKind.PLATFORM, "libxcb.so.1", needer="libX11.so.6"),
    )
    assert told(RULE, case(elf(), libraries=edges)) == []


def test_a_name_that_musl_takes_for_itself_is_silent() -> None:
    edges = tuple(edge(name, ProviderKind.PLATFORM, "libc.so") for name in ("libdl.so.2", "libm.so.6", "libpthread.so.0"))
    promised = promise("musllinux_1_2_x86_64", family="musl")
    assert told(RULE, case(elf(), libraries=edges, promises=(promised,))) == []


def test_what_the_policy_allows_is_silent() -> None:
    assert told(RULE, case(elf(), libraries=(edge("libcuda.so.1"),)), allowed=("libcuda.so.*",)) == []


def test_without_data_it_could_not_be_checked() -> None:
    (answer,) = ask(RULE, case(elf(), libraries=(edge("libssl.so.3"),), promises=(promise(known=False),)))
    assert isinstance(answer, ReadProblem)
