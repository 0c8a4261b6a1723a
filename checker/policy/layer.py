"""One policy file, validated: only what it says itself, before anything is inherited."""

from __future__ import annotations

from checker.model.plain import plain
from checker.model.policy import DeclaredProvider, Waiver
from checker.model.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from checker.policy.problems import KeyPath


@record
class RuleChange:
    """What a file says of one rule; what it does not say is inherited.

    Attributes:
        rule: id.
        level: ``error``, ``warning``, ``note`` or ``off``; ``None`` where not said.
        files: member path globs; ``None`` where not said.
        parameters: name → value as TOML has it (strings, numbers, booleans, arrays, tables), already known to be valid.
    """

    rule: str
    level: str | None
    files: tuple[str, ...] | None
    parameters: Mapping[str, Any]


@record
class OverrideChange:
    """What a file says of some rules for some members, architectures or tags; empty where not said."""

    files: tuple[str, ...]
    architectures: tuple[str, ...]
    tags: tuple[str, ...]
    rules: tuple[RuleChange, ...]


@record
class Layer:
    """The content of one policy file.

    Attributes:
        file: the name to show: the path as given, or the name of a shipped policy.
        name, description: as written; the name is by default that of the file.
        extends: as written.
        platform, python: of ``[target]``; ``None`` where not said.
        providers, rules, overrides, waivers: in file order.
        prefix: where the policy stands in its document: ``("tool", "wheelproof")`` in pyproject.toml, else empty.
        lines: key path in the document → line; empty for a compiled policy.
    """

    file: str
    name: str
    description: str
    extends: tuple[str, ...]
    platform: str | None
    python: str | None
    providers: tuple[DeclaredProvider, ...]
    rules: tuple[RuleChange, ...]
    overrides: tuple[OverrideChange, ...]
    waivers: tuple[Waiver, ...]
    prefix: KeyPath
    lines: Mapping[KeyPath, int]

    def line(self, path: KeyPath) -> int:
        """The line on which the innermost known part of that path stands; 0 when nothing is known."""
        return nearest_line(self.lines, (*self.prefix, *path))


def nearest_line(lines: Mapping[KeyPath, int], path: KeyPath) -> int:
    """The line of the longest part of the path, from its start, that the document has; 0 when it has none."""
    for end in range(len(path), 0, -1):
        if path[:end] in lines:
            return lines[path[:end]]
    return 0


def layer_to_json(layer: Layer) -> dict[str, Any]:
    """A plain value for :mod:`json`; the lines of keys are left out."""
    return {key: value for key, value in plain(layer).items() if key not in {"prefix", "lines"}}


def layer_from_json(content: Mapping[str, Any]) -> Layer:
    """The layer that :func:`layer_to_json` was given."""
    return Layer(
        file=content["file"],
        name=content["name"],
        description=content["description"],
        extends=tuple(content["extends"]),
        platform=content["platform"],
        python=content["python"],
        providers=tuple(
            DeclaredProvider(requirement=each["requirement"], libraries=tuple(each["libraries"]), how=each["how"])
            for each in content["providers"]
        ),
        rules=_changes(content["rules"]),
        overrides=tuple(
            OverrideChange(
                files=tuple(each["files"]),
                architectures=tuple(each["architectures"]),
                tags=tuple(each["tags"]),
                rules=_changes(each["rules"]),
            )
            for each in content["overrides"]
        ),
        waivers=tuple(
            Waiver(**(each | {"architectures": tuple(each["architectures"]), "tags": tuple(each["tags"])}))
            for each in content["waivers"]
        ),
        prefix=(),
        lines={},
    )


def _changes(rules: list[dict[str, Any]]) -> tuple[RuleChange, ...]:
    return tuple(
        RuleChange(
            rule=each["rule"],
            level=each["level"],
            files=None if each["files"] is None else tuple(each["files"]),
            parameters=each["parameters"],
        )
        for each in rules
    )
