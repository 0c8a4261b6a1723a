"""One pass over an artifact: what its members are, and the bytes of ELF members that a plan asks for.

Nothing is written, nothing is run, and nothing is held but the wanted ranges of the one member in hand.
"""

from __future__ import annotations

import os

from checker.archive.codec import codec_for, fastest
from checker.archive.content import Content
from checker.archive.errors import ArchiveError, MemberError
from checker.archive.limits import Limits
from checker.archive.members import Reader, kind_of
from checker.archive.source import Source, read_whole
from checker.model.artifact import ArtifactKind, FileKind, Inventory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from checker.archive.codec import Codec
    from checker.archive.members import OnElf, OnProgress, Planner
    from checker.model.artifact import Document, WheelMetadata

# pathlib is not imported here: it costs more than the scan of a small wheel.
# ruff: noqa: PTH112, PTH119


def scan(
    path: str, planner: Planner, on_elf: OnElf, limits: Limits | None = None, on_progress: OnProgress | None = None
) -> Inventory:
    """Read an artifact.

    Args:
        path: of a wheel, another zip file, a directory or a single file.
        planner: chooses the ranges to keep of each ELF file; ELF is told by its bytes.
        on_elf: takes each ELF file, in the order of the artifact. What it raises ends the scan.
        limits: how much is read at most.
        on_progress: takes the progress after each member.

    Returns:
        The inventory. Its ``sha256`` is empty for zip files and wheels: it would cost an eighth of the scan of a large wheel,
        and :func:`hash_artifact` makes it where it is wanted.

    Raises:
        ArchiveError: nothing of the artifact can be read.
    """
    limits = limits or Limits()
    if _is_directory(path):
        return _scan_directory(path, Reader(_name(path), fastest(), planner, on_elf, limits), limits, on_progress)
    with Source(path) as source:
        if source.size == 0:
            raise ArchiveError(path, None, "this file is empty; build or download it again")
        codec = codec_for(source.size)
        if _name(path).endswith(".whl"):
            # These modules are imported where they are needed: a single file does not pay for them.
            from checker.archive.documents import Documents, package_files
            from checker.archive.wheel import wheel_metadata

            documents = Documents(limits)
            reader = Reader(_name(path), codec, planner, on_elf, limits, wants_text=documents.wants)
            _scan_zip(source, codec, reader, limits, on_progress)
            paths = [member.path for member in reader.members]
            wheel, unread = wheel_metadata(_name(path), paths, reader.texts, limits, documents.left_out)
            reader.problems.extend(unread)
            kept = package_files(reader.texts, documents.package_files_left_out)
            return _inventory(path, ArtifactKind.WHEEL, source.size, reader, wheel, package_files=kept)
        reader = Reader(_name(path), codec, planner, on_elf, limits)
        if is_zip(source):
            _scan_zip(source, codec, reader, limits, on_progress)
            return _inventory(path, ArtifactKind.ZIP, source.size, reader)
        reader.run([_single(source)], source.size, on_progress)
        if not reader.problems and any(member.kind is not FileKind.ELF for member in reader.members):
            # A source distribution or static library beside the wheels would pass, though nothing in it was read.
            raise ArchiveError(path, None, "this is no wheel, zip or ELF file, and no other can be read; leave it out")
        return _inventory(path, ArtifactKind.FILE, source.size, reader)


def hash_artifact(path: str) -> str:
    """SHA-256 of a file's own bytes, lower-case hexadecimal; empty for a directory.

    Raises:
        ArchiveError: the file cannot be read.
    """
    if _is_directory(path):
        return ""
    try:
        with Source(path) as source:
            digest = codec_for(source.size).sha256()
            for chunk in read_whole(source):
                digest.update(chunk)
    except MemberError as error:
        raise ArchiveError(path, error.offset, error.message, error.value) from None
    return digest.hexdigest()


def _is_directory(path: str) -> bool:
    try:
        return os.path.isdir(path)
    except ValueError:  # a NUL character, before Python 3.12; opening the path tells the user
        return False


def _name(path: str) -> str:
    return os.path.basename(os.path.abspath(path))  # noqa: PTH100


def _scan_directory(path: str, reader: Reader, limits: Limits, on_progress: OnProgress | None) -> Inventory:
    from checker.archive.folders import folder_contents

    reader.run(folder_contents(path, limits, reader.note_member), 0, on_progress)
    if not reader.members and not reader.problems:
        raise ArchiveError(path, None, "there is no file in this directory; name the directory that holds the built files")
    return _inventory(path, ArtifactKind.DIRECTORY, 0, reader)


def _scan_zip(source: Source, codec: Codec, reader: Reader, limits: Limits, on_progress: OnProgress | None) -> None:
    from checker.archive.zipfiles import zip_contents

    reader.run(zip_contents(source, codec, limits, reader), source.size, on_progress)
    if not reader.members and not reader.problems:
        raise ArchiveError(source.path, None, "the archive holds no files; build it again")


def _inventory(
    path: str,
    kind: ArtifactKind,
    size: int,
    reader: Reader,
    wheel: WheelMetadata | None = None,
    *,
    package_files: tuple[Document, ...] = (),
) -> Inventory:
    return Inventory(
        path=path,
        name=_name(path),
        kind=kind,
        sha256=reader.members[0].sha256 if kind is ArtifactKind.FILE else "",
        size=size,
        members=tuple(sorted(reader.members, key=lambda member: member.path)),
        wheel=wheel,
        problems=tuple(sorted(reader.problems, key=lambda problem: (problem.file, problem.reason))),
        package_files=package_files,
        oddities=tuple(sorted(reader.oddities, key=lambda oddity: (oddity.file, oddity.kind.value, oddity.what))),
    )


def is_zip(source: Source) -> bool:
    """The file starts as a zip file does, or ends as one."""
    kind = kind_of(source.read_at(0, 8))
    if kind is not FileKind.OTHER:
        return kind is FileKind.ZIP
    # Something may stand before a zip file, such as the first line of a Python zip application.
    from checker.archive.zipend import has_end

    return has_end(source)


def _single(source: Source) -> Content:
    return Content(
        path=_name(source.path),
        mode=source.mode,
        size=source.size,
        packed=source.size,
        crc=None,
        is_link=False,
        open=lambda _: read_whole(source),
    )
