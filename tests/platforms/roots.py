"""Small root file systems of written ELF files."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from tests.elfwriter import DEFINED, X86_64, Elf, Machine, Section, Symbol, VersionDefinition, write
from tests.elfwriter.spec import VER_FLG_BASE, Type

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

BANNER = "GNU C Library (Test GLIBC {}-1) stable release version {}.\n"
LOADER = "ld-linux-x86-64.so.2"
MULTIARCH = "usr/lib/x86_64-linux-gnu"


def library(
    soname: str | None,
    *names: str,
    version: str = "",
    needed: tuple[str, ...] = (),
    runpath: str | None = None,
    machine: Machine = X86_64,
    comment: bytes = b"",
    symbols: tuple[Symbol, ...] = (),
) -> bytes:
    """A shared library that exports functions, under one version or none."""
    nodes: tuple[VersionDefinition, ...] = ()
    if version:
        nodes = (VersionDefinition(soname or "", 1, VER_FLG_BASE), VersionDefinition(version, 2))
    exports = tuple(Symbol(name=name, shndx=DEFINED, type=Type.FUNC, version=2 if version else 1) for name in names)
    return write(
        Elf(
            machine=machine,
            soname=soname,
            needed=needed,
            runpath=runpath,
            symbols=(*exports, *symbols),
            version_definitions=nodes,
            sections=(Section(".banner", comment),) if comment else None,
        )
    )


def libc(release: str = "2.36", *names: str, machine: Machine = X86_64) -> bytes:
    """A C library that tells its release."""
    banner = BANNER.format(release, release).encode() + b"\0"
    version = f"GLIBC_{release}"
    return library("libc.so.6", *(names or ("malloc",)), version=version, machine=machine, comment=banner)


def root(folder: Path, files: Mapping[str, bytes | str]) -> Path:
    """A root of these files; a text is the target of a symbolic link."""
    for name, content in files.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, str):
            place.symlink_to(content)
        else:
            place.write_bytes(content)
    return folder


def debian(**more: bytes | str) -> dict[str, bytes | str]:
    """A merged-/usr Debian with a C library; more files are libraries in its multiarch directory."""
    return {
        "lib": "usr/lib",
        "lib64": "usr/lib64",
        f"usr/lib64/{LOADER}": f"/lib/x86_64-linux-gnu/{LOADER}",
        f"{MULTIARCH}/{LOADER}": library(LOADER, "__tls_get_addr", version="GLIBC_2.3"),
        f"{MULTIARCH}/libc.so.6": libc(),
        "etc/os-release": b'NAME="Test GNU/Linux"\nVERSION="1 (one)"\n',
        **{f"{MULTIARCH}/{name}": content for name, content in more.items()},
    }


def cache(*entries: tuple[str, str], hwcap: Mapping[str, int] | None = None, old: bool = False, order: str = "<") -> bytes:
    """An ld.so.cache (glibc ``dl-cache.h``) with these (name, path); paths in ``hwcap`` are for some processors only."""
    strings = b""
    rows = b""
    size = 48 + 24 * len(entries)
    for name, path in entries:
        start = size + len(strings)
        strings += name.encode() + b"\0" + path.encode() + b"\0"
        rows += struct.pack(order + "iIIIQ", 0x303, start, start + len(name) + 1, 0, (hwcap or {}).get(path, 0))
    flags = 2 if order == "<" else 3
    new = b"glibc-ld.so.cache1.1" + struct.pack(order + "IIB3xI12x", len(entries), len(strings), flags, 0) + rows + strings
    return (b"ld.so-1.7.0\0" + struct.pack(order + "I", 0) if old else b"") + new
