"""Which texts of a wheel are kept whole: WHEEL, METADATA and RECORD, and the licences and SBOMs beside them."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
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


def is_metadata(path: str) -> bool:
    """One of the three files, in a dist-info folder at the top."""
    folder, _, name = path.partition("/")
    return name in FILES and folder.endswith(DIST_INFO)


class Documents:
    """Chooses the texts to keep, documents only as far as their common limit goes.

    Attributes:
        left_out: paths of documents beyond it.
    """

    def __init__(self, limits: Limits) -> None:
        self.left_out: list[str] = []
        self._left = limits.documents_size
        # As much as one wheel may have; only one with several dist-info folders, or a name twice, can have more.
        self._metadata_left = limits.text_size * len(FILES)

    def wants(self, path: str, size: int) -> bool:
        """Whether to keep this member, which is said to have so many bytes (and is not read beyond them)."""
        # Nearly every member is told apart by this search alone.
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
