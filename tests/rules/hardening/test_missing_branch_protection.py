from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from checker.model.elf import ElfType, Machine, Notes
from checker.model.record import replace
from checker.rules.hardening.missing_branch_protection import RULE
from tests.rules.builders import MACHINES, MODULE, X86_64, case, elf, identity, told

if TYPE_CHECKING:
    from checker.model.elf import ElfIdentity

X86_FEATURES, AARCH64_FEATURES = 0xC0000002, 0xC0000000
AARCH64 = identity(machine=Machine.EM_AARCH64)


def notes(kind: int, data: bytes) -> Notes:
    """With one GNU property."""
    return Notes(build_id=None, abi_tag=None, x86_isa_needed=0, properties=((kind, data),), dlopen=(), others=())


@pytest.mark.parametrize(
    ("header", "missing", "flag"),
    [(X86_64, "IBT,SHSTK", "-fcf-protection=full"), (AARCH64, "BTI,PAC", "-mbranch-protection=standard")],
    ids=["x86_64", "aarch64"],
)
def test_no_note_at_all_is_told(header: ElfIdentity, missing: str, flag: str) -> None:
    (found,) = told(RULE, case(elf(identity=header)))
    assert (found.file, found.subject) == (MODULE, missing)
    assert flag in found.remedy


def test_one_of_two_features_is_told_as_the_one_that_is_missing() -> None:
    (found,) = told(RULE, case(elf(notes=notes(X86_FEATURES, b"\2\0\0\0"))))
    assert found.subject == "IBT"
    assert dict(found.evidence) == {"features": ("SHSTK",), "wanted": ("IBT", "SHSTK")}
    (found,) = told(RULE, case(elf(identity=AARCH64, notes=notes(AARCH64_FEATURES, b"\1\0\0\0"))))
    assert found.subject == "PAC"


def test_all_that_is_asked_for_is_silent() -> None:
    assert told(RULE, case(elf(notes=notes(X86_FEATURES, b"\3\0\0\0")))) == []
    assert told(RULE, case(elf(identity=AARCH64, notes=notes(AARCH64_FEATURES, b"\1\0\0\0"))), aarch64=("BTI",)) == []
    assert told(RULE, case(elf()), x86_64=()) == []


def test_a_guarded_stack_is_asked_for_only_by_name() -> None:
    facts = elf(identity=AARCH64, notes=notes(AARCH64_FEATURES, b"\3\0\0\0"))
    assert told(RULE, case(facts)) == []
    (found,) = told(RULE, case(facts), aarch64=("BTI", "PAC", "GCS"))
    assert (found.subject, "-mbranch-protection=gcs" in found.remedy) == ("GCS", True)


@pytest.mark.parametrize("data", [b"", b"\3", b"\3\0\0\0\0\0\0\0"])
def test_a_property_of_another_size_is_none(data: bytes) -> None:
    assert len(told(RULE, case(elf(notes=notes(X86_FEATURES, data))))) == 1


@pytest.mark.parametrize(
    "header", [header for header in MACHINES if header.machine not in {Machine.EM_X86_64, Machine.EM_AARCH64}]
)
def test_architectures_without_such_a_note_are_not_judged(header: ElfIdentity) -> None:
    assert told(RULE, case(elf(identity=header))) == []


def test_object_files_are_not_judged() -> None:
    assert told(RULE, case(elf(identity=replace(X86_64, type=ElfType.ET_REL)))) == []
