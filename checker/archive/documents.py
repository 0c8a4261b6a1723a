"""Which texts of a wheel are kept whole: WHEEL, METADATA and RECORD, the licences and SBOMs beside them, and package files."""

from __future__ import annotations

from checker.model.artifact import Document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from checker.archive.limits import Limits

DIST_INFO = ".dist-info"
FILES = ("WHEEL", "METADATA", "RECORD")
_FOLDERS = ("licenses/", "sboms/")
"""PEP 639 and PEP 770."""
_LICENSES = ("licens", "licenc", "copying", "notice", "copyright", "authors")
"""How the names of license files begin that build backends put into the dist-info folder itself before."""


def is_document(path: str) -> bool:
    """A licence or SBOM; those of vendored projects lie deeper and mean nothing here."""
    folder, _, below = path.partition("/")
    is_license = "/" not in below and below.lower().startswith(_LICENSES)
    return folder.endswith(DIST_INFO) and (is_license or below.startswith(_FOLDERS))


def is_package_file(path: str) -> bool:
    """What other builds read to link against the package: a pkg-config file, or a CMake package's configuration or targets.

    (CMake, ``find_package``, "Config Mode Search Procedure"; the names of target files are a custom.)
    """
    if path.endswith(".pc"):
        return True
    name = path.rpartition("/")[2].lower() if path.endswith(".cmake") else ""
    return "config" in name or "targets" in name


def is_metadata(path: str) -> bool:
    """One of the three files, in a dist-info folder at the top."""
    folder, _, name = path.partition("/")
    return name in FILES and folder.endswith(DIST_INFO)


def package_files(texts: Iterable[tuple[str, bytes | None]], left_out: Iterable[str]) -> tuple[Document, ...]:
    """The package files among the texts that were kept, and those that were too much, sorted by path."""
    kept = [Document(path=path, content=content) for path, content in texts if is_package_file(path)]
    return tuple(sorted((*kept, *(Document(path=path, content=None) for path in left_out)), key=lambda one: one.path))


class Documents:
    """Chooses the texts to keep, documents and package files only as far as their common limits go.

    Attributes:
        left_out: paths of documents beyond it.
        package_files_left_out: paths of package files beyond theirs, which is as much.
    """

    def __init__(self, limits: Limits) -> None:
        self.left_out: list[str] = []
        self.package_files_left_out: list[str] = []
        self._left = limits.documents_size
        self._package_files_left = limits.documents_size
        # As much as one wheel may have; only one with several dist-info folders, or a name twice, can have more.
        self._metadata_left = limits.text_size * len(FILES)

    def wants(self, path: str, size: int) -> bool:
        """Whether to keep this member, which is said to have so many bytes (and is not read beyond them)."""
        # Nearly every member is told apart by these searches alone.
        if path.endswith((".pc", ".cmake")):
            return is_package_file(path) and self._wants_package_file(path, size)
        if ".dist-info/" not in path:
            return False
        if is_metadata(path):
            self._metadata_left -= size
            return self._metadata_left >= 0
        if not is_document(path):
            return False
        if size > self._left:
            self.left_out.append(path)
            return False
        self._left -= size
        return True

    def _wants_package_file(self, path: str, size: int) -> bool:
        if size > self._package_files_left:
            self.package_files_left_out.append(path)
            return False
        self._package_files_left -= size
        return True
