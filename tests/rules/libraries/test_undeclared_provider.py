from __future__ import annotations

import pytest

from checker.model.closure import ProviderKind
from checker.rules.libraries.undeclared_provider import RULE
from tests.rules.builders import case, edge, elf, told, wheel

EDGES = (edge("libc10.so", ProviderKind.DECLARED, "torch"), edge("libtorch.so", ProviderKind.DECLARED, "torch"))


def test_a_distribution_that_is_not_required_fires_once() -> None:
    (found,) = told(RULE, case(elf(), libraries=EDGES, metadata=wheel(requires=("numpy",))))
    assert (found.file, found.subject) == ("pkg-1.0.dist-info/METADATA", "torch")
    assert "libc10.so and libtorch.so" in found.message


@pytest.mark.parametrize("required", ["torch", "Torch >=2.5,<2.6", "torch[opt]; python_version > '3.8'", "torch;extra=='gpu'"])
def test_a_required_one_is_silent(required: str) -> None:
    assert told(RULE, case(elf(), libraries=EDGES, metadata=wheel(requires=(required,)))) == []


def test_names_are_compared_as_the_index_does() -> None:
    edges = (edge("libtvm_ffi.so", ProviderKind.DECLARED, "apache_tvm.ffi"),)
    assert told(RULE, case(elf(), libraries=edges, metadata=wheel(requires=("apache-tvm-ffi",)))) == []
    assert told(RULE, case(elf(), libraries=EDGES, metadata=wheel(requires=("torchvision",)))) != []
