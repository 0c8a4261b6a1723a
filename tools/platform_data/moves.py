"""Dates the moves of symbols between glibc's libraries: ``python moves.py TREE > moves.txt``.

``TREE`` holds glibc's own ``.abilist`` files by release (``TREE/2.31/sysdeps/unix/sysv/linux/x86_64/64/libc.abilist``), as
the public
repository glibc-abi-tool keeps them in its folder ``glibc``. The ``abilists`` file of the ziglang wheel, which is made from
the same files,
tells when a symbol came to a library but not when it left; packages of a few releases tell that it left, but not when. One
line says:
from that release on, the library no longer defines that symbol, under any version. Releases and architectures agree or this
program stops.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from pathlib import Path

FOLDERS = (
    "x86_64/64", "i386", "aarch64", "arm/le", "arm", "powerpc/powerpc64/le", "s390/s390-64", "riscv/rv64", "loongarch/lp64",
)  # fmt: skip


def names(path: Path) -> set[str]:
    """The functions and data of one ``.abilist`` file."""
    lines = (line.split() for line in path.read_text("ascii").splitlines())
    # Up to 2.22 a version stands on a line of its own and the symbols follow, indented; later each line is "version symbol
    # kind [size]".
    rows = [fields if fields[0].startswith(("GLIBC_", "GCC_")) else ["", *fields] for fields in lines if fields]
    symbols = (row for row in rows if row[2:])
    return {row[1] for row in symbols if row[2] != "A"}


def departures(tree: Path) -> dict[tuple[str, str], tuple[int, ...]]:
    """(library, symbol) → the first release in which it is gone."""
    releases = sorted(tuple(map(int, folder.name.split("."))) for folder in tree.iterdir() if folder.is_dir())
    gone: dict[tuple[str, str], set[tuple[int, ...]]] = defaultdict(set)
    for place in FOLDERS:
        before: dict[str, set[str]] = {}
        for release in releases:
            folder = tree / ".".join(map(str, release)) / "sysdeps/unix/sysv/linux" / place
            for listing in (*folder.glob("*.abilist"), *folder.glob("nptl/*.abilist")):
                if listing.stem.endswith("-le"):
                    continue
                now = names(listing)
                for name in before.get(listing.stem, set()) - now:
                    gone[listing.stem, name].add(release)
                before[listing.stem] = now
    disagreeing = {key: found for key, found in gone.items() if len(found) > 1}
    if disagreeing:
        raise SystemExit(f"architectures disagree: {disagreeing}")
    return {key: found.pop() for key, found in gone.items()}


def main() -> None:
    """Writes the table to standard output."""
    print(
        "# The release from which on a library of glibc no longer defines a symbol. Made by tools/platform_data/moves.py from"
    )
    print("# glibc's .abilist files of the releases 2.16 to 2.41 (glibc-abi-tool at ed9d3bb356413e73b836955e75f399dfb3ec255e).")
    for (library, name), release in sorted(departures(Path(sys.argv[1])).items()):
        print(library, name, ".".join(map(str, release)))


if __name__ == "__main__":
    main()
