"""One TOML document to one layer, or to everything that is wrong with it."""

from __future__ import annotations

import datetime as dt
import json
import re
import sys
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from checker.model.policy import DeclaredProvider, Waiver
from checker.model.regex import regex
from checker.policy.layer import Layer, OverrideChange, RuleChange, nearest_line
from checker.policy.locate import key_lines
from checker.policy.parameters import build
from checker.policy.problems import PolicyProblem, dotted, hint
from checker.policy.schema import known_keys, policy_model

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pydantic_core import ErrorDetails

    from checker.model.policy import RuleSpec
    from checker.policy.problems import KeyPath
    from checker.policy.schema import PolicyFile

_TOML_PLACE = regex(r"\s*\(at (?:line (\d+), column \d+|end of document)\)$")
_TOO_DEEP = "nested too deeply"
_MANY_KEYS = 12
_MANY_MISTAKES = 100
"""Told at once; finding the nearest right name for each takes most of the time that a broken policy takes."""
_MANY_PARTS = 32
"""Parts of one dotted key; a policy's own have eight at most. tomllib takes time that grows with their square."""
_LONG_KEY = regex(
    rf"""(?:^|[\[{{,])[ \t]*(?:(?:[A-Za-z0-9_-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')[ \t]*\.[ \t]*){{{_MANY_PARTS}}}""", re.MULTILINE
)
"""Where a key can stand: at the start of a line, in the brackets of a header, or in an inline table."""


class Document:
    """A TOML document of which one table is the policy.

    Attributes:
        file: the name to show.
        prefix: where the policy's table stands; empty for the whole document.
        table: the policy's table; ``None`` where the document has none there, or could not be read.
        problems: why it could not be read.
    """

    def __init__(self, source: bytes, file: str, prefix: KeyPath) -> None:
        self.file = file
        self.prefix = prefix
        self.table: dict[str, Any] | None = None
        self.lines: Mapping[KeyPath, int] = {}
        self.problems: list[PolicyProblem] = []
        try:
            text = source.decode("utf-8")
        except UnicodeDecodeError as error:
            line = source.count(b"\n", 0, error.start) + 1
            self._fail(line, f"not UTF-8, which TOML must be: byte 0x{source[error.start]:02x}")
            return
        long = _LONG_KEY.search(text)
        if long is not None:
            line = text.count("\n", 0, long.start()) + 1
            self._fail(line, f"a key joins more than {_MANY_PARTS} names by dots; no key of a policy is so deep")
            return
        try:
            content = tomllib.loads(text)
            self.lines = key_lines(text, tomllib.loads)
        except RecursionError:
            self._fail(0, _TOO_DEEP)
        except ValueError as error:  # TOMLDecodeError, and a number of too many digits
            self._fail_syntax(text, str(error))
        else:
            self.table = self._find(content)

    def _find(self, content: dict[str, Any]) -> dict[str, Any] | None:
        for index, key in enumerate(self.prefix, 1):
            if key not in content:
                return None
            inner = content[str(key)]
            if not isinstance(inner, dict):
                self.problems.append(self.problem(self.prefix[:index], f"must be a table, not {kind_of(inner)}"))
                return None
            content = inner
        return content

    def problem(self, path: KeyPath, message: str) -> PolicyProblem:
        """A problem at a key path of the document."""
        return PolicyProblem(file=self.file, line=nearest_line(self.lines, path), path=dotted(path), message=message)

    def _fail(self, line: int, message: str) -> None:
        self.problems.append(PolicyProblem(file=self.file, line=line, path="", message=message))

    def _fail_syntax(self, text: str, message: str) -> None:
        place = _TOML_PLACE.search(message)
        line = 0
        if place is not None:
            line = int(place[1]) if place[1] else text.count("\n") + (not text.endswith("\n"))
        self._fail(line, f"not TOML: {_TOML_PLACE.sub('', message)}")


def read_layer(document: Document, specs: Sequence[RuleSpec], name: str) -> Layer | None:
    """The layer in a document, or ``None`` with the reasons added to the document's problems.

    Args:
        document: one that has a table.
        specs: the rules there are.
        name: what the policy is called when it does not say.
    """
    table = document.table
    if table is None:
        return None
    model = policy_model(tuple(specs))
    try:
        policy = model.model_validate_json(json.dumps(_with_date_texts(table), default=lambda _: [None]))
    except ValidationError as error:
        mistakes = error.errors(include_url=False)
        found = [_problem(document, details, model) for details in mistakes[:_MANY_MISTAKES]]
        told = sorted(dict.fromkeys(filter(None, found)), key=lambda problem: problem.line)
        document.problems += told
        if len(mistakes) > _MANY_MISTAKES:
            more = f"and {len(mistakes) - _MANY_MISTAKES:,} more mistakes, which are told once these are mended"
            document.problems.append(
                PolicyProblem(file=document.file, line=told[-1].line if told else 0, path="", message=more)
            )
        return None
    layer = _layer(document, table, policy, name)
    document.problems += _refused_parameters(layer, specs)
    return None if document.problems else layer


def _with_date_texts(table: Mapping[str, Any]) -> dict[str, Any]:
    """The table with the dates of waivers as text; dates anywhere else are mistakes."""
    waivers = table.get("waiver")
    if not isinstance(waivers, list):
        return dict(table)
    return {**table, "waiver": [_with_date_text(waiver) if isinstance(waiver, dict) else waiver for waiver in waivers]}


def _with_date_text(waiver: Mapping[str, Any]) -> dict[str, Any]:
    expires = waiver.get("expires")
    if isinstance(expires, dt.date | dt.time):
        return {**waiver, "expires": expires.isoformat()}
    return dict(waiver)


