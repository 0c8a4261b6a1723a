"""Every fixture of the project, audited once with every rule switched on, and what each rule said of each."""

from __future__ import annotations

import datetime as dt
import json
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from checker.archive import ArchiveError
from checker.capturing import Wish, capture
from checker.engine import Options, UsageError, audit
from checker.model.record import replace
from checker.platforms.capture import render
from checker.policy.load import load_policy
from checker.policy.problems import PolicyError
from checker.rules.registry import RULES, specs
from checker.setup import Preload, Setup
from tests.cases.artifacts import write_artifact
from tests.cases.form import FOLDER, ROOT, AuditForm, CaseError, CaseForm, load_case
from tests.platforms.roots import debian, libc, library, root

if TYPE_CHECKING:
    from checker.model.finding import Finding

TESTDATA = ROOT / "testdata"
SNAPSHOTS = ROOT / "tests" / "rules" / "snapshots"
BEYOND_RULES = "unchecked"
"""Snapshot of what could not be checked and no rule tells."""


@dataclass(frozen=True, slots=True)
class Answers:
    """What one rule said of one fixture; ``unchecked`` are (file, reason) pairs, without the rule's name."""

    findings: tuple[Finding, ...]
    unchecked: tuple[tuple[str, str], ...]


_TITLE = "{}. UPDATE_SNAPSHOTS=1 python -m pytest tests/rules/test_cases.py writes it anew.\n"
_WORDS = {BEYOND_RULES: "What could not be checked of every fixture, beyond what rules tell"}

Survey = dict[str, dict[str, Answers]]
"""Fixture → rule → its answers, where there are any."""


@cache
def case_files() -> tuple[Path, ...]:
    """All cases, sorted."""
    return tuple(sorted(FOLDER.glob("*/*.toml")))


def case_name(path: Path) -> str:
    """A case as snapshots call it: ``rules/<rule>/<case>``."""
    return path.relative_to(TESTDATA).with_suffix("").as_posix()


@cache
def survey() -> Survey:
    """All answers about all fixtures."""
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder) / "everything.toml"
        base.write_text(_everything_on(), encoding="utf-8")
        found: Survey = {}
        for number, path in enumerate(case_files()):
            place = Path(folder) / str(number)
            place.mkdir()
            try:
                found[case_name(path)] = audited_case(load_case(path), place, base)
            except (PolicyError, UsageError, ArchiveError) as error:
                raise CaseError(f"{path.relative_to(ROOT).as_posix()}: cannot be audited: {error}") from error
        for name, path in _other_fixtures().items():
            found[name] = _answers(path, (str(base),), Options())
        return found


def audited_case(form: CaseForm, folder: Path, base: Path | None = None) -> dict[str, Answers]:
    """Write a case's artifact into an empty folder and ask every rule about it.

    Args:
        form: the case.
        folder: empty.
        base: the policy with everything on; written anew where ``None``.
    """
    if base is None:
        base = folder / "everything.toml"
        base.write_text(_everything_on(), encoding="utf-8")
    policies = [str(base)]
    if form.policy:
        own = folder / "policy.toml"
        own.write_text(_toml({"schema": 1, "name": "case"} | form.policy), encoding="utf-8")
        policies.append(str(own))
    providers = []
    for name, provider in form.provider.items():
        place = folder / f"provider-{name}"
        place.mkdir()
        providers.append((name, str(write_artifact(provider, place))))
    place = folder / "artifact"
    place.mkdir()
    artifact = write_artifact(form, place)
    options = _options(form.audit, tuple(providers))
    if form.audit.unmeasured:
        options = replace(options, platform=_captured(folder, form.audit.unmeasured))
    return _answers(artifact, tuple(policies), options)


def _captured(folder: Path, unmeasured: list[str]) -> str:
    """A platform file of a system with a C library and these, into which nobody looked."""
    system = root(
        folder / "system", debian(**{"libc.so.6": libc("2.17", "clock_gettime")} | {name: library(name) for name in unmeasured})
    )
    path = folder / "captured.platform"
    path.write_text("".join(render(capture(str(system), Wish(libraries=("libc.*",))))), encoding="ascii", newline="\n")
    return str(path)


