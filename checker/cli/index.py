"""Wheels by name: from a requirement such as ``numpy==2.4.6`` to files, through the index that pip is configured to use.

The index's hashes are verified, on each use of the cache as well. Nothing of a wheel is unpacked or run. A page of an index is
a stranger's: what it says is neither a path here nor a file of this machine.
"""

from __future__ import annotations

import ast
import hashlib
import logging
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from checker.cli.request import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from ssl import SSLContext

    from httpx2 import Response
    from packaging.requirements import Requirement
    from unearth import Link, PackageFinder

    Hashes = Mapping[str, str]
    """Name of an algorithm → lower-case hexadecimal digest."""
    Finders = tuple["PackageFinder", "PackageFinder"]
    """Of what lies on this machine, and of what does not; they share a session."""

_DEFAULT_INDEX = "https://pypi.org/simple/"
_ASKED = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*\s*(?:\[[^\]]*\])?\s*(?:===?|~=|!=|<=?|>=?)[^/\\]*")
_CHUNK = 1 << 20
_MOST = 16 << 30
"""Bytes of a wheel that are fetched at most; a zip file of that size is beyond every index's own limit."""
_ALGORITHMS = ("sha512", "sha384", "sha256", "sha224", "sha1", "md5")
"""Those that are verified, the strongest first."""
_WEAK = ("sha1", "md5")


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
    finders = _finders(asked.index_url)
    fetched: dict[str, str] = {}
    for requirement in requirements:
        for link in _links(finders, requirement, asked):
            fetched[str(_file(finders[-1], link, asked.tell))] = link.filename
    return fetched


def _links(finders: Finders, text: str, asked: Asked) -> list[Link]:
    """The wheels to fetch of the newest release that the requirement admits."""
    from checker.cli.wheelchoice import best, judged

    requirement = _parsed(text)
    if requirement.marker is not None:
        raise UsageError(f"{text}: leave out the marker behind the semicolon; what is named here is judged")
    wheels = _release(finders, requirement)
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


def _release(finders: Finders, requirement: Requirement) -> dict[str, Link]:
    """File name → wheel, of the newest release that the requirement admits; yanked ones only where it pins them."""
    from checker.cli.wheelchoice import version_of

    pinned = any(specifier.operator in {"==", "==="} for specifier in requirement.specifier)
    complaints = _Complaints()
    logging.getLogger("unearth").addHandler(complaints)
    try:
        here, elsewhere = (list(finder.find_all_packages(requirement.name, allow_yanked=pinned)) for finder in finders)
    except Exception as error:  # the library hands on whatever its transport raises
        raise UsageError(f"{requirement.name}: the index cannot be asked: {_words(error)}") from error
    finally:
        logging.getLogger("unearth").removeHandler(complaints)
    # A page from elsewhere must not choose files of this machine; its <base> makes its links look like a local page's.
    packages = [*here, *(package for package in elsewhere if not package.link.is_file)]
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
    hashes = _hashes(link)
    try:
        if link.is_file:
            _verify(link.file_path, hashes, link.filename)
            return link.file_path
        kept = _cache(link, hashes) / link.filename
        if kept.exists() and hashes and _matches(kept, hashes):
            return kept
        strongest = next(iter(hashes), "")
        if strongest in {"", *_WEAK}:
            told = f"only {strongest}, which can be forged" if strongest else "no hash"
            tell(f"{link.filename}: the index tells {told}, so that its bytes are taken on trust")
        tell(f"fetching {link.filename}")
        kept.parent.mkdir(parents=True, exist_ok=True)
        # Another process may fetch the same wheel, or read the one that is here: it is put in its place whole.
        with TemporaryDirectory(dir=kept.parent) as folder:
            path = _download(finder, link, hashes, folder)
            _verify(path, hashes, link.filename)
            path.replace(kept)
    except OSError as error:
        raise UsageError(f"{link.filename}: cannot be kept: {error.filename}: {error.strerror or error}") from error
    return kept


