from __future__ import annotations

import pytest

from checker.model.closure import ProviderKind
from checker.model.resolution import Load, LoadCause, LoadOutcome, RootVerdict
from checker.rules.libraries.load_failure import RULE
from tests.rules import builders as build
from tests.rules.builders import MODULE, NEW, OLD, told


def root(kind: str, subject: str, outcome: LoadOutcome = LoadOutcome.FAILS) -> RootVerdict:
    """The module loads on the old platform and is refused on the new one."""
    cause = LoadCause(kind=kind, object=MODULE, subject=subject)
    loads = (Load(platform=OLD, outcome=LoadOutcome.LOADS, because=None), Load(platform=NEW, outcome=outcome, because=cause))
    return RootVerdict(path=MODULE, host="python", loads=loads)


@pytest.mark.parametrize(
    ("subject", "remedy"),
    [
        ("a position-independent executable cannot be loaded as a library", "-shared"),
        ("DF_1_NOOPEN: the object may not be opened by dlopen", "nodlopen"),
        ("initial-exec TLS resolves to dynamic definition", "global-dynamic"),
        ("the loader does not know relocation type 200", "-fPIC"),
    ],
)
def test_a_property_without_a_rule_of_its_own_is_told(subject: str, remedy: str) -> None:
    (found,) = told(RULE, build.case(build.elf(), roots=(root("property", subject),)))
    assert (found.file, found.subject) == (MODULE, subject)
    assert found.message == f"the load fails on glibc-2.36-x86_64: {subject}"
    assert remedy in found.remedy


def test_a_self_reference_that_the_hash_table_does_not_reach_is_told() -> None:
    (found,) = told(RULE, build.case(build.elf(), roots=(root("symbol", "f"),)))
    assert "its own symbol f, to which its hash table does not lead" in found.message


def test_an_abort_is_told_as_one() -> None:
    (found,) = told(RULE, build.case(build.elf(), roots=(root("symbol", "f", LoadOutcome.ABORTS),)))
    assert found.message.startswith("the process dies on")


def test_what_other_rules_tell_is_left_to_them() -> None:
    objects = build.elf()
    stack = build.case(objects, roots=(root("property", "it asks for an executable stack"),))
    library = build.case(objects, roots=(root("library", "liba.so"),), libraries=(build.edge("liba.so"),))
    symbol = build.case(objects, roots=(root("symbol", "f"),), resolutions=(build.resolution(b"f"),))
    missing = build.missing_version("liba.so", b"V1", ProviderKind.MEMBER, platforms=(NEW,))
    version = build.case(objects, roots=(root("version", "V1 of liba.so"),), missing_versions=(missing,))
    assert not any(told(RULE, case) for case in (stack, library, symbol, version))


def test_what_other_rules_tell_of_another_platform_does_not_silence_it() -> None:
    elsewhere = build.resolution(b"f", platforms=(OLD,))
    assert told(RULE, build.case(build.elf(), roots=(root("symbol", "f"),), resolutions=(elsewhere,)))


def test_roots_that_load_or_are_undecided_are_fine() -> None:
    undecided = root("undecided", "no data", LoadOutcome.UNDECIDED)
    loads = RootVerdict(path=MODULE, host="python", loads=(Load(platform=OLD, outcome=LoadOutcome.LOADS, because=None),))
    assert not told(RULE, build.case(build.elf(), roots=(undecided, loads)))
