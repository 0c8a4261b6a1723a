"""Wheels by name: from a requirement such as ``numpy==2.4.6`` to files, through the index that pip is configured to use.

The index's hashes are verified, on each use of the cache as well. Nothing of a wheel is unpacked or run.
"""

from __future__ import annotations

import ast
import hashlib
import logging
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from checker.cli.request import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from ssl import SSLContext

    from packaging.requirements import Requirement
    from unearth import Link, PackageFinder

_DEFAULT_INDEX = "https://pypi.org/simple/"
_ASKED = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*\s*(?:\[[^\]]*\])?\s*(?:===?|~=|!=|<=?|>=?)[^/\\]*")
_CHUNK = 1 << 20


class Asked:
    """What is asked of an index.

    Attributes:
        platform, python: as ``check`` takes them.
        index_url: in place of pip's own setting; ``None`` to follow it.
        all_platforms: every wheel of the release that is judged here, and not one alone.
        tell: takes a line for the user.
    """

    def __init__(
        self,
        *,
        platform: str | None,
        python: str | None,
        index_url: str | None,
        all_platforms: bool,
        tell: Callable[[str], None],
    ) -> None:
        self.platform, self.python = platform, python
        self.index_url, self.all_platforms = index_url, all_platforms
        self.tell = tell


def is_requirement(text: str) -> bool:
    """A name with a version to choose by, such as ``numpy==2.4.6``; a name alone may be a path that was mistyped."""
    return _ASKED.fullmatch(text) is not None and not text.endswith((".whl", ".zip"))


def fetch(requirements: Iterable[str], asked: Asked) -> dict[str, str]:
    """Path of each wheel → its file name, in the order asked for.

    Raises:
        UsageError: a requirement is none, nothing matches it, the index cannot be reached, or a hash is not what it says.
    """
    from importlib.util import find_spec

    if find_spec("unearth") is None or find_spec("platformdirs") is None:
        raise UsageError("wheels by name need two packages more: pip install 'wheelproof[index]'")
    finder = _finder(asked.index_url)
    fetched: dict[str, str] = {}
    for requirement in requirements:
        for link in _links(finder, requirement, asked):
            fetched[str(_file(finder, link, asked.tell))] = link.filename
    return fetched


def _links(finder: PackageFinder, text: str, asked: Asked) -> list[Link]:
    """The wheels to fetch of the newest release that the requirement admits."""
    from checker.cli.wheelchoice import best, judged

    requirement = _parsed(text)
    wheels = _release(finder, requirement)
    if not wheels:
        raise UsageError(f"{text}: the index has no wheel of such a version")
    if asked.all_platforms:
        names, others = judged(wheels)
        if others:
            asked.tell(f"{text}: {len(others)} wheels for other systems are not judged, such as {others[0]}")
        if not names:
            raise UsageError(f"{text}: has no wheel for Linux or for every system")
        return [wheels[name] for name in names]
    name = best(wheels, asked.platform, asked.python)
    if name is None:
        some = ", ".join(sorted(wheels)[:3])
        raise UsageError(
            f"{text}: none of its {len(wheels)} wheels fits ({some} …); choose with --python and --platform, "
            "or take --all-platforms"
        )
    return [wheels[name]]


def _parsed(text: str) -> Requirement:
    from packaging.requirements import InvalidRequirement, Requirement

    try:
        return Requirement(text)
    except InvalidRequirement as error:
        raise UsageError(f"{text}: is neither a file nor a requirement: {str(error).splitlines()[0]}") from error


def _release(finder: PackageFinder, requirement: Requirement) -> dict[str, Link]:
    """File name → wheel, of the newest release that the requirement admits; yanked ones only where it pins them."""
    from checker.cli.wheelchoice import version_of

    pinned = any(specifier.operator in {"==", "==="} for specifier in requirement.specifier)
    complaints = _Complaints()
    logging.getLogger("unearth").addHandler(complaints)
    try:
        packages = list(finder.find_all_packages(requirement.name, allow_yanked=pinned))
    except Exception as error:  # the library hands on whatever its transport raises
        raise UsageError(f"{requirement.name}: the index cannot be asked: {_words(error)}") from error
    links = {package.link.filename: package.link for package in packages if package.link.is_wheel}
    versions = {name: version for name in links if (version := version_of(name)) is not None}
    admitted = set(requirement.specifier.filter(versions.values()))
    if not packages:
        raise UsageError(f"{requirement.name}: not found in any index: {complaints.last or 'pip is configured for none'}")
    newest = max(admitted, default=None)
    return {name: links[name] for name, version in versions.items() if version == newest}


