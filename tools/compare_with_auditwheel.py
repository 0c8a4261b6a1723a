"""Compares the computed platform with auditwheel's, wheel by wheel: ``python -m tools.compare_with_auditwheel WHEEL…``.

auditwheel is asked by ``auditwheel show --json --ldpaths ""`` in a process of its own: without library folders of this machine,
so that its answer hangs on the wheel as far as it can. (For musllinux it takes the version of the machine's own musl, and the
newest policy where there is none.) Compared is its ``overall_tag`` with ``computed.platform`` of our report.

``tools/auditwheel_parity.txt`` is the comparison that was made, and names the wheels to make it anew::

    python -m tools.compare_with_auditwheel --list tools/auditwheel_parity.txt --write tools/auditwheel_parity.txt

It fetches them with pip, one at a time. It prints, for each wheel, both answers and what keeps ours from being older. The
explanations of differences are written into the table by hand; they stay where neither answer has changed. The exit code is 1
where a difference is not explained.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from checker.archive.wheelname import parse_wheel_name
from checker.engine import Options, audit
from checker.policy.load import load_policy
from checker.rules.registry import specs

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from checker.model.case import ComputedPlatform

NONE = "none"
"""No platform tag is true of the wheel: auditwheel's ``linux_…``."""
NO_ELF = "no-elf"
"""There is nothing to compute it of."""
CRASH = "crash"
"""auditwheel ends with a traceback."""

_SHOWN = 3
_EXCEPTION = re.compile(r"[\w.]*(Error|Exception)\b")
_HEADER = """\
# Published wheels, and the oldest platform tag that is true of each: ours, and that of auditwheel {version}.
# Made by: python -m tools.compare_with_auditwheel --list tools/auditwheel_parity.txt --write tools/auditwheel_parity.txt
# Each line: the wheel, its SHA-256, our answer, auditwheel's and, where they differ, why (written by hand).
# none: no tag is true; no-elf: there is nothing to compute one of; crash: auditwheel ends with a traceback.
"""


class Row(NamedTuple):
    """One wheel: its file name and digest, both answers, and why they differ."""

    wheel: str
    sha256: str
    ours: str
    auditwheel: str
    why: str = ""

    @property
    def is_equal(self) -> bool:
        """Both say the same."""
        return self.ours == self.auditwheel


# The table


