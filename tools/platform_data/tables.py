"""Writes platform data: merges the rows of all architectures and prints one line for each symbol and version.

The format is told in ``checker/platforms/table.py``, which reads it.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

Release = tuple[int, ...]

ARCHITECTURES = ("x86_64", "i686", "aarch64", "armv7l", "ppc64le", "s390x", "riscv64", "loongarch64")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One symbol under one version in one library on one architecture.

    Attributes:
        name, version: as in the symbol table; version empty without one.
        kind: ``F`` function, ``D`` data, ``T`` thread-local data, ``U`` data of binding GNU_UNIQUE.
        hidden: ``"hidden"`` or ``"hidden=2.32"``: not the default version (from that release on) although no newer version of
            the name exists; empty otherwise.
        since, until: the first release with it and the first without; ``None`` where the version tells it and where it is
            still there.
    """

    name: str
    version: str
    kind: str
    hidden: str = ""
    since: Release | None = None
    until: Release | None = None

    def tail(self) -> str:
        """Everything after the version, without architectures."""
        words = [self.kind, self.hidden]
        words += [f"since={dotted(self.since)}"] if self.since else []
        words += [f"until={dotted(self.until)}"] if self.until else []
        return " ".join(filter(None, words))


def dotted(release: Release) -> str:
    """``(2, 36)`` → ``2.36``."""
    return ".".join(map(str, release))


def number(version: str) -> Release | None:
    """``GLIBC_2.3.4`` → ``(2, 3, 4)``; ``None`` for a name that does not end in numbers."""
    tail = version.rpartition("_")[2]
    return tuple(map(int, tail.split("."))) if tail.replace(".", "").isdigit() else None


def merge(rows: dict[str, list[Row]], first_versions: dict[str, Release]) -> list[str]:
    """The lines for the rows of each architecture, sorted by symbol.

    Args:
        rows: by architecture.
        first_versions: the oldest GLIBC version of each architecture. A symbol older than that bears it instead, so that one
            line ``NAME GLIBC_2.2+`` tells of an architecture born in 2.17 also. Empty for libraries without that rule.
    """
    by_name: dict[str, dict[tuple[str, str], set[str]]] = defaultdict(lambda: defaultdict(set))
    for architecture, found in rows.items():
        for row in found:
            by_name[row.name][row.version, row.tail()].add(architecture)
    lines: list[str] = []
    for name, wanted in sorted(by_name.items()):
        lines += sorted(_lines(name, wanted, set(rows), first_versions))
    return lines


def _lines(name: str, wanted: dict[tuple[str, str], set[str]], everywhere: set[str], first: dict[str, Release]) -> list[str]:
    lines: list[str] = []
    told: dict[tuple[str, str], set[str]] = defaultdict(set)
    for (version, tail), exact in sorted(wanted.items(), key=lambda item: (number(item[0][0]) or (99,), item[0])):
        born = number(version) if version.startswith("GLIBC_") else None
        later = {arch: f"GLIBC_{dotted(first[arch])}" for arch in everywhere if born and first and first[arch] > born}
        clamped = {
            arch
            for arch, instead in later.items()
            if arch in wanted.get((instead, tail), ()) and arch not in told[instead, tail]
        }
        left = exact - told[version, tail]
        if not left:
            continue
        label = f"{version}+" if clamped else version
        for arch in clamped:
            told[later[arch], tail].add(arch)
        on = exact | clamped
        lines.append(" ".join(filter(None, (name, label or "-", tail, _where(on, everywhere)))))
    return lines


def _where(architectures: set[str], everywhere: set[str]) -> str:
    if architectures == everywhere:
        return ""
    return "on=" + ",".join(arch for arch in ARCHITECTURES if arch in architectures)
