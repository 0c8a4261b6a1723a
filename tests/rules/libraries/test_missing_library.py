from __future__ import annotations

import pytest

from checker.model.artifact import ReadProblem
from checker.model.closure import Attempt, ProviderKind
from checker.model.record import replace
from checker.rules.libraries.missing_library import RULE
from tests.rules.builders import MODULE, ask, case, edge, elf, member, promise, told, wheel


def test_a_library_that_nobody_has_fires_once_for_each_needer() -> None:
    edges = (edge("libgreens.so"), edge("libgreens.so"), edge("libgreens.so", needer="pkg/other.so"))
    found = told(RULE, case(elf(), elf("pkg/other.so"), libraries=edges))
    assert [(each.file, each.subject) for each in found] == [(MODULE, "libgreens.so"), ("pkg/other.so", "libgreens.so")]


def test_a_need_of_an_empty_name_is_told_in_words() -> None:
    (found,) = told(RULE, case(elf(), libraries=(edge(""),)))
    assert found.message.startswith("needs (empty name), which")


def test_a_well_known_distribution_is_named_with_the_policy_to_write() -> None:
    (found,) = told(RULE, case(elf(), libraries=(edge("libc10.so"),)))
    assert '[[provider]] requirement = "torch"' in found.remedy
    assert "Requires-Dist" in found.remedy
    (found,) = told(RULE, case(elf(), libraries=(edge("libc10.so"),), metadata=wheel(requires=("Torch>=2.5",))))
    assert "Requires-Dist" not in found.remedy


def test_a_run_path_into_a_required_distributions_package_makes_that_the_provider_to_declare() -> None:
    sought = Attempt(place="site-packages/greens/lib", source="DT_RUNPATH", outcome="not in the artifact")
    need = replace(edge("libgreens.so"), looked_in=(sought,))
    (found,) = told(RULE, case(elf(), libraries=(need,), metadata=wheel(requires=("Greens==2.0",))))
    assert '[[provider]] requirement = "greens", libraries = ["libgreens.so"], how = "rpath"' in found.remedy
    (found,) = told(RULE, case(elf(), libraries=(need,)))
    assert 'requirement = "NAME", libraries = ["libgreens.so"], how = "rpath"' in found.remedy


@pytest.mark.parametrize("provider", [ProviderKind.MEMBER, ProviderKind.PLATFORM, ProviderKind.DECLARED, ProviderKind.HOST])
def test_a_library_that_somebody_supplies_is_silent(provider: ProviderKind) -> None:
    assert told(RULE, case(elf(), libraries=(edge("libx.so", provider, "x"),))) == []


@pytest.mark.parametrize("soname", ["libssl.so.3", "libpython3.11.so.1.0", "libc.musl-x86_64.so.1", "ld-linux-x86-64.so.2"])
def test_other_causes_are_other_rules(soname: str) -> None:
    assert told(RULE, case(elf(), libraries=(edge(soname),))) == []


def test_a_library_in_the_artifact_is_another_rules_unless_it_is_for_another_machine() -> None:
    sidecar = elf("pkg/lib/libx.so")
    assert told(RULE, case(elf(), sidecar, libraries=(edge("libx.so"),))) == []
    assert told(RULE, case(elf(), members=(member("pkg/lib/libx.so"),), libraries=(edge("libx.so"),))) != []


def test_needs_of_the_platforms_own_libraries_are_silent() -> None:
    assert told(RULE, case(elf(), libraries=(edge("libXau.so.9", needer="libX11.so.6"),))) == []


def test_without_data_it_could_not_be_checked() -> None:
    (answer,) = ask(RULE, case(elf(), libraries=(edge("libx.so"),), promises=(promise(known=False),)))
    assert isinstance(answer, ReadProblem)