def read_table(path: Path) -> tuple[Row, ...]:
    """The rows of a table; of a mere list of file names, rows with nothing but those."""
    lines = (line.split(" ", 4) for line in path.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#"))
    return tuple(Row(*(fields + [""] * 4)[:5]) for fields in lines)


def write_table(path: Path, rows: Iterable[Row]) -> None:
    """Write the table, sorted by file name. Rows of other wheels stay, and explanations where both answers did."""
    earlier = {row.wheel: row for row in read_table(path)} if path.exists() else {}
    told = {row[:4]: row.why for row in earlier.values()}
    merged = earlier | {row.wheel: row._replace(why=row.why or told.get(row[:4], "")) for row in rows}
    lines = sorted((" ".join(row).rstrip() for row in merged.values()), key=str.lower)
    path.write_text(_HEADER.format(version=metadata.version("auditwheel")) + "\n".join(lines) + "\n", encoding="utf-8")


# Both answers


def our_answer(wheel: Path) -> tuple[str, str, ComputedPlatform | None]:
    """The wheel's SHA-256, the tag (or :data:`NONE`, :data:`NO_ELF`), and what it comes from."""
    policy = load_policy(["recommended"], specs(), directory="/")
    case = audit(str(wheel), policy, Options(digest=True)).case
    computed = case.computed
    return case.inventory.sha256, NO_ELF if computed is None else computed.platform or NONE, computed


def auditwheels_answer(wheel: Path) -> tuple[str, str]:
    """The tag, :data:`NONE`, :data:`NO_ELF` or :data:`CRASH`; and the exception that it ended with."""
    command = [sys.executable, "-m", "auditwheel", "show", "--json", "--ldpaths", "", str(wheel)]
    environment = {name: value for name, value in os.environ.items() if "LD_LIBRARY_PATH" not in name}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    try:
        told = json.loads(done.stdout)
    except json.JSONDecodeError:
        return CRASH, next((line for line in done.stderr.splitlines() if _EXCEPTION.match(line)), done.stderr)
    tag = str(told.get("overall_tag", NO_ELF))
    return NONE if tag.startswith("linux_") else tag, ""


def compare(wheel: Path) -> tuple[Row, str]:
    """Ask both; with what keeps our tag from being older, and what auditwheel ended with."""
    sha256, ours, computed = our_answer(wheel)
    theirs, exception = auditwheels_answer(wheel)
    return Row(wheel.name, sha256, ours, theirs), _because(computed) + (f"; {exception}" if exception else "")


def _because(computed: ComputedPlatform | None) -> str:
    rows = computed.because if computed is not None else ()
    texts = [" ".join((one.file, "needs", *filter(None, (one.soname, one.symbol, one.version)))) for one in rows[:_SHOWN]]
    return "; ".join(texts or ["nothing"]) + (f" and {len(rows) - _SHOWN} more" if len(rows) > _SHOWN else "")


# Fetching


def fetch(row: Row, folder: Path) -> Path:
    """The wheel of that name, fetched with pip unless it is in the folder.

    Raises:
        LookupError: pip does not bring it.
    """
    target = folder / row.wheel
    if not target.exists():
        done = subprocess.run(
            [sys.executable, "-m", "pip", "download", *pip_words(row.wheel), "--dest", str(folder)],
            capture_output=True,
            text=True,
            check=False,
        )
        if not target.exists():
            raise LookupError(f"pip does not bring it: {(done.stderr.strip().splitlines() or ['it chose another'])[-1]}")
    return target


def pip_words(wheel: str) -> list[str]:
    """The options of ``pip download`` that choose one wheel by what its file name says."""
    name = parse_wheel_name(wheel, most_tags=1000)
    if name.problem:
        raise LookupError(name.problem)
    tag = name.tags[0]
    release = tag.python[2:]
    platforms = sorted({each.platform for each in name.tags})
    return [
        "--quiet",
        "--no-deps",
        "--only-binary=:all:",
        "--ignore-requires-python",
        f"--implementation={tag.python[:2]}",
        f"--python-version={release[0]}{'.' if release[1:] else ''}{release[1:]}",
        f"--abi={tag.abi}",
        *(f"--platform={platform}" for platform in platforms),
        f"{name.distribution}=={name.version}",
    ]


# The program


def show(row: Row, because: str) -> None:
    """One line for a wheel."""
    mark = "equal " if row.is_equal else "DIFFER"
    print(f"{mark} {row.wheel}: ours {row.ours}, auditwheel's {row.auditwheel}; because of {because}", flush=True)


def wheels(words: argparse.Namespace, folder: Path) -> Iterator[tuple[Path, bool]]:
    """Each wheel to compare, and whether it was fetched for it."""
    yield from ((wheel, False) for wheel in words.wheel)
    for row in read_table(words.list) if words.list is not None else ():
        is_new = not (folder / row.wheel).exists()
        try:
            yield fetch(row, folder), is_new
        except LookupError as error:
            print(f"MISSED {row.wheel}: {error}", flush=True)


def main() -> int:
    """See the module's docstring."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("wheel", type=Path, nargs="*")
    parser.add_argument("--list", type=Path, metavar="FILE", help="fetch the wheels that it names, one file name a line")
    parser.add_argument("--folder", type=Path, help="where to; what is there stays there (default: a temporary folder)")
    parser.add_argument(
        "--keep", type=float, default=30, metavar="MB", help="delete what was fetched and is larger (default: 30)"
    )
    parser.add_argument("--write", type=Path, metavar="TABLE", help="enter the comparison there")
    words = parser.parse_args()
    known = {row[:4]: row.why for path in (words.list, words.write) if path and path.exists() for row in read_table(path)}
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = words.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for wheel, is_fetched in wheels(words, folder):
            row, because = compare(wheel)
            show(row, because)
            rows.append(row._replace(why=known.get(row[:4], "")))
            if is_fetched and wheel.stat().st_size > words.keep * 1e6:
                wheel.unlink()
    if words.write is not None:
        write_table(words.write, rows)
    different = [row for row in rows if not row.is_equal]
    unexplained = sum(not row.why for row in different)
    print(f"{len(rows)} wheels: {len(rows) - len(different)} equal, {len(different)} differ, {unexplained} of them unexplained")
    return 1 if unexplained else 0


if __name__ == "__main__":
    raise SystemExit(main())
