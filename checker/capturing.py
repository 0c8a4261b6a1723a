"""Captures a root file system: what its loader finds by name, and what an interpreter in it exports. Nothing is executed."""

from __future__ import annotations

import hashlib
from fnmatch import fnmatchcase

from checker.elf import plan, read_elf
from checker.model.elf import ElfReadError, View
from checker.model.platform import PlatformId
from checker.model.record import record, replace
from checker.model.regex import regex
from checker.model.sparse import RangeMissing, SparseBytes
from checker.platforms import ldconfig
from checker.platforms.capture import Capture, CapturedFile, CapturedInterpreter
from checker.platforms.catalogue import load_catalogue
from checker.platforms.rootfs import CaptureError, RootFs
from checker.rules.architectures import ABIS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import BinaryIO

    from checker.model.elf import ElfFacts

_HEAD = 1 << 16
_CHUNK = 1 << 20
_FILE_SIZE = 8 << 30
"""Bytes of one library; libraries of the small code model end at 2 GiB."""
_KEPT_SIZE = 256 << 20
_TOTAL_SIZE = 64 << 30
_TOTAL_KEPT = 4 << 30
"""Bytes of all tables together, which are held at once. Debian's with 440 libraries: 0.05 GiB."""
_PASSES = 8
_MOST_LIBRARIES = 20_000
"""A workstation with every desktop has 5,000."""
_LIBC_SIZE = 64 << 20
_OS_RELEASE_SIZE = 1 << 16
_GLIBC_BANNER = regex(rb"GNU C Library [^\0\n]{0,200}release version (\d{1,3})\.(\d{1,3})")
_MUSL_VERSION = regex(rb"(?<![0-9.])(1\.[1-9]\.\d{1,2})(?:-[0-9A-Za-z.-]{1,64})?\0")
_INTERPRETER = regex(r"(?:lib)?(python|pypy)(\d)\.(\d{1,2})(t?)")
"""At the start of a file name: ``python3.11``, ``libpython3.13t.so.1.0``, ``libpypy3.9-c.so``."""
_CPYTHON = "cpython"
RUNTIMES = ("libstdc++.so.6", "libgcc_s.so.1", "libgomp.so.1", "libatomic.so.1")
"""Always captured with their symbols, beside the C library's own."""


@record
class Wish:
    """What to capture.

    Attributes:
        architecture: as in platform tags; ``None`` for the only one, or the first of several.
        python: path of a program or libpython inside the root; ``None`` for none.
        libraries: globs over names: only these, the C library and the compilers' runtimes are captured with their symbols, and
            of all others only their presence. Empty for all.
        progress: takes (library, number done, number in all).
    """

    architecture: str | None = None
    python: str | None = None
    libraries: tuple[str, ...] = ()
    progress: Callable[[str, int, int], None] | None = None


def capture(root_path: str, wish: Wish) -> Capture:
    """Look at everything that the loader of a root could find by name.

    Raises:
        CaptureError: the root is none, has no known C library, or lacks what was asked for.
    """
    root = RootFs(root_path)
    family, architecture = _system(root, root_path, wish.architecture)
    reader = _Reader(root, architecture)
    found = _found_by_name(root, reader, family, architecture)
    names: dict[str, set[str]] = {}
    for name, real in found.items():
        names.setdefault(real, set()).add(name)
    release = _release(root, family, found)
    wanted = _Selection(family, architecture, wish.libraries)
    files = _captured(reader, names, wanted, wish.progress)
    private = tuple(_private(root, reader, files, set(found)))
    return Capture(
        id=PlatformId(family=family, release=release, architecture=architecture),
        system=_os_release(root),
        libraries=tuple(sorted((*files.values(), *private), key=lambda file: file.path)),
        interpreter=_interpreter(root, reader, wish.python, found) if wish.python is not None else None,
    )


def _system(root: RootFs, root_path: str, architecture: str | None) -> tuple[str, str]:
    known = ldconfig.systems(root)
    fitting = [system for system in known if architecture in {None, system[1]}]
    if fitting:
        return fitting[0]
    if known:
        there = ", ".join(f"{one} ({family})" for family, one in known)
        raise CaptureError(f"{root_path}: has no C library for {architecture}; there are: {there}")
    raise CaptureError(
        f"{root_path}: no C library found: there is no loader such as /lib64/ld-linux-x86-64.so.2 or /lib/ld-musl-x86_64.so.1"
    )


def _found_by_name(root: RootFs, reader: _Reader, family: str, architecture: str) -> dict[str, str]:
    """Name → real path of the library that the loader takes for it: the first that is made for the architecture."""
    found: dict[str, str] = {}
    own = ldconfig.loader_of(root, family, architecture)
    if own is not None and (real := root.located(own)) is not None:
        found[own.rpartition("/")[2]] = real
        if family == "musl":
            # The loader is the C library, and known by its names wherever it lies (musl ldso/dynlink.c, load_library).
            found["libc.so"] = found[load_catalogue().architectures[family, architecture].loader] = real
    for name, path in ldconfig.search(root, family, architecture):
        if name not in found:
            real = root.located(path)
            if real is not None and reader.suits(real):
                found[name] = real
                if len(found) > _MOST_LIBRARIES:
                    raise CaptureError(
                        f"more than {_MOST_LIBRARIES} libraries are found by name; that is no file system of a machine"
                    )
    return found


