"""The policy file as pydantic models: the only place that knows which keys there are and what they may hold.

The models are built for the rules at hand, so that one validation judges the whole file, rule ids and parameters included, and
one JSON Schema describes it. Keys that nobody knows are refused everywhere. Values are validated as JSON in strict mode: an
array is a tuple, but a string is never a number. ``None`` as a default means that the file does not say; TOML cannot say it.
"""

from __future__ import annotations

import datetime as dt
import json
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, create_model, model_validator

from checker.model.elf import ARCHITECTURES
from checker.policy.builtin import SCHEMA_ID
from checker.policy.fieldtypes import as_toml_type, descriptions, field_types, toml_defaults
from checker.policy.target import check_architecture, check_glob, check_platform, check_python, check_tag_glob

if TYPE_CHECKING:
    from collections.abc import Sequence

    from checker.model.policy import RuleSpec

Level = Literal["error", "warning", "note", "off"]
_Text = Annotated[str, Field(min_length=1)]
_Glob = Annotated[str, AfterValidator(check_glob)]
_Architecture = Annotated[
    str, AfterValidator(check_architecture), Field(json_schema_extra={"enum": sorted(set(ARCHITECTURES.values()))})
]
_Architectures = Annotated[
    tuple[_Architecture, ...],
    Field(default=(), min_length=1, description="architectures as in platform tags, such as aarch64"),
]
_Tags = Annotated[
    tuple[Annotated[str, AfterValidator(check_tag_glob)], ...],
    Field(default=(), min_length=1, description="globs over the wheel's tags, such as *-musllinux_*"),
]
_Globs = Annotated[tuple[_Glob, ...], Field(min_length=1)]
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_DISTRIBUTION = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")


