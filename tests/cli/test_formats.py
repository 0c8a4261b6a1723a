"""Every format over every built fixture, with the real engine: valid by its schema, and the same bytes in each run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import jsonschema
import pytest
import xmlschema
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from pydantic_sarif.model import StaticAnalysisResultsFormatSarifVersion210JsonSchema as Sarif

import checker.report
from checker.cli.formats import FORMATS, TERMINAL
from tests.cli.conftest import Commands

if TYPE_CHECKING:
    from collections.abc import Mapping

ROOT = Path(__file__).parents[2]
_PLACES = ("defects/*/*.whl", "policies/**/*.whl", "sample/*.whl", "elf/*.so")
FIXTURES = sorted(str(path) for place in _PLACES for path in (ROOT / "testdata").glob(place))


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[Mapping[str, bytes], Mapping[str, bytes]]:
    """Format → bytes, of two runs over all fixtures with different hash seeds."""
    runs = []
    for seed in ("1", "2"):
        commands = Commands(tmp_path_factory.mktemp("formats"))
        words = [f"--format={name}=report.{name}" for name in FORMATS]
        done = commands.run("check", *words, *FIXTURES, module="checker", PYTHONHASHSEED=seed)
        assert (done.code, done.err) == (1, "")
        runs.append({name: (commands.folder / f"report.{name}").read_bytes() for name in FORMATS})
    return runs[0], runs[1]


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_has_the_same_bytes_in_each_run(written: tuple[Mapping[str, bytes], Mapping[str, bytes]], name: str) -> None:
    first, second = written
    assert first[name] == second[name]
    assert len(first[name]) > len(FIXTURES) or name not in {TERMINAL, "html"}


def test_each_format_with_a_schema_is_valid_over_all_fixtures(
    written: tuple[Mapping[str, bytes], Mapping[str, bytes]],
) -> None:
    reports, _ = written
    schema = Path(checker.report.__file__).with_name("report.schema.json")
    jsonschema.Draft202012Validator(json.loads(schema.read_text(encoding="utf-8"))).validate(json.loads(reports["json"]))
    Sarif.model_validate_json(reports["sarif"])
    xmlschema.XMLSchema(str(ROOT / "testdata" / "schemas" / "junit-10.xsd")).validate(reports["junit"].decode())
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(reports["cyclonedx"].decode()) is None