def _download(finder: PackageFinder, link: Link, hashes: Hashes, folder: str) -> Path:
    allowed = {name: [value] for name, value in hashes.items()}
    try:
        return Path(finder.download(link, folder, hashes=allowed, download_reporter=_refuse_flood))
    except Exception as error:  # as above
        raise UsageError(f"{link.filename}: cannot be fetched: {_words(error)}") from error


def _refuse_flood(link: Link, completed: int, total: int | None) -> None:
    if max(completed, total or 0) > _MOST:
        raise ValueError(f"{link.redacted} sends more than {_MOST >> 30} GiB")


def _hashes(link: Link) -> Hashes:
    """Those that the index tells and that are verified here, the strongest first; empty where it tells none.

    Raises:
        UsageError: it tells some, and none that could be verified.
    """
    told = link.hash_option or {}
    known = {name: str(told[name][0]).lower() for name in _ALGORITHMS if name in told}
    well_formed = {name: value for name, value in known.items() if _is_digest(value, name)}
    if told and (not known or known != well_formed):
        raise UsageError(f"{link.filename}: the index tells no hash that can be verified ({', '.join(sorted(map(str, told)))})")
    return well_formed


def _is_digest(value: str, algorithm: str) -> bool:
    size = hashlib.new(algorithm, usedforsecurity=False).digest_size
    return re.fullmatch(r"[0-9a-f]+", value) is not None and len(value) == 2 * size


def _cache(link: Link, hashes: Hashes) -> Path:
    from platformdirs import user_cache_path

    identity = hashes.get("sha256") or hashlib.sha256(link.url_without_fragment.encode()).hexdigest()
    return user_cache_path("wheelproof") / "wheels" / identity


def _verify(path: Path, hashes: Hashes, name: str) -> None:
    if not path.is_file():
        raise UsageError(f"{name}: {path} is no file")
    if hashes and not _matches(path, hashes):
        raise UsageError(f"{name}: its bytes are not those whose hash the index tells; it was not checked")


def _matches(path: Path, hashes: Hashes) -> bool:
    """The file has the strongest hash that is told."""
    name, expected = next(iter(hashes.items()))
    digest = hashlib.new(name, usedforsecurity=False)
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest() == expected


def _finders(index_url: str | None) -> Finders:
    from unearth import PackageFinder
    from unearth.fetchers import PyPIClient

    settings = _pip_settings()
    offline = "no-index" in settings and index_url is None
    hosts = settings.get("trusted-host", "").split()
    certificates = settings.get("cert", "")
    # Any: the library's own client does not fit the protocol that it asks for.
    session: Any = PyPIClient(
        trusted_hosts=hosts,
        verify=_context(certificates) if certificates else True,
        event_hooks={"response": [_refuse_local_redirect]},
    )
    indexes = [index_url or settings.get("index-url", _DEFAULT_INDEX), *settings.get("extra-index-url", "").split()]
    pages = settings.get("find-links", "").split()

    def finder(*, is_here: bool) -> PackageFinder:
        return PackageFinder(
            session=session,
            index_urls=() if offline else [url for url in indexes if _is_here(url) is is_here],
            find_links=[url for url in pages if _is_here(url) is is_here],
            trusted_hosts=hosts,
            ignore_compatibility=True,
            only_binary=[":all:"],
        )

    return finder(is_here=True), finder(is_here=False)


def _is_here(location: str) -> bool:
    """A path or a URL of a file, as pip takes both."""
    return re.match(r"(?!file:)[A-Za-z][A-Za-z0-9+.-]+:", location) is None


def _refuse_local_redirect(response: Response) -> None:
    """The library's client reads ``file:`` as well, and would follow a server there."""
    target = urljoin(str(response.url), response.headers.get("location", ""))
    if response.is_redirect and urlsplit(target).scheme not in {"http", "https"}:
        raise ValueError(f"{response.url} redirects to {target}")


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
