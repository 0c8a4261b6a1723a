"""``wheelproof gate``: run a command, such as an upload, only on artifacts that pass, and only on the bytes checked."""

from __future__ import annotations

import os
import subprocess

from checker.cli import codes, output
from checker.cli.audit import expanded, listed
from checker.cli.check import check
from checker.cli.request import UsageError
from checker.model.record import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from checker.cli.request import GateRequest

# Paths stay as the user typed them; pathlib would rewrite them.
# ruff: noqa: PTH112

NOT_FOUND = 127
NOT_EXECUTABLE = 126
"""As shells tell of commands that they cannot run (POSIX, 2.8.2)."""
_SIGNALLED = 128


def gate(request: GateRequest) -> int:
    """Check; on a pass, run the command.

    Returns:
        The command's exit code; where it was not run, that of ``check``, which then is not 0; ``codes.UNCHECKED`` where the
        artifacts changed in the meantime.

    Raises:
        UsageError: there is no command, an artifact is no file here, or the command names a wheel that would not be checked.
    """
    if not request.command:
        raise UsageError("gate: there is no command behind --, such as: twine upload dist/*.whl")
    # A list on standard input can be read only once.
    checked = replace(request.check, artifacts=(*request.check.artifacts, *listed(request.check.from_files)), from_files=())
    artifacts, missing = expanded(checked.artifacts)
    if missing:  # a wheel of an index would pass, and no command could be handed it
        raise UsageError(*(f"gate: {path}: no such file" for path in missing))
    _refuse_folders(artifacts)
    _refuse_strangers(request.command, artifacts)
    before = _digests(artifacts)
    code = check(checked)
    if code != codes.COMPLIANT:
        output.complain(f"{request.command[0]} was not run")
        return code
    # The check has read the files between the two digests.
    changed = [path for path, digest in _digests(artifacts).items() if digest != before[path]]
    if changed:
        output.complain(f"{', '.join(changed)}: changed while it was checked, so that nobody knows what passed")
        output.complain(f"{request.command[0]} was not run")
        return codes.UNCHECKED
    for path, digest in before.items():
        output.complain(f"passed: {path} sha256:{digest}")
    output.complain(f"running {' '.join(request.command)}")
    return _run(request.command)


def _refuse_folders(artifacts: Iterable[str]) -> None:
    folders = [path for path in artifacts if os.path.isdir(path)]
    if folders:
        raise UsageError(*(f"gate: {path} is a directory; name the files that the command shall have" for path in folders))


def _refuse_strangers(command: Sequence[str], artifacts: Iterable[str]) -> None:
    """The command must not be handed a wheel that is not among the artifacts (``twine upload dist/*`` after one was checked).

    Uploaders expand patterns themselves (twine ``*``, uv ``**`` as well), so they are looked into.
    """
    checked = {os.path.realpath(path) for path in artifacts}
    from glob import glob

    named, _ = expanded(command[1:])
    deep = [path for word in command[1:] if "**" in word for path in glob(word, recursive=True)]  # noqa: PTH207 (as above)
    strangers = [
        path for path in dict.fromkeys((*named, *deep)) if path.endswith(".whl") and os.path.realpath(path) not in checked
    ]
    if strangers:
        told = f"would be handed to {command[0]} unchecked; name it before -- as well"
        raise UsageError(*(f"gate: {path} {told}" for path in strangers))


def _digests(artifacts: Iterable[str]) -> Mapping[str, str]:
    return {path: _digest(path) for path in artifacts}


def _digest(path: str) -> str:
    """SHA-256 of the file's bytes; empty for one that cannot be read, which is the check's to tell."""
    from checker.archive import ArchiveError, hash_artifact

    try:
        return hash_artifact(path)
    except ArchiveError:
        return ""


def _run(command: Sequence[str]) -> int:
    try:
        done = subprocess.run(command, check=False)  # noqa: S603 (it is the user's own command line)
    except FileNotFoundError:
        output.complain(f"{command[0]}: there is no such command")
        return NOT_FOUND
    except OSError as error:
        output.complain(f"{command[0]}: cannot be run: {error.strerror or error}")
        return NOT_EXECUTABLE
    return done.returncode if done.returncode >= 0 else _SIGNALLED - done.returncode
