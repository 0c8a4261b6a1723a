from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest

import checker.report
from checker.model.artifact import ArtifactKind
from checker.model.closure import FoundBy, ProviderKind
from checker.model.elf import View
from checker.model.finding import Level
from checker.model.report import Report, Verdict
from checker.model.resolution import LoadCause, LoadOutcome, Outcome, Via
from checker.report.json import render
from tests.report import builders as build
from tests.report.snapshots import assert_snapshot

if TYPE_CHECKING:
    from enum import Enum

SCHEMA = json.loads(Path(checker.report.__file__).with_name("report.schema.json").read_text(encoding="utf-8"))
CAUSE = LoadCause(kind="library", object=build.CORE, subject="libbar.so.2")


def full_report() -> Report:
    """Every key and every kind of value."""
    objects = (build.facts(rpath="$ORIGIN/../pkg.libs:/opt/lib", runpath="", needed=("libfoo.so.1", "libc.so.6")),)
    case = build.case(
        objects=objects,
        libraries=(build.edge(), build.missing_edge(), build.member_edge()),
        roots=(build.root(outcome=LoadOutcome.FAILS, because=CAUSE),),
        counts=build.counts(member=1, host=2, platform=3, declared=4, weak_absent=5, undecided=6),
    )
    unversioned: dict[str, Any] = {"version": None, "provider_version": None}
    bindings = (
        build.binding(),
        build.binding(b"PyLong_Type", provider=ProviderKind.HOST, path="cpython-3.11", via=Via.INTERPRETER, **unversioned),
        build.binding(b"crc32", root=build.CORE, path="libz.so.1", via=Via.INTERPRETER_DEPENDENCY, **unversioned),
        build.binding(b"x", outcome=Outcome.SYMBOL_MISSING, provider=ProviderKind.NONE, path=None, via=None, **unversioned),
    )
    findings = (
        build.finding(),
        build.finding("record-mismatch", evidence=(("line", 7),), file=build.WHEEL),
        build.finding("executable-stack", Level.WARNING, waived=build.waived()),
        build.finding("missing-relro", Level.NOTE, waived=build.waived(expires="")),
    )
    judged = build.artifact(*findings, unchecked=(build.problem(),), case=case, bindings=bindings)
    return build.report(judged, build.artifact(case=build.case("other.whl", computed=None)))


def parsed(report: Report) -> Any:  # noqa: ANN401 (any JSON)
    document = json.loads(render(report))
    jsonschema.Draft202012Validator(SCHEMA).validate(document)
    return document


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_every_object_of_the_schema_refuses_unknown_keys() -> None:
    def objects(part: Any) -> list[Any]:  # noqa: ANN401
        inner = part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
        return [part] * (isinstance(part, dict) and "properties" in part) + [found for one in inner for found in objects(one)]

    assert all(found["additionalProperties"] is False for found in objects(SCHEMA) if "type" in found)


@pytest.mark.parametrize(
    ("place", "values"),
    [
        (("verdict",), Verdict),
        (("provider",), ProviderKind),
        (("artifact", "properties", "kind"), ArtifactKind),
        (("object", "properties", "view"), View),
        (("library", "properties", "how"), FoundBy),
        (("binding", "properties", "outcome"), Outcome),
        (("root", "properties", "loads", "items", "properties", "outcome"), LoadOutcome),
    ],
    ids=lambda value: value.__name__ if isinstance(value, type) else None,
)
def test_the_schema_knows_every_value_of_the_model(place: tuple[str, ...], values: type[Enum]) -> None:
    part = SCHEMA["$defs"]
    for key in place:
        part = part[key]
    assert part["enum"] == [member.value for member in values]


def test_the_schema_knows_every_level_that_a_finding_can_have() -> None:
    levels = SCHEMA["$defs"]["finding"]["properties"]["level"]["enum"]
    assert levels == [level.value for level in Level if level is not Level.OFF]


def test_a_full_report_is_as_in_the_snapshot() -> None:
    parsed(full_report())
    assert_snapshot("full.json", render(full_report()))


def test_an_empty_report_fits_the_schema() -> None:
    assert parsed(build.report())["artifacts"] == []


def test_a_report_that_lacks_a_key_does_not_fit_the_schema() -> None:
    document = parsed(full_report())
    del document["artifacts"][0]["findings"][0]["remedy"]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(SCHEMA).validate(document)


def test_bindings_are_told_only_where_they_were_asked_for() -> None:
    assert "bindings" not in parsed(build.report(build.artifact()))["artifacts"][0]
    assert parsed(build.report(build.artifact(bindings=())))["artifacts"][0]["bindings"] == []


@pytest.mark.parametrize(
    ("via", "told"),
    [
        (None, None),
        (Via.NEEDED, None),
        (Via.INTERPRETER, None),
        (Via.INTERPRETER_DEPENDENCY, "interpreter-dependency"),
        (Via.SIBLING, "sibling"),
        (Via.PRELOAD, "preload"),
    ],
)
def test_via_tells_only_what_a_binding_should_not_hang_on(via: Via | None, told: str | None) -> None:
    document = parsed(build.report(build.artifact(bindings=(build.binding(via=via),))))
    assert document["artifacts"][0]["bindings"][0]["via"] == told


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("pkg/é.so", "pkg/é.so"),
        ("pkg/\udcff\udc80.so", "pkg/\\xff\\x80.so"),
        ("pkg/\ud800.so", "pkg/\\ud800.so"),
        ("pkg/\x1b[31m.so", "pkg/\x1b[31m.so"),
    ],
)
def test_a_name_that_is_not_utf_8_is_told_byte_by_byte(name: str, told: str) -> None:
    text = render(build.report(build.artifact(build.finding(file=name))))
    assert text.isascii()
    assert all(character.isprintable() or character == "\n" for character in text)
    assert json.loads(text)["artifacts"][0]["findings"][0]["file"] == told


def test_a_symbol_that_is_not_utf_8_is_told_byte_by_byte() -> None:
    document = parsed(build.report(build.artifact(bindings=(build.binding(b"a\xff"),))))
    assert document["artifacts"][0]["bindings"][0]["symbol"] == "a\\xff"


def test_a_name_is_no_command_for_a_ci_service() -> None:
    text = render(build.report(build.artifact(build.finding(file="##[error]x"))))
    assert "##[" not in text
    assert json.loads(text)["artifacts"][0]["findings"][0]["file"] == "##[error]x"


def test_each_row_of_a_list_stands_on_a_line_of_its_own() -> None:
    lines = render(full_report()).splitlines()
    assert sum('"fingerprint"' in row for row in lines) == 4
    assert sum('"provider_version"' in row for row in lines) == 4


@pytest.mark.parametrize("verdict", list(Verdict))
def test_the_reporter_does_not_decide_the_verdict(verdict: Verdict) -> None:
    document = parsed(build.report(build.artifact(build.finding(), verdict=verdict)))
    assert document["artifacts"][0]["verdict"] == verdict.value
