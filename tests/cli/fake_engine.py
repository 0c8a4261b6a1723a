"""wheelproof with an engine that believes what an artifact says: its text names the findings and troubles it has.

Run as a program, so that a test sees streams, signals and exit codes as a user does.
"""

from __future__ import annotations

import os
import signal
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from checker.archive.limits import Limits
from checker.model.finding import Level
from checker.model.report import ArtifactReport, Report, Verdict
from tests.report import builders as build
from tests.report import objects

if TYPE_CHECKING:
    from collections.abc import Sequence

    from checker.model.policy import Policy


class Options:
    """Any options."""

    def __init__(self, **values: Any) -> None:  # noqa: ANN401
        self.values = values
        assert isinstance(values["limits"], Limits)


def run(paths: Sequence[str], _policy: Policy, options: Options) -> Report:
    return build.report(*(audit(path, _policy, options) for path in paths))


def audit(path: str, _policy: Policy, options: Options) -> ArtifactReport:
    words = Path(path).read_text(encoding="utf-8").split()
    if "crash" in words:
        raise RuntimeError("the engine met \x1b[31m what nobody foresaw")
    if "interrupt" in words:
        os.kill(os.getpid(), signal.SIGINT)
    if "objects" in words:
        return objects.artifact()
    if "garbage" in words:
        problem = build.problem(path, "neither a zip file nor an ELF file")
        return build.artifact(unchecked=(problem,), case=build.case(path, objects=(), roots=(), libraries=(), computed=None))
    findings = [build.finding(f"some-{word}", Level(word)) for word in words if word in {"error", "warning", "note"}]
    findings += [build.finding(f"rule-{number}") for word in words if word == "many" for number in range(5000)]
    counts = [int(word.removeprefix("rules-")) for word in words if word.startswith("rules-")]
    findings += [build.finding(f"rule-{number}") for count in counts for number in range(count)]
    unchecked = (build.problem(),) if "unchecked" in words else ()
    lowest = options.values["fail_on"].rank
    verdict = Verdict.UNCHECKED if unchecked else Verdict.PASS
    if any(finding.level.rank >= lowest for finding in findings):
        verdict = Verdict.FAIL
    bindings = (build.binding(),) if options.values["bindings"] else None
    case = build.case(path)
    return build.artifact(*findings, unchecked=unchecked, case=case, verdict=verdict, bindings=bindings)


def no_releases(*_arguments: object) -> tuple[tuple[int, ...], ...]:
    return ()


def load_policy(*_arguments: object) -> Policy:
    return build.policy()


def modules() -> dict[str, ModuleType]:
    """The fakes, by the names of the real modules."""
    made: dict[str, ModuleType] = {}
    fakes: dict[str, dict[str, object]] = {
        "checker.engine": {"Options": Options, "UsageError": ValueError, "run": run, "audit": audit},
        "checker.platforms": {"releases": no_releases},
        "checker.rules.registry": {"RULES": (), "specs": tuple},
        "checker.policy.load": {"load_policy": load_policy},
    }
    for name, contents in fakes.items():
        made[name] = ModuleType(name)
        vars(made[name]).update(contents)
    return made


if __name__ == "__main__":
    from checker.cli.main import main

    for name, module in modules().items():
        sys.modules[name] = module
        parent, _, child = name.rpartition(".")
        setattr(import_module(parent), child, module)
    sys.exit(main())
