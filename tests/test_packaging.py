"""What a built wheel of this project holds; ``nox -s recipes`` installs one and runs it."""

from __future__ import annotations

import sys
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[1]


def test_the_wheel_holds_the_package_and_the_shipped_policies() -> None:
    build = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert build == {"packages": ["checker"], "force-include": {"policies": "checker/policy/shipped"}}
    assert (ROOT / "checker" / "cli" / "main.py").is_file()
    assert (ROOT / "policies" / "recommended.toml").is_file()
