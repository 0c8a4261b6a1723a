"""Reads platform files: a captured system as ``Baseline``, a captured interpreter as ``Host``.

:mod:`checker.platforms.capture` writes them and explains the format. A library's symbols are parsed when one
is first asked for.
"""

from __future__ import annotations

import hashlib
import os
import re
from functools import cached_property, lru_cache

from checker.model.elf import Binding, Definition
from checker.model.platform import PlatformId
from checker.model.regex import regex
from checker.platforms.capture import BINDINGS, FORMAT, KINDS, MAGIC, VISIBILITIES, quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_SIZE_LIMIT = 1 << 30
_TYPES = {letter: number for number, letter in KINDS.items()}
_BINDINGS = {word: number for number, word in BINDINGS.items()}
_VISIBILITIES = {word: number for number, word in VISIBILITIES.items()}
_TOLD_DIGITS = 12
_NUMBERED = regex(rb"(\w+?)_(\d{1,9}(?:\.\d{1,9}){0,7})", re.ASCII)


class PlatformFileError(ValueError):
    """A platform file that cannot be used; the message names the file."""


class CapturedLibrary:
    """One section; implements ``PlatformLibrary``."""

    def __init__(self, section: bytes) -> None:
        head, mark, self._body = section.partition(b"\nsymbols ")
        self.symbols_known = bool(mark)
        self.words: dict[str, list[str]] = {}
        self._versions: list[tuple[int, bytes, bool]] = []
        for line in head.decode("ascii").splitlines():
            word, *values = line.split(" ")
            if word == "version":
                self._versions.append((int(values[0]), _unquoted(values[1]), "needed" not in values[2:]))
            else:
                self.words[word] = values
        self.path = _text(self.words[section.split(b" ", 1)[0].decode("ascii")][0])
        self.names = tuple(map(_text, self.words.get("names", ())))
        self.soname = _text(self.words["soname"][0]) if "soname" in self.words else self.path.rpartition("/")[2]
        self.needed = tuple(map(_text, self.words.get("needed", ())))
        self.versions = tuple(name for _, name, own in self._versions if own)
        self.is_private = "private" in self.words
        self._found: dict[bytes, tuple[Definition, ...]] = {}

    @property
    def digest(self) -> str:
        """``sha256:HEX`` of the file that was captured; empty where it was not read."""
        return self.words.get("digest", [""])[0]

    @property
    def unmeasured(self) -> str:
        """Why only its presence is known."""
        return _text(self.words.get("unmeasured", [""])[0])

    def definitions(self, name: bytes) -> tuple[Definition, ...]:
        """Its exported entries under that name, in the order of its hash chain."""
        found = self._found.get(name)
        if found is None:
            lines = self._lines.get(quoted(name, b"@").encode("ascii"), ())
            found = self._found[name] = tuple(self._definition(line) for line in lines)
        return found

    def may_define(self, name: bytes) -> bool:
        """A quick look that finds every name that is there."""
        return b"\n" + quoted(name, b"@").encode("ascii") in self._body

    def symbol_count(self) -> int:
        """How many entries were captured."""
        return int(self._body.split(b"\n", 1)[0]) if self.symbols_known else 0

    @cached_property
    def _lines(self) -> dict[bytes, list[bytes]]:
        lines: dict[bytes, list[bytes]] = {}
        for line in self._body.split(b"\n")[1:]:
            lines.setdefault(line.partition(b" ")[0].partition(b"@")[0], []).append(line)
        return lines

    @cached_property
    def _names_of(self) -> dict[int, bytes]:
        return {index: name for index, name, _ in self._versions if index > 1}

    @cached_property
    def _indices(self) -> dict[str, int]:
        """Label → index; of several nodes of a name the first has it, as in :mod:`checker.platforms.capture`."""
        return {quoted(name, b"@#"): index for index, name in reversed(self._names_of.items())}

    def _definition(self, line: bytes) -> Definition:
        symbol, kind, *words = line.decode("ascii").split(" ")
        _, mark, label = symbol.partition("@")
        hidden = bool(mark) and not label.startswith("@")
        label = label.removeprefix("@")
        index = 1 if not mark else int(label[1:]) if label.startswith("#") else self._indices[label]
        options = {word: value for word, _, value in (item.partition("=") for item in words)}
        binding = next((number for word, number in _BINDINGS.items() if word in options), Binding.STB_GLOBAL.value)
        return Definition(
            version=self._names_of.get(index),
            index=index,
            hidden=hidden,
            binding=int(options.get("binding", binding)),
            type=_TYPES[kind] if kind in _TYPES else int(kind),
            visibility=next((number for word, number in _VISIBILITIES.items() if word in options), 0),
            defined="undefined" not in options,
            absolute="absolute" in options,
            value=0 if "zero" in options else 1,
            symbol=-1,
        )


