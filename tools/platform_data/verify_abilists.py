"""Compares the data with glibc's own ``.abilist`` files: ``python tools/platform_data/verify_abilists.py TREE``.

``TREE`` holds the files by release (``TREE/2.31/sysdeps/unix/sysv/linux/x86_64/64/libc.abilist``), as glibc's repository has
them at the tag of each release. The data comes from their digest in the ziglang wheel, from Debian's packages and from
``moves.txt``, so this tells what was lost or made up on that way. Every public symbol of every library under every version is
compared, on all architectures and releases. Prints counts and every difference that ``EXPLAINED`` does not cover; exits 1 if
there is one.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parents[2]))

import glibc
import verify

from checker import platforms
from checker.model.elf import SymbolType
from checker.model.platform import PlatformId

if TYPE_CHECKING:
    from checker.model.platform import PlatformLibrary

PLACES = {
    "x86_64": ("x86_64/64",),
    "i686": ("i386",),
    "aarch64": ("aarch64",),
    "armv7l": ("arm/le", "arm"),
    "ppc64le": ("powerpc/powerpc64/le", "powerpc/powerpc64"),
    "s390x": ("s390/s390-64",),
    "riscv64": ("riscv/rv64",),
    "loongarch64": ("loongarch/lp64",),
}
"""Folders by architecture; the first that a release has holds its files."""

ROOTS = ("sysdeps/unix/sysv/linux", "ports/sysdeps/unix/sysv/linux")

EXPLAINED = {
    "__libpthread_version_placeholder": "keeps a version node alive; no program can refer to it, and the nodes are right",
    "__rtld_version_placeholder": "the same, of the loader",
    "__setjmp": "s390x had it as GLIBC_2.19 in that release alone, taken back in 2.20: nothing that needs it runs on both",
    "pthread_atfork": "libpthread of 2.17 had it on ARM, gone in 2.18; programs have it from libpthread_nonshared.a",
}
"""Symbol → why data and listing differ."""

BIG_ENDIAN_ONLY = {("ppc64le", (2, 17)), ("ppc64le", (2, 18))}
"""Releases whose only 64-bit PowerPC listing is the big-endian one. The little-endian ABI began with 2.17 in distributions."""

KINDS = {SymbolType.STT_FUNC: "F", SymbolType.STT_OBJECT: "D", SymbolType.STT_TLS: "T"}
"""Letters of the listings by symbol type."""

EXPLAINED_COUNT = "explained"

Symbols = dict[tuple[str, str], str]


def listed(path: Path) -> Symbols:
    """(symbol, version) → kind of one ``.abilist`` file, of the layout before and since 2.23."""
    found: Symbols = {}
    version = ""
    for line in path.read_text("ascii").splitlines():
        fields = line.split()
        if len(fields) == 1:
            version = fields[0]
        elif fields:
            version, (name, kind) = (version, fields[:2]) if line.startswith(" ") else (fields[0], fields[1:3])
            if kind != "A":
                found[name, version] = kind
    return found


def listings(release: Path, architecture: str) -> dict[str, Path]:
    """Soname → the file that lists its symbols; a ``-le`` listing is the little-endian one's own."""
    folders = (release / root / place for place in PLACES[architecture] for root in ROOTS)
    folder = next((one for one in folders if one.is_dir()), None)
    if folder is None:
        return {}
    paths = sorted((*folder.glob("nptl/*.abilist"), *folder.glob("*.abilist")), key=lambda path: path.stem.endswith("-le"))
    stems = {path.stem.removesuffix("-le").removeprefix("lib"): path for path in paths}
    return {soname: stems[short] for short, soname in glibc.LIBRARIES.items() if short in stems}


def ours(library: PlatformLibrary, names: set[str]) -> Symbols:
    """The public ones of these symbols in our library."""
    return {
        (name, entry.version.decode()): KINDS[SymbolType(entry.type)]
        for name in names
        for entry in library.definitions(name.encode())
        if entry.version is not None and entry.version != b"GLIBC_PRIVATE"
    }


def compare(release: Path, architecture: str, counts: Counter[str]) -> int:
    """Compares all libraries of one release and architecture, prints what is not explained, and counts."""
    number = tuple(map(int, release.name.split(".")))
    if number not in platforms.releases("glibc", architecture) or (architecture, number) in BIG_ENDIAN_ONLY:
        return 0
    baseline = verify.known(PlatformId(family="glibc", release=number, architecture=architecture))
    bad = 0
    for soname, path in listings(release, architecture).items():
        theirs = listed(path)
        library = baseline.library(glibc.LOADERS[architecture] if soname == "ld.so" else soname)
        names = {name for name, _ in theirs} | verify.all_names("glibc", soname)
        mine = ours(library, names) if library is not None else {}
        counts[f"{architecture} {soname}"] += len(theirs)
        for key in sorted(key for key in theirs.keys() | mine.keys() if theirs.get(key) != mine.get(key)):
            counts[EXPLAINED_COUNT] += key[0] in EXPLAINED
            if key[0] not in EXPLAINED:
                bad += 1
                print(f"{release.name} {architecture} {soname} {'@'.join(key)}: ours {mine.get(key)}, listed {theirs.get(key)}")
    return bad


def main() -> None:
    """Compares all."""
    counts: Counter[str] = Counter()
    releases = sorted((path for path in Path(sys.argv[1]).iterdir() if path.is_dir()), key=lambda path: int(path.name[2:]))
    bad = sum(compare(release, architecture, counts) for release in releases for architecture in PLACES)
    explained = counts.pop(EXPLAINED_COUNT, 0)
    for title, number in sorted(counts.items()):
        print(f"{number:6} {title}")
    print(f"{sum(counts.values())} symbols compared in {len(releases)} releases, {explained} differences explained, {bad} not")
    raise SystemExit(1 if bad else 0)


if __name__ == "__main__":
    main()