class Table(BaseModel):
    """A table of which every key is known."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


def _with_one_of(*keys: str) -> ConfigDict:
    """Tells editors that one of the keys must be there; a validator of the model says so better."""
    return ConfigDict(json_schema_extra={"anyOf": [{"required": [key]} for key in keys]})


def _check_date(text: str) -> str:
    try:
        if _DATE.fullmatch(text):
            return dt.date.fromisoformat(text).isoformat()
    except ValueError:
        pass
    raise ValueError(f'"{text}" is no date: write it as 2027-03-31')


def _check_distribution(text: str) -> str:
    if _DISTRIBUTION.fullmatch(text) is None:
        raise ValueError(f'"{text}" is no distribution name; only the name stands here, its versions stand in Requires-Dist')
    return text


class Target(Table):
    """For which platform and interpreter the artifact is judged."""

    platform: Annotated[
        str,
        AfterValidator(check_platform),
        Field(
            description="from-tag, a platform tag, one exact release such as glibc-2.36-x86_64, "
            "or a platform file (*.platform) by path relative to this file"
        ),
    ] = "from-tag"
    python: Annotated[
        str,
        AfterValidator(check_python),
        Field(
            description="from-tag, a tag such as cp311, or a platform file with an interpreter, by path relative to this file"
        ),
    ] = "from-tag"


class Provider(Table):
    """Libraries that another distribution brings into the process."""

    requirement: Annotated[
        str, AfterValidator(_check_distribution), Field(description="distribution name; must stand in Requires-Dist")
    ]
    libraries: Annotated[tuple[_Text, ...], Field(min_length=1, description="globs over sonames")]
    how: Annotated[
        Literal["preloaded", "rpath"],
        Field(description="preloaded: imported before; rpath: a run path must reach it"),
    ] = "preloaded"


class RuleTable(Table):
    """What is said of one rule; its own parameters are added for each rule."""

    level: Annotated[Level, Field(default=None, description="how grave a finding is; off disables the rule")]
    files: Annotated[_Globs, Field(default=None, description="globs over member paths that the rule is limited to")]


class OverrideRuleTable(Table):
    """What is said of one rule for the files of an override."""

    level: Annotated[Level, Field(default=None, description="how grave a finding is; off disables the rule")]


class Waiver(Table):
    """A recorded, reasoned exception."""

    model_config = _with_one_of("file", "match")

    rule: Annotated[str, Field(description="rule id")]
    file: Annotated[_Glob, Field(default="**", description="glob over member paths")]
    match: Annotated[_Text, Field(default="", description="part of the finding's subject or message")]
    architectures: _Architectures
    tags: _Tags
    reason: Annotated[_Text, Field(description="why this is accepted")]
    owner: Annotated[str, Field(default="", description="who answers for it")]
    expires: Annotated[
        str,
        AfterValidator(_check_date),
        Field(default="", description="last day on which it holds, such as 2027-03-31", json_schema_extra={"format": "date"}),
    ]

    @model_validator(mode="after")
    def _is_narrow(self) -> Waiver:
        if not self.model_fields_set & {"file", "match"}:
            raise ValueError("names neither a file nor a match; to accept all that a rule finds, set its level to off")
        return self


def _doc(model: type[Table]) -> str:
    return (model.__doc__ or "").partition("\n")[0]


class PolicyFile(Table):
    """A policy."""

    version: Annotated[Literal[1], Field(default=1, alias="schema", description="version of this format")]
    name: Annotated[_Text, Field(default=None, description="name to show in reports")]
    description: Annotated[str, Field(default="", description="what the policy is for")]
    extends: Annotated[
        tuple[_Text, ...],
        Field(default=(), description="shipped policies by name, others by path relative to this file; later ones win"),
    ]
    target: Annotated[Target, Field(default=Target())]
    provider: Annotated[tuple[Provider, ...], Field(default=(), description=_doc(Provider))]
    waiver: Annotated[tuple[Waiver, ...], Field(default=(), description=_doc(Waiver))]
    # For each set of rules a subclass adds: rules, override.


class Override(Table):
    """Other settings for some files, architectures or tags; the last override that fits wins."""

    model_config = _with_one_of("files", "architectures", "tags")

    files: Annotated[_Globs, Field(default=(), description="globs over member paths")]
    architectures: _Architectures
    tags: _Tags

    @model_validator(mode="after")
    def _is_limited(self) -> Override:
        if not self.model_fields_set & {"files", "architectures", "tags"}:
            raise ValueError("names no files, architectures or tags; what holds everywhere stands under [rules]")
        return self


@lru_cache(maxsize=8)
def policy_model(specs: tuple[RuleSpec, ...]) -> type[PolicyFile]:
    """The model of a policy file for these rules: :class:`PolicyFile` with ``rules`` and ``override`` added."""
    known_waiver: Any = Waiver
    if specs:
        ids: Any = Literal[tuple(spec.id for spec in specs)]
        known_waiver = create_model("Waiver", __base__=Waiver, __doc__=Waiver.__doc__, rule=(ids, Field(description="rule id")))
    override = create_model(
        "Override",
        __base__=Override,
        __doc__=Override.__doc__,
        rules=(_rules_model("OverrideRules", specs, OverrideRuleTable), Field(description="rule id → what changes")),
    )
    return create_model(
        "PolicyFile",
        __base__=PolicyFile,
        __doc__=PolicyFile.__doc__,
        rules=(_rules_model("Rules", specs, RuleTable), Field(default=None, description="rule id → level, files, parameters")),
        override=(tuple[override, ...], Field(default=(), description=_doc(Override))),  # type: ignore[valid-type] # built at run time
        waiver=(tuple[known_waiver, ...], Field(default=(), description=_doc(Waiver))),
    )


def _rules_model(name: str, specs: Sequence[RuleSpec], base: type[Table]) -> type[Table]:
    # Field names are made up and the real ones are aliases: a rule id is no identifier, and a parameter may have a name that
    # BaseModel uses itself.
    tables: dict[str, Any] = {
        f"rule_{index}": (_rule_model(f"{name}-{spec.id}", spec, base), Field(default=None, alias=spec.id))
        for index, spec in enumerate(specs)
    }
    return create_model(name, __base__=Table, **tables)


def _rule_model(name: str, spec: RuleSpec, base: type[Table]) -> type[Table]:
    parameters: dict[str, Any] = {}
    defaults = toml_defaults(spec.parameters)
    told = descriptions(spec.parameters)
    for index, (parameter, kind) in enumerate(field_types(spec.parameters).items()):
        field = Field(
            default=None,
            alias=parameter,
            description=told.get(parameter),
            json_schema_extra={"default": defaults[parameter]},
        )
        parameters[f"parameter_{index}"] = (as_toml_type(kind), field)
    return create_model(name, __base__=base, __doc__=spec.summary or f"Settings of {spec.id}.", **parameters)


def policy_schema(specs: Sequence[RuleSpec]) -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of a policy file for these rules, for editors."""
    schema = policy_model(tuple(specs)).model_json_schema(by_alias=True)
    _drop_unsaid(schema)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": SCHEMA_ID,
        **schema,
        "title": "wheelproof policy",
    }


def render_schema(specs: Sequence[RuleSpec]) -> str:
    """The same as the text of a file."""
    return json.dumps(policy_schema(specs), indent=1, ensure_ascii=False) + "\n"


def _drop_unsaid(schema: Any) -> None:  # noqa: ANN401 - any part of a JSON Schema
    if isinstance(schema, dict):
        if "default" in schema and schema["default"] is None:
            del schema["default"]
        for part in schema.values():
            _drop_unsaid(part)
    elif isinstance(schema, list):
        for part in schema:
            _drop_unsaid(part)


def known_keys(model: type[BaseModel], location: Sequence[str | int]) -> tuple[str, ...]:
    """The keys of the table at that place; empty where it is no table with fixed keys."""
    current: Any = model
    for part in location:
        if isinstance(part, int):
            continue
        fields = _fields_by_key(current)
        current = _inner_model(fields[part].annotation) if part in fields else None
    return tuple(_fields_by_key(current))


def _fields_by_key(model: Any) -> dict[str, Any]:  # noqa: ANN401 - a model or not
    return {field.alias or name: field for name, field in model.model_fields.items()} if _is_model(model) else {}


def _inner_model(kind: Any) -> Any:  # noqa: ANN401 - a type expression
    return kind if _is_model(kind) else next((part for part in get_args(kind) if _is_model(part)), None)


def _is_model(kind: Any) -> bool:  # noqa: ANN401 - a type expression
    return isinstance(kind, type) and issubclass(kind, BaseModel)
