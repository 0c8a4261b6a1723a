"""``wheelproof policy init``: a starter policy that passes today's artifacts, for a person to review."""

from __future__ import annotations

import os
import time

from checker.asking import Places
from checker.cli import codes, output
from checker.cli.audit import expanded, options_for, refuse_wheelhouses
from checker.cli.request import Target, UsageError
from checker.model.finding import Level
from checker.model.platform import is_path
from checker.model.record import replace
from checker.policy.builtin import DEFAULT_POLICY, SCHEMA_ID, schema_text
from checker.policy.load import is_policy_path, load_merged
from checker.policy.merge import merge, policy_of
from checker.policy.problems import PolicyError
from checker.policy.read import Document, read_layer
from checker.report.text import Line, Style, counted, line
from checker.rules.registry import specs
from checker.starter import Starter, acceptances, ceilings, suggested_providers, used_providers
from checker.startertext import render
from checker.waive import UNMATCHED, waive

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from checker.cli.request import PolicyInitRequest
    from checker.engine import Options
    from checker.model.finding import Finding
    from checker.model.policy import Policy
    from checker.model.report import ArtifactReport
    from checker.policy.layer import Layer

STDOUT = "-"
_SCHEMA_HEAD = 1000
"""Characters in which a schema says whose it is."""
_FEW = 3
"""Distributions that the policy's name names."""


def init(request: PolicyInitRequest) -> int:
    """Write the policy, and beside it the schema that its first line names for editors.

    Returns:
        0 when the artifacts pass by it; 3 when something could not be checked, which no waiver accepts; 1 when a finding is
        left that no waiver can name.

    Raises:
        UsageError: an artifact or policy is none, a file is in the way, or one cannot be written.
    """
    artifacts = _artifacts(request)
    options = options_for(Target(providers=request.providers))
    files = _files(request)
    sources = request.policies or (DEFAULT_POLICY,)
    base = _base(sources)
    starter = _empty(request, artifacts, sources, files)
    cases = tuple(report.case for report in _judged(artifacts, _policy(starter, base), options))
    providers = suggested_providers(cases)
    starter = replace(starter, providers=providers, known=used_providers(cases, providers), ceilings=ceilings(cases))
    reports = _judged(artifacts, _policy(starter, base), options)
    least = Level(request.fail_on).rank
    reason = f"found when this policy was written, {starter.day}; to be reviewed"
    unchecked = sorted({(problem.file, problem.reason) for report in reports for problem in report.unchecked})
    starter = replace(starter, accepted=acceptances(reports, least, reason), unchecked=tuple(unchecked))
    left = tuple(_left(reports, _policy(starter, base), least))
    if files:
        output.write_file(files[0], render(starter))
        output.write_file(files[1], schema_text())
        output.print_lines(tuple(_told(files, starter, left)))
    else:
        output.print_text(render(starter))
    if left:
        return codes.FINDINGS
    return codes.UNCHECKED if unchecked else codes.COMPLIANT


def _artifacts(request: PolicyInitRequest) -> tuple[str, ...]:
    artifacts, missing = expanded(request.artifacts)
    if missing:
        raise UsageError(*(f"{path}: no such file or directory" for path in missing))
    refuse_wheelhouses(artifacts)
    return artifacts


def _files(request: PolicyInitRequest) -> tuple[str, ...]:
    """The policy and the schema beside it, both free to be written; none for standard output."""
    if request.output == STDOUT:
        return ()
    policy, schema = request.output, request.output.removesuffix(".toml") + ".schema.json"
    if not os.path.isdir(os.path.dirname(policy) or "."):  # noqa: PTH112, PTH120 (as the user typed it)
        raise UsageError(f"--output {policy}: there is no folder for that file")
    taken = [file for file in (policy, schema) if os.path.lexists(file) and not (file == schema and _is_ours(file))]
    if taken and not request.force:
        raise UsageError(
            *(f"{file} is there already: name another with --output, or overwrite it with --force" for file in taken)
        )
    return policy, schema


