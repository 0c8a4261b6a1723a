"""The packages that platform data is made from: their manifest, and how they are fetched with the ordinary clients."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from measure import sha256

MANIFEST = Path(__file__).with_name("manifest.txt")

DEBIAN = {
    "amd64": "x86_64",
    "i386": "i686",
    "arm64": "aarch64",
    "armhf": "armv7l",
    "ppc64el": "ppc64le",
    "s390x": "s390x",
    "riscv64": "riscv64",
    "loong64": "loongarch64",
}
"""Debian's architecture names and those of platform tags."""

PIP = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Source:
    """One package file.

    Attributes:
        kind: ``deb`` or ``wheel``.
        package, version: as in its registry.
        place: a Debian package's ``ARCHITECTURE/SUITE``, a wheel's platform tag.
        file: its file name in the cache.
        sha256: hex digest.
    """

    kind: str
    package: str
    version: str
    place: str
    file: str
    sha256: str

    @property
    def architecture(self) -> str:
        """As in platform tags."""
        return DEBIAN[self.place.partition("/")[0]]

    @property
    def upstream(self) -> tuple[int, ...]:
        """The leading numbers of the version: ``2.36-9+deb12u14`` → ``(2, 36)``; an epoch is dropped."""
        text = self.version.rpartition(":")[2]
        digits = ""
        for character in text:
            if not (character.isdigit() or character == "."):
                break
            digits += character
        return tuple(map(int, digits.rstrip(".").split(".")))

    def __str__(self) -> str:
        return f"{self.kind} {self.package} {self.version} {self.place} {self.file} {self.sha256}"


def manifest() -> tuple[Source, ...]:
    """The recorded packages."""
    lines = (line.split() for line in MANIFEST.read_text("ascii").splitlines() if line and not line.startswith("#"))
    return tuple(
        Source(kind=kind, package=package, version=version, place=place, file=file, sha256=digest)
        for kind, package, version, place, file, digest in lines
    )


def fetch(cache: Path) -> None:
    """Brings every missing package of the manifest into the folder ``cache`` and checks the digests of all.

    Raises:
        SystemExit: a digest differs, or a registry no longer serves a recorded version.
    """
    missing = [source for source in manifest() if not (cache / source.file).exists()]
    for source in missing:
        if source.kind == "wheel":
            _run([*PIP, "--platform", source.place, "--dest", str(cache), f"{source.package}=={source.version}"])
    debs = [source for source in missing if source.kind == "deb"]
    if debs:
        wanted = [f"{source.package}:{source.place.partition('/')[0]}={source.version}" for source in debs]
        _run(["apt-get", "-c", str(_apt(cache)), "download", "--quiet", *wanted], cwd=cache)
    check(cache)


def check(cache: Path) -> None:
    """Holds every package of the manifest in ``cache`` to its digest.

    Raises:
        SystemExit: one differs, or is not there.
    """
    for source in manifest():
        path = cache / source.file
        if not path.exists():
            raise SystemExit(f"{source.file}: was not downloaded, though the client reported no error")
        if sha256(path) != source.sha256:
            raise SystemExit(f"{source.file}: its SHA-256 is not the recorded one")


def _run(command: list[str], cwd: Path | None = None) -> None:
    """Runs a package client, which tells on its own what it could not get."""
    if subprocess.run(command, check=False, cwd=cwd).returncode:
        raise SystemExit(f"{command[0]} failed: a registry may no longer serve a recorded version (see above)")


def _apt(cache: Path) -> Path:
    """A package cache and source list of its own in ``cache/apt``; the mirror is the one that this machine's Debian uses."""
    folder = cache / "apt"
    config = folder / "apt.conf"
    if config.exists():
        return config
    for part in ("state/lists/partial", "cache/archives/partial"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    (folder / "state/status").touch()
    mirror = next(
        line.split()[1]
        for line in Path("/etc/apt/sources.list.d/debian.sources").read_text("utf-8").splitlines()
        if line.startswith("URIs:")
    )
    suites = sorted({source.place.partition("/")[2] for source in manifest() if source.kind == "deb"})
    key = "/usr/share/keyrings/debian-archive-keyring.gpg"
    (folder / "debian.sources").write_text(
        f"Types: deb\nURIs: {mirror}\nSuites: {' '.join(suites)}\nComponents: main\n"
        f"Architectures: {' '.join(DEBIAN)}\nSigned-By: {key}\n",
        "utf-8",
    )
    architectures = " ".join(f'"{name}";' for name in DEBIAN)
    config.write_text(
        f'Dir::Etc::sourcelist "{folder}/debian.sources";\nDir::Etc::sourceparts "-";\nDir::State "{folder}/state";\n'
        f'Dir::State::status "{folder}/state/status";\nDir::Cache "{folder}/cache";\nAPT::Architecture "amd64";\n'
        f'APT::Architectures {{ {architectures} }};\nAPT::Sandbox::User "root";\nAcquire::Languages "none";\n',
        "utf-8",
    )
    _run(["apt-get", "-c", str(config), "update", "--quiet"])
    return config
