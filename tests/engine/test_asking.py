"""Which answers of a rule count, by the overrides of the policy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from checker.asking import Places, ask
from checker.model.artifact import ReadProblem, Tag
from checker.model.finding import Level, Observation
from checker.model.policy import Override, Place, Policy, RuleSetting
from checker.model.record import record
from checker.model.rule import Rule
from tests.rules.builders import case, elf

if TYPE_CHECKING:
    from collections.abc import Iterator

    from checker.model.case import Case


def tag(platform: str) -> Tag:
    return Tag(python="cp311", abi="cp311", platform=platform)


@record
class Limit:
    """Attributes: limit."""

    limit: int = 1


def check(_case: Case, parameters: Limit) -> Iterator[Observation | ReadProblem]:
    """Says its limit of two files, and cannot tell of a third."""
    for file in ("pkg/a.so", "pkg/data"):
        yield Observation(file=file, subject="size", message=f"above {parameters.limit}", evidence=(), remedy="")
    yield ReadProblem(file="pkg/b.so", reason=f"limit {parameters.limit}")


RULE = Rule(id="size-over-budget", family="wheel", parameters=Limit, check=check, doc="")


def setting(level: Level, limit: int = 1) -> RuleSetting:
    return RuleSetting(rule=RULE.id, level=level, parameters=Limit(limit=limit), files=())


def policy(base: RuleSetting, *overrides: Override) -> Policy:
    return Policy(
        name="p",
        description="",
        written_target=("from-tag", "from-tag"),
        platform="from-tag",
        python="from-tag",
        providers=(),
        settings=(base,),
        overrides=overrides,
        waivers=(),
    )


def told(subject: Case, rules: Policy) -> list[tuple[str, Level, str]]:
    findings, _ = ask([RULE], subject, rules, Places(subject))
    return [(finding.file, finding.level, finding.message) for finding in findings]


SUBJECT = case(elf("pkg/a.so"), tags=(tag("manylinux2014_x86_64"), tag("manylinux_2_17_x86_64"), tag("musllinux_1_2_x86_64")))
ON_MUSL = {"files": (), "tags": ("*-musllinux_*",)}


def test_a_tag_and_its_alias_are_one_place() -> None:
    assert Places(SUBJECT).of("pkg/a.so") == (
        Place(
            file="pkg/a.so",
            architecture="x86_64",
            tags=("cp311-cp311-manylinux2014_x86_64", "cp311-cp311-manylinux_2_17_x86_64"),
        ),
        Place(file="pkg/a.so", architecture="x86_64", tags=("cp311-cp311-musllinux_1_2_x86_64",)),
    )


def test_the_alias_is_found_from_either_name_alone() -> None:
    for written in ("manylinux2014_x86_64", "manylinux_2_17_x86_64"):
        (found,) = Places(case(tags=(tag(written),))).of("x")
        assert found.tags == ("cp311-cp311-manylinux2014_x86_64", "cp311-cp311-manylinux_2_17_x86_64")


def test_an_object_is_of_its_own_architecture_and_all_else_of_the_tags() -> None:
    places = Places(case(elf("pkg/a.so"), tags=(tag("manylinux_2_28_aarch64"),)))
    assert [place.architecture for file in ("pkg/a.so", "pkg/data") for place in places.of(file)] == ["x86_64", "aarch64"]


def test_what_has_no_tags_has_one_place_without() -> None:
    for tags in ((), (tag("any"),)):
        places = Places(case(elf("pkg/a.so"), tags=tags))
        assert [place.architecture for place in (*places.of("pkg/a.so"), *places.of("pkg/data"))] == ["x86_64", ""]
    assert Places(case(tags=())).of("a") == (Place(file="a", architecture="", tags=()),)


def test_without_overrides_the_base_counts_for_every_file() -> None:
    base = policy(setting(Level.WARNING))
    assert told(SUBJECT, base) == [("pkg/a.so", Level.WARNING, "above 1"), ("pkg/data", Level.WARNING, "above 1")]
    assert ask([RULE], SUBJECT, base, Places(SUBJECT))[1] == (ReadProblem(file="pkg/b.so", reason="size-over-budget: limit 1"),)


def test_a_rule_that_is_off_everywhere_is_not_asked() -> None:
    assert ask([RULE], SUBJECT, policy(setting(Level.OFF)), Places(SUBJECT)) == ((), ())


def test_two_promises_with_parameters_of_their_own_tell_one_thing_once_and_as_the_graver() -> None:
    tighter = Override(settings=(setting(Level.ERROR, 2),), **ON_MUSL)
    assert told(SUBJECT, policy(setting(Level.WARNING), tighter)) == [
        ("pkg/a.so", Level.ERROR, "above 2"),
        ("pkg/data", Level.ERROR, "above 2"),
    ]
    looser = Override(settings=(setting(Level.NOTE, 2),), **ON_MUSL)
    assert told(SUBJECT, policy(setting(Level.WARNING), looser)) == told(SUBJECT, policy(setting(Level.WARNING)))
    assert ask([RULE], SUBJECT, policy(setting(Level.WARNING), looser), Places(SUBJECT))[1] == (
        ReadProblem(file="pkg/b.so", reason="size-over-budget: limit 1"),
        ReadProblem(file="pkg/b.so", reason="size-over-budget: limit 2"),
    )


def test_parameters_for_an_architecture_reach_its_objects_alone() -> None:
    subject = case(elf("pkg/a.so"), tags=(tag("manylinux_2_28_aarch64"),))
    own = Override(files=(), architectures=("x86_64",), settings=(setting(Level.ERROR, 2),))
    assert told(subject, policy(setting(Level.NOTE), own)) == [
        ("pkg/data", Level.NOTE, "above 1"),
        ("pkg/a.so", Level.ERROR, "above 2"),
    ]
