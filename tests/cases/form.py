"""The format of a case: what may stand in its TOML file. Every mistake is told with its file, line and dotted path."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Annotated, Any, Literal

from elftools.elf.enums import ENUM_D_TAG
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from checker.policy.locate import key_lines
from checker.policy.problems import dotted, hint

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parent.parent.parent
FOLDER = ROOT / "testdata" / "rules"
KINDS = ("fires", "silent", "unchecked")
"""First words of case files: the rule has findings, has nothing to say, or tells what it could not check."""

_IMPORT = re.compile(r"(?P<name>[^@]+)(?:@(?P<version>[^@ ]+)(?: of (?P<file>.+))?)?")
_EXPORT = re.compile(r"(?P<name>[^@]+)(?:(?P<at>@@?)(?P<version>.+))?")


class Form(BaseModel):
    """A table: unknown keys are mistakes, and nothing is converted."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


def _spelled(pattern: re.Pattern[str], shape: str) -> BeforeValidator:
    """Takes the short spelling of a table apart."""

    def take_apart(value: object) -> object:
        if not isinstance(value, str):
            return value
        found = pattern.fullmatch(value)
        if found is None:
            raise ValueError(f"is to be spelled {shape}")
        parts: dict[str, str | bool] = {key: part for key, part in found.groupdict().items() if part is not None}
        if "at" in parts:
            parts["hidden"] = parts.pop("at") == "@"
        return parts

    return BeforeValidator(take_apart)


SymbolKind = Literal["notype", "object", "func", "section", "common", "tls", "gnu_ifunc"]
VisibilityName = Literal["default", "internal", "hidden", "protected"]


class ImportForm(Form):
    """An undefined symbol; ``use`` is the relocation that refers to it, by name or number, or ``none``."""

    name: str
    version: str | None = None
    file: str = "libc.so.6"
    weak: bool = False
    type: SymbolKind = "func"
    visibility: VisibilityName = "default"
    use: Literal["glob_dat", "jump_slot", "absolute", "none"] | int = "glob_dat"


class ExportForm(Form):
    """A defined symbol; a ``hidden`` version is not the default one."""

    name: str
    version: str | None = None
    hidden: bool = False
    binding: Literal["local", "global", "weak", "gnu_unique"] = "global"
    type: SymbolKind = "func"
    visibility: VisibilityName = "default"
    absolute: bool = False
    value: int | None = None
    size: int = 16


class NoteForm(Form):
    """A note in a segment of its own."""

    owner: str = "GNU"
    type: int
    hex: str = ""
    text: str = ""


class SectionForm(Form):
    """A section without an address."""

    name: str
    hex: str = ""
    text: str = ""
    type: int = 1


class SegmentForm(Form):
    """A further program header."""

    type: int
    flags: int = 4
    offset: int = 0
    address: int = 0
    size: int = 0


class RelocationForm(Form):
    """A further relocation."""

    type: int
    symbol: str | int = 0
    addend: int = 0
    plt: bool = False


class PatchForm(Form):
    """Bytes to put over a part of the finished file, named as its section would be."""

    part: str
    offset: int = 0
    hex: str


class DynamicForm(Form):
    """A further entry of the dynamic array, with a number or a string; the tag is ``DT_…`` or a number."""

    tag: int | str
    value: int | str

    @property
    def number(self) -> int:
        """The tag's number."""
        return self.tag if isinstance(self.tag, int) else ENUM_D_TAG[self.tag]

    @model_validator(mode="after")
    def _tag_is_known(self) -> DynamicForm:
        if isinstance(self.tag, str) and self.tag not in ENUM_D_TAG:
            raise ValueError(f"{self.tag} is no tag of the dynamic array")
        return self


class TlsForm(Form):
    """The segment of thread-local storage."""

    size: int
    hex: str = ""


class WeakVersionForm(Form):
    """A needed version that may be absent."""

    name: str
    weak: bool = True


class ElfForm(Form):
    """One ELF member. What is left out is as a sound build of today has it."""

    machine: Literal[
        "x86_64", "i686", "aarch64", "armv7l", "ppc64le", "ppc64", "s390x", "riscv64", "loongarch64", "ppc", ""
    ] = ""
    e_machine: int | None = None
    e_flags: int | None = None
    type: Literal["dyn", "exec", "rel", "core"] = "dyn"
    osabi: int = 0
    interpreter: str | None = None
    needed: list[str] | None = None
    soname: str | None = None
    rpath: str | None = None
    runpath: str | None = None
    imports: list[Annotated[ImportForm, _spelled(_IMPORT, "NAME, NAME@VERSION or NAME@VERSION of LIBRARY")]] = []
    exports: list[Annotated[ExportForm, _spelled(_EXPORT, "NAME, NAME@@VERSION or NAME@VERSION")]] = []
    libc: bool = True
    version_needs: dict[str, list[str | WeakVersionForm]] = {}
    versions: list[str] = []
    bind_now: bool = True
    relro: bool = True
    stack: Literal["rw", "rwx", "absent"] = "rw"
    flags: int = 0
    flags_1: int = 0
    entries: list[DynamicForm] = []
    hash: Literal["gnu", "sysv", "both", "absent"] = "gnu"
    relocations: list[RelocationForm] = []
    relr: list[int] = []
    alignment: int | None = None
    build_id: str | None = None
    isa_level: Literal[1, 2, 3, 4] | None = None
    branch_protection: bool = True
    notes: list[NoteForm] = []
    tls: TlsForm | None = None
    code: str = "00" * 16
    rodata: list[str] = []
    segments: list[SegmentForm] = []
    sections: list[SectionForm] | None = None
    dynamic: bool = True
    patches: list[PatchForm] = []
    keep: int | None = None


