"""Records what CPython builds that come from no package export: ``python interpreters.py PREFIX… > interpreters.txt``.

Each PREFIX is the folder of an installed CPython with ``bin/python3.N`` (``python3.Nt`` without the global lock) and, where it
was built so, ``lib/libpython3.N.so.1.0``. Debian's builds are measured from packages by ``build.py``; this file adds second
builds, versions that no reachable suite has, and the free-threaded one, which no reachable registry packages: 3.13t was built
with ``--disable-gil --enable-shared`` from Debian's source package python3.13 3.13.5-2+deb13u5, whose python3.13_3.13.5.orig
archive has the SHA-256 93e583f243454e6e9e4588ca2c2662206ad961659863277afcdb96801647d640.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from pathlib import Path

from hosts import suffixes
from measure import measure, sha256


def main() -> None:
    """Writes a line for each build, then one for each symbol with the versions whose build exports it."""
    exported: dict[tuple[str, str], set[str]] = defaultdict(set)
    print("# What CPython builds of this project's machines export; made by tools/platform_data/interpreters.py.")
    for prefix in map(Path, sys.argv[1:]):
        program = next(path for path in sorted(prefix.glob("bin/python3.*")) if re.fullmatch(r"python3\.\d+t?", path.name))
        files = [program.resolve(), *(path for path in prefix.glob("lib/libpython3.*.so.1.0"))]
        version = program.name.removeprefix("python")
        needed: list[str] = []
        for file in files:
            measured = measure(file)
            needed += [name for name in measured.needed if name not in needed and not name.startswith("libpython")]
            for export in measured.exports:
                exported[export.name, export.kind].add(version)
        digests = ",".join(f"{file.name}:{sha256(file)}" for file in files)
        names = sorted({name for file in files for name in suffixes(file)})
        print(f"build {version} {prefix.name} x86_64 {digests} {','.join(needed)} {','.join(names)}")
    print()
    for (name, kind), versions in sorted(exported.items()):
        print(name, kind, ",".join(sorted(versions, key=lambda text: (int(text[2:].rstrip("t")), text))))


if __name__ == "__main__":
    main()
