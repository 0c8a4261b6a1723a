"""``python -m tests.cases FILE…``: what every rule says of a case; the artifact itself is left where it says."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.cases.form import CaseError, load_case
from tests.cases.survey import answers_text, audited_case


def main(arguments: list[str]) -> int:
    """Tell of each case file named; 1 if one cannot be used."""
    if not arguments:
        sys.stderr.write(f"{__doc__}\n")
        return 2
    for argument in arguments:
        folder = Path(tempfile.mkdtemp(prefix="case-"))
        try:
            answers = audited_case(load_case(Path(argument).resolve()), folder)
        except CaseError as error:
            sys.stderr.write(f"{error}\n")
            return 1
        artifact = next((folder / "artifact").iterdir())
        sys.stdout.write(f"{artifact}\n")
        for rule, said in answers.items():
            sys.stdout.write(f"{rule}\n{answers_text(said)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
