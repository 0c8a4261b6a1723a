"""The policies that come with the program."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from checker.model.finding import Level
from checker.policy import builtin
from checker.policy.compile import compile_shipped
from checker.policy.fieldtypes import field_types, toml_defaults
from checker.policy.load import load_merged, load_policy
from checker.policy.merge import policy_of
from checker.policy.parameters import build
from checker.rules.registry import RULES, specs

if TYPE_CHECKING:
    from checker.model.policy import Policy

SPECS = specs()
NAMES = builtin.shipped_names()

LEVELS = {
    "interposed-symbol": Level.NOTE,
    "leaked-runtime-symbols": Level.WARNING,
    "unexpected-export": Level.OFF,
    "unique-symbol-export": Level.OFF,
    "initial-exec-tls": Level.NOTE,
    "truncated-elf-data": Level.NOTE,
    "escaping-run-path": Level.WARNING,
    "dead-run-path": Level.NOTE,
    "leaked-build-path": Level.NOTE,
    "inherited-run-path": Level.WARNING,
    "orphan-bundled-library": Level.NOTE,
    "duplicate-bundled-library": Level.WARNING,
    "soname-mismatch": Level.WARNING,
    "clashing-runtimes": Level.WARNING,
    "generic-library-at-install-root": Level.WARNING,
    "preload-only-library": Level.WARNING,
    "unused-needed-library": Level.NOTE,
    "missing-dlopen-target": Level.NOTE,
    "could-be-stable-abi": Level.OFF,
    "size-over-budget": Level.OFF,
    "undocumented-bundled-library": Level.OFF,
    "platform-tag-too-new": Level.NOTE,
    "platform-tag-without-code": Level.WARNING,
    "small-page-alignment": Level.WARNING,
    "undeclared-dependency": Level.NOTE,
    "missing-relro": Level.NOTE,
    "lazy-binding": Level.OFF,
    "unexpected-instruction-set": Level.OFF,
    "hidden-runtime-copy": Level.OFF,
    "missing-stack-protector": Level.OFF,
    "missing-fortify": Level.OFF,
    "missing-branch-protection": Level.OFF,
    "non-pie-executable": Level.NOTE,
    "unstripped-binary": Level.NOTE,
    "debug-info": Level.NOTE,
}
"""Rules that are no errors in ``recommended``."""


def from_toml(name: str) -> Policy:
    """The policy without the compiled form."""
    return policy_of(load_merged([name], SPECS, use_compiled=False), SPECS)


def test_the_shipped_policies_are_these() -> None:
    assert set(NAMES) >= {"recommended", "static-cxx-runtime", "executorch-runtime", "manylinux", "hardened", "data-only"}
    assert builtin.shipped_source("../pyproject") is None


@pytest.mark.parametrize("name", NAMES)
def test_a_shipped_policy_has_no_mistakes_and_says_what_it_is(name: str) -> None:
    policy = load_policy([name], SPECS)
    assert policy.name == name
    assert policy.description.endswith(".")
    assert any(setting.level is not Level.OFF for setting in policy.settings)


@pytest.mark.parametrize("name", NAMES)
def test_the_compiled_form_and_the_toml_give_equal_policies(name: str) -> None:
    source = builtin.shipped_source(name)
    assert source is not None
    assert builtin.CompiledPolicies(SPECS).layer(name, source) is not None
    assert load_policy([name], SPECS) == from_toml(name)


def test_the_compiled_form_is_fresh() -> None:
    assert Path(builtin.COMPILED_PATH).read_text(encoding="utf-8") == compile_shipped(SPECS), "run tools/compile_policies.py"


@pytest.mark.parametrize(
    "spoil",
    [
        {"specs": "0" * 64},
        {"format": 0},
        {"policies": {}},
        {"policies": {name: {"sha256": "0" * 64, "layer": {}} for name in NAMES}},
    ],
)
def test_a_stale_compiled_form_is_never_used(spoil: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = json.loads(Path(builtin.COMPILED_PATH).read_text(encoding="utf-8"))
    stale = tmp_path / "compiled.json"
    stale.write_text(json.dumps(content | spoil), encoding="utf-8")
    monkeypatch.setattr(builtin, "COMPILED_PATH", str(stale))
    assert load_policy(["executorch-runtime"], SPECS) == from_toml("executorch-runtime")


@pytest.mark.parametrize("content", [None, "", "{"])
def test_a_missing_or_broken_compiled_form_is_never_needed(
    content: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "compiled.json"
    if content is not None:
        broken.write_text(content, encoding="utf-8")
    monkeypatch.setattr(builtin, "COMPILED_PATH", str(broken))
    assert load_policy(["manylinux"], SPECS) == from_toml("manylinux")


def test_recommended_names_every_rule_there_is_and_no_other() -> None:
    (layer,) = load_merged(["recommended"], SPECS).layers
    assert {change.rule for change in layer.rules} == {spec.id for spec in SPECS}


def test_recommended_gives_each_rule_its_documented_level() -> None:
    policy = load_policy(["recommended"], SPECS)
    assert {setting.rule: setting.level for setting in policy.settings} == {
        spec.id: LEVELS.get(spec.id, Level.ERROR) for spec in SPECS
    }


def test_every_parameter_of_every_rule_can_be_said_in_toml() -> None:
    for spec in SPECS:
        said = {name: value for name, value in toml_defaults(spec.parameters).items() if value is not None}
        assert build(spec.parameters, said) == spec.parameters(), spec.id
        assert list(field_types(spec.parameters)) == list(spec.parameters.__annotations__)


def test_static_cxx_runtime_forbids_each_dynamic_cxx_runtime_of_an_object_itself() -> None:
    settings = {setting.rule: setting for setting in load_policy(["static-cxx-runtime"], SPECS).settings}
    forbidden = settings["forbidden-needed-library"]
    assert forbidden.level is Level.ERROR
    assert {"libstdc++.so*", "libgcc_s.so*"} <= set(forbidden.parameters.libraries)
    assert forbidden.parameters.via == "direct"
    assert settings["unresolved-cxx-runtime-symbol"].parameters.providers == "direct"


def test_executorch_runtime_is_recommended_and_static_and_has_torch_beside_it() -> None:
    policy = load_policy(["executorch-runtime"], SPECS)
    settings = {setting.rule: setting for setting in policy.settings}
    static = {setting.rule: setting for setting in load_policy(["static-cxx-runtime"], SPECS).settings}
    assert settings["forbidden-needed-library"] == static["forbidden-needed-library"]
    assert settings["required-bundled-library"].parameters.libraries == ("libextension_cuda.so", "libaoti_cuda_shims.so")
    assert policy.providers[-1].requirement == "torch"
    assert "libcudart.so.*" in policy.providers[-1].libraries
    assert settings["absolute-run-path"].level is settings["escaping-run-path"].level is Level.ERROR


def test_hardened_sets_every_hardening_rule_and_asks_for_full_relro_once() -> None:
    (layer,) = load_merged(["hardened"], SPECS).layers
    assert {change.rule for change in layer.rules} == {rule.id for rule in RULES if rule.family == "hardening"}
    settings = {setting.rule: setting for setting in load_policy(["recommended", "hardened"], SPECS).settings}
    assert settings["missing-relro"].level is Level.ERROR
    assert settings["missing-relro"].parameters.require == "full"
    assert settings["lazy-binding"].level is Level.OFF
    # A heuristic cannot fail a build.
    assert {settings[rule].level for rule in ("missing-stack-protector", "missing-fortify")} == {Level.WARNING}
    assert settings["missing-library"].level is Level.ERROR


def test_the_default_policy_is_loaded_without_pydantic_and_without_a_toml_parser(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "from checker.policy.load import load_policy\n"
        "from checker.rules.registry import RULES, specs\n"
        f"policy = load_policy([], specs(), directory={str(tmp_path)!r})\n"
        "assert policy.name == 'recommended'\n"
        "print(sorted({'pydantic', 'tomllib', 'tomli', 'difflib', 'pathlib'} & set(sys.modules)))\n"
    )
    root = Path(__file__).resolve().parent.parent.parent
    run = subprocess.run([sys.executable, "-S", "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
