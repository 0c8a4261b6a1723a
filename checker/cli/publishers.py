"""Which wheels a command would upload: the programs that publish wheels, as each reads its command line.

Measured with twine 7.0, uv 0.13, hatch 1.18, poetry 2.5, flit 4.2 and maturin 1.16 against an index on the loopback address;
read in the source of pdm 2.29 (``cli/commands/publish/__init__.py``). What is not fully understood counts as unknown. A word
that may be an operand or an option's value is taken for both: rather a wheel too many than one too few.
"""

from __future__ import annotations

import os
import sys

from checker.cli.request import UsageError
from checker.model.record import record
from checker.model.regex import regex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

# Paths stay as the user typed them; pathlib would rewrite them.
# ruff: noqa: PTH112, PTH113, PTH118, PTH119, PTH120, PTH207

_DIST = "dist"
_PYPROJECT = "pyproject.toml"
_TWINE = "wheelproof gate -- twine upload 'dist/*'"


@record
class Publisher:
    """How one program publishes.

    Attributes:
        program, subcommand: its words.
        finds: from a word to the wheels that it stands for.
        default: the word that it takes where no operand is given; empty for none.
        folder_flags: options that name the folder to upload from; such a program has no operands.
        root_files: relative words are those of the nearest folder that has one of these; empty for the current directory.
        switches: options without a value.
        elsewhere: options, and variables of the environment, by which it looks in another place or uses a plugin.
        build_flag: the option by which it builds first; with "!" before it, the one without which it does; "!" alone: always.
    """

    program: str
    subcommand: str
    finds: Callable[[str], Iterable[str]]
    default: str = ""
    folder_flags: tuple[str, ...] = ()
    root_files: tuple[str, ...] = ()
    switches: tuple[str, ...] = ()
    elsewhere: tuple[str, ...] = ()
    build_flag: str = ""


@record
class Invocation:
    """A publisher in a command, with the words behind its subcommand and all words from its program on."""

    publisher: Publisher
    arguments: tuple[str, ...]
    words: tuple[str, ...]


def matches(pattern: str) -> list[str]:
    """The paths of a pattern, at every depth for ``**``, also in hidden folders (Python 3.10 cannot look into those).

    A path that is there is itself, whatever characters it has.
    """
    from glob import glob

    if os.path.lexists(pattern):
        return [pattern]
    if sys.version_info >= (3, 11):
        return sorted(glob(pattern, recursive=True, include_hidden=True))
    return sorted(glob(pattern, recursive=True))


def folder_wheels(folder: str) -> list[str]:
    """The wheels in a folder, sorted; none where it cannot be read, which the command will find as well."""
    try:
        return sorted(os.path.join(folder, name) for name in os.listdir(folder or os.curdir) if name.endswith(".whl"))  # noqa: PTH208
    except OSError:
        return []


def _files(pattern: str) -> list[str]:
    return [path for path in matches(pattern) if path.endswith(".whl")]


def _files_or_folders(pattern: str) -> list[str]:
    """Also of a pattern, which hatch's parser expands on Windows."""
    return [wheel for path in matches(pattern) for wheel in (folder_wheels(path) if os.path.isdir(path) else _files(path))]


def _newest(folder: str) -> list[str]:
    """Poetry uploads the newest version of its project alone; here of each project in the folder."""
    from packaging.version import InvalidVersion, Version

    found: dict[str, list[tuple[Version, str]]] = {}
    unversioned = []
    for path in folder_wheels(folder):
        name, _, rest = os.path.basename(path).partition("-")
        try:
            found.setdefault(name, []).append((Version(rest.partition("-")[0]), path))
        except InvalidVersion:
            unversioned.append(path)
    newest = [path for each in found.values() for version, path in each if version == max(each)[0]]
    return sorted((*newest, *unversioned))


