"""Reads what a shared object exports and needs: the measurements that platform data is made of."""

from __future__ import annotations

import hashlib
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from elftools.elf.dynamic import DynamicSection
from elftools.elf.elffile import ELFFile
from elftools.elf.gnuversions import GNUVerDefSection, GNUVerSymSection
from elftools.elf.sections import SymbolTableSection

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

KINDS = {
    "STT_FUNC": "F",
    "STT_GNU_IFUNC": "F",
    "STT_LOOS": "F",
    "STT_NOTYPE": "F",
    "STT_OBJECT": "D",
    "STT_COMMON": "D",
    "STT_TLS": "T",
}
"""Letters of platform data by symbol type. An IFUNC is a function to the loader; which functions are so differs by build."""

UNIQUE_BINDINGS = {"STB_GNU_UNIQUE", "STB_LOOS"}


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Export:
    """One defined dynamic symbol.

    Attributes:
        name: the symbol.
        version: its version node; empty without one (or of the base node).
        kind: ``F`` function, ``D`` data, ``T`` thread-local data, ``U`` data of binding GNU_UNIQUE.
        hidden: the hidden bit: not the default version.
    """

    name: str
    version: str
    kind: str
    hidden: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One shared object (or executable): soname, needed, version nodes in file order (base first), exports sorted."""

    soname: str
    needed: tuple[str, ...]
    versions: tuple[str, ...]
    exports: tuple[Export, ...]


def measure(path: Path) -> Measured:
    """Reads the ELF file ``path``."""
    with path.open("rb") as stream:
        elf = ELFFile(stream)
        dynamic = elf.get_section_by_name(".dynamic")
        tags: list[Any] = list(dynamic.iter_tags()) if isinstance(dynamic, DynamicSection) else []
        soname = next((tag.soname for tag in tags if tag.entry.d_tag == "DT_SONAME"), "")
        verdef = elf.get_section_by_name(".gnu.version_d")
        versions = verdef.iter_versions() if isinstance(verdef, GNUVerDefSection) else ()
        nodes = {entry["vd_ndx"]: next(iter(names)).name for entry, names in versions}
        return Measured(
            soname=soname,
            needed=tuple(tag.needed for tag in tags if tag.entry.d_tag == "DT_NEEDED"),
            versions=tuple(nodes.values()),
            exports=tuple(sorted(_exports(elf, nodes))),
        )


def _exports(elf: ELFFile, nodes: dict[int, str]) -> Iterator[Export]:
    symbols = elf.get_section_by_name(".dynsym")
    if not isinstance(symbols, SymbolTableSection):
        return
    versym = elf.get_section_by_name(".gnu.version")
    for number, symbol in enumerate(symbols.iter_symbols()):
        info = symbol["st_info"]
        if symbol["st_shndx"] == "SHN_UNDEF" or info["bind"] == "STB_LOCAL" or not symbol.name:
            continue
        if symbol["st_other"]["visibility"] in ("STV_HIDDEN", "STV_INTERNAL"):
            continue
        raw = versym.get_symbol(number)["ndx"] if isinstance(versym, GNUVerSymSection) else 1
        index = raw if isinstance(raw, int) else {"VER_NDX_LOCAL": 0, "VER_NDX_GLOBAL": 1}[raw]
        kind = KINDS[info["type"]]
        if symbol["st_shndx"] == "SHN_ABS" and symbol.name in nodes.values():
            continue  # the symbol that older linkers make of a version node's own name
        yield Export(
            name=symbol.name,
            version=nodes.get(index & 0x7FFF, "") if index & 0x7FFF > 1 else "",
            kind="U" if info["bind"] in UNIQUE_BINDINGS else kind,
            hidden=bool(index & 0x8000),
        )


class Package:
    """An unpacked Debian package in a temporary folder; use it in a ``with`` statement."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._folder = tempfile.TemporaryDirectory(prefix="platform-data-")
        self.root = Path(self._folder.name)

    def __enter__(self) -> Package:  # noqa: PYI034 - typing.Self is newer than Python 3.10
        """Unpacks it."""
        subprocess.run(["dpkg-deb", "-x", str(self.path), str(self.root)], check=True)
        return self

    def __exit__(self, *_: object) -> None:
        """Removes the folder."""
        self._folder.cleanup()

    def find(self, name: str) -> Path | None:
        """The file of that name, or the one that a link of that name leads to; ``None`` where the package holds none."""
        for found in sorted(self.root.rglob(name)):
            target = (
                self.root / str(found.readlink()).lstrip("/")
                if found.is_symlink() and found.readlink().is_absolute()
                else found.resolve()
            )
            if target.is_file():
                return target
        return None


def sha256(path: Path) -> str:
    """The file's SHA-256 in hex."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
