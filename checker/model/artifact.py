"""What is checked: a wheel, another archive, a directory or a single file, and its members."""

from __future__ import annotations

from enum import Enum

from checker.model.record import ordered_record, record


class ArtifactKind(Enum):
    """The form of the artifact, told by its bytes (a wheel also by its name and dist-info)."""

    WHEEL = "wheel"
    ZIP = "zip"
    DIRECTORY = "directory"
    FILE = "file"


class FileKind(Enum):
    """What a member is, told by its first bytes, never by its suffix."""

    ELF = "elf"
    ARCHIVE = "ar"
    ZIP = "zip"
    OTHER = "other"


@ordered_record
class Tag:
    """One expanded compatibility tag (PEP 425), such as ``cp311-cp311-manylinux_2_17_x86_64``."""

    python: str
    abi: str
    platform: str

    def __str__(self) -> str:
        return f"{self.python}-{self.abi}-{self.platform}"


@record
class Member:
    """One file of the artifact.

    Attributes:
        path: in the artifact, with ``/``; nested ones are written ``outer.whl!/inner``.
        size: bytes, as streamed.
        mode: permission bits as the archive tells them; 0 when it does not.
        sha256: of the whole content, lower-case hex; empty if the member could not be read to its end.
        kind: by its first bytes.
        link: target of a symbolic link; ``None`` for a plain file.
    """

    path: str
    size: int
    mode: int
    sha256: str
    kind: FileKind
    link: str | None = None


@record
class ReadProblem:
    """Something that could not be checked: never a pass.

    Attributes:
        file: member path; the artifact's own name for a problem of the whole.
        reason: what is wrong, where (offset), and what a user can do.
    """

    file: str
    reason: str


class OddityKind(Enum):
    """A way in which two readers of one archive can see different things."""

    PREFIX = "prefix"
    TRAILING = "trailing"
    END_RECORD = "end record"
    GAP = "gap"
    OVERLAP = "overlap"
    HEADERS = "headers"
    ENCRYPTED = "encrypted"
    NAME = "name"
    FOLDER = "folder"
    SPECIAL_FILE = "special file"


@record
class Oddity:
    """Something in an archive that its readers may take differently; what is told of the artifact is what pip's reader sees.

    Attributes:
        file: member path; the artifact's own name for what concerns the whole.
        kind: which way.
        what: a phrase that follows the file's name.
    """

    file: str
    kind: OddityKind
    what: str


@record
class RecordEntry:
    """One line of RECORD.

    Attributes:
        path: as written.
        hash: ``algorithm=digest`` as written; empty when absent.
        size: in bytes; ``None`` when absent.
        line: number from 1.
    """

    path: str
    hash: str
    size: int | None
    line: int


@record
class Document:
    """A text that is kept whole: a licence or software bill of materials (SBOM, PEP 770), or what others build against.

    Attributes:
        path: of the member.
        content: its bytes; ``None`` where it was too much, or could not be read.
    """

    path: str
    content: bytes | None


@record
class WheelMetadata:
    """What the wheel says of itself.

    Attributes:
        dist_info: name of the ``.dist-info`` folder; empty when there is none.
        distribution, version, build: from the file name; empty when the name is no wheel name.
        name_tags: the file name's compressed tag set, expanded and sorted.
        wheel_fields: the headers of WHEEL in order, as (name, value); empty when the file is absent.
        wheel_tags: WHEEL's ``Tag`` lines, expanded and sorted; ``name_tags`` and these should agree.
        root_is_purelib: ``None`` where WHEEL does not say.
        metadata_fields: the headers of METADATA in order, as (name, value); a ``Description`` header's value is left out.
        requires: the ``Requires-Dist`` values, as written.
        record: RECORD's lines; ``None`` when there is no RECORD.
        problems: faults of these files, each a phrase with the file's name and line.
        name_problems: faults of the file's and the dist-info folder's names.
        documents: licences and SBOMs of the dist-info folder, in the order of the archive.
    """

    dist_info: str
    distribution: str
    version: str
    build: str
    name_tags: tuple[Tag, ...]
    wheel_fields: tuple[tuple[str, str], ...]
    wheel_tags: tuple[Tag, ...]
    root_is_purelib: bool | None
    metadata_fields: tuple[tuple[str, str], ...]
    requires: tuple[str, ...]
    record: tuple[RecordEntry, ...] | None
    problems: tuple[ReadProblem, ...]
    name_problems: tuple[ReadProblem, ...] = ()
    documents: tuple[Document, ...] = ()


@record
class Sizes:
    """How large another artifact is, by what its container says.

    Attributes:
        name: last part of its path.
        size: of the file in bytes; of a directory, of all files in it.
        members: (path, unpacked bytes), sorted.
    """

    name: str
    size: int
    members: tuple[tuple[str, int], ...]


@record
class Inventory:
    """The artifact and its members.

    Attributes:
        path: as the user typed it.
        name: last part of the path.
        kind: the artifact's form.
        sha256, size: of the artifact's own bytes; empty and 0 for a directory.
        members: sorted by path.
        wheel: ``None`` unless ``kind`` is WHEEL.
        problems: what could not be read, sorted.
        oddities: what two readers of the archive could see differently, sorted.
    """

    path: str
    name: str
    kind: ArtifactKind
    sha256: str
    size: int
    members: tuple[Member, ...]
    wheel: WheelMetadata | None
    problems: tuple[ReadProblem, ...]
    package_files: tuple[Document, ...] = ()
    oddities: tuple[Oddity, ...] = ()
