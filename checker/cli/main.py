"""The entry point: from ``sys.argv`` to an exit code, importing no more than the command needs."""

from __future__ import annotations

import os
import sys

from checker import __version__

TYPE_CHECKING = False  # type checkers take it for true; importing typing would triple the time that --version takes
if TYPE_CHECKING:
    from collections.abc import Sequence

    from checker.cli.request import Request

_COMPLETION = "_WHEELPROOF_COMPLETE"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command.

    Args:
        arguments: the words after the program's name; ``None`` for those of this process.

    Returns:
        The exit code, one of :mod:`checker.cli.codes`.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words == ["--version"]:
        print(f"wheelproof {__version__}")  # noqa: T201 (spares the import of the output module)
        return 0
    if arguments is None:
        import gc

        # The process is ours, it ends soon, and its values hold no cycles: looking for some costs 5 % of a check.
        gc.disable()
    from checker.cli import codes
    from checker.cli.output import complain, prepare_streams

    prepare_streams()
    try:
        return _run(words)
    except KeyboardInterrupt:
        complain("interrupted")
        return codes.INTERRUPTED
    except Exception as error:  # noqa: BLE001 (the last resort: a gate must tell a fault of its own from a verdict)
        _complain_of_fault(error)
        return codes.UNCHECKED


def _run(words: list[str]) -> int:
    from checker.cli import codes
    from checker.cli.output import complain
    from checker.cli.request import UsageError

    try:
        request = _parse(words)
        return request if isinstance(request, int) else _perform(request)
    except UsageError as error:
        for message in error.messages:
            complain(message)
        return codes.USAGE


def _parse(words: list[str]) -> Request | int:
    if words[:1] == ["check"] and _COMPLETION not in os.environ:
        from checker.cli.words import parse_check

        request = parse_check(words[1:])
        if request is not None:
            return request
    if words[:1] == ["gate"] and "--" in words:
        return _parse_gate(words)
    from checker.cli.app import parse

    return parse(words)


def _parse_gate(words: list[str]) -> Request | int:
    """``gate`` takes the words of ``check``, and behind ``--`` those of another program, which are nobody's options here."""
    from checker.cli.request import CheckRequest, GateRequest
    from checker.model.record import replace

    end = words.index("--")
    # ``check`` asks for an artifact, and ``gate`` can do without.
    request = _parse(["check", "artifact", *words[1:end]])
    if not isinstance(request, CheckRequest):
        return request
    return GateRequest(check=replace(request, artifacts=request.artifacts[1:]), command=tuple(words[end + 1 :]))


COMMANDS = {
    "CheckRequest": ("check", "check"),
    "GateRequest": ("gate", "gate"),
    "ShowRequest": ("facts", "show"),
    "ExplainRequest": ("facts", "explain"),
    "RulesRequest": ("catalogue", "rules"),
    "PlatformRequest": ("platform", "platform"),
    "PolicyRequest": ("policy", "policy"),
    "PolicyInitRequest": ("policy_init", "init"),
    "PolicyTestRequest": ("policy_test", "test"),
}
"""Kind of request → the module here, and its function from that request to an exit code; only that one is imported."""


def _perform(request: Request) -> int:
    from importlib import import_module

    module, function = COMMANDS[type(request).__name__]
    code: int = getattr(import_module(f"checker.cli.{module}"), function)(request)
    return code


def _complain_of_fault(error: Exception) -> None:
    from checker.cli.output import complain

    complain(f"internal error: {type(error).__name__}: {error}")
    complain("this is a fault of wheelproof and no verdict; please report it with the command and the artifact")
    if os.environ.get("WHEELPROOF_DEBUG"):
        import traceback

        traceback.print_exception(error)
    else:
        complain("WHEELPROOF_DEBUG=1 shows where it happened")
