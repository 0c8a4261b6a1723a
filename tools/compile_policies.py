"""Writes the compiled form of the shipped policies; run it after a change to a policy or to the parameters of a rule.

``python tools/compile_policies.py`` writes ``checker/policy/compiled.json``; with ``--check`` it only says whether that file is
fresh, and exits 1 when it is not.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from checker.policy.builtin import COMPILED_PATH
from checker.policy.compile import compile_shipped
from checker.policy.problems import PolicyError
from checker.rules.registry import specs


def main() -> int:
    """Writes or checks the file; the exit code."""
    try:
        text = compile_shipped(specs())
    except PolicyError as error:
        print(error, file=sys.stderr)
        return 2
    path = Path(COMPILED_PATH)
    if "--check" in sys.argv[1:]:
        fresh = path.exists() and path.read_text(encoding="utf-8") == text
        print(f"{path.name} is {'fresh' if fresh else 'stale: run tools/compile_policies.py'}")
        return 0 if fresh else 1
    path.write_text(text, encoding="utf-8", newline="\n")
    print(f"wrote {path.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
