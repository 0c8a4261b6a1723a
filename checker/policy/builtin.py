"""The policies that come with the program, their compiled form, and the schema of policy files.

Reading TOML with pydantic costs more start-up time than a whole check of a small wheel. So the validated content of each
shipped policy is also kept as JSON, written by ``tools/compile_policies.py``. It is used only where two digests hold: that of
the TOML source, and that of the rules' parameters by which it was validated. Where one differs the TOML is read, so that the
compiled form can be missing or old without ever being wrong.
"""

# pathlib costs start-up time:
# ruff: noqa: PTH100, PTH112, PTH118, PTH120, PTH123, PTH208

from __future__ import annotations

import hashlib
import json
import os

from checker.policy.layer import Layer, layer_from_json
from checker.policy.parameters import describe_specs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from checker.model.policy import RuleSpec

COMPILED_FORMAT = 2
_HERE = os.path.dirname(os.path.abspath(__file__))
COMPILED_PATH = os.path.join(_HERE, "compiled.json")
SCHEMA_ID = "urn:wheelproof:policy:1"
SCHEMA_PATH = os.path.join(_HERE, "policy.schema.json")
DEFAULT_POLICY = "recommended"


def shipped_directory() -> str:
    """Where the shipped TOML files are: beside this file in an installed wheel, ``policies/`` at the root of a checkout."""
    installed = os.path.join(_HERE, "shipped")
    if os.path.isdir(installed):
        return installed
    return os.path.join(os.path.dirname(os.path.dirname(_HERE)), "policies")


def shipped_names() -> tuple[str, ...]:
    """The names of the shipped policies, sorted."""
    return tuple(sorted(entry[: -len(".toml")] for entry in os.listdir(shipped_directory()) if entry.endswith(".toml")))


def shipped_source(name: str) -> bytes | None:
    """The TOML of a shipped policy; ``None`` when there is none of that name."""
    if not name.replace("-", "").replace("_", "").isalnum():
        return None
    try:
        with open(os.path.join(shipped_directory(), name + ".toml"), "rb") as stream:
            return stream.read()
    except FileNotFoundError:
        return None


def schema_text() -> str:
    """The JSON Schema of policy files, as it comes with the program."""
    with open(SCHEMA_PATH, encoding="utf-8") as stream:
        return stream.read()


def specs_digest(specs: Sequence[RuleSpec]) -> str:
    """SHA-256 (hex) over the rules' ids and their parameters' names, types and defaults."""
    return hashlib.sha256(describe_specs(specs).encode()).hexdigest()


class CompiledPolicies:
    """The compiled form, as far as it is valid for these rules."""

    def __init__(self, specs: Sequence[RuleSpec]) -> None:
        self._policies: dict[str, Any] = {}
        try:
            with open(COMPILED_PATH, encoding="utf-8") as stream:
                content = json.load(stream)
        except (OSError, ValueError):
            return
        if content["format"] == COMPILED_FORMAT and content["specs"] == specs_digest(specs):
            self._policies = content["policies"]

    def layer(self, name: str, source: bytes) -> Layer | None:
        """The validated content of a shipped policy, or ``None`` when the TOML must be read."""
        entry = self._policies.get(name)
        if entry is None or entry["sha256"] != hashlib.sha256(source).hexdigest():
            return None
        return layer_from_json(entry["layer"])
