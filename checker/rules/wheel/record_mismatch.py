"""RECORD and the wheel's files do not agree.

## What

Every file of the wheel must stand in RECORD with its SHA-256 and size, and every line of RECORD
must name a file of the wheel. Told, each once for the wheel with all paths in the evidence: files
that are not listed, lines without a file, wrong hashes, wrong sizes, lines without a hash or with
one that the standard forbids (an old algorithm, or Base64 with its `=` padding), and paths that are
absolute or lead out. RECORD itself and its signatures need no hash. Lines for the wheel's folders
(`pkg/,,`) say nothing of any file and are passed over, as installers do. A wheel with no RECORD, or
with lines that cannot be read, is told by `bad-wheel-metadata`.

## Why it breaks

pip does not compare the hashes; `installer` and what is built on it do, and refuse the wheel.
Uninstalling leaves unlisted files behind. A wrong hash is also what a tampered file looks like.

## Causes and fixes

- A file was changed after the wheel was packed: `sed` on WHEEL or METADATA, `strip`, `patchelf`, a
  code signature. Do it before packing, or use `wheel unpack WHEEL`, change the file, `wheel pack
  DIRECTORY`, which writes RECORD anew.
- Files were added with `zip`: the same.
- On a finished wheel that has the fault: `unzip WHEEL -d DIRECTORY`, then `wheel pack DIRECTORY`;
  `wheel unpack` compares the hashes itself and refuses it. `auditwheel repair` writes RECORD anew too.
- Paths that start with `/`, or have backslashes: a build script joined them wrongly.

## References

PyPA specifications "Recording installed projects" (RECORD) and "Binary distribution format" ("The
.dist-info directory"); PEP 376, PEP 427.
"""

from __future__ import annotations

from checker.model.artifact import ReadProblem
from checker.model.finding import Observation
from checker.model.rule import NoParameters, Rule
from checker.rules.member_paths import folders_of
from checker.rules.wording import counted, evidence, listing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from checker.model.artifact import Member, RecordEntry
    from checker.model.case import Case

_REMEDY = (
    "Write RECORD anew: unzip WHEEL -d DIRECTORY, then wheel pack DIRECTORY (wheel unpack refuses such a wheel; auditwheel "
    "repair mends it too); and change files before the wheel is packed"
)

_FORBIDDEN = frozenset({"md5", "sha1", "sha224"})
"""PEP 427: "SHA-256 or better; specifically, MD5, SHA1 and SHA224 are not permitted"."""
_NO_CONTENT = frozenset({"", "sha256=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU"})
"""What stands in place of a folder's hash: nothing, or the hash of nothing."""


def check(case: Case, parameters: NoParameters) -> Iterator[Observation | ReadProblem]:  # noqa: ARG001 - every rule is asked in the same way
    """At most one observation for each kind of disagreement."""
    wheel = case.inventory.wheel
    if wheel is None:
        return
    record = f"{wheel.dist_info}/RECORD"
    if wheel.record is None:
        yield ReadProblem(file=record, reason="there is no RECORD that could be read: no file was compared with its hash")
        return
    members = {_plain(member.path): member for member in case.inventory.members if "!/" not in member.path}
    unsigned = {record, f"{record}.jws", f"{record}.p7s"}
    folders = _Folders(members)
    entries = [entry for entry in wheel.record if not folders.has(entry)]
    listed = {_plain(entry.path) for entry in entries}
    hashed = [(entry, members[path]) for entry in entries if (path := _plain(entry.path)) in members and path not in unsigned]
    unlisted = [member.path for path, member in members.items() if path not in listed and path not in unsigned]
    yield from _told(record, "unlisted", unlisted)
    yield from _told(record, "absent", [entry.path for entry in entries if _plain(entry.path) not in members])
    yield from _told(record, "path", [entry.path for entry in entries if _is_unsafe(entry.path)])
    wrong = frozenset(_wrong_hashes(hashed))
    in_hex = frozenset(each.path for entry, each in hashed if each.path in wrong and _digest(entry).lower() == each.sha256)
    yield from _told(record, "hash", wrong - in_hex)
    yield from _told(record, "hex", in_hex)
    yield from _told(
        record, "size", [each.path for entry, each in hashed if each.path not in wrong and _is_wrong_size(entry, each)]
    )
    yield from _told(record, "unhashed", [member.path for entry, member in hashed if not entry.hash])
    yield from _told(record, "padding", [member.path for entry, member in hashed if entry.hash.endswith("=")])
    yield from _told(record, "algorithm", [member.path for entry, member in hashed if _algorithm(entry) in _FORBIDDEN])
    yield from _unknown_algorithms(record, [entry for entry, _ in hashed])


