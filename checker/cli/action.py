"""The step of the GitHub Action (``action.yml``): inputs from the environment, reports as files, verdict as exit code.

Inputs reach this module as environment variables and never as shell text, so that no input can be a command. Whatever keeps a
wheel from being judged, such as a pattern that matches nothing, fails the step.
"""

from __future__ import annotations

import json
import os
import secrets
import sys
from glob import glob
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING

from checker.cli import codes
from checker.cli.main import main
from checker.model.finding import Level
from checker.report.github import command

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

SUMMARY_LIMIT = 1024 * 1024
"""Bytes of a step's summary that GitHub takes; of more it shows nothing."""
_NO_SUMMARY = b"## wheelproof\n\nThe summary is longer than GitHub takes; the JSON report has all of it.\n"
_NOTHING = {"verdict": "error", "report": "", "sarif-file": "", "findings": "0"}


class InputError(Exception):
    """An input of the action says what cannot be; the message names the input."""


def run(environment: Mapping[str, str]) -> int:
    """One step of a workflow.

    Args:
        environment: ``WHEELPROOF_*`` as ``action.yml`` sets them, and the runner's ``RUNNER_TEMP``, ``GITHUB_OUTPUT`` and
            ``GITHUB_STEP_SUMMARY``.

    Returns:
        The exit code of ``wheelproof check``.
    """
    # A folder of this step's own: later steps read the reports of each by its outputs.
    folder = Path(mkdtemp(prefix="wheelproof-", dir=environment["RUNNER_TEMP"]))
    files = {name: folder / f"wheelproof.{name}" for name in ("json", "sarif", "github", "markdown")}
    try:
        words = list(_words(environment, files))
    except InputError as error:
        _print(command(Level.ERROR, (str(error),), {"title": "wheelproof"}))
        _write_outputs(environment, _NOTHING)
        return codes.USAGE
    code = main(["check", *words])
    if files["github"].exists():
        _print(files["github"].read_text(encoding="utf-8"))
    if files["markdown"].exists():
        _append_summary(environment, files["markdown"].read_bytes())
    outputs = {**_NOTHING, **_outcome(files["json"])}
    if files["sarif"].exists():
        outputs["sarif-file"] = str(files["sarif"])
    _write_outputs(environment, outputs)
    if code == codes.USAGE:
        _print(command(Level.ERROR, ("the inputs are wrong; the log of this step says how",), {"title": "wheelproof"}))
    return code


def _words(environment: Mapping[str, str], files: Mapping[str, Path]) -> Iterator[str]:
    """What ``check`` is asked.

    Raises:
        InputError: an input says what cannot be.
    """
    wanted = {
        "json": True,
        "sarif": _flag(environment, "sarif"),
        "github": _flag(environment, "annotations"),
        "markdown": _flag(environment, "summary"),
    }
    for name, is_wanted in wanted.items():
        if is_wanted:
            yield f"--format={name}={files[name]}"
    for further in _rows(environment, "format"):
        if not further.partition("=")[2]:
            raise InputError(f"format: {further} names no file; write FORMAT=FILE, such as junit=wheelproof.xml")
        yield f"--format={further}"
    yield from (f"--policy={policy}" for policy in _rows(environment, "policy"))
    yield from (f"--provider={_expanded(provider)}" for provider in _rows(environment, "provider"))
    if environment.get("WHEELPROOF_FAIL_ON"):
        yield f"--fail-on={environment['WHEELPROOF_FAIL_ON']}"
    yield "--"
    yield from _artifacts(environment)


def _artifacts(environment: Mapping[str, str]) -> list[str]:
    patterns = _rows(environment, "artifacts")
    if not patterns:
        raise InputError("artifacts: names no wheel; write patterns such as dist/*.whl")
    matched = {pattern: sorted(glob(pattern, recursive=True)) for pattern in patterns}  # noqa: PTH207 (paths stay as written)
    empty = [pattern for pattern, paths in matched.items() if not paths]
    if empty:
        raise InputError(f"artifacts: nothing matches {', '.join(empty)} in {Path.cwd()}; without wheels nothing is proved")
    return list(dict.fromkeys(path for paths in matched.values() for path in paths))


def _expanded(provider: str) -> str:
    """``NAME=PATTERN`` with the one path that the pattern matches."""
    name, _, pattern = provider.partition("=")
    paths = sorted(glob(pattern)) if pattern else []  # noqa: PTH207 (as above)
    if len(paths) != 1:
        raise InputError(f"provider: {provider} must match one path and matches {len(paths)}; write NAME=PATH")
    return f"{name}={paths[0]}"


def _rows(environment: Mapping[str, str], name: str) -> list[str]:
    written = environment.get(_variable(name), "")
    return [row.strip() for row in written.splitlines() if row.strip()]


def _flag(environment: Mapping[str, str], name: str) -> bool:
    written = environment.get(_variable(name), "").strip().lower()
    if written not in {"true", "false", ""}:
        raise InputError(f"{name}: {written} is neither true nor false")
    return written == "true"


def _variable(name: str) -> str:
    return f"WHEELPROOF_{name.upper().replace('-', '_')}"


def _outcome(report: Path) -> dict[str, str]:
    """Outputs of the JSON report; empty without one."""
    if not report.exists():
        return {}
    document = json.loads(report.read_text(encoding="utf-8"))
    open_ones = [one for artifact in document["artifacts"] for one in artifact["findings"] if one["waived"] is None]
    return {"verdict": document["verdict"], "report": str(report), "findings": str(len(open_ones))}


def _append_summary(environment: Mapping[str, str], summary: bytes) -> None:
    path = environment.get("GITHUB_STEP_SUMMARY")
    if not path:
        return
    if len(summary) > SUMMARY_LIMIT:
        summary = _NO_SUMMARY
    with Path(path).open("ab") as file:
        file.write(summary)


def _write_outputs(environment: Mapping[str, str], outputs: Mapping[str, str]) -> None:
    """In the form for values of any text, behind a mark that no value can foresee (GitHub's "Multiline strings")."""
    path = environment.get("GITHUB_OUTPUT")
    if not path:
        return
    mark = f"wheelproof-{secrets.token_hex(16)}"
    with Path(path).open("a", encoding="utf-8") as file:
        file.writelines(f"{name}<<{mark}\n{value}\n{mark}\n" for name, value in outputs.items())


def _print(text: str) -> None:
    sys.stdout.write(text if text.endswith("\n") else f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(run(os.environ))