def _release(root: RootFs, family: str, found: dict[str, str]) -> tuple[int, ...]:
    """What the C library says of itself.

    Raises:
        CaptureError: it is not there, or does not say.
    """
    name = "libc.so.6" if family == "glibc" else "libc.so"
    real = found.get(name)
    if real is None:
        raise CaptureError(f"the loader of {family} is there, but it would not find {name}")
    content = root.read(real, _LIBC_SIZE) or b""
    told = _GLIBC_BANNER.search(content) if family == "glibc" else None
    if told is not None:
        return int(told[1]), int(told[2])
    told = _MUSL_VERSION.search(content) if family == "musl" else None
    if told is None:
        raise CaptureError(f"{real}: does not tell its release")
    return tuple(map(int, told[1].split(b".")))


class _Selection:
    """Which libraries are captured with their symbols."""

    def __init__(self, family: str, architecture: str, globs: tuple[str, ...]) -> None:
        catalogue = load_catalogue()
        own = {name for group, name in catalogue.files if group == family}
        self._always = {*own, *RUNTIMES, catalogue.architectures[family, architecture].loader}
        self._globs = globs

    def has(self, names: set[str]) -> bool:
        """A library of these names is among them."""
        return (
            not self._globs
            or bool(names & self._always)
            or any(fnmatchcase(one, glob) for one in names for glob in self._globs)
        )


def _captured(
    reader: _Reader, names: dict[str, set[str]], wanted: _Selection, progress: Callable[[str, int, int], None] | None
) -> dict[str, CapturedFile]:
    files: dict[str, CapturedFile] = {}
    for done, (real, own) in enumerate(sorted(names.items())):
        if progress is not None:
            progress(real, done, len(names))
        if wanted.has(own):
            files[real] = replace(reader.read(real), names=tuple(sorted(own)))
        else:
            files[real] = CapturedFile(path=real, digest="", names=tuple(sorted(own)), facts=None, unmeasured="not asked for")
    return files


def _private(root: RootFs, reader: _Reader, files: dict[str, CapturedFile], known: set[str]) -> Iterator[CapturedFile]:
    """What libraries reach through run paths of their own, beyond what anyone finds by name."""
    waiting = list(files.values())
    seen = set(files)
    while waiting:
        file = waiting.pop(0)
        for name in file.facts.needed if file.facts is not None else ():
            if name in known:
                continue
            real = _by_run_path(root, reader, file, name)
            if real is not None and real not in seen and len(seen) <= _MOST_LIBRARIES:
                seen.add(real)
                private = replace(reader.read(real), is_private=True)
                waiting.append(private)
                yield private


def _by_run_path(root: RootFs, reader: _Reader, file: CapturedFile, name: str) -> str | None:
    facts = file.facts
    written = (facts.runpath if facts.runpath is not None else facts.rpath) if facts is not None else None
    origin = file.path.rpartition("/")[0]
    for element in (written or "").split(":"):
        directory = element.replace("${ORIGIN}", origin).replace("$ORIGIN", origin)
        if directory.startswith("/"):
            real = root.located(f"{directory}/{name}")
            if real is not None and reader.suits(real):
                return real
    return None


def _interpreter(root: RootFs, reader: _Reader, path: str, found: dict[str, str]) -> CapturedInterpreter:
    """The program or library at a path inside the root, the libpython that it needs, and what they bring.

    Raises:
        CaptureError: there is no such file, it is no ELF file for this architecture, or no Python that tells its version.
    """
    real = root.located(path)
    if real is None or not root.is_file(real):
        raise CaptureError(f"{path}: no such file inside the root")
    if not reader.suits(real):
        raise CaptureError(
            f"{path}: is no ELF file for this architecture; an interpreter is a program such as /usr/bin/python3.11"
        )
    order = [reader.read(real)]
    loads: list[str] = []
    names: set[str] = set()
    files = [order[0]]
    for file in order:
        if file.facts is None:
            raise CaptureError(f"{file.path}: {file.unmeasured}")
        for name in file.facts.needed:
            if name in names:
                continue
            names.add(name)
            target = _by_run_path(root, reader, file, name) or found.get(name)
            if target is None:
                raise CaptureError(f"{file.path}: needs {name}, which its loader would not find")
            order.append(reader.read(target))
            # What only its own run path leads to is a part of it, as libpython is wherever it lies.
            if _INTERPRETER.match(name) or found.get(name) != target:
                files.append(order[-1])
            else:
                loads.append(name)
    paths = (path, *(file.path for file in files))
    told = next((match for one in paths if (match := _INTERPRETER.match(one.rpartition("/")[2]))), None)
    if told is None:
        raise CaptureError(f"{path}: which Python it is, neither its name nor that of its library tells")
    kind = _CPYTHON if told[1] == "python" else told[1]
    name = f"{kind}-{told[2]}.{told[3]}{told[4]}"
    return CapturedInterpreter(name=name, files=tuple(files), loads=tuple(loads))


