"""What a wheel says of itself: its file name, and WHEEL, METADATA and RECORD of its dist-info folder."""

from __future__ import annotations

from checker.archive.documents import DIST_INFO, is_document
from checker.archive.errors import MemberError
from checker.archive.headers import decode_text, parse_headers, shorten
from checker.archive.record import parse_record
from checker.archive.wheelname import WheelName, expand_tag, parse_wheel_name
from checker.model.artifact import Document, ReadProblem, WheelMetadata
from checker.model.regex import regex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    _Line = TypeVar("_Line")

    from collections.abc import Callable, Iterable, Sequence

    from checker.archive.limits import Limits
    from checker.model.artifact import Tag

_SEPARATORS = regex(r"[-_.]+")


class _Gathering:
    """The texts of one dist-info folder, the faults found on the way, and what could not be read."""

    def __init__(
        self, name: str, paths: Iterable[str], texts: Sequence[tuple[str, bytes | None]], parsed: WheelName, limits: Limits
    ) -> None:
        self.problems: list[ReadProblem] = []
        self.name_problems: list[ReadProblem] = []
        self.unread: list[ReadProblem] = []
        self._texts = texts
        self._limits = limits
        folders = sorted({path.partition("/")[0] for path in paths if path.partition("/")[0].endswith(DIST_INFO)})
        self.dist_info = next((folder for folder in folders if _matches(folder, parsed)), folders[0] if folders else "")
        if parsed.problem:
            self.name_problems.append(ReadProblem(file=name, reason=parsed.problem))
        if not folders:
            self.note(name, "the wheel has no .dist-info folder at its top; build it again with a build backend")
        elif len(folders) > 1:
            first = ", ".join(map(shorten, folders[:5]))
            self.note(
                name,
                f"the wheel has {len(folders)} .dist-info folders at its top ({first}); it must have one",
            )
        if folders and not parsed.problem and not _matches(self.dist_info, parsed):
            expected = f"{parsed.distribution}-{parsed.version}{DIST_INFO}"
            reason = f"the folder's name does not match the wheel's file name; it should be {expected}"
            self.name_problems.append(ReadProblem(file=self.dist_info, reason=reason))

    def note(self, file: str, reason: str) -> None:
        """Record a fault."""
        self.problems.append(ReadProblem(file=file, reason=reason))

    def text(self, file: str) -> tuple[str, str | None]:
        """Path and text of one of the three files; ``None`` when there is no such file or it could not be read."""
        path = f"{self.dist_info}/{file}"
        found = [text for at, text in self._texts if at == path]
        if not self.dist_info:
            return path, None
        if not found:
            self.note(path, "the wheel has no such file; build it again with a build backend")
            return path, None
        # Of several files of one name the last is taken, as Python's zipfile does.
        if found[-1] is None:  # the reader of the member has told why
            return path, None
        decoded, fault = decode_text(found[-1])
        if fault:
            self.note(path, fault)
        return path, decoded

    def parse(
        self, file: str, parser: Callable[[str, Limits], tuple[tuple[_Line, ...], list[str]]]
    ) -> tuple[_Line, ...] | None:
        """What a parser makes of one of the files; ``None`` when there is no such file or it could not be read."""
        path, text = self.text(file)
        if text is None:
            return None
        try:
            lines, faults = parser(text, self._limits)
        except MemberError as error:
            self.unread.append(ReadProblem(file=path, reason=str(error)))
            return None
        for fault in faults:
            self.note(path, fault)
        return lines


def wheel_metadata(
    name: str,
    paths: Sequence[str],
    texts: Sequence[tuple[str, bytes | None]],
    limits: Limits,
    left_out: Iterable[str] = (),
) -> tuple[WheelMetadata, list[ReadProblem]]:
    """Put together what the wheel says of itself.

    Args:
        name: the wheel's file name.
        paths: of all members.
        texts: the members that :class:`~checker.archive.documents.Documents` chose: path, and content or ``None`` where it
            could not be read.
        limits: bounds headers, lines and tags.
        left_out: paths of documents that were too much to keep.

    Returns:
        The metadata, and which of the files could not be read to their end and so count as empty.
    """
    parsed = parse_wheel_name(name, limits.tags)
    gathering = _Gathering(name, paths, texts, parsed, limits)
    wheel_fields = gathering.parse("WHEEL", parse_headers) or ()
    metadata_fields = gathering.parse("METADATA", parse_headers) or ()
    record = gathering.parse("RECORD", parse_record)
    wheel_path = f"{gathering.dist_info}/WHEEL"
    metadata = WheelMetadata(
        dist_info=gathering.dist_info,
        distribution=parsed.distribution,
        version=parsed.version,
        build=parsed.build,
        name_tags=parsed.tags,
        wheel_fields=wheel_fields,
        wheel_tags=_wheel_tags(wheel_path, wheel_fields, gathering, limits),
        root_is_purelib=_root_is_purelib(wheel_path, wheel_fields, gathering),
        metadata_fields=tuple((key, "" if key.lower() == "description" else value) for key, value in metadata_fields),
        requires=tuple(values(metadata_fields, "Requires-Dist")),
        record=record,
        problems=tuple(sorted(gathering.problems, key=lambda problem: (problem.file, problem.reason))),
        name_problems=tuple(gathering.name_problems),
        documents=(
            *(Document(path=path, content=text) for path, text in texts if is_document(path)),
            *(Document(path=path, content=None) for path in left_out),
        ),
    )
    return metadata, gathering.unread


def values(fields: Iterable[tuple[str, str]], name: str) -> list[str]:
    """All values of one header; names compare without regard to case."""
    return [value for field, value in fields if field.lower() == name.lower()]


def _wheel_tags(path: str, fields: Sequence[tuple[str, str]], gathering: _Gathering, limits: Limits) -> tuple[Tag, ...]:
    tags: set[Tag] = set()
    for value in values(fields, "Tag"):
        expanded = expand_tag(value, limits.tags - len(tags))
        if expanded is None:
            gathering.note(
                path, f"Tag: {value[:80]} is not of the form python-abi-platform, or there are more than {limits.tags} tags"
            )
        else:
            tags.update(expanded)
    return tuple(sorted(tags))


def _root_is_purelib(path: str, fields: Sequence[tuple[str, str]], gathering: _Gathering) -> bool | None:
    found = values(fields, "Root-Is-Purelib")
    if not found:
        return None
    answer = {"true": True, "false": False}.get(found[0].lower())
    if answer is None:
        gathering.note(path, f"Root-Is-Purelib must be true or false (found {shorten(found[0])})")
    return answer


def _matches(folder: str, parsed: WheelName) -> bool:
    """The folder is that of the wheel's name and version, spelling aside (PEP 503, PEP 440)."""
    distribution, _, version = folder.removesuffix(DIST_INFO).partition("-")
    if _normal(distribution) != _normal(parsed.distribution):
        return False
    # Old tools wrote the + of a local version as an underscore.
    if _normal(version.replace("+", "_")) == _normal(parsed.version.replace("+", "_")):
        return True
    from packaging.version import InvalidVersion, Version

    try:
        return Version(version) == Version(parsed.version)
    except InvalidVersion:
        return False


def _normal(name: str) -> str:
    return _SEPARATORS.sub("-", name).lower()
