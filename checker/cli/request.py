"""What a command line asks for, as values; both parsers make these and nothing else."""

from __future__ import annotations

from dataclasses import dataclass


class UsageError(Exception):
    """A wrong command line or policy: exit code 2.

    Attributes:
        messages: each a line to print.
    """

    def __init__(self, *messages: str) -> None:
        super().__init__(*messages)
        self.messages = messages


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """How artifacts are looked at.

    Attributes:
        policies: names or files; later ones win; empty for the project's own, else the default.
        platform, python: in place of what the tags say; ``None`` to believe the tags.
        roots: member paths; empty for the objects that are loaded on their own.
        providers: ``NAME=PATH`` each.
        limits: ``NAME=NUMBER`` each.
    """

    policies: tuple[str, ...] = ()
    platform: str | None = None
    python: str | None = None
    roots: tuple[str, ...] = ()
    providers: tuple[str, ...] = ()
    limits: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckRequest:
    """``wheelproof check``; ``formats`` are ``FMT`` or ``FMT=FILE``, ``fail_on`` is a level's name."""

    artifacts: tuple[str, ...]
    target: Target = Target()
    formats: tuple[str, ...] = ()
    fail_on: str = "error"
    bindings: bool = False
    verbose: bool = False
    quiet: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowRequest:
    """``wheelproof show``."""

    artifact: str
    target: Target = Target()
    verbose: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainRequest:
    """``wheelproof explain``; ``what`` is a symbol, library, file, rule or fingerprint."""

    artifact: str
    what: str
    target: Target = Target()


@dataclass(frozen=True, slots=True, kw_only=True)
class RulesRequest:
    """``wheelproof rules``; ``rule`` is an id, ``None`` to list all."""

    rule: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyRequest:
    """``wheelproof policy``; ``action`` is ``show``, ``validate`` or ``schema``."""

    action: str
    policies: tuple[str, ...] = ()


Request = CheckRequest | ShowRequest | ExplainRequest | RulesRequest | PolicyRequest
