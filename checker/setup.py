"""How a process was started, and what it loaded before a root: all that the loaders know beyond files."""

from __future__ import annotations

from checker.model.record import record, replace
from checker.roots import is_executable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from checker.installation import Installation

EVERY_ISA_LEVEL = 0b1111
"""GNU_PROPERTY_X86_ISA_1 bits up to x86-64-v4: a processor that lacks nothing."""


@record
class Preload:
    """A library opened before the root, as ``ctypes.CDLL`` or an earlier import does.

    Attributes:
        path: member path.
        is_global: RTLD_GLOBAL.
        lazy: RTLD_LAZY; Python always says RTLD_NOW.
    """

    path: str
    is_global: bool = False
    lazy: bool = False


@record
class Setup:
    """How the process was started.

    Attributes:
        executable: member path of the program, in place of an interpreter.
        environment_preloads: LD_PRELOAD, as member paths.
        preloads: what was opened before the root, in order.
        library_path: directories of LD_LIBRARY_PATH, installed paths; an empty one is the current directory.
        directory: the current directory, an installed path; ``None``: not known, and nothing is found there.
        lib: value of ``$LIB``: ``lib64``, on Debian and its kin ``lib/x86_64-linux-gnu``.
        platform: value of ``$PLATFORM`` (AT_PLATFORM); empty for the architecture's name.
        isa: GNU_PROPERTY_X86_ISA_1 bits of the processor.
    """

    executable: str | None = None
    environment_preloads: tuple[str, ...] = ()
    preloads: tuple[Preload, ...] = ()
    library_path: tuple[str, ...] = ()
    directory: str | None = None
    lib: str = "lib64"
    platform: str = ""
    isa: int = EVERY_ISA_LEVEL


class SetupError(ValueError):
    """A set-up names something that is not there; the message says what, and what would do."""


def placed(setup: Setup, installation: Installation) -> Setup:
    """A set-up as a user describes it, with every path found in the installation.

    Paths are member paths of the artifact, or ``NAME:path`` for one of another distribution whose bytes were given.

    Raises:
        SetupError: a path leads to no shared object, program or folder.
    """
    executable = setup.executable
    if executable is not None:
        executable = _object("--executable", executable, installation, programs=True)
    return replace(
        setup,
        executable=executable,
        preloads=tuple(replace(one, path=_object("--preload", one.path, installation)) for one in setup.preloads),
        library_path=tuple(_folder("--library-path", path, installation) for path in setup.library_path),
    )


def _split(written: str, installation: Installation) -> tuple[str, str]:
    """Distribution (empty for the artifact) and member path."""
    name, colon, path = written.partition(":")
    return (name, path) if colon and name in installation.owners else ("", written)


def _object(flag: str, written: str, installation: Installation, *, programs: bool = False) -> str:
    owner, path = _split(written, installation)
    owners = ("",) * installation.own + installation.owners
    mine = {
        facts.path: facts
        for facts, each in zip(installation.objects, owners, strict=True)
        if each == owner and (not programs or is_executable(facts))
    }
    place = installation.located(installation.layout.installed(path))
    number = installation.places.get(place or "", -1)
    if number >= 0 and owners[number] == owner and installation.objects[number].path in mine:
        return path
    kind = "program" if programs else "shared object"
    raise SetupError(f"{flag} {written}: no {kind} {_where(owner, written)}{_near(path, mine)}")


def _folder(flag: str, written: str, installation: Installation) -> str:
    owner, path = _split(written, installation)
    place = installation.layout.installed(path.rstrip("/")) if path.strip("/.") else installation.layout.site_packages
    if installation.located(place) in installation.directories:
        return place
    prefix = installation.layout.site_packages + "/"
    folders = sorted(each.removeprefix(prefix) for each in installation.directories if each.startswith(prefix))
    raise SetupError(f"{flag} {written}: no folder {_where(owner, written)}{_near(path, folders)}")


def _where(owner: str, written: str) -> str:
    if owner:
        return f"of that path in the distribution {owner}"
    name, colon, _ = written.partition(":")
    return "of that path in the artifact" + (f", and no --provider {name} with one" if colon else "")


def _near(path: str, right: Iterable[str]) -> str:
    """The path with the same last part, or the nearest."""
    from checker.policy.problems import hint

    paths = list(right)
    last = path.rstrip("/").rpartition("/")[2]
    same = next((each for each in paths if each.rpartition("/")[2] == last), None)
    return f'; did you mean "{same}"?' if same is not None else hint(path, paths)