PUBLISHERS = (
    Publisher(
        program="twine",
        subcommand="upload",
        finds=_files,
        switches=(
            "--attestations",
            "-s",
            "--sign",
            "--non-interactive",
            "--skip-existing",
            "--verbose",
            "--disable-progress-bar",
        ),
    ),
    Publisher(
        program="uv",
        subcommand="publish",
        finds=_files,
        default="dist/*",
        switches=(
            "--dry-run",
            "--no-attestations",
            "-q",
            "--quiet",
            "-v",
            "--verbose",
            "--no-progress",
            "--offline",
            "--no-config",
        ),
        elsewhere=("--directory", "UV_WORKING_DIR"),
    ),
    Publisher(program="maturin", subcommand="upload", finds=_files_or_folders, switches=("--skip-existing", "-v", "--verbose")),
    Publisher(program="maturin", subcommand="publish", finds=_files_or_folders, build_flag="!"),
    Publisher(
        program="hatch",
        subcommand="publish",
        finds=_files_or_folders,
        default=_DIST,
        root_files=(_PYPROJECT, "setup.py"),
        switches=("-n", "--no-prompt", "--initialize-auth", "-y", "--yes", "-v", "--verbose", "-q", "--quiet"),
        elsewhere=("-p", "--project", "--publisher", "HATCH_PROJECT", "HATCH_PUBLISHER"),
    ),
    Publisher(
        program="poetry",
        subcommand="publish",
        finds=_newest,
        default=_DIST,
        folder_flags=("--dist-dir",),
        root_files=(_PYPROJECT,),
        switches=("-q", "--quiet", "-v", "-n", "--no-interaction", "--no-ansi", "--no-plugins", "--no-cache", "--ansi"),
        elsewhere=("-C", "--directory", "-P", "--project"),
        build_flag="--build",
    ),
    Publisher(
        program="pdm",
        subcommand="publish",
        finds=folder_wheels,
        default=_DIST,
        folder_flags=("-d", "--dest"),
        root_files=(_PYPROJECT,),
        switches=("-v", "--verbose", "-q", "--quiet", "--no-cache", "-n", "--non-interactive", "-I", "--ignore-python"),
        elsewhere=("-p", "--project", "PDM_PROJECT"),
        build_flag="!--no-build",
    ),
    Publisher(program="flit", subcommand="publish", finds=folder_wheels, build_flag="!", switches=("--debug",)),
)

WRAPPERS = (("env",), ("uvx",), ("uv", "tool", "run"), ("uv", "run"), ("pipx", "run"), ("poetry", "run"))
"""What runs the program named behind it, in the current directory."""
_CHANGING = ("-C", "--chdir", "-S", "--split-string", "--directory", "--project")
"""Options of wrappers after which paths mean something else, or words are split anew."""


def uploads(command: Sequence[str]) -> tuple[str, ...] | None:
    """The wheels that are here and that the command would upload; ``None`` where nobody can tell.

    Raises:
        UsageError: it builds the wheels anew, so that whatever was checked is not what it uploads.
    """
    found = _invocation(command)
    if found is None:
        return None
    _refuse_builds(found)
    publisher = found.publisher
    names = {word.partition("=")[0] for word in command}
    if any(_has_flag(found.words, flag) or flag in names or flag in os.environ for flag in publisher.elsewhere):
        return None
    root = _root(publisher.root_files) if publisher.root_files else ""
    words = _folders(found) if publisher.folder_flags else tuple(_operands(found))
    wheels = (wheel for word in words for wheel in publisher.finds(os.path.join(root, word)))
    return tuple(dict.fromkeys(wheels))


def wheels_in(words: Iterable[str], depth: int = 1) -> tuple[str, ...]:
    """The wheels that the words of any program name: alone, behind ``=`` or ``@``, by a pattern or by their folder.

    A word of several words (``sh -c 'twine upload dist/*'``) and a response file (``@list``) are looked into.

    Args:
        words: of a command.
        depth: how often words within a word are looked into.

    Raises:
        UsageError: a response file is there and cannot be read as words.
    """
    found: list[str] = []
    for word in words:
        value = word if os.path.lexists(word) else word.rpartition("=")[2]
        found += _files_or_folders(value.removeprefix("@"))
        if depth:
            found += wheels_in(_words_within(value), depth - 1)
    return tuple(dict.fromkeys(found))


_RESPONSE_LIMIT = 1 << 20
"""Bytes of a response file that are read; more is no list of words."""


def _words_within(word: str) -> list[str]:
    from shlex import shlex

    text = word
    if word.startswith("@"):
        file = word[1:]
        if not os.path.isfile(file) or file.endswith(".whl"):
            return []
        text = _response(file)
    lexer = shlex(text, posix=True, punctuation_chars=True)
    lexer.whitespace_split, lexer.commenters = True, ""
    try:
        return [each for each in lexer if each != word]
    except ValueError:  # no shell's words
        return text.split()


def _response(file: str) -> str:
    try:
        with open(file, "rb") as stream:  # noqa: PTH123
            data = stream.read(_RESPONSE_LIMIT + 1)
        text = data.decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"gate: @{file}: cannot be read as a list of words: {error}") from error
    if len(data) > _RESPONSE_LIMIT:
        raise UsageError(f"gate: @{file}: has more than {_RESPONSE_LIMIT} bytes, and is no list of words")
    return text


def _invocation(command: Sequence[str]) -> Invocation | None:
    """The publisher that the words call, by itself, by ``python -m`` or by a wrapper."""
    direct = _called(command, 0)
    if direct is not None:
        return direct
    start = _behind_wrapper(command)
    if not start:
        return None
    is_sure = True
    for place in range(start, len(command)):
        word = command[place]
        found = None if word.startswith("-") else _called(command, place)
        if found is not None:
            changed = any(_has_flag(command[:place], flag) for flag in _CHANGING)
            return None if changed else found
        if is_sure and not word.startswith("-") and "=" not in word:
            return None
        is_sure = not word.startswith("-") or "=" in word
    return None