class CapturedBaseline:
    """A captured system; implements ``Baseline``. It promises what is there, and nothing of any other release."""

    def __init__(self, platform: PlatformId, libraries: Sequence[CapturedLibrary]) -> None:
        self.id = platform
        self.libraries = tuple(libraries)
        self._by_name: dict[str, CapturedLibrary] = {}
        for library in libraries:
            names = library.names if not library.is_private else (library.soname, library.path.rpartition("/")[2])
            for name in names:
                self._by_name.setdefault(name, library)

    def library(self, soname: str) -> CapturedLibrary | None:
        """The library that the loader finds under that name."""
        return self._by_name.get(soname)

    def definers(self, name: bytes) -> tuple[str, ...]:
        """Sonames of all its libraries that define the name, sorted."""
        return tuple(
            sorted({one.soname for one in self.libraries if one.names and one.may_define(name) and one.definitions(name)})
        )

    def is_promised(self, soname: str) -> bool:
        """It is there for every program."""
        library = self.library(soname)
        return library is not None and not library.is_private

    def ceiling(self, namespace: str) -> tuple[int, ...] | None:
        """The newest version of a namespace that any of its libraries defines."""
        return self.newest_versions.get(namespace)

    @cached_property
    def newest_versions(self) -> dict[str, tuple[int, ...]]:
        """Namespace (``GLIBC``, ``GLIBCXX`` …) → its newest version, of every library that a wheel can reach by name."""
        return newest_versions(version for one in self.libraries if one.names for version in one.versions)


class CapturedHost:
    """A captured interpreter; implements ``Host``: program and shared library as one object at the head of the scope."""

    is_measured = True

    def __init__(self, files: Sequence[CapturedLibrary]) -> None:
        self.files = tuple(files)
        self.name = _text(files[0].words["interpreter"][1])
        self.libraries = tuple(map(_text, files[0].words.get("loads", ())))

    def definitions(self, name: bytes) -> tuple[Definition, ...]:
        """The entries of that name in the first of its files that defines it."""
        for file in self.files:
            entries = file.definitions(name)
            if entries:
                return entries
        return ()


