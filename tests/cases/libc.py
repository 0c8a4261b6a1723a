"""What every build for a platform has in common: a use of its C library, as new as the platform tag lets it be.

Without it, each declared member would be a file that needs nothing, of which older tags would be true as well, and which
answers to rules that the case is not about.
"""

from __future__ import annotations

import re

_TAG = re.compile(r"(manylinux|musllinux)_(\d+)_(\d+)_(\w+)|(manylinux1|manylinux2010|manylinux2014)_(\w+)")
_OLD_NAMES = {"manylinux1": (2, 5), "manylinux2010": (2, 12), "manylinux2014": (2, 17)}
_FIRST = {
    "x86_64": "GLIBC_2.2.5", "i686": "GLIBC_2.0", "aarch64": "GLIBC_2.17", "armv7l": "GLIBC_2.4", "ppc64le": "GLIBC_2.17",
    "s390x": "GLIBC_2.2", "riscv64": "GLIBC_2.27", "loongarch64": "GLIBC_2.36",
}  # fmt: skip
"""The oldest version of each architecture's libc.so.6."""
_NEWER = (
    ((2, 34), "pthread_once", "GLIBC_2.34"),
    ((2, 28), "fcntl64", "GLIBC_2.28"),
    ((2, 17), "clock_gettime", "GLIBC_2.17"),
    ((2, 12), "recvmmsg", "GLIBC_2.12"),
)
"""Functions by the first manylinux release that has them, newest first."""


def libc_use(tag: str, architecture: str) -> tuple[str, str | None, str]:
    """Name, version and library of a function that any build for that tag may well use."""
    family, release = _oldest(tag)
    if family == "musllinux":
        return "malloc", None, f"libc.musl-{architecture}.so.1"
    first = _FIRST.get(architecture, "GLIBC_2.2.5")
    for since, name, version in _NEWER:
        if release >= since and _numbers(version) > _numbers(first):
            return name, version, "libc.so.6"
    return "malloc", first, "libc.so.6"


def _oldest(tag: str) -> tuple[str, tuple[int, int]]:
    """Family and release of the oldest platform of a tag; what names none counts as the default."""
    found = []
    for family, major, minor, _, old, _ in _TAG.findall(tag):
        found.append((family or "manylinux", _OLD_NAMES[old] if old else (int(major), int(minor))))
    return min(found, default=("manylinux", (2, 17)))


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.removeprefix("GLIBC_").split(".")))
