"""Which of a release's wheels to judge: those that an installer would take on the platform and interpreter that are asked for.

Nothing here looks at the machine: without options it is the newest CPython and glibc that there is data for, on x86-64.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from packaging.tags import compatible_tags, cpython_tags, generic_tags
from packaging.utils import InvalidWheelFilename, parse_wheel_filename

from checker import platforms
from checker.cli.request import UsageError
from checker.model.platform import is_path

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from packaging.tags import Tag
    from packaging.version import Version

PYTHONS = ("cp314", "cp313", "cp312", "cp311", "cp310", "cp39", "cp38")
"""CPythons with measured host data, newest first; a test holds them to that."""
_LEGACY = {(2, 5): "manylinux1", (2, 12): "manylinux2010", (2, 17): "manylinux2014"}
"""PEP 600: the older names of three releases."""
_TAG = re.compile(r"(?P<family>manylinux|musllinux)_(?P<major>\d+)_(?P<minor>\d+)_(?P<architecture>\w+)")
_OLD_TAG = re.compile(r"(?P<name>manylinux(?:1|2010|2014))_(?P<architecture>\w+)")
_EXACT = re.compile(r"(?P<family>glibc|musl)-(?P<major>\d+)\.(?P<minor>\d+)(?:\.\d+)?-(?P<architecture>\w+)")
_INTERPRETER = re.compile(r"(?P<kind>cp|pp)(?P<major>\d)(?P<minor>\d+)(?P<threads>t?)")


def best(files: Iterable[str], platform: str | None, python: str | None) -> str | None:
    """The file name that an installer would prefer; ``None`` where none fits.

    Args:
        files: wheel file names of one release.
        platform: as ``check`` takes it; ``None`` for the newest that there is data for.
        python: the same.

    Raises:
        UsageError: the interpreter is named by a file.
    """
    tags_of = {name: _tags(name) for name in files}
    for interpreter in (python,) if python else PYTHONS:
        ranks = {tag: rank for rank, tag in enumerate(_supported(platform, interpreter))}
        fitting = [
            (min(map(ranks.__getitem__, tags & ranks.keys())), name) for name, tags in tags_of.items() if tags & ranks.keys()
        ]
        if fitting:
            return min(fitting)[1]
    return None


def judged(files: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The file names with a Linux or universal tag, and the others, which no rule here judges; both sorted."""
    ours = {name for name in files if any(tag.platform == "any" or "linux" in tag.platform for tag in _tags(name))}
    return tuple(sorted(ours)), tuple(sorted(set(files) - ours))


def version_of(name: str) -> Version | None:
    """The version in a wheel's file name; ``None`` for a name that is no wheel's."""
    try:
        return parse_wheel_filename(name)[1]
    except InvalidWheelFilename:
        return None


def _tags(name: str) -> frozenset[Tag]:
    try:
        return parse_wheel_filename(name)[3]
    except InvalidWheelFilename:
        return frozenset()


def _supported(platform: str | None, wanted: str) -> Iterator[Tag]:
    """Tags from the best on, in pip's order."""
    names = list(_platforms(platform))
    found = _INTERPRETER.fullmatch(wanted)
    if found is None:
        raise UsageError(f"--python {wanted}: to choose a wheel of the index it must be a tag, such as cp312")
    version = (int(found["major"]), int(found["minor"]))
    if found["kind"] == "pp":
        yield from generic_tags(wanted, [f"pypy{version[0]}{version[1]}_pp73"], names)
    else:
        abi = [f"cp{version[0]}{version[1]}t"] if found["threads"] else None
        yield from cpython_tags(version, abi or [f"cp{version[0]}{version[1]}"], names)
    yield from compatible_tags(version, wanted.removesuffix("t"), names)


def _platforms(platform: str | None) -> Sequence[str]:
    """Platform tags that the platform asked for can install, newest first."""
    family, release, architecture = _release(platform)
    series = "manylinux" if family == "glibc" else "musllinux"
    names = []
    for minor in range(release[1], -1, -1):
        names.append(f"{series}_{release[0]}_{minor}_{architecture}")
        legacy = _LEGACY.get((release[0], minor)) if family == "glibc" else None
        names += [f"{legacy}_{architecture}"] if legacy else []
    return [*names, f"linux_{architecture}"]


def _release(platform: str | None) -> tuple[str, tuple[int, ...], str]:
    """Family, release and architecture."""
    if platform is None or platform == "from-tag":
        return "glibc", platforms.newest("glibc", "x86_64") or (2, 17), "x86_64"
    if is_path(platform):
        try:
            captured = platforms.open_platform_file(platform).baseline.id
        except ValueError as error:
            raise UsageError(f"--platform: {error}") from error
        return captured.family, captured.release, captured.architecture
    old = _OLD_TAG.fullmatch(platform)
    if old is not None:
        release = next(release for release, name in _LEGACY.items() if name == old["name"])
        return "glibc", release, old["architecture"]
    found = _TAG.fullmatch(platform) or _EXACT.fullmatch(platform)
    if found is None:
        raise UsageError(f"--platform {platform}: names no platform that a wheel can be chosen for")
    family = {"manylinux": "glibc", "musllinux": "musl"}.get(found["family"], found["family"])
    return family, (int(found["major"]), int(found["minor"])), found["architecture"]
