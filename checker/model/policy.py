"""A policy as the engine uses it: validated, merged, typed."""

from __future__ import annotations

from checker.model.digest import sha256
from checker.model.plain import plain
from checker.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from checker.model.finding import Level, PolicyLine


@record
class RuleSpec:
    """What the policy layer must know of a rule.

    Attributes:
        id: kebab-case.
        parameters: the record of its parameters; every field has a default, and a description under the docstring's
            ``Attributes:``.
        summary: what it finds, in a sentence.
    """

    id: str
    parameters: type[Any]
    summary: str = ""


class RuleSetting:
    """One rule's level and parameters for some files; two are equal when all of that is.

    Attributes:
        rule: id.
        level: ``Level.OFF`` disables it.
        files: member path globs it is limited to; empty for all files.
        line: where a policy file of the project's own sets a parameter; ``None`` where none does.
    """

    __slots__ = ("_made", "_make", "files", "level", "line", "rule")

    def __init__(
        self,
        *,
        rule: str,
        level: Level,
        files: tuple[str, ...],
        parameters: Any = None,  # noqa: ANN401 (each rule has a class of its own)
        make: Callable[[], Any] | None = None,
        line: PolicyLine | None = None,
    ) -> None:
        """Of the parameters, either the record itself or, as making it imports the rule, what makes it when it is asked."""
        self.rule, self.level, self.files, self.line = rule, level, files, line
        self._made, self._make = parameters, make

    @property
    def parameters(self) -> Any:  # noqa: ANN401 (as above)
        """The record of the rule's parameters."""
        if self._make is not None:
            self._made, self._make = self._make(), None
        return self._made

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RuleSetting):
            return NotImplemented
        return self is other or (
            (self.rule, self.level, self.files) == (other.rule, other.level, other.files)
            and self.parameters == other.parameters
        )

    def __hash__(self) -> int:
        return hash((self.rule, self.level, self.files))

    def __repr__(self) -> str:
        return f"RuleSetting(rule={self.rule!r}, level={self.level}, parameters={self.parameters!r}, files={self.files!r})"


@record
class Place:
    """Where a rule's answer stands: one member of the artifact, under one of the promises that the artifact's tags make.

    Attributes:
        file: member path; the artifact's name for what concerns the whole.
        architecture: of an ELF object by its header, of all else by the tag; empty where neither tells.
        tags: the names of one compatibility tag: ``cp311-cp311-manylinux_2_17_x86_64``, and the same with the alias that
            PEP 600 gives to its platform; empty for an artifact without tags.
    """

    file: str
    architecture: str
    tags: tuple[str, ...]


@record
class Override:
    """Other settings for some places.

    Attributes:
        files: member path globs; empty for all.
        architectures: as in platform tags; empty for all.
        tags: globs over compatibility tags; empty for all. What is said of several kinds must all hold.
        settings: for each rule named, the complete setting there, already merged with the base.
    """

    files: tuple[str, ...]
    settings: tuple[RuleSetting, ...]
    architectures: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()


@record
class DeclaredProvider:
    """Libraries that another distribution brings into the process.

    Attributes:
        requirement: distribution name, which must stand in Requires-Dist.
        libraries: globs over sonames.
        how: ``preloaded`` (that distribution was imported before) or ``rpath`` (a run path must reach it).
    """

    requirement: str
    libraries: tuple[str, ...]
    how: str


@record
class Waiver:
    """A recorded, reasoned exception.

    Attributes:
        rule: id.
        file: member path glob.
        match: a part of the finding's subject or message; empty for any.
        reason, owner: for people; the owner may be empty.
        expires: the last day, an ISO date; empty for ever.
        line, source: where it stands.
        architectures, tags: as in :class:`Override`: it holds only there, and beyond is not missed.
    """

    rule: str
    file: str
    match: str
    reason: str
    owner: str
    expires: str
    line: int
    source: str
    architectures: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()


@record
class Policy:
    """The effective policy.

    Attributes:
        name: of the last policy given.
        description: of the same.
        written_target: ``platform`` and ``python`` as they are written; a path is relative to the file that says it.
        platform: ``from-tag``, a platform tag, an exact platform such as ``glibc-2.36-x86_64``, or the path of a platform file.
        python: ``from-tag``, a tag such as ``cp311``, or the path of a platform file with an interpreter.
        providers: other distributions that bring libraries.
        settings: one base setting for each known rule, in registry order.
        overrides: in order; the last that matches a place wins.
        waivers: in order.
    """

    name: str
    description: str
    written_target: tuple[str, str]
    platform: str
    python: str
    providers: tuple[DeclaredProvider, ...]
    settings: tuple[RuleSetting, ...]
    overrides: tuple[Override, ...]
    waivers: tuple[Waiver, ...]

    @property
    def digest(self) -> str:
        """SHA-256 (hex) over canonical JSON of what decides a verdict.

        Names, descriptions, the places where things are written and rules that are off are left out: policies that judge alike
        by the same words have the same digest.
        """
        import json

        content = {
            "target": self.written_target,
            "providers": plain(self.providers),
            "settings": [_plain_setting(setting) for setting in self.settings if setting.level.rank],
            "overrides": [
                [each.files, each.architectures, each.tags, [_plain_setting(setting) for setting in each.settings]]
                for each in self.overrides
            ],
            "waivers": [{**plain(waiver), "line": 0, "source": ""} for waiver in self.waivers],
        }
        return sha256(json.dumps(content, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def _plain_setting(setting: RuleSetting) -> list[Any]:
    return [setting.rule, setting.level.value, plain(setting.parameters), setting.files]
