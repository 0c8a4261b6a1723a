"""Rules that exist only to be configured."""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003 - resolved at run time, as a rule's own would be
from dataclasses import dataclass, field
from enum import Enum
from typing import Literal

from checker.model.policy import RuleSpec
from checker.model.rule import NoParameters


@dataclass(frozen=True, slots=True, kw_only=True)
class ForbiddenLibrary:
    """Strings and a choice."""

    libraries: tuple[str, ...] = ()
    via: Literal["direct", "closure"] = "direct"


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionTooNew:
    """A table kept as pairs, and one that its own class judges."""

    ceilings: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        """Refuses what is no version."""
        for namespace, version in self.ceilings:
            if not version.replace(".", "").isdigit():
                raise ValueError(f'"{version}" is no version of {namespace}')


@dataclass(frozen=True, slots=True, kw_only=True)
class SizeBudget:
    """Numbers."""

    bytes: int = 1000
    growth: float = 0.1
    members: int | None = None
    strict: bool = False


class Colour(Enum):
    """An enumeration."""

    RED = "red"
    GREEN = "green"


@dataclass(frozen=True, slots=True, kw_only=True)
class Everything:
    """One field for each remaining type that a rule may use."""

    colour: Colour = Colour.RED
    pair: tuple[str, int] = ("a", 1)
    table: Mapping[str, int] = field(default_factory=dict)
    nested: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = ()
    schema: str = "a name that pydantic's models use themselves"


SPECS = (
    RuleSpec(id="missing-library", parameters=NoParameters),
    RuleSpec(id="forbidden-needed-library", parameters=ForbiddenLibrary),
    RuleSpec(id="symbol-version-too-new", parameters=VersionTooNew),
    RuleSpec(id="size-over-budget", parameters=SizeBudget),
    RuleSpec(id="everything", parameters=Everything),
)
