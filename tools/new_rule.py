"""Starts a rule: ``python -m tools.new_rule FAMILY ID "What it finds, in a sentence." [--after RULE]``.

Writes the rule, its test file, its folder of cases, its entry in the registry and its line in ``policies/recommended.toml``,
and what is generated from these. All of it is valid; ``tests/rules/test_contract.py`` then says what is left to write.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tests.cases.survey import title

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parent.parent
_WIDTH = 128
_DISALLOWED = {
    r"[^a-z-]": "has other characters than small letters and dashes",
    r"^-|--|-$": "has a dash too many",
    r"^no-": "says what must not be; name the defect",
    r"^(check|test|find|detect)-": "says what the rule does; name the defect",
    r"-(error|warning|rule|check)$": "ends in a word that every rule could end in",
}

_RULE = '''"""{summary}

## What

## Why it breaks

## Causes and fixes

## References
"""

from __future__ import annotations

from checker.model.rule import NoParameters, Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from checker.model.artifact import ReadProblem
    from checker.model.case import Case
    from checker.model.finding import Observation


def check(case: Case, parameters: NoParameters) -> Iterator[Observation | ReadProblem]:  # {noqa}
    """One observation for each file."""
    yield from ()


RULE = Rule(id="{id}", family="{family}", parameters=NoParameters, check=check, doc=__doc__ or "")
'''
_NOQA = "noqa: ARG001 - every rule is asked in the same way"
UNWRITTEN = "    yield from ()\n"
"""Stands for the question itself until it is written."""


class Refused(Exception):
    """The rule cannot be started; the message says why."""


def faults(rule: str) -> list[str]:
    """What is wrong with an id: it must name a defect in plain words, and read well after "allow …"."""
    return [f"{rule} {why}" for pattern, why in _DISALLOWED.items() if re.search(pattern, rule)]


def start(root: Path, family: str, rule: str, summary: str, after: str | None) -> list[Path]:
    """Write everything below a checkout; the files written or changed.

    Raises:
        Refused: with every reason.
    """
    order = registered(root)
    reasons = faults(rule)
    families = sorted(path.parent.name for path in (root / "checker" / "rules").glob("*/__init__.py"))
    if family not in families:
        reasons.append(f"there is no family {family}; there are: {', '.join(families)}")
    if rule in dict(order):
        reasons.append(f"there is a rule {rule} already")
    if not re.fullmatch(r"[A-Z][^\n]{10,110}\.", summary):
        reasons.append("the summary must be one sentence that starts with a capital and ends with a full stop, in one line")
    if after is not None and after not in dict(order):
        reasons.append(f"there is no rule {after} to stand after")
    if reasons:
        raise Refused("\n".join(reasons))
    previous = after or next((each for each, of in reversed(order) if of == family), order[-1][0])
    module = rule.replace("-", "_")
    written = {
        root / "tests" / "rules" / "snapshots" / f"{rule}.txt": title(rule),
        root / "checker" / "rules" / family / f"{module}.py": _RULE.format(id=rule, family=family, summary=summary, noqa=_NOQA),
        root / "tests" / "rules" / family / f"test_{module}.py": "from __future__ import annotations\n",
    }
    for path, text in written.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (root / "testdata" / "rules" / rule).mkdir(parents=True, exist_ok=True)
    registry, policy = _registry(root), root / "policies" / "recommended.toml"
    _change(registry, lambda text: with_entry(text, family, rule, previous))
    _change(policy, lambda text: with_level(text, rule, previous))
    return [*written, registry, policy]


def _registry(root: Path) -> Path:
    return root / "checker" / "rules" / "registry.py"


def _change(path: Path, change: Callable[[str], str]) -> None:
    path.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8")


def registered(root: Path) -> list[tuple[str, str]]:
    """(id, family) of every rule in the registry's order."""
    found = re.findall(r'^    _named\("(\w+)", "([\w-]+)"', _registry(root).read_text(encoding="utf-8"), re.MULTILINE)
    return [(rule, family) for family, rule in found]


def with_entry(registry: str, family: str, rule: str, previous: str) -> str:
    """The registry's source with one more rule after another one."""
    entry = rf'^    _named\("\w+", "{re.escape(previous)}".*\n'
    return re.sub(entry, rf'\g<0>    _named("{family}", "{rule}"),\n', registry, flags=re.MULTILINE)


def with_level(policy: str, rule: str, previous: str) -> str:
    """The policy's source with a table for the rule behind that of another; switched off, and without its reason."""
    found = re.search(rf"^\[rules\.{previous}\]\n(?:[^\n\[]+\n)*", policy, re.MULTILINE)
    if found is None:
        raise Refused(f"policies/recommended.toml has no table for {previous}, behind which the new one belongs")
    return policy[: found.end()] + f'\n[rules.{rule}]\nlevel = "off"\n' + policy[found.end() :]


def main(arguments: list[str]) -> int:
    """The exit code: 2 for what is refused."""
    parser = argparse.ArgumentParser(prog="python -m tools.new_rule", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("family", help="folder under checker/rules")
    parser.add_argument("id", help="kebab-case, names the defect")
    parser.add_argument("summary", help="what it finds: one sentence with a full stop")
    parser.add_argument("--after", help="the rule behind which it stands (default: the last of its family)")
    given = parser.parse_args(arguments)
    try:
        changed = start(ROOT, given.family, given.id, given.summary, given.after)
    except Refused as error:
        print(error, file=sys.stderr)
        return 2
    for program in (["tools/compile_policies.py"], ["-m", "tools.rule_docs"]):
        subprocess.run([sys.executable, *program], cwd=ROOT, check=True)
    for path in changed:
        print(f"wrote {path.relative_to(ROOT)}")
    print("what is left to write: python -m pytest tests/rules/test_contract.py")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
