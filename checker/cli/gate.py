"""``wheelproof gate``: run a command, such as an upload, only on artifacts that pass, and only on the bytes checked."""

from __future__ import annotations

import os
import subprocess
from shlex import join

from checker.cli import codes, output
from checker.cli.audit import expanded, listed
from checker.cli.check import check
from checker.cli.publishers import folder_wheels, uploads, wheels_in
from checker.cli.request import UsageError
from checker.model.record import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from checker.cli.request import CheckRequest, GateRequest

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
        artifacts changed in the meantime, be it while a command ran that then exited with 0.

    Raises:
        UsageError: there is no command, an artifact is no file here, the command hands on a wheel that would not be checked, or
            no artifact is named and nobody can tell which the command hands on.
    """
    if not request.command:
        raise UsageError("gate: there is no command behind --, such as: twine upload dist/*.whl")
    command = request.command
    checked = _named(request)
    artifacts, missing = expanded(checked.artifacts)
    if missing:  # a wheel of an index would pass, and no command could be handed it
        raise UsageError(*(f"gate: {path}: no such file" for path in missing))
    _refuse_folders(artifacts)
    _refuse(_strangers(command, artifacts))
    before = _digests(artifacts)
    code = check(checked)
    if code != codes.COMPLIANT:
        output.complain(f"{command[0]} was not run")
        return code
    # The check has read the files between the two digests; and patterns and folders may hold more than before it.
    changed = [
        *_changed(before, "changed while it was checked, so that nobody knows what passed"),
        *_strangers(command, artifacts),
    ]
    if changed:
        for message in changed:
            output.complain(message)
        output.complain(f"{command[0]} was not run")
        return codes.UNCHECKED
    for path, digest in before.items():
        output.complain(f"passed: {path} sha256:{digest}")
    output.complain(f"running {' '.join(command)}")
    code = _run(command)
    changed = _rewritten(before, command[0])
    for message in changed:
        output.complain(message)
    return codes.UNCHECKED if changed and code == codes.COMPLIANT else code


def _named(request: GateRequest) -> CheckRequest:
    """What to check: the artifacts named before ``--``, or else the wheels that the command would upload."""
    named = request.check
    if named.artifacts or named.from_files:
        # A list on standard input can be read only once.
        return replace(named, artifacts=(*named.artifacts, *listed(named.from_files)), from_files=())
    command = request.command
    wheels = uploads(command)
    if wheels is None:
        raise UsageError(
            f"gate: which wheels {command[0]} hands on cannot be seen; "
            f"name them before --, such as: wheelproof gate dist/*.whl -- {join(command)}"
        )
    if not wheels:
        raise UsageError(f"gate: {command[0]} would upload no wheel that is here, so that there is nothing to check")
    return replace(named, artifacts=wheels)


def _refuse_folders(artifacts: Iterable[str]) -> None:
    folders = [path for path in artifacts if os.path.isdir(path)]
    if folders:
        raise UsageError(*(f"gate: {path} is a directory; name the files that the command shall have" for path in folders))


def _refuse(messages: Sequence[str]) -> None:
    if messages:
        raise UsageError(*(f"gate: {message}" for message in messages))


def _strangers(command: Sequence[str], artifacts: Iterable[str]) -> list[str]:
    """The wheels that the command would hand on unchecked (``twine upload dist/*`` after one was checked), as messages.

    Of a command that is no known publisher, the words are looked into. One that names no wheel, such as ``make``, finds them by
    itself: most likely all that lie beside the checked ones.
    """
    checked = {os.path.realpath(path): path for path in artifacts}
    told = f"would be handed to {command[0]} unchecked; name it before -- as well"
    wheels = uploads(command)
    if wheels is None:
        wheels = wheels_in(command[1:])
        if not wheels:
            told = f"may be handed on by {command[0]} unchecked, whose wheels cannot be seen; name it before -- as well"
            beside = (
                wheel for folder in dict.fromkeys(map(os.path.dirname, checked.values())) for wheel in folder_wheels(folder)
            )
            wheels = tuple(beside)
    return [f"{path} {told}" for path in dict.fromkeys(wheels) if os.path.realpath(path) not in checked]


def _changed(before: Mapping[str, str], told: str) -> list[str]:
    return [f"{path}: {told}" for path, digest in _digests(before).items() if digest != before[path]]


def _rewritten(before: Mapping[str, str], command: str) -> list[str]:
    """What holds other bytes after the command than those that passed; it may have moved a file away."""
    told = f"changed while {command} ran, so that what it handed on may not be what passed"
    return _changed({path: digest for path, digest in before.items() if os.path.lexists(path)}, told)


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
