"""Where the loader of a root file system finds libraries by name: cache, configuration, default directories."""

from __future__ import annotations

import struct
from fnmatch import fnmatchcase
from itertools import chain

from checker.platforms.catalogue import load_catalogue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from checker.platforms.rootfs import RootFs

TRIPLETS = {
    "x86_64": "x86_64-linux-gnu",
    "i686": "i386-linux-gnu",
    "aarch64": "aarch64-linux-gnu",
    "armv7l": "arm-linux-gnueabihf",
    "ppc64le": "powerpc64le-linux-gnu",
    "s390x": "s390x-linux-gnu",
    "riscv64": "riscv64-linux-gnu",
    "loongarch64": "loongarch64-linux-gnu",
}
"""Architecture → Debian's multiarch directory."""
MUSL_NAMES = {"i686": "i386", "armv7l": "armhf", "ppc64le": "powerpc64le"}
"""Architecture → what musl calls it (``configure``, ``LDSO_ARCH``), where that differs."""
_NARROW = frozenset({"i686", "armv7l"})
_CONFIGURATION_SIZE = 1 << 20
_MOST_CONFIGURATIONS = 1000
_CACHE_SIZE = 64 << 20
_OLD_MAGIC = b"ld.so-1.7.0\0"
_MAGIC = b"glibc-ld.so.cache1.1"
_HEADER = 48
_BIG_ENDIAN = 3
_LONGEST_PATH = 4096


def systems(root: RootFs) -> tuple[tuple[str, str], ...]:
    """(C library, architecture) of every known loader that the root has: glibc before musl, then by name, 64 bit first."""
    found = (key for key in load_catalogue().architectures if loader_of(root, *key) is not None)
    return tuple(sorted(found, key=lambda key: (key[0], key[1] in _NARROW, key[1])))


def loader_of(root: RootFs, family: str, architecture: str) -> str | None:
    """The path of the loader, which programs name as their interpreter; ``None`` where there is none."""
    if family == "musl":
        name = f"ld-musl-{_musl_name(architecture)}.so.1"
    else:
        name = load_catalogue().architectures[family, architecture].loader
    paths = (f"{directory}/{name}" for directory in ("/lib64", "/lib"))
    return next((path for path in paths if (real := root.located(path)) is not None and root.is_file(real)), None)


def search(root: RootFs, family: str, architecture: str) -> Iterator[tuple[str, str]]:
    """(name, path) of every file in which the loader could find a library by name, the first it would look at first.

    glibc asks the cache, then its default directories (``_dl_map_object``). Where no cache can be read, the directories of
    ld.so.conf stand for it, of which ldconfig would make one. Entries for processor levels (``glibc-hwcaps``) are left out: a
    platform is what every one of its machines has.
    """
    if family == "musl":
        directories: Iterator[str] = iter(_musl_directories(root, architecture))
    else:
        cached = read_cache(root.read("/etc/ld.so.cache", _CACHE_SIZE) or b"")
        if cached is not None:
            yield from cached
        configured = () if cached is not None else configuration(root)
        directories = chain(configured, default_directories(architecture))
    for directory in directories:
        for name in root.names(directory):
            if ".so" in name:
                yield name, f"{directory}/{name}"


def default_directories(architecture: str) -> tuple[str, ...]:
    """The directories that a glibc was built to search: multiarch (Debian), ``lib64`` (the psABIs), ``lib``."""
    triplet = TRIPLETS.get(architecture)
    multiarch = (f"/lib/{triplet}", f"/usr/lib/{triplet}") if triplet is not None else ()
    wide = () if architecture in _NARROW else ("/lib64", "/usr/lib64")
    return (*multiarch, *wide, "/lib", "/usr/lib")


def _musl_directories(root: RootFs, architecture: str) -> tuple[str, ...]:
    """As musl's ``load_library``: ``/etc/ld-musl-ARCH.path``, split at colons and newlines, else three directories."""
    written = root.read(f"/etc/ld-musl-{_musl_name(architecture)}.path", _CONFIGURATION_SIZE)
    if written is None:
        return ("/lib", "/usr/local/lib", "/usr/lib")
    parts = written.decode("utf-8", "surrogateescape").replace("\n", ":").split(":")
    return tuple(part for part in parts if part.startswith("/"))


def _musl_name(architecture: str) -> str:
    return MUSL_NAMES.get(architecture, architecture)


def configuration(root: RootFs, start: str = "/etc/ld.so.conf") -> tuple[str, ...]:
    """The directories of ld.so.conf and all that it includes, in order (glibc ``elf/ldconfig.c``, ``parse_conf``)."""
    directories: list[str] = []
    seen: set[str] = set()
    waiting = [("/", f"include {start}")]
    while waiting:
        folder, written = waiting.pop()
        text = written.partition("#")[0].strip()
        word, *patterns = text.split()[:_MOST_CONFIGURATIONS] or [""]
        if word == "include":
            included = [path for pattern in patterns for path in _matching(root, pattern, folder) if path not in seen]
            for path in reversed(included[: _MOST_CONFIGURATIONS - len(seen)]):
                seen.add(path)
                content = (root.read(path, _CONFIGURATION_SIZE) or b"").decode("utf-8", "surrogateescape")
                waiting += [(path.rpartition("/")[0], line) for line in reversed(content.splitlines())]
        elif text.startswith("/"):
            # Old files name the libc of a directory after "="; ldconfig drops it.
            directories.append(text.partition("=")[0].strip().rstrip("/"))
    return tuple(dict.fromkeys(directories))


def _matching(root: RootFs, pattern: str, folder: str) -> list[str]:
    """The files that an ``include`` in a folder names; its last part may be a pattern."""
    directory, _, last = (pattern if pattern.startswith("/") else f"{folder}/{pattern}").rpartition("/")
    return [f"{directory}/{name}" for name in root.names(directory) if fnmatchcase(name, last)]


def read_cache(data: bytes) -> tuple[tuple[str, str], ...] | None:
    """(name, path) of each entry in the order of the cache, which the loader's binary search respects for equal names.

    Format: glibc ``sysdeps/generic/dl-cache.h``, the new one alone or behind the old one. ``None`` for anything else: then
    the loader does without it, too.
    """
    start = data.find(_MAGIC)
    if not data.startswith((_MAGIC, _OLD_MAGIC)) or start < 0 or len(data) < start + _HEADER:
        return None
    order = ">" if data[start + 28] & 3 == _BIG_ENDIAN else "<"
    (count,) = struct.unpack_from(order + "I", data, start + 20)
    entry = struct.Struct(order + "iIIIQ")
    if start + _HEADER + count * entry.size > len(data):
        return None
    found = []
    for _, name, path, _, hwcap in entry.iter_unpack(data[start + _HEADER : start + _HEADER + count * entry.size]):
        if hwcap == 0:
            found.append((_text(data, start + name), _text(data, start + path)))
    return tuple((name, path) for name, path in found if name and path.startswith("/"))


def _text(data: bytes, start: int) -> str:
    end = data.find(b"\0", start, start + _LONGEST_PATH)
    return data[start:end].decode("utf-8", "surrogateescape") if end >= 0 else ""
