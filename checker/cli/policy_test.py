"""``wheelproof policy test``: does a policy pass the good wheels and fail the bad ones?"""

from __future__ import annotations

import os

from checker.cli import codes, output
from checker.cli.audit import options_for, policy_for
from checker.cli.expectations import Expectations, read_expectations
from checker.cli.request import Target, UsageError
from checker.model.record import record
from checker.model.report import Verdict
from checker.report.text import Line, Style, counted, line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from checker.cli.request import PolicyTestRequest
    from checker.model.policy import Policy
    from checker.model.report import ArtifactReport

FOLDERS = {"good": Verdict.PASS, "bad": Verdict.FAIL}
_WORDS = {Verdict.PASS: "passes", Verdict.FAIL: "fails", Verdict.UNCHECKED: "could not be checked"}


@record
class Trial:
    """One wheel, tried.

    Attributes:
        file: ``good/NAME`` or ``bad/NAME``.
        verdict: of the policy.
        rules: ids of the rules that fired and were not waived, in the order of their findings, each once.
        wrong: what is not as it should be; empty when all is.
        unchecked: why the verdict is none; empty when it is one.
    """

    file: str
    verdict: Verdict
    rules: tuple[str, ...]
    wrong: str
    unchecked: tuple[str, ...]


def test(request: PolicyTestRequest) -> int:
    """Judge every wheel of both folders and print what became of each.

    Returns:
        0 when all is as it should be; 1 when a good wheel fails, a bad one passes, or a rule that was named has not fired; 3
        when no wheel is wrong, and one could not be checked.

    Raises:
        UsageError: the directory holds nothing to test, ``expected.toml`` or the policy has mistakes.
    """
    policy = policy_for(Target(policies=request.policies))
    wheels = _wheels(request.directory)
    expectations = read_expectations(request.directory, wheels)
    trials = tuple(_trials(request, policy, wheels, expectations))
    output.print_lines(tuple(_lines(policy, trials)))
    if any(trial.wrong for trial in trials):
        return codes.FINDINGS
    return codes.UNCHECKED if any(trial.unchecked for trial in trials) else codes.COMPLIANT


def _wheels(directory: str) -> tuple[str, ...]:
    """``FOLDER/NAME`` of each wheel, good ones first, sorted."""
    if not os.path.isdir(directory):  # noqa: PTH112 (paths stay as the user typed them)
        raise UsageError(f"{directory}: {'not a directory' if os.path.lexists(directory) else 'no such directory'}")
    there = [folder for folder in FOLDERS if os.path.isdir(os.path.join(directory, folder))]  # noqa: PTH112, PTH118
    if not there:
        raise UsageError(
            f"{directory}: has neither a folder good, with wheels that must pass, nor bad, with wheels that must fail"
        )
    found = []
    empty = []
    for folder in there:
        names = sorted(name for name in os.listdir(os.path.join(directory, folder)) if name.endswith(".whl"))  # noqa: PTH118, PTH208
        found += [f"{folder}/{name}" for name in names]
        if not names:
            empty.append(f"{os.path.join(directory, folder)}: no wheel (*.whl) in it")  # noqa: PTH118
    if empty:
        raise UsageError(*empty)
    return tuple(found)


def _trials(request: PolicyTestRequest, policy: Policy, wheels: Sequence[str], expectations: Expectations) -> Iterator[Trial]:
    from checker import engine
    from checker.cli.progress import ProgressBar

    with ProgressBar() as bar:
        options = options_for(Target(), fail_on=request.fail_on, progress=bar.callback)
        for file in wheels:
            path = os.path.join(request.directory, *file.split("/"))  # noqa: PTH118
            try:
                (report,) = engine.run((path,), policy, options).artifacts
            except engine.UsageError as error:
                raise UsageError(str(error)) from error
            yield _trial(file, report, expectations.of(file))


def _trial(file: str, report: ArtifactReport, expected: tuple[str, ...]) -> Trial:
    rules = tuple(dict.fromkeys(finding.rule for finding in report.findings if finding.waived is None))
    wanted = FOLDERS[file.partition("/")[0]]
    silent = [rule for rule in expected if rule not in rules]
    wrong = []
    if report.verdict not in {wanted, Verdict.UNCHECKED}:
        wrong.append("must pass" if wanted is Verdict.PASS else "must fail")
    if silent:
        wrong.append(f"{' and '.join(silent)} must fire")
    undecided = report.verdict is Verdict.UNCHECKED
    return Trial(
        file=file,
        verdict=report.verdict,
        rules=rules,
        wrong="; ".join(wrong),
        unchecked=tuple(f"{problem.file}: {problem.reason}" for problem in report.unchecked) if undecided else (),
    )


def _lines(policy: Policy, trials: Sequence[Trial]) -> Iterator[Line]:
    yield line(f"policy {policy.name}", style=Style.STRONG)
    width = max(len(trial.file) for trial in trials)
    for trial in trials:
        word, style = ("WRONG", Style.ERROR) if trial.wrong else ("?", Style.WARNING) if trial.unchecked else ("ok", Style.GOOD)
        told = _WORDS[trial.verdict] + (f" ({', '.join(trial.rules)})" if trial.rules else "")
        body = ((told, Style.PLAIN), (f": {trial.wrong}" if trial.wrong else "", Style.ERROR))
        yield Line(lead=((f"  {word:<7}", style), (trial.file.ljust(width + 2), Style.PLAIN)), body=body)
        for reason in trial.unchecked:
            yield line(reason, indent=9)
    yield line()
    yield from _summary(trials)


def _summary(trials: Sequence[Trial]) -> Iterator[Line]:
    wrong = sum(bool(trial.wrong) for trial in trials)
    undecided = sum(bool(trial.unchecked) and not trial.wrong for trial in trials)
    parts = [counted(len(trials), "wheel"), f"{wrong} wrong"] + ([f"{undecided} could not be checked"] if undecided else [])
    yield line(", ".join(parts), style=Style.ERROR if wrong else Style.WARNING if undecided else Style.GOOD)
    for folder, verdict in FOLDERS.items():
        if not any(trial.file.startswith(f"{folder}/") for trial in trials):
            shown = "passes anything" if verdict is Verdict.PASS else "refuses anything"
            yield line(f"there is no folder {folder}: nothing shows that the policy {shown}", style=Style.WARNING)