class PlatformFile:
    """One platform file.

    Attributes:
        path: as given.
        digest: SHA-256 (hex) of the whole file.
        baseline: the system.
        host: its interpreter; ``None`` where none was captured.
        system: NAME and VERSION of os-release.
        tool: version of the program that wrote it.
    """

    def __init__(self, path: str, content: bytes) -> None:
        """Read a platform file.

        Raises:
            PlatformFileError: it is none, one of another version, or a part of one.
        """
        self.path = path
        self.digest = hashlib.sha256(content).hexdigest()
        first, _, _ = content[:200].partition(b"\n")
        if not first.startswith(MAGIC.encode() + b" "):
            raise PlatformFileError(f"{path}: is no platform file; wheelproof platform capture makes one")
        if first != f"{MAGIC} {FORMAT}".encode():
            version = first.decode("ascii", "replace").partition(" ")[2]
            raise PlatformFileError(f"{path}: a platform file of version {version}; this program reads version {FORMAT}")
        head, *sections = content.split(b"\n\n")
        sealed = hashlib.sha256(content[: content.rfind(b"\n\n") + 2]).hexdigest()
        if sections[-1:] != [f"end {len(sections) - 1} sha256:{sealed}\n".encode()]:
            raise PlatformFileError(f"{path}: is not whole, or was changed since it was captured; capture it again")
        try:
            self._read(head, sections[:-1])
        except (KeyError, IndexError, ValueError) as error:
            raise PlatformFileError(f"{path}: damaged ({type(error).__name__}: {error}); capture it again") from error

    def _read(self, head: bytes, sections: list[bytes]) -> None:
        words = {
            word: values for word, *values in (line.split(" ") for line in head.decode("ascii").splitlines()) if word != "#"
        }
        family, release = words["libc"]
        if family not in {"glibc", "musl"}:
            raise ValueError(f"no C library is called {family}")
        platform = PlatformId(family=family, release=tuple(map(int, release.split("."))), architecture=words["architecture"][0])
        parts = [CapturedLibrary(section) for section in sections]
        self.tool = _text(words["tool"][0])
        self.system = tuple(map(_text, words["system"]))
        self.baseline = CapturedBaseline(platform, [one for one in parts if "library" in one.words])
        interpreter = [one for one in parts if "interpreter" in one.words]
        self.host = CapturedHost(interpreter) if interpreter else None

    @property
    def interpreter(self) -> CapturedHost:
        """Its interpreter.

        Raises:
            PlatformFileError: it has none.
        """
        if self.host is None:
            raise PlatformFileError(f"{self.path}: has no interpreter; wheelproof platform capture ROOT --python PATH adds one")
        return self.host

    @property
    def name(self) -> str:
        """What it is, without the folder that it lies in: ``debian.platform (glibc-2.36-x86_64, sha256:…)``."""
        file = os.path.basename(self.path)  # noqa: PTH119 (pathlib is slow to import)
        return f"{file} ({self.baseline.id}, sha256:{self.digest[:_TOLD_DIGITS]})"


def newest_versions(versions: Iterable[bytes]) -> dict[str, tuple[int, ...]]:
    """Namespace → the newest of these version nodes, of those that end in a number."""
    newest: dict[str, tuple[int, ...]] = {}
    for version in versions:
        found = _NUMBERED.fullmatch(version)
        if found is not None:
            namespace = found[1].decode("ascii")
            newest[namespace] = max(newest.get(namespace, ()), tuple(map(int, found[2].split(b"."))))
    return newest


def open_platform_file(path: str) -> PlatformFile:
    """The platform file at a path; read once as long as it does not change.

    Raises:
        PlatformFileError: it cannot be read or used.
    """
    try:
        status = os.stat(path)  # noqa: PTH116 (pathlib is slow to import)
        if status.st_size > _SIZE_LIMIT:
            raise PlatformFileError(f"{path}: has more than {_SIZE_LIMIT} bytes; that is no platform file")
        return _opened(path, status.st_mtime_ns, status.st_size)
    except OSError as error:
        raise PlatformFileError(f"{path}: cannot be read: {error.strerror or error}") from error


@lru_cache(maxsize=4)
def _opened(path: str, _changed: int, _size: int) -> PlatformFile:
    with open(path, "rb") as stream:  # noqa: PTH123 (pathlib is slow to import)
        return PlatformFile(path, stream.read(_SIZE_LIMIT))


def _unquoted(word: str) -> bytes:
    first, *parts = word.encode("ascii").split(b"%")
    return first + b"".join(bytes([int(part[:2], 16)]) + part[2:] for part in parts)


def _text(word: str) -> str:
    return _unquoted(word).decode("utf-8", "surrogateescape")