_WORDS = {
    "unlisted": ("is not listed in RECORD", "{count} are not listed in RECORD: {names}"),
    "absent": ("is listed in RECORD and is not in the wheel", "RECORD lists {count} that are not in the wheel: {names}"),
    "path": (
        "is a path that RECORD must not hold",
        "RECORD holds {count} whose path is absolute or leads out of the wheel: {names}",
    ),
    "hash": ("has another SHA-256 than RECORD says", "{count} have another SHA-256 than RECORD says: {names}"),
    "hex": (
        "has its hash in RECORD as hex digits in place of URL-safe Base64, which strict installers refuse",
        "{count} have their hash as hex digits in place of URL-safe Base64, which strict installers refuse: {names}",
    ),
    "size": ("has another size than RECORD says", "{count} have another size than RECORD says: {names}"),
    "unhashed": ("has no hash in RECORD", "{count} have no hash in RECORD: {names}"),
    "padding": (
        "has a hash in RECORD that ends in '=', which the standard forbids and strict installers refuse",
        "{count} have a hash that ends in '=', which the standard forbids and strict installers refuse: {names}",
    ),
    "algorithm": (
        "has a hash in RECORD that the standard forbids (MD5, SHA-1)",
        "{count} have a forbidden hash (MD5, SHA-1): {names}",
    ),
}


def _told(record: str, kind: str, paths: Iterable[str]) -> Iterator[Observation]:
    """One observation for all paths of a kind; it is the file's own where there is one only."""
    found = tuple(sorted(set(paths)))
    if not found:
        return
    alone, together = _WORDS[kind]
    yield Observation(
        file=found[0] if len(found) == 1 and kind not in {"absent", "path"} else record,
        subject=found[0] if len(found) == 1 else kind,
        message=(
            f"{found[0]} {alone}"
            if len(found) == 1
            else together.format(count=counted(len(found), "file"), names=listing(found))
        ),
        evidence=evidence(files=found, kind=kind),
        remedy=_REMEDY,
    )


class _Folders:
    """The folders of a wheel; found out only if RECORD has a line that could be for one (old auditwheel wrote such)."""

    def __init__(self, members: Iterable[str]) -> None:
        self._members = members
        self._paths: frozenset[str] | None = None

    def has(self, entry: RecordEntry) -> bool:
        """The line is for a folder of the wheel, with no content or with that of an empty file."""
        if not entry.path.endswith("/") or _is_unsafe(entry.path) or entry.size or entry.hash not in _NO_CONTENT:
            return False
        if self._paths is None:
            self._paths = folders_of(self._members)
        return entry.path[:-1] in self._paths


def _plain(path: str) -> str:
    """A path as members have it, so that a wrong way of writing is told once and not as two missing files."""
    return path.lstrip("/").replace("\\", "/")


def _is_unsafe(path: str) -> bool:
    return path.startswith("/") or "\\" in path or ".." in path.split("/")


def _algorithm(entry: RecordEntry) -> str:
    return entry.hash.partition("=")[0].lower()


def _digest(entry: RecordEntry) -> str:
    return entry.hash.partition("=")[2].rstrip("=")


def _wrong_hashes(pairs: Iterable[tuple[RecordEntry, Member]]) -> Iterator[str]:
    for entry, member in pairs:
        if member.sha256 and _algorithm(entry) == "sha256" and _digest(entry) != _urlsafe(member.sha256):
            yield member.path


def _urlsafe(sha256: str) -> str:
    """A hex digest in RECORD's spelling: URL-safe Base64 without padding."""
    from base64 import urlsafe_b64encode

    return urlsafe_b64encode(bytes.fromhex(sha256)).rstrip(b"=").decode("ascii")


def _is_wrong_size(entry: RecordEntry, member: Member) -> bool:
    return entry.size is not None and bool(member.sha256) and entry.size != member.size


def _unknown_algorithms(record: str, entries: Iterable[RecordEntry]) -> Iterator[ReadProblem]:
    unknown = [entry for entry in entries if entry.hash and _algorithm(entry) not in _FORBIDDEN | {"sha256"}]
    if unknown:
        names = listing(sorted({_algorithm(entry) or "none" for entry in unknown}))
        yield ReadProblem(
            file=record,
            reason=f"the hashes of {counted(len(unknown), 'file')} are in an algorithm that is not compared ({names}); "
            "only SHA-256 is",
        )


RULE = Rule(id="record-mismatch", family="wheel", parameters=NoParameters, check=check, doc=__doc__ or "")