def _layer(document: Document, table: Mapping[str, Any], policy: PolicyFile, name: str) -> Layer:
    target = table.get("target", {})
    return Layer(
        file=document.file,
        name=policy.name or name,
        description=policy.description,
        extends=policy.extends,
        platform=target.get("platform"),
        python=target.get("python"),
        providers=tuple(
            DeclaredProvider(requirement=each.requirement, libraries=each.libraries, how=each.how) for each in policy.provider
        ),
        rules=_changes(table.get("rules", {})),
        overrides=tuple(
            OverrideChange(
                files=tuple(each.get("files", ())),
                architectures=tuple(each.get("architectures", ())),
                tags=tuple(each.get("tags", ())),
                rules=_changes(each["rules"]),
            )
            for each in table.get("override", [])
        ),
        waivers=tuple(
            Waiver(
                **each.model_dump(),
                line=nearest_line(document.lines, (*document.prefix, "waiver", index)),
                source=document.file,
            )
            for index, each in enumerate(policy.waiver)
        ),
        prefix=document.prefix,
        lines=document.lines,
    )


def _changes(rules: Mapping[str, Mapping[str, Any]]) -> tuple[RuleChange, ...]:
    return tuple(
        RuleChange(
            rule=rule,
            level=said.get("level"),
            files=tuple(said["files"]) if "files" in said else None,
            parameters={key: value for key, value in said.items() if key not in {"level", "files"}},
        )
        for rule, said in rules.items()
    )


def _refused_parameters(layer: Layer, specs: Sequence[RuleSpec]) -> list[PolicyProblem]:
    """What the rules' own classes say of their parameters."""
    classes = {spec.id: spec.parameters for spec in specs}
    places: list[tuple[KeyPath, RuleChange]] = [(("rules", change.rule), change) for change in layer.rules]
    for index, override in enumerate(layer.overrides):
        places.extend((("override", index, "rules", change.rule), change) for change in override.rules)
    problems = []
    for path, change in places:
        try:
            build(classes[change.rule], change.parameters)
        except ValueError as error:  # noqa: PERF203 - every mistake is told
            full = (*layer.prefix, *path)
            line = nearest_line(layer.lines, full)
            problems.append(PolicyProblem(file=layer.file, line=line, path=dotted(full), message=str(error)))
    return sorted(problems, key=lambda problem: problem.line)


def _problem(document: Document, details: ErrorDetails, model: type[PolicyFile]) -> PolicyProblem | None:
    found: Any = document.table
    location: list[str | int] = []
    for part in details["loc"]:  # as far as it names places of the file: pydantic also names alternatives of a union there
        try:
            found = found[part]
        except (KeyError, IndexError, TypeError):
            break
        location.append(part)
    if details["type"] == "too_short" and found:
        return None  # pydantic counts only the good elements of an array; the bad ones have been told
    if details["type"] == "missing":
        location = list(details["loc"])
    return document.problem((*document.prefix, *location), _message(details, location, found, model))


def _message(details: ErrorDetails, location: Sequence[str | int], found: Any, model: type[PolicyFile]) -> str:  # noqa: ANN401
    kind = details["type"]
    context = details.get("ctx", {})
    if kind == "extra_forbidden":
        return _unknown_key(location, model)
    if kind == "value_error":
        return str(context["error"])
    if kind in {"literal_error", "enum"}:
        return _not_one_of(found, str(context["expected"]))
    if kind == "tuple_type" and isinstance(found, dict) and len(location) == 1:
        return f"must be an array of tables: write [[{location[0]}]], not [{location[0]}]"
    if kind in _EXPECTED:
        return f"must be {_EXPECTED[kind]}, not {kind_of(found)}"
    return _FIXED.get(kind, details["msg"])


_FIXED = {
    "json_invalid": _TOO_DEEP,  # of what json has written, pydantic refuses only the depth
    "missing": "is missing",
    "too_short": "must not be empty",
    "string_too_short": "must not be empty",
}
_EXPECTED = {
    "string_type": "a string",
    "tuple_type": "an array",
    "list_type": "an array",
    "int_type": "an integer",
    "float_type": "a number",
    "bool_type": "true or false",
    "dict_type": "a table",
    "mapping_type": "a table",
    "model_type": "a table",
    "model_attributes_type": "a table",
}


def _unknown_key(location: Sequence[str | int], model: type[PolicyFile]) -> str:
    *parents, key = location
    known = known_keys(model, parents)
    near = hint(str(key), known)
    if parents and parents[-1] == "rules":
        return f'there is no rule "{key}"{near or "; `wheelproof rules` lists them"}'
    listed = near or (f"; known here: {', '.join(known)}" if len(known) <= _MANY_KEYS else "")
    if len(parents) > 1 and parents[-2] == "rules":
        return f'"{parents[-1]}" has no parameter "{key}"{listed}'
    return f"unknown key{listed}"


def _not_one_of(found: Any, expected: str) -> str:  # noqa: ANN401 - any TOML value
    choices = re.findall(r"'([^']*)'", expected)
    if not choices:
        return f"must be {expected}, not {json.dumps(found, default=str)}"
    if not isinstance(found, str):
        return f"must be one of {', '.join(choices)}, not {kind_of(found)}"
    if len(choices) > _MANY_KEYS:
        return f'there is no "{found}"{hint(found, choices)}'
    return f'"{found}" is not one of {", ".join(choices)}{hint(found, choices)}'


def kind_of(value: Any) -> str:  # noqa: ANN401 - any TOML value
    """What TOML calls a value, with an article."""
    if isinstance(value, dt.date | dt.time):
        return "a date" if type(value) is dt.date else "a date and time" if isinstance(value, dt.date) else "a time"
    names = {bool: "a boolean", str: "a string", int: "an integer", float: "a float", list: "an array", dict: "a table"}
    return names[type(value)]
