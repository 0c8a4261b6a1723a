"""The policies that come with the program, their compiled form, and the schema of policy files.

Reading TOML with pydantic costs more start-up time than a whole check of a small wheel. So the validated content of each
shipped policy is also kept as JSON, written by ``tools/compile_policies.py``. It is used only where the digest of the TOML
source and the rules' ids hold; where they differ the TOML is read. It has what the TOML says and no defaults of the rules,
whose modules need not be imported for it.
"""

# pathlib costs start-up time:
# ruff: noqa: PTH100, PTH112, PTH118, PTH120, PTH123, PTH208

from __future__ import annotations

import json
import os

from checker.model.digest import sha256
from checker.policy.layer import Layer, layer_from_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from checker.model.policy import RuleSpec

COMPILED_FORMAT = 3
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


class CompiledPolicies:
    """The compiled form, if it was made for these very rules; a test holds it to their parameters."""

    def __init__(self, specs: Sequence[RuleSpec]) -> None:
        self._policies: dict[str, Any] = {}
        try:
            with open(COMPILED_PATH, encoding="utf-8") as stream:
                content = json.load(stream)
        except (OSError, ValueError):
            return
        if content["format"] == COMPILED_FORMAT and content["rules"] == [spec.id for spec in specs]:
            self._policies = content["policies"]

    def layer(self, name: str, source: bytes) -> Layer | None:
        """The validated content of a shipped policy, or ``None`` when the TOML must be read."""
        entry = self._policies.get(name)
        if entry is None or entry["sha256"] != sha256(source).hexdigest():
            return None
        return layer_from_json(entry["layer"])
