"""Makes the compiled form of the shipped policies; ``tools/compile_policies.py`` writes it."""

from __future__ import annotations

import hashlib
import json

from checker.policy.builtin import COMPILED_FORMAT, shipped_names, shipped_source
from checker.policy.layer import layer_to_json
from checker.policy.problems import PolicyError
from checker.policy.read import Document, read_layer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from checker.model.policy import RuleSpec
    from checker.policy.problems import PolicyProblem


def compile_shipped(specs: Sequence[RuleSpec]) -> str:
    """The JSON text of the compiled form, for the rules at hand.

    Raises:
        PolicyError: a shipped policy has mistakes.
    """
    policies = {}
    problems: list[PolicyProblem] = []
    for name in shipped_names():
        source = shipped_source(name) or b""
        document = Document(source, name, ())
        layer = read_layer(document, specs, name)
        problems += document.problems
        if layer is not None:
            policies[name] = {"sha256": hashlib.sha256(source).hexdigest(), "layer": layer_to_json(layer)}
    if problems:
        raise PolicyError(tuple(problems))
    content = {"format": COMPILED_FORMAT, "rules": [spec.id for spec in specs], "policies": policies}
    return json.dumps(content, indent=1, sort_keys=True) + "\n"