def _behind_wrapper(command: Sequence[str]) -> int:
    """Where the wrapped program may begin; 0 for no wrapper."""
    names = (_program(command[0]), *command[1:])
    if regex(r"(python|pypy)[\d.]*t?|py").fullmatch(names[0]):
        place = next((place for place in range(1, len(names)) if not names[place].startswith("-") or names[place] == "-m"), 0)
        return place + 1 if place and names[place] == "-m" else 0
    return next((len(wrapper) for wrapper in WRAPPERS if names[: len(wrapper)] == wrapper), 0)


def _called(command: Sequence[str], place: int) -> Invocation | None:
    name = _program(command[place])
    rest = tuple(command[place + 1 :])
    for publisher in PUBLISHERS:
        if publisher.program == name:
            behind = _behind_subcommand(publisher, rest)
            if behind is not None:
                return Invocation(publisher=publisher, arguments=rest[behind:], words=rest)
    return None


def _program(word: str) -> str:
    """The name of the program that a word runs: without folder, suffix and the version that ``uvx`` and ``pipx`` take."""
    name = os.path.basename(word).lower().removesuffix(".exe")
    return regex(r"[@=<>~!].*").sub("", name)


def _behind_subcommand(publisher: Publisher, words: Sequence[str]) -> int | None:
    for place, (word, is_sure) in enumerate(_marked(words, publisher.switches)):
        if is_sure:
            return place + 1 if word == publisher.subcommand else None
    return None


def _marked(words: Iterable[str], switches: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """Each word, and whether it is surely no option and no option's value."""
    follows_option = only_operands = False
    for word in words:
        is_option = word.startswith("-") and not only_operands
        yield word, not is_option and not follows_option
        follows_option = is_option and word not in switches and "=" not in word and word != "--"
        only_operands = only_operands or word == "--"


def _has_flag(words: Iterable[str], flag: str) -> bool:
    """Whether an option is given: ``--flag``, ``--flag=x``, ``--fl`` (argparse takes a beginning), ``-f``, ``-fx``, ``-vf``."""
    return any(_value(word, "", flag) is not None for word in words if flag.startswith("-"))


def _value(word: str, following: str, flag: str) -> str | None:
    """What the word, or the one behind it, gives to the option; ``None`` where the word is not the option."""
    if flag.startswith("--"):
        name, equals, value = word.partition("=")
        is_flag = len(name) > len("--") and flag.startswith(name)
        return (value if equals else following) if is_flag else None
    if not word.startswith("-") or word.startswith("--"):
        return None
    _, letter, value = word[1:].partition(flag[1])
    return (value.removeprefix("=") or following) if letter else None


def _refuse_builds(found: Invocation) -> None:
    publisher = found.publisher
    flag = publisher.build_flag
    told = f"gate: {publisher.program} {publisher.subcommand} builds anew what it uploads, which nobody can check before"
    if flag == "!":
        raise UsageError(f"{told}; build first, then: {_TWINE}")
    if flag.startswith("!") and flag[1:] not in found.words:
        raise UsageError(f"{told}; build first, then add {flag[1:]}")
    if flag and not flag.startswith("!") and flag in found.words:
        raise UsageError(f"{told}; build first, then leave out {flag}")


def _operands(found: Invocation) -> Iterator[str]:
    """The words that may be operands; the default too, unless one surely is an operand that it would upload."""
    publisher = found.publisher
    has_operand = False
    for word, is_sure in _marked(found.arguments, publisher.switches):
        has_operand = has_operand or is_sure
        if word and (is_sure or not word.startswith("-")):
            yield word
    if publisher.default and not has_operand:
        yield publisher.default


def _folders(found: Invocation) -> tuple[str, ...]:
    """Each folder that an option may name; the default too, unless one surely does."""
    publisher = found.publisher
    folders = []
    is_named = False
    for word, following in zip(found.arguments, (*found.arguments[1:], ""), strict=False):
        for flag in publisher.folder_flags:
            is_named = is_named or word.partition("=")[0] == flag or (word.startswith(flag) and not flag.startswith("--"))
            value = _value(word, following, flag)
            if value:
                folders.append(value)
    return tuple(folders) if is_named else (*folders, publisher.default)


def _root(files: Sequence[str]) -> str:
    """The nearest folder from here upwards that has one of the files, as a prefix of paths; empty for the current one."""
    folder = os.getcwd()  # noqa: PTH109
    while not any(os.path.isfile(os.path.join(folder, name)) for name in files):
        above = os.path.dirname(folder)
        if above == folder:
            return ""
        folder = above
    relative = os.path.relpath(folder)
    return "" if relative == os.curdir else relative
