"""The action's step with a runner's environment."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from checker.cli.action import run
from tests.engine.artifacts import library, wheel

ROOT = Path(__file__).parents[2]
GOOD = min((ROOT / "testdata" / "sample").glob("*.whl"))
BAD = min((ROOT / "testdata" / "defects" / "new-glibc-under-old-tag").glob("*-1.0-*.whl"))


class Runner:
    """A workspace with wheels in ``dist``, and the files that a runner hands to a step."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.temp = folder / "temp"
        self.output, self.summary = folder / "output", folder / "summary"
        for path in (self.temp, folder / "dist"):
            path.mkdir()

    def take(self, *wheels: Path) -> None:
        """Put wheels into ``dist``."""
        for path in wheels:
            (self.folder / "dist" / path.name).write_bytes(path.read_bytes())

    def step(self, **inputs: str) -> int:
        """Run with these inputs and the action's defaults for the rest."""
        values = {"artifacts": "dist/*.whl", "annotations": "true", "summary": "true", "sarif": "true", **inputs}
        environment = {f"WHEELPROOF_{name.upper()}": value for name, value in values.items()}
        return run(
            {
                **environment,
                "RUNNER_TEMP": str(self.temp),
                "GITHUB_OUTPUT": str(self.output),
                "GITHUB_STEP_SUMMARY": str(self.summary),
            }
        )

    @property
    def outputs(self) -> dict[str, str]:
        """As the runner reads them."""
        text = self.output.read_text(encoding="utf-8")
        return {found[1]: found[3] for found in re.finditer(r"^(\S+)<<(\S+)\n(.*?)\n\2$", text, re.DOTALL | re.MULTILINE)}


@pytest.fixture
def runner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Runner:
    monkeypatch.chdir(tmp_path)
    return Runner(tmp_path)


def test_a_pass_sets_every_output(runner: Runner, capfd: pytest.CaptureFixture[str]) -> None:
    runner.take(GOOD)
    assert runner.step() == 0
    outputs = runner.outputs
    report, scanned = Path(outputs.pop("report")), Path(outputs.pop("sarif-file"))
    assert outputs == {"verdict": "pass", "findings": "0"}
    assert (report.name, scanned.name) == ("wheelproof.json", "wheelproof.sarif")
    assert report.is_file()
    assert scanned.is_file()
    assert report.parent.parent == runner.temp
    assert "ok" in capfd.readouterr().out
    assert runner.summary.read_text(encoding="utf-8").startswith("## wheelproof: ✅ passes")


def test_a_failure_is_annotated_summed_up_and_written_for_code_scanning(
    runner: Runner, capfd: pytest.CaptureFixture[str]
) -> None:
    runner.take(GOOD, BAD)
    assert runner.step() == 1
    shown = capfd.readouterr().out
    assert f"::error file=dist/{BAD.name},title=platform-tag-too-old::" in shown
    assert runner.outputs["verdict"] == "fail"
    assert "platform-tag-too-old" in runner.summary.read_text(encoding="utf-8")
    (scanned,) = json.loads(Path(runner.outputs["sarif-file"]).read_text(encoding="utf-8"))["runs"]
    assert [result["ruleId"] for result in scanned["results"] if result["level"] == "error"] == ["platform-tag-too-old"]


def test_what_is_not_wanted_is_not_written(runner: Runner, capfd: pytest.CaptureFixture[str]) -> None:
    runner.take(BAD)
    assert runner.step(annotations="false", summary="false", sarif="false") == 1
    assert "::error" not in capfd.readouterr().out
    assert not runner.summary.exists()
    assert runner.outputs["sarif-file"] == ""


@pytest.mark.parametrize("artifacts", ["dist/*.whl", "", "dist/*.whl\nelsewhere/*.whl"])
def test_a_pattern_that_matches_nothing_fails_closed(runner: Runner, capfd: pytest.CaptureFixture[str], artifacts: str) -> None:
    if "elsewhere" in artifacts:
        runner.take(GOOD)
    assert runner.step(artifacts=artifacts) == 2
    assert "::error title=wheelproof::artifacts: " in capfd.readouterr().out
    assert runner.outputs["verdict"] == "error"


def test_inputs_of_several_rows_are_several(runner: Runner) -> None:
    runner.take(GOOD)
    policy = runner.folder / "own.toml"
    policy.write_text('schema = 1\nextends = ["recommended"]\n')
    assert runner.step(policy="recommended\n own.toml\n", format="junit=junit.xml\nmarkdown=report.md\n") == 0
    assert (runner.folder / "junit.xml").exists()
    assert (runner.folder / "report.md").exists()


@pytest.mark.parametrize(
    ("inputs", "told"),
    [
        ({"format": "junit"}, "format: junit names no file"),
        ({"provider": "torch=none*.whl"}, "provider: torch=none*.whl must match one path and matches 0"),
        ({"summary": "yes"}, "summary: yes is neither true nor false"),
        ({"policy": "recomended"}, "the inputs are wrong"),
        ({"fail_on": "never"}, "the inputs are wrong"),
    ],
)
def test_a_wrong_input_fails_and_says_which(
    runner: Runner, capfd: pytest.CaptureFixture[str], inputs: dict[str, str], told: str
) -> None:
    runner.take(GOOD)
    assert runner.step(**inputs) == 2
    assert told in capfd.readouterr().out
    assert runner.outputs["verdict"] == "error"


def test_reports_of_an_earlier_step_are_not_taken_for_this_one_s(runner: Runner) -> None:
    runner.take(GOOD)
    assert runner.step() == 0
    assert runner.step(policy="recomended") == 2
    assert runner.outputs["report"] == ""


def test_a_second_step_of_a_job_leaves_the_reports_of_the_first(runner: Runner) -> None:
    runner.take(GOOD)
    assert runner.step() == 0
    first = Path(runner.outputs["report"])
    told = first.read_bytes()
    runner.take(BAD)
    assert runner.step() == 1
    assert runner.outputs["report"] != str(first)
    assert first.read_bytes() == told


def test_a_summary_that_github_would_not_take_is_told_of(runner: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("checker.cli.action.SUMMARY_LIMIT", 10)
    runner.take(GOOD)
    assert runner.step() == 0
    assert "the JSON report has all of it" in runner.summary.read_text(encoding="utf-8")


def test_a_level_of_failure_is_handed_on(runner: Runner) -> None:
    noted = {"demo/_core.abi3.so": library(defines=("PyInit__core",), needed=("libc.so.6",), runpath="$ORIGIN/nothing")}
    wheel(runner.folder / "dist", noted, tag="cp38-abi3-manylinux_2_17_x86_64")
    assert runner.step() == 0
    assert runner.step(fail_on="note") == 1