class HeaderForm(Form):
    """Fields of a zip header."""

    name: str | None = None
    method: int | None = None
    flags: int | None = None
    crc: int | None = None
    compressed: int | None = None
    size: int | None = None


class EntryForm(HeaderForm):
    """A zip entry: what its central header says, and in ``local`` what the other one says otherwise.

    ``mode`` is the whole ``st_mode``; ``extra`` hex; ``at`` names the entry before it whose data it points to.
    """

    text: str | None = None
    hex: str | None = None
    mode: int | None = None
    extra: str = ""
    local: HeaderForm = HeaderForm()
    at: str | None = None


class ZipForm(Form):
    """Oddities of the archive: bytes around it, changed entries, and further ones behind all others."""

    prefix: str = ""
    suffix: str = ""
    comment: str = ""
    change: dict[str, EntryForm] = {}
    entries: list[EntryForm] = []


class ArtifactForm(Form):
    """A wheel, an archive, a folder or a single file."""

    kind: Literal["wheel", "zip", "folder", "file"] = "wheel"
    name: str = "demo"
    version: str = "1.0"
    tag: str = "cp311-cp311-manylinux_2_17_x86_64"
    file_name: str | None = None
    requires: list[str] = []
    elf: dict[str, ElfForm] = {}
    text: dict[str, str | Literal[False]] = {}
    bytes: dict[str, str] = {}
    record: dict[str, str | Literal[False]] = {}
    zip: ZipForm = ZipForm()


class AuditForm(Form):
    """Options of the command line; ``unmeasured`` are libraries of a captured platform that are known by name only."""

    platform: str | None = None
    unmeasured: list[str] = []
    python: str | None = None
    roots: list[str] = []
    preload: list[str] = []
    library_path: list[str] = []
    executable: str | None = None


class ExpectForm(Form):
    """One finding of the rule; ``message`` is a part of its text."""

    file: str
    subject: str
    message: str = ""


class UncheckedForm(Form):
    """One thing that the rule could not check; ``reason`` is a part of its text."""

    file: str
    reason: str


class CaseForm(ArtifactForm):
    """A whole case."""

    about: str = Field(min_length=20)
    provider: dict[str, ArtifactForm] = {}
    policy: dict[str, Any] = {}
    audit: AuditForm = AuditForm()
    expect: list[ExpectForm] = []
    unchecked: list[UncheckedForm] = []

    @model_validator(mode="after")
    def _one_file_is_one_elf(self) -> CaseForm:
        if self.kind == "file" and (len(self.elf) != 1 or self.text or self.bytes):
            raise ValueError('kind = "file" holds one elf and nothing else')
        return self


class CaseError(Exception):
    """A case file cannot be used; the text has a line for each mistake, with file, line and key."""


def load_case(path: Path) -> CaseForm:
    """Read one case.

    Raises:
        CaseError: with every mistake in it.
    """
    shown = path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else path.name
    source = path.read_text(encoding="utf-8")
    try:
        content = tomllib.loads(source)
    except tomllib.TOMLDecodeError as error:
        raise CaseError(f"{shown}: {error}") from error
    problems = []
    form: CaseForm | None = None
    try:
        form = CaseForm.model_validate(content)
    except ValidationError as error:
        lines = key_lines(source, tomllib.loads)
        problems = [_told(shown, each["loc"], each["msg"].removeprefix("Value error, "), lines) for each in error.errors()]
    else:
        problems = [f"{shown}: {message}" for message in _of_its_kind(path.stem, form)]
    if problems:
        raise CaseError("\n".join(sorted(set(problems))))
    assert form is not None
    return form


def _told(shown: str, location: tuple[int | str, ...], message: str, lines: dict[tuple[str | int, ...], int]) -> str:
    """One mistake at the deepest key that stands in the file: pydantic adds the choices of a union to a place."""
    place: tuple[str | int, ...] = ()
    for part in location:
        if (*place, part) in lines:
            place = (*place, part)
    line = lines.get(place, 1)
    missing = location[-1] if message == "Field required" else None
    if message == "Extra inputs are not permitted":
        message = f"there is no such key{hint(str(location[-1]), _keys(location))}"
    elif missing is not None:
        message = f"{missing} is required"
    return f"{shown}:{line}: {dotted(place)}: {message}".replace(": : ", ": ")


def _keys(location: tuple[int | str, ...]) -> tuple[str, ...]:
    """The right keys beside a wrong one, by the table that it stands in."""
    tables: dict[str, type[Form]] = {
        "elf": ElfForm, "zip": ZipForm, "entries": EntryForm, "change": EntryForm, "local": HeaderForm, "audit": AuditForm,
        "expect": ExpectForm, "unchecked": UncheckedForm, "imports": ImportForm, "exports": ExportForm,
        "notes": NoteForm, "sections": SectionForm, "provider": ArtifactForm,
    }  # fmt: skip
    found: type[Form] = CaseForm
    for part in location[:-1]:
        found = tables.get(str(part), found)
    return tuple(found.model_fields)


def _of_its_kind(stem: str, form: CaseForm) -> list[str]:
    """What the file's name promises and its content does not hold."""
    kind, dash, rest = stem.partition("-")
    if kind not in KINDS or not dash or not rest:
        return [f"the name must start with {', '.join(f'{each}-' for each in KINDS)} and say what the case is"]
    problems = []
    if kind == "fires" and not form.expect:
        problems.append("a case that fires has an [[expect]]")
    if kind == "unchecked" and not form.unchecked:
        problems.append("a case that cannot be checked has an [[unchecked]]")
    if kind == "silent" and form.expect:
        problems.append("a silent case has no [[expect]]")
    if kind != "unchecked" and form.unchecked:
        problems.append("a case with an [[unchecked]] is named unchecked-…")
    return problems
