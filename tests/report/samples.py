"""Reports that every format must be able to tell, honest and hostile."""

from __future__ import annotations

from typing import TYPE_CHECKING

from checker.model.artifact import ReadProblem
from checker.model.closure import ProviderKind
from checker.model.finding import Level, PolicyLine
from checker.model.policy import RuleSetting
from checker.model.record import replace
from checker.model.rule import NoParameters
from checker.rules.registry import RULES
from tests.report import builders as build

if TYPE_CHECKING:
    from checker.model.report import Report

HOSTILE = "pkg/<script>alert(1)</script>|`x`\n::error::@team \x1b[31m\udcff,:%0A.so"
"""A member's name that tries markup, a table's bar, a command of the runner, a mention, a terminal's colour, and a raw byte."""


def settings() -> tuple[RuleSetting, ...]:
    """Every rule, at level error."""
    return tuple(RuleSetting(rule=rule.id, level=Level.ERROR, parameters=NoParameters(), files=()) for rule in RULES)


def passing() -> Report:
    return build.report(build.artifact(policy=build.policy(settings=settings())))


def failing() -> Report:
    """Findings of each level, waived ones, a stale waiver, something unchecked, a second artifact; a library that is needed."""
    stale = replace(
        build.finding("unmatched-waiver", Level.WARNING, file=build.WHEEL, subject="missing-library"),
        policy_line=PolicyLine(source="wheelproof.toml", line=12),
    )
    objects = (build.facts(), build.facts(build.LIBRARY, soname="libfoo.so.1"))
    first = build.artifact(
        build.finding(),
        build.finding("executable-stack", Level.WARNING),
        build.finding("platform-tag-too-new", Level.NOTE, file=build.WHEEL, subject="manylinux_2_5_x86_64", remedy=""),
        build.finding("absolute-run-path", Level.ERROR, subject="/opt/lib", waived=build.waived()),
        stale,
        unchecked=(build.problem(),),
        case=build.case(objects=objects, libraries=(build.member_edge(), build.edge())),
        policy=build.policy(settings=settings()),
    )
    return build.report(first, build.artifact(case=build.case("dist/other.whl"), policy=build.policy(settings=settings())))


def hostile() -> Report:
    """The same of names that would like to be more than names."""
    path = f"dist/{HOSTILE.replace('/', '_')}.whl"
    objects = (build.facts(HOSTILE, soname=HOSTILE), build.facts(HOSTILE + "2"))
    edge = build.edge(HOSTILE, needer=HOSTILE + "2", provider=ProviderKind.MEMBER, path=HOSTILE)
    told = build.finding(
        file=HOSTILE,
        subject=HOSTILE,
        message=f"needs {HOSTILE}",
        remedy=f"leave {HOSTILE} out",
        evidence=(("names", (HOSTILE,)),),
    )
    judged = build.artifact(
        told,
        unchecked=(ReadProblem(file=HOSTILE, reason=f"cannot read {HOSTILE}"),),
        case=build.case(path, objects=objects, libraries=(edge,)),
        policy=build.policy(settings=settings()),
    )
    return build.report(judged)


def long(number: int = 25) -> Report:
    """More findings, each with a cause of its own, than services show."""
    findings = [build.finding(subject=f"lib{index:02}.so", message=f"needs {index} of its symbols") for index in range(number)]
    return build.report(build.artifact(*findings, policy=build.policy(settings=settings())))


SAMPLES = {"passing": passing, "failing": failing, "hostile": hostile, "long": long}
