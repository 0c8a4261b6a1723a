"""Writes what is made of the shipped policies and the rules' parameters; run it after a change to either.

``python tools/compile_policies.py`` writes ``checker/policy/compiled.json`` and ``checker/policy/policy.schema.json``; with
``--check`` it only says whether they are fresh, and exits 1 when one is not.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from checker.policy.builtin import COMPILED_PATH, SCHEMA_PATH
from checker.policy.compile import compile_shipped
from checker.policy.problems import PolicyError
from checker.policy.schema import render_schema
from checker.rules.registry import specs


def main() -> int:
    """Writes or checks the files; the exit code."""
    try:
        files = {Path(COMPILED_PATH): compile_shipped(specs()), Path(SCHEMA_PATH): render_schema(specs())}
    except PolicyError as error:
        print(error, file=sys.stderr)
        return 2
    stale = False
    for path, text in files.items():
        if "--check" in sys.argv[1:]:
            fresh = path.exists() and path.read_text(encoding="utf-8") == text
            print(f"{path.name} is {'fresh' if fresh else 'stale: run tools/compile_policies.py'}")
            stale = stale or not fresh
        else:
            path.write_text(text, encoding="utf-8", newline="\n")
            print(f"wrote {path.name}")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