def _is_ours(schema: str) -> bool:
    """The schema that an earlier run wrote."""
    try:
        with open(schema, encoding="utf-8", errors="replace") as stream:  # noqa: PTH123
            return SCHEMA_ID in stream.read(_SCHEMA_HEAD)
    except OSError:
        return False


def _base(sources: Sequence[str]) -> tuple[Layer, ...]:
    try:
        return load_merged(sources, specs()).layers
    except PolicyError as error:
        raise UsageError(*map(str, error.problems)) from error


def _empty(request: PolicyInitRequest, artifacts: Sequence[str], sources: Sequence[str], files: Sequence[str]) -> Starter:
    folder = os.path.dirname(files[0]) if files else ""  # noqa: PTH120
    names = tuple(map(_name, artifacts))
    given = (provider.partition("=") for provider in request.providers)
    return Starter(
        name=" and ".join(sorted({name.partition("-")[0] for name in names})[:_FEW]),
        extends=tuple(_relative(source, folder) if is_policy_path(source) else source for source in sources),
        platform=_relative(request.platform, folder) if is_path(request.platform) else request.platform,
        python=_relative(request.python, folder) if is_path(request.python) else request.python,
        artifacts=names,
        day=time.strftime("%Y-%m-%d"),
        given=tuple((name, _name(path)) for name, _, path in given),
        schema=os.path.basename(files[1]) if files else "",  # noqa: PTH119
        output=files[0] if files else "the starter policy",
    )


def _name(path: str) -> str:
    return os.path.basename(path.rstrip("/")) or path  # noqa: PTH119


def _relative(path: str, folder: str) -> str:
    """The path as a policy in that folder writes it, with a slash, so that it is taken for a path."""
    relative = os.path.relpath(path, folder or ".").replace(os.sep, "/")
    return relative if "/" in relative else f"./{relative}"


def _policy(starter: Starter, base: Sequence[Layer]) -> Policy:
    """The policy that the text is, with what it extends.

    Raises:
        UsageError: the target is none.
    """
    document = Document(render(starter).encode("utf-8", "backslashreplace"), starter.output, ())
    layer = read_layer(document, specs(), starter.name)
    if layer is None:
        raise UsageError(*(f"{problem.path}: {problem.message}" for problem in document.problems))
    merged = merge((*base, layer), specs())
    if merged.problems:
        raise UsageError(*map(str, merged.problems))
    return policy_of(merged, specs())


def _judged(artifacts: Sequence[str], policy: Policy, options: Options) -> tuple[ArtifactReport, ...]:
    from checker import engine
    from checker.cli.progress import ProgressBar

    with ProgressBar() as bar:
        try:
            return engine.run(artifacts, policy, replace(options, progress=bar.callback)).artifacts
        except engine.UsageError as error:
            raise UsageError(str(error)) from error


def _left(reports: Sequence[ArtifactReport], policy: Policy, least: int) -> Iterator[Finding]:
    """What the waivers do not accept, though they should."""
    for report in reports:
        name = report.case.inventory.name
        for finding in waive(report.findings, policy.waivers, Places(report.case), artifact=name, today=""):
            if finding.waived is None and finding.level.rank >= least and finding.rule != UNMATCHED:
                yield finding


def _told(files: Sequence[str], starter: Starter, left: Sequence[Finding]) -> Iterator[Line]:
    yield line(f"{files[0]}: written, and {files[1]}, by which editors know its keys")
    yield line(f"{counted(len(starter.accepted), 'finding')} of today accepted; review each", indent=2)
    for provider in starter.providers:
        yield line(f"{provider.requirement} declared as the provider of {', '.join(provider.libraries)}", indent=2)
    for finding in left:
        yield Line(
            lead=(("  not accepted, since no waiver can name it: ", Style.ERROR),),
            body=((f"{finding.rule}: {finding.file}: {finding.message}", Style.PLAIN),),
        )
    for file, reason in starter.unchecked:
        yield Line(lead=(("  could not be checked: ", Style.WARNING),), body=((f"{file}: {reason}", Style.PLAIN),))
