"""Records what CPython builds that come from no package export: ``python interpreters.py PREFIX… > interpreters.txt``.

Each PREFIX is the folder of an installed CPython with ``bin/python3.N`` and, where it was built so,
``lib/libpython3.N.so.1.0``. Debian's
builds are measured from packages by ``build.py``; this file adds second builds, and versions that no reachable suite has.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from pathlib import Path

from measure import measure, sha256


def main() -> None:
    """Writes a line for each build, then one for each symbol with the versions whose build exports it."""
    exported: dict[tuple[str, str], set[tuple[int, int]]] = defaultdict(set)
    print("# What CPython builds of this project's machines export; made by tools/platform_data/interpreters.py.")
    for prefix in map(Path, sys.argv[1:]):
        program = next(path for path in sorted(prefix.glob("bin/python3.*")) if path.name[8:].isdigit())
        files = [program.resolve(), *(path for path in prefix.glob("lib/libpython3.*.so.1.0"))]
        version = (3, int(program.name[8:]))
        needed: list[str] = []
        for file in files:
            measured = measure(file)
            needed += [name for name in measured.needed if name not in needed and not name.startswith("libpython")]
            for export in measured.exports:
                exported[export.name, export.kind].add(version)
        digests = ",".join(f"{file.name}:{sha256(file)}" for file in files)
        print(f"build 3.{version[1]} {prefix.name} x86_64 {digests} {','.join(needed)}")
    print()
    for (name, kind), versions in sorted(exported.items()):
        print(name, kind, ",".join(f"{major}.{minor}" for major, minor in sorted(versions)))


if __name__ == "__main__":
    main()