def _everything_on() -> str:
    rules = {rule.id: {"level": "error"} for rule in RULES}
    return _toml({"schema": 1, "name": "everything", "extends": ["recommended"], "rules": rules})


def _toml(document: dict[str, Any]) -> str:
    """A document of inline tables."""
    return "".join(f"{key} = {_value(value)}\n" for key, value in document.items())


def _value(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {_value(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_value, value)) + "]"
    return value.isoformat() if isinstance(value, dt.date) else json.dumps(value, ensure_ascii=False)


def _options(form: AuditForm, providers: tuple[tuple[str, str], ...]) -> Options:
    setup = None
    if form.preload or form.library_path or form.executable:
        preloads = tuple(
            Preload(path=path.removesuffix(":global"), is_global=path.endswith(":global")) for path in form.preload
        )
        setup = Setup(executable=form.executable, preloads=preloads, library_path=tuple(form.library_path))
    return Options(platform=form.platform, python=form.python, roots=tuple(form.roots), providers=providers, setup=setup)


@cache
def _policy(sources: tuple[str, ...]) -> Any:  # noqa: ANN401 - a policy
    return load_policy(sources, specs())


def _answers(path: Path, policies: tuple[str, ...], options: Options) -> dict[str, Answers]:
    report = audit(str(path), _policy(policies), options)
    for rule in RULES:
        # Without an occasion a rule is not asked, and must have nothing to say.
        assert rule.when(report.case) or not list(rule.check(report.case, rule.parameters())), f"{path}: {rule.id}"
    findings: dict[str, list[Finding]] = {}
    for finding in report.findings:
        findings.setdefault(finding.rule, []).append(finding)
    unchecked: dict[str, list[tuple[str, str]]] = {}
    for problem in report.unchecked:
        teller, colon, reason = problem.reason.partition(": ")
        if not colon or teller not in _rule_ids():
            teller, reason = BEYOND_RULES, problem.reason
        unchecked.setdefault(teller, []).append((problem.file, reason))
    return {
        teller: Answers(tuple(findings.get(teller, ())), tuple(unchecked.get(teller, ())))
        for teller in sorted(findings.keys() | unchecked.keys())
    }


@cache
def _rule_ids() -> frozenset[str]:
    return frozenset(rule.id for rule in RULES)


def _other_fixtures() -> dict[str, Path]:
    """Name → path of the built fixtures that are kept."""
    found = {path.stem: path for path in sorted((TESTDATA / "elf").glob("*.so"))}
    named = {f"elf/{name}": path for name, path in found.items()}
    for path in sorted((TESTDATA / "defects").glob("*/*.whl")):
        state = "mended" if "-1.1-" in path.name else "broken"
        named[f"defects/{path.parent.name}/{state}"] = path
    named.update({f"sample/{path.name.partition('-')[0]}": path for path in sorted((TESTDATA / "sample").glob("*.whl"))})
    return named


def snapshot(rule: str) -> str:
    """The text kept for a rule: fixture by fixture, sorted, with what it says of each."""
    lines = [title(rule)]
    for name, answers in sorted(survey().items()):
        if rule in answers:
            lines.append(f"\n{name}\n{answers_text(answers[rule])}")
    return "".join(lines)


def title(rule: str) -> str:
    """The first line of a snapshot."""
    return _TITLE.format(_WORDS.get(rule, f"What {rule} says of every fixture"))


def answers_text(answers: Answers) -> str:
    """What a rule says of one fixture, for people."""
    lines = [f"  {one.file}: {one.subject}\n    {one.message}\n    fix: {one.remedy}\n" for one in answers.findings]
    lines += [f"  unchecked {file}\n    {reason}\n" for file, reason in answers.unchecked]
    return "".join(lines)
