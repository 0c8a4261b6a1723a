"""The effective policy for people: TOML that means the same, with the file and line that each value comes from."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from checker.model.finding import Level
from checker.policy.fieldtypes import toml_defaults
from checker.policy.load import load_merged
from checker.policy.merge import FROM_TAG, Origin, policy_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from checker.model.policy import RuleSpec
    from checker.policy.layer import Layer
    from checker.policy.merge import Merged, Said
    from checker.policy.problems import KeyPath

_COLUMN = 56
"""Where comments begin, as long as the value leaves room."""


def describe_policy(sources: Sequence[str], specs: Sequence[RuleSpec], *, directory: str = ".") -> str:
    """The effective policy as one TOML document, with the origin of each value in a comment.

    Read as a policy it has the same digest. Rules that are off are named together at the end.

    Args:
        sources: as for :func:`checker.policy.load.load_policy`.
        specs: as there.
        directory: as there.

    Raises:
        PolicyError: as there.
    """
    merged = load_merged(sources, specs, directory=directory, use_compiled=False)
    policy = policy_of(merged, specs)
    off = [setting.rule for setting in policy.settings if setting.level is Level.OFF]
    lines = [
        f"# digest {policy.digest}",
        f"# made of {', '.join(layer.file for layer in merged.layers)}; later ones win",
        "schema = 1",
        *_header(merged.layers[-1]),
        *_target(merged),
        *_rules(merged, specs, off),
        *_providers(merged),
        *_overrides(merged, specs),
        *_waivers(merged),
    ]
    if off:
        lines += ["", "# off:", *(_commented(f"#   {rule}", _giver(merged.rules[rule])) for rule in off)]
    return "\n".join(lines) + "\n"


def _header(last: Layer) -> Iterator[str]:
    yield _said("name", last.name, last, ("name",))
    if last.description:
        yield _said("description", last.description, last, ("description",))


def _giver(said: Said) -> str:
    return said["level"][1].text() if "level" in said else "default"


def _target(merged: Merged) -> Iterator[str]:
    yield from ("", "[target]")
    for key in ("platform", "python"):
        yield _entry(key, merged.target, FROM_TAG)


def _rules(merged: Merged, specs: Sequence[RuleSpec], off: Sequence[str]) -> Iterator[str]:
    for spec in specs:
        if spec.id not in off:
            said = merged.rules[spec.id]
            yield from ("", f"[rules.{spec.id}]", _entry("level", said, None))
            if "files" in said:
                yield _entry("files", said, None)
            yield from _parameters(spec, said)


def _parameters(spec: RuleSpec, said: Said) -> Iterator[str]:
    for name, default in toml_defaults(spec.parameters).items():
        if name in said or default is not None:
            yield _entry(name, said, default)


def _providers(merged: Merged) -> Iterator[str]:
    for layer in merged.layers:
        for index, provider in enumerate(layer.providers):
            yield from ("", "[[provider]]")
            for key in ("requirement", "libraries", "how"):
                yield _said(key, getattr(provider, key), layer, ("provider", index, key))


def _overrides(merged: Merged, specs: Sequence[RuleSpec]) -> Iterator[str]:
    known = {spec.id: spec for spec in specs}
    for override in merged.overrides:
        yield from ("", "[[override]]")
        for key in ("files", "architectures", "tags"):
            if globs := getattr(override.said, key):
                yield _said(key, globs, override.origin.layer, (*override.origin.path, key))
        for rule, said in override.rules.items():
            yield from (f"[override.rules.{rule}]", _entry("level", said, None), *_parameters(known[rule], said))


def _waivers(merged: Merged) -> Iterator[str]:
    for layer in merged.layers:
        for index, waiver in enumerate(layer.waivers):
            yield from ("", "[[waiver]]")
            for key in ("rule", "file", "match", "architectures", "tags", "reason", "owner"):
                if getattr(waiver, key):
                    yield _said(key, getattr(waiver, key), layer, ("waiver", index, key))
            if waiver.expires:
                yield _commented(f"expires = {waiver.expires}", _place(layer, ("waiver", index, "expires")))


def _entry(key: str, said: Said, default: Any) -> str:  # noqa: ANN401 - any TOML value
    if key not in said:
        return _commented(f"{key} = {toml(default)}", "default")
    value, origin = said[key]
    return _commented(f"{key} = {toml(value)}", origin.text())


def _said(key: str, value: Any, layer: Layer, path: KeyPath) -> str:  # noqa: ANN401 - any TOML value
    return _commented(f"{key} = {toml(value)}", _place(layer, path))


def _place(layer: Layer, path: KeyPath) -> str:
    """File and line of a key, or that its table leaves it out."""
    if (*layer.prefix, *path) in layer.lines:
        return Origin(layer=layer, path=path).text()
    return "default"


def _commented(text: str, comment: str) -> str:
    return f"{text.ljust(_COLUMN)}  # {comment}"


def toml(value: Any) -> str:  # noqa: ANN401 - any TOML value
    """A value as TOML writes it on one line."""
    if isinstance(value, Mapping):
        inner = ", ".join(f"{toml(key)} = {toml(each)}" for key, each in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(toml, value))}]"
    # A JSON scalar is a TOML scalar, but for DEL, which TOML wants escaped.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
