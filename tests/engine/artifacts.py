"""Small artifacts for tests of the whole pipeline: a folder or a wheel of written ELF files."""

from __future__ import annotations

import base64
import hashlib
import zipfile
from typing import TYPE_CHECKING

from tests.elfwriter import Elf, Relocation, Symbol, write
from tests.elfwriter.spec import DEFINED, X86_64, Machine, NeededVersion, VersionNeed

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

TAG = "cp311-cp311-manylinux_2_17_x86_64"


def library(
    *,
    uses: tuple[str, ...] = (),
    defines: tuple[str, ...] = (),
    wants: Mapping[str, tuple[str, str]] | None = None,
    machine: Machine = X86_64,
    **more: object,
) -> bytes:
    """A shared object.

    Args:
        uses: unversioned names that it refers to by a GOT entry.
        defines: unversioned functions.
        wants: name → (file, version) of versioned references.
        machine: its architecture.
        more: further fields of :class:`tests.elfwriter.Elf`.
    """
    wants = wants or {}
    needs: dict[str, list[NeededVersion]] = {}
    indices: dict[tuple[str, str], int] = {}
    for file, version in wants.values():
        if (file, version) not in indices:
            indices[file, version] = len(indices) + 2
            needs.setdefault(file, []).append(NeededVersion(version, indices[file, version]))
    symbols = [Symbol(name=name) for name in uses]
    symbols += [Symbol(name=name, version=indices[where]) for name, where in wants.items()]
    symbols += [Symbol(name=name, shndx=DEFINED) for name in defines]
    relocations = tuple(Relocation(type=machine.glob_dat, symbol=name) for name in (*uses, *wants))
    elf = Elf(
        machine=machine,
        symbols=tuple(symbols),
        relocations=relocations,
        version_needs=tuple(VersionNeed(file, tuple(versions)) for file, versions in needs.items()),
        stack=6,
        relro=True,
        **more,  # type: ignore[arg-type]
    )
    return write(elf)


def wheel(folder: Path, members: Mapping[str, bytes], *, tag: str = TAG, requires: tuple[str, ...] = ()) -> Path:
    """A wheel named ``demo`` with honest metadata and RECORD."""
    python, abi, platform = tag.split("-")
    info = "demo-1.0.dist-info"
    tags = "".join(f"Tag: {p}-{a}-{f}\n" for p in python.split(".") for a in abi.split(".") for f in platform.split("."))
    needs = "".join(f"Requires-Dist: {requirement}\n" for requirement in requires)
    files = dict(members)
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: false\n{tags}".encode()
    files[f"{info}/METADATA"] = f"Metadata-Version: 2.1\nName: demo\nVersion: 1.0\n{needs}".encode()
    rows = [f"{name},sha256={_digest(data)},{len(data)}" for name, data in files.items()]
    files[f"{info}/RECORD"] = "\n".join([*rows, f"{info}/RECORD,,", ""]).encode()
    path = folder / f"demo-1.0-{tag}.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return path


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
