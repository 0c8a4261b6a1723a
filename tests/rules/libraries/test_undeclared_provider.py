from __future__ import annotations

import pytest

from checker.model.artifact import ReadProblem
from checker.model.closure import ProviderKind
from checker.rules.libraries.undeclared_provider import RULE
from tests.rules.builders import ask, case, edge, elf, told, wheel

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


def answers(required: tuple[str, ...], version: str = "", pinned: tuple[str, ...] = ()) -> list[str]:
    provided = (("torch", version),) if version else ()
    subject = case(elf(), libraries=EDGES, metadata=wheel(requires=required), provided=provided)
    return [found.message for found in told(RULE, subject, pinned=pinned)]


@pytest.mark.parametrize(
    ("required", "version"),
    [
        (("torch",), "2.5.1"),
        (("torch>=2.5,<2.6",), "2.5.1+cpu"),
        (("torch==2.5.1",), "2.5.1+cu124"),
        (("torch>=2.6",), "2.6.0"),
        (("torch>=2.6.0.dev0",), "2.6.0.dev20240901"),
        (("torch==2.4.*; python_version < '3.9'", "torch==2.5.*; python_version >= '3.9'"), "2.5.1"),
    ],
)
def test_a_requirement_that_admits_the_version_beside_which_it_was_checked_is_silent(
    required: tuple[str, ...], version: str
) -> None:
    assert answers(required, version) == []


def test_a_requirement_that_does_not_admit_that_version_fires() -> None:
    (message,) = answers(("torch==2.4.*; python_version < '3.9'", "Torch>=2.6"), "2.5.1")
    assert message == (
        "requires torch==2.4.* or torch>=2.6, which does not admit 2.5.1, the one that it was checked with, and the wheel "
        "needs its libc10.so and libtorch.so"
    )


@pytest.mark.parametrize("required", ["torch==2.5.1", "torch (==2.5.1)", "torch===2.5.1", "torch>2,==2.5.1"])
def test_a_pinned_distribution_with_one_version_is_silent(required: str) -> None:
    assert answers((required,), pinned=("tor*",)) == []


@pytest.mark.parametrize("required", ["torch", "torch>=2.5", "torch==2.5.*", "torch~=2.5.1"])
def test_a_pinned_distribution_with_several_versions_fires(required: str) -> None:
    (message,) = answers((required,), pinned=("tor*",))
    assert message.startswith(f"requires {required}, which admits several versions, and the policy asks for one")
    assert answers((required,), pinned=("nvidia-*",)) == []


def test_a_requirement_that_cannot_be_read_could_not_be_checked() -> None:
    subject = case(elf(), libraries=EDGES, metadata=wheel(requires=("torch >> 2",)), provided=(("torch", "2.5.1"),))
    (answer,) = ask(RULE, subject)
    assert isinstance(answer, ReadProblem)
    assert "torch" in answer.reason
