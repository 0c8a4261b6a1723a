"""From a declared ELF member to its bytes."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING

from tests.cases.form import ImportForm
from tests.cases.libc import libc_use
from tests.elfwriter import (
    ABS,
    DEFINED,
    GNU_PROPERTY_X86_ISA_1_NEEDED,
    MACHINES,
    UND,
    Binding,
    Elf,
    Hash,
    Machine,
    NeededVersion,
    Note,
    Relocation,
    Section,
    Symbol,
    Type,
    VersionDefinition,
    VersionNeed,
    Visibility,
    build,
    build_id,
    gnu_properties,
)
from tests.elfwriter.spec import ET_DYN, ET_EXEC, VER_FLG_BASE, VER_FLG_WEAK

if TYPE_CHECKING:
    from tests.cases.form import ElfForm, ExportForm

_TYPES = {"rel": 1, "exec": ET_EXEC, "dyn": ET_DYN, "core": 4}
_STACKS = {"rw": 6, "rwx": 7, "absent": None}
_DF_BIND_NOW, _DF_1_NOW = 8, 1
# The largest page that kernels of the architecture have, as linkers align for it.
_ALIGNMENTS = {"aarch64": 0x10000, "ppc64le": 0x10000, "ppc64": 0x10000, "loongarch64": 0x10000, "armv7l": 0x10000}

# GNU_PROPERTY_X86_FEATURE_1_AND with IBT and SHSTK, GNU_PROPERTY_AARCH64_FEATURE_1_AND with BTI and PAC.
_BRANCH_PROTECTION = {"x86_64": ((0xC0000002, 3),), "aarch64": ((0xC0000000, 3),)}


def elf_bytes(path: str, form: ElfForm, tag: str) -> bytes:
    """The file.

    Args:
        path: in the artifact; the build id is made of it unless one is given.
        form: what it shall say.
        tag: of the wheel, whose architecture it has unless one is given.
    """
    machine = _machine(form, tag)
    form = _with_libc(form, tag, machine.name)
    versions = _Versions(form)
    relocations, plt = _relocations(form, machine)
    definitions = versions.definitions()
    numbers, names = _entries(form)
    elf = Elf(
        machine=machine,
        type=_TYPES[form.type],
        osabi=form.osabi,
        alignment=form.alignment or _ALIGNMENTS.get(machine.name, 0x1000),
        interpreter=form.interpreter,
        needed=tuple(_needed(form)),
        soname=form.soname,
        rpath=form.rpath,
        runpath=form.runpath,
        flags=_flags(form.flags, _DF_BIND_NOW if form.bind_now else 0),
        flags_1=_flags(form.flags_1, _DF_1_NOW if form.bind_now else 0),
        strings=names,
        entries=numbers,
        symbols=(*map(versions.undefined, form.imports), *map(versions.defined, form.exports)),
        version_needs=versions.needs(),
        version_definitions=definitions,
        gnu_hash=Hash.CORRECT if form.hash in {"gnu", "both"} else Hash.ABSENT,
        sysv_hash=Hash.CORRECT if form.hash in {"sysv", "both"} else Hash.ABSENT,
        relocations=relocations,
        plt_relocations=plt,
        relr=tuple(form.relr),
        notes=_notes(path, form, machine.name),
        stack=_STACKS[form.stack],
        relro=form.relro and form.dynamic,
        tls=(bytes.fromhex(form.tls.hex), form.tls.size) if form.tls else None,
        text=bytes.fromhex(form.code) + b"".join(text.encode() + b"\0" for text in form.rodata),
        segments=tuple((one.type, one.flags, one.offset, one.address, one.size) for one in form.segments),
        dynamic=form.dynamic,
        sections=_sections(form),
    )
    image = build(elf)
    for patch in form.patches:
        image = replace(image, data=image.patched(patch.part, patch.offset, bytes.fromhex(patch.hex)))
    return image.data[: form.keep]


def _machine(form: ElfForm, tag: str) -> Machine:
    names: dict[str, Machine] = {machine.name: machine for machine in MACHINES}
    wanted: str = form.machine or next((name for name in names if tag.endswith(f"_{name}")), "x86_64")
    machine = names[wanted]
    return replace(
        machine,
        number=machine.number if form.e_machine is None else form.e_machine,
        flags=machine.flags if form.e_flags is None else form.e_flags,
    )


def _with_libc(form: ElfForm, tag: str, architecture: str) -> ElfForm:
    """The member with a use of the C library, unless it shall have none or needs other libraries only."""
    name, version, library = libc_use(tag, architecture)
    needed = form.needed if form.needed is not None else [*_needed(form), library]
    if not (form.libc and form.dynamic and library in needed):
        return form
    imports = form.imports
    if name not in {one.name for one in form.imports} | {one.name for one in form.exports}:
        imports = [*imports, ImportForm(name=name, version=version, file=library)]
    return form.model_copy(update={"imports": imports, "needed": list(dict.fromkeys(needed))})


def _needed(form: ElfForm) -> list[str]:
    """As given; else the libraries whose versions are wanted."""
    if form.needed is not None:
        return form.needed
    wanted = [one.file for one in form.imports if one.version is not None]
    return list(dict.fromkeys([*wanted, *form.version_needs]))


def _flags(given: int, usual: int) -> int | None:
    return given | usual or None


def _entries(form: ElfForm) -> tuple[tuple[tuple[int, int], ...], tuple[tuple[int, str], ...]]:
    """Further dynamic entries with numbers, and those with strings."""
    numbers = tuple((one.number, one.value) for one in form.entries if isinstance(one.value, int))
    return numbers, tuple((one.number, one.value) for one in form.entries if isinstance(one.value, str))


class _Versions:
    """Gives each version definition and need its index: definitions first, as linkers do."""

    def __init__(self, form: ElfForm) -> None:
        exported = [one.version for one in form.exports if one.version is not None]
        self._base = form.soname or "base"
        self._defined = {name: index for index, name in enumerate(dict.fromkeys([*form.versions, *exported]), 2)}
        self._needs: dict[tuple[str, str], NeededVersion] = {}
        for one in form.imports:
            if one.version is not None:
                self._want(one.file, one.version)
        for file, names in form.version_needs.items():
            for name in names:
                if isinstance(name, str):
                    self._want(file, name)
                else:
                    self._want(file, name.name, VER_FLG_WEAK if name.weak else 0)

    def _want(self, file: str, version: str, flags: int = 0) -> None:
        if (file, version) not in self._needs:
            index = 2 + len(self._defined) + len(self._needs)
            self._needs[file, version] = NeededVersion(version, index, flags)

    def needs(self) -> tuple[VersionNeed, ...]:
        files = dict.fromkeys(file for file, _ in self._needs)
        return tuple(VersionNeed(file, tuple(need for (of, _), need in self._needs.items() if of == file)) for file in files)

    def definitions(self) -> tuple[VersionDefinition, ...]:
        if not self._defined:
            return ()
        base = VersionDefinition(self._base, 1, VER_FLG_BASE)
        return (base, *(VersionDefinition(name, index) for name, index in self._defined.items()))

    def undefined(self, one: ImportForm) -> Symbol:
        return Symbol(
            name=one.name,
            binding=Binding.WEAK if one.weak else Binding.GLOBAL,
            type=Type[one.type.upper()],
            visibility=Visibility[one.visibility.upper()],
            shndx=UND,
            version=1 if one.version is None else self._needs[one.file, one.version].index,
        )

    def defined(self, one: ExportForm) -> Symbol:
        return Symbol(
            name=one.name,
            binding=Binding[one.binding.upper()],
            type=Type[one.type.upper()],
            visibility=Visibility[one.visibility.upper()],
            shndx=ABS if one.absolute else DEFINED,
            value=one.value,
            size=one.size,
            version=1 if one.version is None else self._defined[one.version],
            hidden=one.hidden,
        )


def _relocations(form: ElfForm, machine: Machine) -> tuple[tuple[Relocation, ...], tuple[Relocation, ...]]:
    """Those of DT_RELA or DT_REL, and those of DT_JMPREL."""
    kinds = {"glob_dat": machine.glob_dat, "jump_slot": machine.jump_slot, "absolute": machine.absolute}
    data: list[Relocation] = []
    plt: list[Relocation] = []
    for one in form.imports:
        if one.use != "none":
            kind = one.use if isinstance(one.use, int) else kinds[one.use]
            (plt if one.use == "jump_slot" else data).append(Relocation(type=kind, symbol=one.name))
    for more in form.relocations:
        (plt if more.plt else data).append(Relocation(type=more.type, symbol=more.symbol, addend=more.addend))
    return tuple(data), tuple(plt)


def _notes(path: str, form: ElfForm, architecture: str) -> tuple[Note, ...]:
    identity = hashlib.sha1(path.encode(), usedforsecurity=False).hexdigest() if form.build_id is None else form.build_id
    notes = [build_id(bytes.fromhex(identity))] if identity else []
    properties = _BRANCH_PROTECTION.get(architecture, ()) if form.branch_protection else ()
    if form.isa_level is not None:
        properties = (*properties, (GNU_PROPERTY_X86_ISA_1_NEEDED, 1 << (form.isa_level - 1)))
    if properties:
        notes.append(gnu_properties(*properties))
    notes += [Note(one.owner.encode(), one.type, bytes.fromhex(one.hex) + one.text.encode()) for one in form.notes]
    return tuple(notes)


def _sections(form: ElfForm) -> tuple[Section, ...] | None:
    if form.sections is None:
        return None
    return tuple(Section(one.name, bytes.fromhex(one.hex) + one.text.encode(), one.type) for one in form.sections)