class _Reader:
    """ELF files of one root, each read once."""

    def __init__(self, root: RootFs, architecture: str) -> None:
        self._root = root
        self._abi = ABIS[architecture]
        self._suits: dict[str, bool] = {}
        self._files: dict[str, CapturedFile] = {}
        self._size = self._kept = 0

    def suits(self, real: str) -> bool:
        """A real path is an object with a header that the loader of this architecture accepts."""
        known = self._suits.get(real)
        if known is None:
            known = self._suits[real] = self._root.is_file(real) and self._looks_right(real)
        return known

    def _looks_right(self, real: str) -> bool:
        from checker.elf.header import read_header

        try:
            with open(self._root.host_path(real), "rb") as stream:  # noqa: PTH123 (a path inside the root, see RootFs)
                head = stream.read(_HEAD)
            return not self._abi.fault(read_header(SparseBytes(size=len(head), parts=((0, head),))).identity)
        except (OSError, ElfReadError, RangeMissing, EOFError):
            return False

    def read(self, real: str) -> CapturedFile:
        """The file, without names; without facts where it cannot be read: it is there all the same."""
        known = self._files.get(real)
        if known is None:
            known = self._files[real] = self._read(real)
        return known

    def _read(self, real: str) -> CapturedFile:
        digest, facts, reason = "", None, ""
        try:
            with open(self._root.host_path(real), "rb") as stream:  # noqa: PTH123 (a path inside the root, see RootFs)
                digest, size = _digest(stream)
                facts = _facts(real, stream, size)
            self._count(size, facts)
            if facts.view is not View.DYNAMIC:
                facts, reason = None, "no PT_DYNAMIC"
        except OSError as error:
            reason = error.strerror or type(error).__name__
        except (ElfReadError, ValueError) as error:
            facts, reason = None, f"not readable: {error}"
        return CapturedFile(path=real, digest=digest, names=(), facts=facts, unmeasured=reason)

    def _count(self, size: int, facts: ElfFacts) -> None:
        self._size += size
        self._kept += len(facts.symbols.raw) + len(facts.symbols.strings)
        if self._size > _TOTAL_SIZE or self._kept > _TOTAL_KEPT:
            raise CaptureError(
                f"the libraries have more than {_TOTAL_SIZE} bytes or their tables more than {_TOTAL_KEPT}; "
                "choose some of them with --library"
            )


def _digest(stream: BinaryIO) -> tuple[str, int]:
    """SHA-256 (hex) and size.

    Raises:
        ValueError: it is larger than any library.
    """
    digest, size = hashlib.sha256(), 0
    while chunk := stream.read(_CHUNK):
        digest.update(chunk)
        size += len(chunk)
        if size > _FILE_SIZE:
            raise ValueError(f"more than {_FILE_SIZE} bytes")
    return digest.hexdigest(), size


def _facts(real: str, stream: BinaryIO, size: int) -> ElfFacts:
    """The facts, with the ranges of the file that the reader asks for.

    Raises:
        ElfReadError: it cannot be read as ELF.
        ValueError: its tables are too large, or lie in too many places.
    """
    content = SparseBytes(size=size, parts=())
    ranges = plan(_range(stream, 0, min(size, _HEAD)), size) or ()
    for _ in range(_PASSES):
        for offset, length in ranges:
            content = content.with_part(offset, _range(stream, offset, length))
        if sum(len(part) for _, part in content.parts) > _KEPT_SIZE:
            raise ValueError(f"its tables have more than {_KEPT_SIZE} bytes")
        missing: RangeMissing
        try:
            return read_elf(real, content)
        except RangeMissing as signal:
            missing = signal
        ranges = ((missing.offset, missing.size),)
    raise ValueError("its tables lie in too many places")


def _range(stream: BinaryIO, offset: int, size: int) -> bytes:
    if size > _KEPT_SIZE:
        raise ValueError(f"its tables have more than {_KEPT_SIZE} bytes")
    stream.seek(offset)
    return stream.read(size)


def _os_release(root: RootFs) -> tuple[str, str]:
    """NAME and VERSION (os-release(5)); ``-`` where the root does not say."""
    written = root.read("/etc/os-release", _OS_RELEASE_SIZE) or root.read("/usr/lib/os-release", _OS_RELEASE_SIZE) or b""
    values = dict(line.partition("=")[::2] for line in written.decode("utf-8", "replace").splitlines())
    told = (values.get("NAME", "-"), values.get("VERSION", values.get("VERSION_ID", "-")))
    return told[0].strip("\"'")[:200], told[1].strip("\"'")[:200]
