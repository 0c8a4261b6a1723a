"""A policy as the engine uses it: validated, merged, typed."""

from __future__ import annotations

from checker.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from checker.model.finding import Level


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


@record
class RuleSetting:
    """One rule's level and parameters for some files.

    Attributes:
        rule: id.
        level: ``Level.OFF`` disables it.
        parameters: an instance of the rule's parameters dataclass.
        files: member path globs it is limited to; empty for all files.
    """

    rule: str
    level: Level
    parameters: Any
    files: tuple[str, ...]


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
        digest: SHA-256 (hex) over the effective content; equal policies have equal digests.
        platform: ``from-tag``, a platform tag, an exact platform such as ``glibc-2.36-x86_64``, or the path of a platform file.
        python: ``from-tag``, a tag such as ``cp311``, or the path of a platform file with an interpreter.
        providers: other distributions that bring libraries.
        settings: one base setting for each known rule, in registry order.
        overrides: in order; the last that matches a place wins.
        waivers: in order.
    """

    name: str
    description: str
    digest: str
    platform: str
    python: str
    providers: tuple[DeclaredProvider, ...]
    settings: tuple[RuleSetting, ...]
    overrides: tuple[Override, ...]
    waivers: tuple[Waiver, ...]