class _Complaints(logging.Handler):
    """The library logs what it cannot reach, and goes on; that is the reason when nothing is found."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.last = ""

    def emit(self, record: logging.LogRecord) -> None:
        """Keep the message."""
        self.last = record.getMessage()


def _words(error: Exception) -> str:
    return (str(error) or type(error).__name__).splitlines()[0]


def _file(finder: PackageFinder, link: Link, tell: Callable[[str], None]) -> Path:
    """The wheel's file, in the cache or where the index has it on this machine, with the hash that the index tells."""
    hashes = {name: values[0] for name, values in (link.hash_option or {}).items()}
    if link.is_file:
        _verify(link.file_path, hashes, link.filename)
        return link.file_path
    if not hashes:
        tell(f"{link.filename}: the index tells no hash, so that its bytes are taken on trust")
    kept = _cache(link, hashes) / link.filename
    if kept.exists() and hashes and _matches(kept, hashes):
        return kept
    shutil.rmtree(kept.parent, ignore_errors=True)
    kept.parent.mkdir(parents=True)
    tell(f"fetching {link.filename}")
    try:
        path = Path(finder.download(link, kept.parent))
    except Exception as error:
        shutil.rmtree(kept.parent, ignore_errors=True)
        raise UsageError(f"{link.filename}: cannot be fetched: {_words(error)}") from error
    _verify(path, hashes, link.filename)
    return path


def _cache(link: Link, hashes: Mapping[str, str]) -> Path:
    from platformdirs import user_cache_path

    identity = hashes.get("sha256") or hashlib.sha256(link.url_without_fragment.encode()).hexdigest()
    return user_cache_path("wheelproof") / "wheels" / identity


def _verify(path: Path, hashes: Mapping[str, str], name: str) -> None:
    if hashes and not _matches(path, hashes):
        raise UsageError(f"{name}: its bytes are not those whose hash the index tells; it was not checked")


def _matches(path: Path, hashes: Mapping[str, str]) -> bool:
    """The file has the strongest hash that is told and known here."""
    known = [name for name in ("sha512", "sha384", "sha256", "sha224", "sha1", "md5") if name in hashes]
    if not known:
        return False
    digest = hashlib.new(known[0], usedforsecurity=False)
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest() == hashes[known[0]].lower()


def _finder(index_url: str | None) -> PackageFinder:
    from unearth import PackageFinder
    from unearth.fetchers import PyPIClient

    settings = _pip_settings()
    offline = "no-index" in settings and index_url is None
    hosts = settings.get("trusted-host", "").split()
    certificates = settings.get("cert", "")
    # Any: the library's own client does not fit the protocol that it asks for.
    session: Any = PyPIClient(trusted_hosts=hosts, verify=_context(certificates) if certificates else True)
    indexes = [index_url or settings.get("index-url", _DEFAULT_INDEX), *settings.get("extra-index-url", "").split()]
    return PackageFinder(
        session=session,
        index_urls=() if offline else indexes,
        find_links=settings.get("find-links", "").split(),
        trusted_hosts=hosts,
        ignore_compatibility=True,
        only_binary=[":all:"],
    )


def _context(certificates: str) -> SSLContext:
    import ssl

    try:
        return ssl.create_default_context(cafile=certificates)
    except OSError as error:
        raise UsageError(
            f"{certificates}: pip's setting cert names no file of certificates: {error.strerror or error}"
        ) from error


_LINE = re.compile(r"(?P<section>[\w-]+|:env:)\.(?P<name>[\w-]+)=(?P<value>.*)")
_SECTIONS = ("global", "download", ":env:")
"""Where pip's settings stand, the later ones winning (pip's documentation, "Configuration", precedence)."""


def _pip_settings() -> dict[str, str]:
    """Name → value of pip's own configuration, from its files and environment; empty where there is no pip."""
    done = subprocess.run(
        [sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
    )
    found: dict[str, dict[str, str]] = {section: {} for section in _SECTIONS}
    for row in done.stdout.splitlines():
        setting = _LINE.fullmatch(row)
        if setting is not None and setting["section"] in found:
            found[setting["section"]][setting["name"]] = str(ast.literal_eval(setting["value"]))
    return {name: value for section in _SECTIONS for name, value in found[section].items()}
