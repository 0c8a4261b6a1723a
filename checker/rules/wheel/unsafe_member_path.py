"""A path in the archive must not be unpacked, or cannot be.

## What

Paths that are absolute or lead out with `..`; links that lead out; devices, fifos and sockets;
backslashes, control characters, empty parts, `.`, and parts of more than 255 bytes. Where the tags
promise Windows (`any`, `win…`): names that it does not take, such as `aux.py`, `a:b`, or one with a
dot or space at its end; `windows` = "always" or "never" says otherwise.

## Why it breaks

A careless tool writes outside the directory it was given. A careful one refuses the whole wheel, or
changes the path without a word: Python's zipfile drops the `..`, and on Windows replaces or cuts
what it cannot write, so that RECORD no longer holds and the import fails.

## Causes and fixes

- The archive was written by a script that joined paths with `os.path.join` on Windows, or gave
  absolute ones: give `arcname` with `/`, relative to the root of the wheel.
- Files outside the package were swept in with `../`: copy them into the package first.
- `aux.py`, `con.py`, `nul.json`: rename the module or file.

## References

PKWARE APPNOTE 6.3.10, section 4.4.17; PyPA specification "Binary distribution format"; CPython
`Lib/zipfile/__init__.py`, `_extract_member`; Microsoft, "Naming Files, Paths, and Namespaces".
"""

from __future__ import annotations

from checker.model.artifact import ArtifactKind, OddityKind
from checker.model.finding import Observation
from checker.model.record import record
from checker.model.rule import Rule
from checker.rules.member_paths import entries, promises_system
from checker.rules.wording import counted, evidence, listing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Literal

    from checker.model.artifact import Member
    from checker.model.case import Case

_LONGEST_PART = 255
"""Bytes: NAME_MAX of Linux; other systems count UTF-16 units."""
_RESERVED = frozenset({"con", "prn", "aux", "nul"} | {f"{port}{number}" for port in ("com", "lpt") for number in range(1, 10)})
"""Devices of Windows, whatever follows the first dot."""
_FORBIDDEN = frozenset('<>:"|?*')
_WINDOWS_TAGS = ("win", "any")

_WORDS = {
    "absolute": "is an absolute path",
    "parent": "leads out of the place where it is unpacked",
    "link": "is a link that leads out of the place where it is unpacked",
    "special file": "is no file, folder or link by its mode",
    "backslash": "has a backslash, which some systems take for a folder",
    "control": "has a control character in its name",
    "empty part": "has an empty part or a dot in its path",
    "length": f"has a name of more than {_LONGEST_PART} bytes, which no file system takes",
    "windows": "has a name that Windows does not take, and the tags promise Windows",
}
_REMEDY = "Leave the file out or give it a relative path with plain names and '/', such as package/data/file"


@record
class Parameters:
    """Parameters.

    Attributes:
        windows: whether names that Windows does not take are told: where the tags say so, always or never.
    """

    windows: Literal["by-tag", "always", "never"] = "by-tag"


def check(case: Case, parameters: Parameters) -> Iterator[Observation]:
    """One observation for each kind of unsafe path."""
    if case.inventory.kind not in {ArtifactKind.WHEEL, ArtifactKind.ZIP}:
        return
    members = entries(case)
    for_windows = promises_system(case, parameters.windows, _WINDOWS_TAGS)
    refused = _refused_by_windows(member.path for member in members) if for_windows else frozenset()
    # Such a name is shown with escapes, whose backslashes are ours; that it has none is told of the archive.
    undecoded = {oddity.file for oddity in case.inventory.oddities if oddity.kind is OddityKind.NAME}
    found: dict[str, list[str]] = {}
    for member in members:
        kind = _fault(member) or ("windows" if member.path in refused else "")
        if kind and not (kind == "backslash" and member.path in undecoded):
            found.setdefault(kind, []).append(member.path)
    for oddity in case.inventory.oddities:
        if oddity.kind is OddityKind.SPECIAL_FILE:
            found.setdefault("special file", []).append(oddity.file)
    for kind in _WORDS:
        if kind in found:
            yield _told(case, kind, tuple(sorted(set(found[kind]))))


def _fault(member: Member) -> str:
    """The gravest thing that is wrong with a member's path or target; empty when nothing is."""
    path = member.path
    kind = _path_fault(path)
    if kind:
        return kind
    if member.link is not None and _leaves(path.rpartition("/")[0], member.link):
        return "link"
    if len(path) > _LONGEST_PART // 4 and any(len(part.encode("utf-8", "replace")) > _LONGEST_PART for part in path.split("/")):
        return "length"
    return ""


def _path_fault(path: str) -> str:
    if path.startswith("/") or (path[1:2] == ":" and path[2:3] in {"/", "\\"}):
        return "absolute"
    if ".." in path and ".." in path.replace("\\", "/").split("/"):
        return "parent"
    if "\\" in path:
        return "backslash"
    if not path.isprintable() and any(_is_control(character) for character in path):
        return "control"
    return "empty part" if "//" in path or (("/." in path or path[:1] == ".") and "." in path.split("/")) else ""


def _is_control(character: str) -> bool:
    return character < " " or character == "\x7f"


def _refused_by_windows(paths: Iterable[str]) -> frozenset[str]:
    """The paths that Windows does not take; each folder is looked at once, and single characters in all of them together."""
    paths = tuple(paths)
    together = "".join(paths)
    forbidden = [character for character in _FORBIDDEN if character in together]
    folders: dict[str, bool] = {"": False}
    found = []
    for path in paths:
        folder, _, name = path.rpartition("/")
        if folder not in folders:
            folders[folder] = any(map(_is_refused_part, folder.split("/")))
        if folders[folder] or _is_refused_part(name) or (forbidden and any(each in path for each in forbidden)):
            found.append(path)
    return frozenset(found)


def _is_refused_part(part: str) -> bool:
    return part.partition(".")[0].rstrip(" ").lower() in _RESERVED or part[-1:] in {" ", "."}


def _leaves(folder: str, target: str) -> bool:
    """A link's target lies outside the archive's root."""
    if target.startswith("/"):
        return True
    depth = len(folder.split("/")) if folder else 0
    for part in target.split("/"):
        depth += {"..": -1, ".": 0, "": 0}.get(part, 1)
        if depth < 0:
            return True
    return False


def _told(case: Case, kind: str, paths: tuple[str, ...]) -> Observation:
    alone = len(paths) == 1
    shown = tuple("".join(f"\\x{ord(each):02x}" if _is_control(each) else each for each in path) for path in paths)
    return Observation(
        file=paths[0] if alone else case.inventory.name,
        subject=kind,
        message=f"{shown[0]} {_WORDS[kind]}"
        if alone
        else f"{counted(len(paths), 'path')}, {listing(shown)}: each {_WORDS[kind]}",
        evidence=evidence(kind=kind, paths=paths),
        remedy=_REMEDY,
    )


RULE = Rule(id="unsafe-member-path", family="wheel", parameters=Parameters, check=check, doc=__doc__ or "")
