"""Writes ``docs/rules``, a page for each rule and an index; run it after a change to a rule, its level or its cases.

``python -m tools.rule_docs`` writes; with ``--check`` it only names the pages that are not fresh, and exits 1 for one.
"""

from __future__ import annotations

import json
import re
import sys
from importlib import import_module
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from checker.policy.fieldtypes import descriptions, toml_defaults
from checker.policy.load import load_policy
from checker.rules.registry import RULES, specs
from tools.fixtures.toml import read_toml

if TYPE_CHECKING:
    from checker.model.rule import Rule

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs" / "rules"
CASES = ROOT / "testdata" / "rules"
RECOMMENDED = ROOT / "policies" / "recommended.toml"
_KINDS = {"fires": "Found", "silent": "Not found", "unchecked": "Could not be checked"}
_NOTICE = "<!-- Written by `python -m tools.rule_docs`: do not edit. -->"
_INDEX = """# Rules

What `wheelproof` asks of an artifact, with the level that each rule has in the policy `recommended`. `wheelproof rules` prints
this list with the levels of the policy in force, `wheelproof rules ID` the page of one rule.
"""


def pages() -> dict[str, str]:
    """File name → content of the index and of every rule's page."""
    levels = {setting.rule: setting.level.value for setting in load_policy(["recommended"], specs()).settings}
    reasons = _reasons(RECOMMENDED.read_text(encoding="utf-8"))
    written = {f"{rule.id}.md": _page(rule, levels[rule.id], reasons.get(rule.id, "")) for rule in RULES}
    return {"README.md": _index(levels), **written}


def stale() -> list[str]:
    """Names of files that are missing, that are not as they would be written, or that belong to no rule."""
    wanted = pages()
    found = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.glob("*")}
    return sorted(name for name in wanted.keys() | found.keys() if wanted.get(name) != found.get(name))


def _index(levels: dict[str, str]) -> str:
    lines = [_NOTICE, _INDEX]
    for family, rules in groupby(RULES, key=lambda rule: rule.family):
        about = (import_module(f"checker.rules.{family}").__doc__ or "").strip()
        lines += [f"## {family}", "", about, "", "| rule | level | it finds |", "|---|---|---|"]
        lines += [f"| [{rule.id}]({rule.id}.md) | {levels[rule.id]} | {_summary(rule)} |" for rule in rules]
        lines.append("")
    return "\n".join(lines)


def _page(rule: Rule, level: str, reason: str) -> str:
    summary, _, rest = rule.doc.strip().partition("\n")
    told = f"Level in `recommended`: **{level}**{f' ({reason})' if reason else ''}. Family: {rule.family}."
    parts = [_NOTICE, f"# {rule.id}", summary, told, rest.strip()]
    parts += [*_parameters(rule), *_cases(rule)]
    return "\n\n".join(parts) + "\n"


def _parameters(rule: Rule) -> list[str]:
    """The table of a rule's own parameters, if it has any."""
    defaults = toml_defaults(rule.parameters)
    if not defaults:
        return []
    told = descriptions(rule.parameters)
    types = rule.parameters.__annotations__
    rows = ["| name | type | default | meaning |", "|---|---|---|---|"]
    for name, default in defaults.items():
        cells = (f"`{name}`", _type(types[name]), f"`{json.dumps(default, ensure_ascii=False)}`", told.get(name, ""))
        rows.append("| " + " | ".join(cell.replace("|", "\\|").replace("``", "`") for cell in cells) + " |")
    return ["## Parameters", f"In a policy, under `[rules.{rule.id}]`:", "\n".join(rows)]


def _type(annotation: str) -> str:
    """An annotation in the words of TOML."""
    if literal := re.fullmatch(r"Literal\[(.*)\]", annotation):
        return " or ".join(f'`"{choice}"`' for choice in re.findall(r"[\w-]+", literal[1]))
    if found := re.fullmatch(r"tuple\[tuple\[str, (.+)\], \.\.\.\]", annotation):
        return f"table of {_type(found[1])}s"
    if found := re.fullmatch(r"tuple\[(.+), \.\.\.\]", annotation):
        return f"array of {_type(found[1])}s"
    return {"str": "string", "bool": "boolean", "int": "integer", "float": "number"}.get(annotation, f"`{annotation}`")


def _cases(rule: Rule) -> list[str]:
    """What each case of the rule shows, found ones first."""
    lines = []
    for kind, word in _KINDS.items():
        for path in sorted((CASES / rule.id).glob(f"{kind}-*.toml")):
            place = f"../../testdata/rules/{rule.id}/{path.name}"
            lines.append(f"- [{word}]({place}): {read_toml(path)['about']}")
    return ["## Cases", "\n".join(lines)] if lines else []


def _reasons(policy: str) -> dict[str, str]:
    """Rule → the comment on its level in the policy's source."""
    found = re.findall(r'^\[rules\.([\w-]+)\]\nlevel = "\w+" *# *(.+)$', policy, re.MULTILINE)
    return dict(found)


def _summary(rule: Rule) -> str:
    return rule.doc.strip().partition("\n")[0].removesuffix(".")


def main(arguments: list[str]) -> int:
    """Write or check; the exit code."""
    if "--check" in arguments:
        for name in stale():
            print(f"docs/rules/{name} is not fresh: run python -m tools.rule_docs")
        return 1 if stale() else 0
    FOLDER.mkdir(parents=True, exist_ok=True)
    wanted = pages()
    for path in FOLDER.glob("*"):
        if path.name not in wanted:
            path.unlink()
    for name, text in wanted.items():
        (FOLDER / name).write_text(text, encoding="utf-8", newline="\n")
    print(f"wrote {len(wanted)} files to docs/rules")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
