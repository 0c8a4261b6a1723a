"""The effective policy as text, and its JSON Schema."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest

from checker.policy.builtin import schema_text, shipped_names, shipped_source
from checker.policy.load import load_policy
from checker.policy.schema import policy_schema, render_schema
from checker.policy.show import describe_policy
from checker.rules.registry import specs
from tests.policy.samples import SPECS

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from pathlib import Path

TAPLO = shutil.which("taplo")
TEXT = """\
name = "mine \\u007f"
description = "d"
extends = ["base.toml"]
[target]
python = "cp311"
[rules.symbol-version-too-new]
ceilings = { GLIBC = "2.28" }
[[provider]]
requirement = "torch"
libraries = ["libc10*.so"]
[[override]]
files = ["bin/*"]
architectures = ["aarch64"]
tags = ["*-musllinux_*"]
[override.rules.forbidden-needed-library]
level = "note"
[[waiver]]
rule = "missing-library"
file = "a"
reason = "x"
expires = 2027-03-31
"""
BASE = """\
[rules.forbidden-needed-library]
level = "warning"
libraries = ["a"]
files = ["**/*.so"]
[rules.missing-library]
level = "off"
"""
EXPECTED = """\
schema = 1
name = "mine \\u007f"                                      # mine.toml:1
description = "d"                                         # mine.toml:2

[target]
platform = "from-tag"                                     # default
python = "cp311"                                          # mine.toml:5

[rules.forbidden-needed-library]
level = "warning"                                         # base.toml:2
files = ["**/*.so"]                                       # base.toml:4
libraries = ["a"]                                         # base.toml:3
via = "direct"                                            # default

[rules.symbol-version-too-new]
level = "error"                                           # mine.toml:6
ceilings = { "GLIBC" = "2.28" }                           # mine.toml:7

[[provider]]
requirement = "torch"                                     # mine.toml:9
libraries = ["libc10*.so"]                                # mine.toml:10
how = "preloaded"                                         # default

[[override]]
files = ["bin/*"]                                         # mine.toml:12
architectures = ["aarch64"]                               # mine.toml:13
tags = ["*-musllinux_*"]                                  # mine.toml:14
[override.rules.forbidden-needed-library]
level = "note"                                            # mine.toml:16
libraries = ["a"]                                         # base.toml:3
via = "direct"                                            # default

[[waiver]]
rule = "missing-library"                                  # mine.toml:18
file = "a"                                                # mine.toml:19
reason = "x"                                              # mine.toml:20
expires = 2027-03-31                                      # mine.toml:21

# off:
#   missing-library                                       # base.toml:6
#   size-over-budget                                      # default
#   everything                                            # default
"""


def test_each_value_is_shown_with_the_file_and_line_that_it_comes_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine.toml").write_text(TEXT, encoding="utf-8")
    (tmp_path / "base.toml").write_text(BASE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    shown = describe_policy(["mine.toml"], SPECS)
    digest = load_policy(["mine.toml"], SPECS).digest
    assert shown == f"# digest {digest}\n# made of base.toml, mine.toml; later ones win\n{EXPECTED}"
    (tmp_path / "shown.toml").write_text(shown, encoding="utf-8")
    assert load_policy(["shown.toml"], SPECS).digest == digest


@pytest.mark.parametrize("name", shipped_names())
def test_a_shown_policy_read_again_is_the_same(name: str, tmp_path: Path) -> None:
    shown = tmp_path / "shown.toml"
    shown.write_text(describe_policy([name], specs()), encoding="utf-8")
    again, policy = load_policy([str(shown)], specs()), load_policy([name], specs())
    assert again.digest == policy.digest
    assert again.name == policy.name
    assert f"# {name}:" in shown.read_text(encoding="utf-8")


def accepts(schema: dict[str, Any], text: str) -> bool:
    """Whether the JSON Schema admits the TOML document, with its dates as strings."""
    document = json.loads(json.dumps(tomllib.loads(text), default=str))
    return bool(jsonschema.Draft202012Validator(schema).is_valid(document))


def test_the_json_schema_is_one_and_admits_the_shipped_policies() -> None:
    schema = policy_schema(specs())
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["title"] == "wheelproof policy"
    for name in shipped_names():
        assert accepts(schema, (shipped_source(name) or b"").decode())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (TEXT, True),
        (BASE, True),
        ('nam = "x"', False),
        ('[rules.zzz]\nlevel = "error"', False),
        ('[rules.missing-library]\nlevel = "eror"', False),
        ("[rules.symbol-version-too-new]\nceilings = { GLIBC = 2.28 }", False),
        ('[rules.forbidden-needed-library]\nvia = "closur"', False),
        ('[[waiver]]\nrule = "missing-library"\nfile = "a"', False),
        ('[[waiver]]\nrule = "zzz"\nfile = "a"\nreason = "x"', False),
        ("[[override]]\nfiles = []\n[override.rules]", False),
        ("[[override]]\n[override.rules]", False),
        ("[[override]]\ntags = ['*']\n[override.rules]", True),
        ("[[override]]\narchitectures = ['arm64']\n[override.rules]", False),
        ("[[waiver]]\nrule = 'missing-library'\nreason = 'x'", False),
        ("[[waiver]]\nrule = 'missing-library'\nmatch = 'a'\nreason = 'x'", True),
    ],
)
def test_the_json_schema_tells_good_from_bad(text: str, *, expected: bool) -> None:
    assert accepts(policy_schema(SPECS), text) is expected


def test_the_shipped_json_schema_is_fresh() -> None:
    assert schema_text() == render_schema(specs()), "run tools/compile_policies.py"


def test_the_json_schema_describes_every_rule_and_key() -> None:
    for name, definition in policy_schema(specs())["$defs"].items():
        if name not in {"Rules", "OverrideRules"}:
            assert definition["description"], name
            for key, value in definition["properties"].items():
                assert value.get("description"), f"{name}: {key}"


@pytest.mark.skipif(TAPLO is None, reason="needs taplo, which Even Better TOML is made of")
@pytest.mark.parametrize(("text", "good"), [(TEXT, True), ('nam = "x"', False), ('[[waiver]]\nfile = "a"', False)])
def test_taplo_takes_the_schema_by_the_header_of_a_file(text: str, *, good: bool, tmp_path: Path) -> None:
    (tmp_path / "policy.schema.json").write_text(json.dumps(policy_schema(SPECS)), encoding="utf-8")
    (tmp_path / "wheelproof.toml").write_text(f"#:schema ./policy.schema.json\n{text}", encoding="utf-8")
    done = subprocess.run([TAPLO or "", "lint", "wheelproof.toml"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode == 0) is good, done.stderr


def test_the_json_schema_tells_the_real_defaults_and_never_null() -> None:
    schema = policy_schema(SPECS)
    assert schema["$defs"]["Rules-forbidden-needed-library"]["properties"]["via"]["default"] == "direct"
    assert '"default": null' not in json.dumps(schema)
