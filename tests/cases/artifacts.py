"""From a declared artifact to its file or folder."""

from __future__ import annotations

import base64
import hashlib
from typing import TYPE_CHECKING

from tests.cases.elves import elf_bytes
from tests.cases.form import EntryForm
from tests.cases.zips import zip_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tests.cases.form import ArtifactForm


def write_artifact(form: ArtifactForm, folder: Path) -> Path:
    """Write it into an empty folder; where it is."""
    files = _members(form)
    path = folder / _file_name(form)
    if form.kind == "file":
        (content,) = files.values()
        path.write_bytes(content)
    elif form.kind == "folder":
        for name, content in files.items():
            place = path / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)
    else:
        path.write_bytes(zip_bytes(_entries(form, files), form.zip))
    return path


def _file_name(form: ArtifactForm) -> str:
    if form.file_name is not None:
        return form.file_name
    if form.kind == "file":
        return next(iter(form.elf)).rpartition("/")[2]
    return form.name + {"wheel": f"-{form.version}-{form.tag}.whl", "zip": ".zip", "folder": ""}[form.kind]


def _members(form: ArtifactForm) -> dict[str, bytes]:
    """Path → content, sorted; of a wheel with its own files at the end, as the standard recommends."""
    files: dict[str, bytes] = {}
    for path, elf in form.elf.items():
        files[path] = elf_bytes(path, elf, form.tag)
    for path, digits in form.bytes.items():
        files[path] = bytes.fromhex(digits)
    given = {path: text for path, text in form.text.items() if text is not False}
    files.update((path, text.encode()) for path, text in given.items())
    files = dict(sorted(files.items()))
    if form.kind == "wheel":
        info = f"{form.name}-{form.version}.dist-info"
        written = {f"{info}/METADATA": _metadata(form), f"{info}/WHEEL": _wheel(form)}
        for path, text in written.items():
            files[path] = files.pop(path, text.encode())
        left_out = {path for path, text in form.text.items() if text is False}
        files = {path: content for path, content in files.items() if path not in left_out}
        record = f"{info}/RECORD"
        if record not in left_out:
            files[record] = files.pop(record, b"") or _record(form, files, record)
    return files


def _metadata(form: ArtifactForm) -> str:
    requires = "".join(f"Requires-Dist: {requirement}\n" for requirement in form.requires)
    return f"Metadata-Version: 2.1\nName: {form.name}\nVersion: {form.version}\n{requires}"


def _wheel(form: ArtifactForm) -> str:
    python, abi, platform = form.tag.rsplit("-", 2)
    tags = [f"{p}-{a}-{f}" for p in python.split(".") for a in abi.split(".") for f in platform.split(".")]
    purelib = str(platform == "any").lower()
    lines = ["Wheel-Version: 1.0", "Generator: cases", f"Root-Is-Purelib: {purelib}", *(f"Tag: {tag}" for tag in tags)]
    return "\n".join(lines) + "\n"


def _record(form: ArtifactForm, files: Mapping[str, bytes], record: str) -> bytes:
    """Honest lines, but for those that the case gives: ``false`` leaves one out."""
    lines = {path: f"sha256={_digest(content)},{len(content)}" for path, content in files.items()} | {record: ","}
    for path, rest in form.record.items():
        if rest is False:
            lines.pop(path, None)
        else:
            lines[path] = rest
    return "".join(f"{path},{rest}\n" for path, rest in lines.items()).encode()


def _digest(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


def _entries(form: ArtifactForm, files: Mapping[str, bytes]) -> list[tuple[str, bytes, EntryForm]]:
    """The zip's entries in order."""
    entries = []
    for path, content in files.items():
        change = form.zip.change.get(path, EntryForm())
        entries.append((path, _content(change, content), change))
    entries += [(entry.name or "", _content(entry, b""), entry) for entry in form.zip.entries]
    return entries


def _content(entry: EntryForm, usual: bytes) -> bytes:
    if entry.text is not None:
        return entry.text.encode()
    return usual if entry.hex is None else bytes.fromhex(entry.hex)
