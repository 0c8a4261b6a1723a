"""Two readers of the archive could see two different wheels.

## What

Duplicate names; names that are one file where case or Unicode form does not count; a file that is
also a folder; symbolic links; local headers, data descriptors or zip64 fields that contradict the
central directory; bytes before the first file, between files or behind the end; several end
records; entries that overlap or are encrypted; names without a known encoding, or with a NUL. Of a
zip file that is no wheel, links and what stands before the archive are no fault. Case is asked
where the tags promise a system on which it does not count (`any`, Windows, macOS); `ignore_case` =
"always" or "never" says otherwise.

## Why it breaks

pip and PyPI read the directory at the end of the file, other installers and scanners read from its
start, in one pass. What one of them checks, the other need not install. PyPI refuses most of these
on upload. Python's zipfile knows no links: pip writes a small text file in place of a library.

## Causes and fixes

- `zip` or a script appended files that were there already (`zipfile` in mode "a" keeps both):
  write a new archive: `unzip WHEEL -d DIRECTORY`, take out what is not meant, `wheel pack DIRECTORY`.
  (`wheel unpack` refuses a file that is not the one of RECORD, as one of two mostly is.)
- Links below the package: copy the library once under the name that is needed (its SONAME), and
  leave the others out; auditwheel does so.
- `Utils.py` beside `utils.py`, or two spellings of one accented name: rename one.
- Something was put before or behind a finished wheel, such as a signature: keep it in its own file.

## References

PKWARE APPNOTE 6.3.10, sections 4.3 to 4.5; PyPA specification "Binary distribution format"; PyPI
blog, "Preventing ZIP parser confusion attacks on Python package installers" (2025); CVE-2025-54368.
"""

from __future__ import annotations

from checker.model.artifact import ArtifactKind, OddityKind
from checker.model.finding import Observation
from checker.model.record import record
from checker.model.rule import Rule
from checker.rules.member_paths import entries, folders_of, promises_system
from checker.rules.wording import counted, evidence, listing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Literal

    from checker.model.case import Case

_HARMLESS_IN_ZIPS = frozenset({OddityKind.PREFIX})
"""A program that unpacks itself, or a Python zip application."""
_IGNORE_CASE = ("win", "macosx", "any")
"""Platform tags of systems whose usual file systems do not tell case apart (and macOS not the form of accents)."""

_REPACK = "Write the archive anew: unzip WHEEL -d DIRECTORY, then wheel pack DIRECTORY"
_REMEDIES = {
    OddityKind.NAME: "Write names in UTF-8 with general purpose flag 11, as Python's zipfile and wheel pack do",
    OddityKind.ENCRYPTED: "Pack the wheel without a password",
    OddityKind.PREFIX: f"{_REPACK}; nothing may stand before a wheel's first file",
    OddityKind.TRAILING: f"{_REPACK}; keep signatures in files of their own",
}


@record
class Parameters:
    """Parameters.

    Attributes:
        ignore_case: whether names that differ in case alone are one file: where the tags say so, always or never.
    """

    ignore_case: Literal["by-tag", "always", "never"] = "by-tag"


def check(case: Case, parameters: Parameters) -> Iterator[Observation]:
    """One observation for each kind of ambiguity."""
    inventory = case.inventory
    if inventory.kind not in {ArtifactKind.WHEEL, ArtifactKind.ZIP}:
        return
    is_wheel = inventory.kind is ArtifactKind.WHEEL
    yield from _oddities(case, frozenset() if is_wheel else _HARMLESS_IN_ZIPS)
    members = entries(case)
    paths = [member.path for member in members]
    unique = frozenset(paths)
    if len(unique) < len(paths):
        yield from _told(case, "duplicate", _repeated(paths), "stands in the archive twice", _REPACK)
    remedy = "Rename the file or the folder: a file system takes one of the two"
    yield from _told(case, "file and folder", unique & folders_of(paths), "is a file and also a folder of other files", remedy)
    if promises_system(case, parameters.ignore_case, _IGNORE_CASE):
        yield from _collisions(case, unique)
    if is_wheel:
        links = [member.path for member in members if member.link is not None]
        remedy = "Pack the file itself under the name that is needed: the wheel format has no links"
        yield from _told(
            case, "link", links, "is a symbolic link, which installers write as a file with its target's name", remedy
        )


def _oddities(case: Case, harmless: frozenset[OddityKind]) -> Iterator[Observation]:
    """What was met when the archive was read, once for each kind."""
    by_kind: dict[OddityKind, list[tuple[str, str]]] = {}
    for oddity in case.inventory.oddities:
        # Devices are told as paths that must not be unpacked.
        if oddity.kind is not OddityKind.SPECIAL_FILE and oddity.kind not in harmless:
            by_kind.setdefault(oddity.kind, []).append((oddity.file, oddity.what))
    for kind, told in by_kind.items():
        file, what = told[0]
        more = f" ({counted(len(told) - 1, 'further case')})" if len(told) > 1 else ""
        yield Observation(
            file=file if len(told) == 1 else case.inventory.name,
            subject=kind.value,
            message=f"{file} {what}{more}",
            evidence=evidence(kind=kind.value, oddities=tuple(f"{file} {what}" for file, what in told)),
            remedy=_REMEDIES.get(kind, _REPACK),
        )


def _repeated(paths: Iterable[str]) -> list[str]:
    seen: set[str] = set()
    return [path for path in paths if path in seen or seen.add(path)]  # type: ignore[func-returns-value] # add gives None


def _collisions(case: Case, paths: frozenset[str]) -> Iterator[Observation]:
    """Names that are one file on a file system which keeps case or Unicode form and does not tell them apart."""
    one_file: dict[str, list[str]] = {}
    for path in sorted(paths):
        one_file.setdefault(_folded(path), []).append(path)
    if len(one_file) < len(paths):
        together = [" = ".join(each) for each in one_file.values() if len(each) > 1]
        what = "are one file where case does not count"
        yield from _told(
            case, "case", together, what, "Rename one of them: the tags promise systems that keep only one of the files"
        )


def _folded(path: str) -> str:
    if path.isascii():
        return path.lower()
    from unicodedata import normalize

    return normalize("NFC", normalize("NFC", path).casefold())


def _told(case: Case, kind: str, names: Iterable[str], what: str, remedy: str) -> Iterator[Observation]:
    """One observation for all names of a kind."""
    found = tuple(sorted(set(names)))
    if not found:
        return
    alone = len(found) == 1 and kind != "case"
    yield Observation(
        file=found[0] if alone else case.inventory.name,
        subject=kind,
        message=f"{found[0]} {what}" if len(found) == 1 else f"{listing(found)}: each {what}",
        evidence=evidence(kind=kind, names=found),
        remedy=remedy,
    )


RULE = Rule(id="ambiguous-archive", family="wheel", parameters=Parameters, check=check, doc=__doc__ or "")
