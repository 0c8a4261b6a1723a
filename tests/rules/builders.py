# ruff: noqa: ANN401 - builders take any field of the records that they make
"""Hand-made cases: a rule sees nothing else. Everything has a default that no rule minds."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

from checker.model.artifact import ArtifactKind, FileKind, Inventory, Member, RecordEntry, Tag, WheelMetadata
from checker.model.case import Case, ComputedPlatform, Promise
from checker.model.closure import Edge, FoundBy, ProviderKind
from checker.model.elf import (
    Binding,
    Definition,
    ElfFacts,
    ElfIdentity,
    ElfType,
    Imports,
    Machine,
    NeededVersion,
    Notes,
    Relro,
    Segment,
    Stack,
    Strippable,
    SymbolTable,
    SymbolType,
    Use,
    VersionNeed,
    View,
)
from checker.model.finding import Observation
from checker.model.hashes import SysvHash
from checker.model.platform import PlatformId
from checker.model.record import replace
from checker.model.resolution import MissingVersion, Outcome, Resolution, ResolutionCounts, RootVerdict

if TYPE_CHECKING:
    from collections.abc import Iterable

    from checker.model.artifact import ReadProblem
    from checker.model.resolution import Via
    from checker.model.rule import Rule

MODULE = "pkg/_core.so"
OLD, NEW = (
    PlatformId(family="glibc", release=(2, 17), architecture="x86_64"),
    PlatformId(family="glibc", release=(2, 36), architecture="x86_64"),
)
X86_64 = ElfIdentity(
    bits=64, little_endian=True, machine=Machine.EM_X86_64, type=ElfType.ET_DYN, os_abi=0, abi_version=0, flags=0
)


class Symbols:
    """Stands for a symbol table, and for a library of the platform: what is exported, and the names of version indices."""

    symbols_known = True
    versions: tuple[bytes, ...] = (b"ZLIB_1.2.0",)

    def __init__(
        self, exports: Iterable[bytes] = (), version_names: dict[int, bytes] | None = None, imports: Iterable[bytes] = ()
    ) -> None:
        self.exports = frozenset(exports)
        self._names = sorted({*self.exports, *imports})
        self.version_names = version_names or {}

    @property
    def strings(self) -> bytes:
        """All names as a string table."""
        return b"".join(b"\0" + name for name in self._names) + b"\0"

    def definitions(self, name: bytes) -> tuple[Definition, ...]:
        """One ordinary function for each exported name."""
        if name not in self.exports:
            return ()
        found = Definition(
            version=None, index=1, hidden=False, binding=Binding.STB_GLOBAL, type=SymbolType.STT_FUNC, visibility=0,
            defined=True, absolute=False, value=4096, symbol=1,
        )  # fmt: skip
        return (found,)

    def exported(self) -> tuple[tuple[int, bytes], ...]:
        """Every exported name, numbered."""
        return tuple(enumerate(sorted(self.exports)))

    def definition(self, symbol: int) -> Definition:
        """The function of that number."""
        return self.definitions(sorted(self.exports)[symbol])[0]


def table(*symbols: bytes | tuple[bytes, int] | tuple[bytes, int, int]) -> SymbolTable:
    """A real table of defined functions: names, or (name, binding), or (name, binding, section)."""
    rows = [(each, Binding.STB_GLOBAL, 1) if isinstance(each, bytes) else (*each, 1)[:3] for each in symbols]
    strings, raw = b"\0", bytes(24)
    for name, binding, section in rows:
        raw += struct.pack("<IBBHQQ", len(strings), binding << 4 | SymbolType.STT_FUNC, 0, section, 4096, 16)
        strings += name + b"\0"
    chains = [0, *range(2, len(rows) + 1), 0] if rows else [0]
    return SymbolTable(
        count=len(rows) + 1, raw=raw, strings=strings, versions=None, version_names={}, bits=64, little_endian=True,
        gnu_hash=None, sysv_hash=SysvHash(buckets=[1 if rows else 0], chains=chains),
    )  # fmt: skip


class Platform:
    """Stands for a baseline."""

    def __init__(
        self,
        promised: Iterable[str] = (),
        ceilings: dict[str, tuple[int, ...]] | None = None,
        libraries: dict[str, Iterable[bytes]] | None = None,
    ) -> None:
        self.id = OLD
        self.promised = frozenset({"libc.so.6", "libm.so.6", "libstdc++.so.6", *promised})
        self.libraries = libraries or {}
        self.ceilings = ceilings or {"GLIBC": (2, 17), "GLIBCXX": (3, 4, 19)}

    def library(self, soname: str) -> Symbols | None:
        """One with the exports that were given."""
        return Symbols(self.libraries[soname]) if soname in self.libraries else None

    def is_promised(self, soname: str) -> bool:
        """It was given as promised."""
        return soname in self.promised

    def ceiling(self, namespace: str) -> tuple[int, ...] | None:
        """As given."""
        return self.ceilings.get(namespace)


def elf(path: str = MODULE, **changes: Any) -> ElfFacts:
    """An ordinary extension module of x86-64, with some fields changed.

    ``imports`` are (name, version index, use) triples, or names; ``exports`` names; ``version_names`` index → name.
    """
    wanted = [(each, 1, Use.GLOB_DAT) if isinstance(each, bytes) else each for each in changes.pop("imports", ())]
    symbols = Symbols(changes.pop("exports", ()), changes.pop("version_names", None), (name for name, _, _ in wanted))
    facts = ElfFacts(
        path=path, size=4096, identity=X86_64, view=View.DYNAMIC, segments=(), interpreter=None, dynamic=(),
        needed=("libc.so.6",), soname=None, rpath=None, runpath=None, auxiliary=(), filter=(), flags=0, flags_1=0,
        bind_now=False, symbolic=False, text_relocations=False, static_tls=False, stack=Stack.NOT_EXECUTABLE,
        relro=Relro.FULL, has_relr=False, symbols=symbols,  # type: ignore[arg-type]
        imports=Imports(
            symbols=tuple(range(1, len(wanted) + 1)), names=tuple(name for name, _, _ in wanted),
            version_indices=tuple(index for _, index, _ in wanted), weak=bytes(len(wanted)),
            visibilities=bytes(len(wanted)), uses=bytes(int(use) for _, _, use in wanted),
        ),
        self_references=(), self_uses=b"", relocation_types=(), version_needs=(), version_definitions=(),
        notes=Notes(build_id=None, abi_tag=None, x86_isa_needed=0, properties=(), dlopen=(), others=()), comment=(),
        strippable=Strippable(symbols=0, debug=0),
    )  # fmt: skip
    return replace(facts, **changes)


def identity(**changes: Any) -> ElfIdentity:
    """An ELF header of x86-64, changed."""
    return replace(X86_64, **changes)


def version_need(file: str, *versions: bytes, index: int = 2, weak: bool = False) -> VersionNeed:
    """Needs of one file; indices count up from ``index``."""
    return VersionNeed(
        file=file,
        versions=tuple(
            NeededVersion(name=name, hash=0, weak=weak, index=index + position, hidden=False)
            for position, name in enumerate(versions)
        ),
    )


def promise(tag: str = "manylinux_2_17_x86_64", *, known: bool = True, family: str = "glibc", **platform: Any) -> Promise:
    """A promise of glibc 2.17 on x86-64 and later."""
    oldest = replace(OLD, family=family)
    baseline: Any = Platform(**platform) if known else None
    return Promise(tag=tag, oldest=oldest, judged=(oldest, replace(NEW, family=family)), baseline=baseline)


def edge(soname: str, provider: ProviderKind = ProviderKind.NONE, path: str | None = None, needer: str = MODULE) -> Edge:
    """One need."""
    how = FoundBy.NOT_FOUND if provider is ProviderKind.NONE else FoundBy.SYSTEM
    return Edge(root=MODULE, needer=needer, soname=soname, provider=provider, path=path, how=how, looked_in=())


def resolution(symbol: bytes, outcome: Outcome = Outcome.SYMBOL_MISSING, **changes: Any) -> Resolution:
    """A strong import of the module that nothing satisfies on either platform."""
    made = Resolution(
        object=MODULE, symbol=symbol, version=None, version_file=None, weak=False, uses=Use.JUMP_SLOT, outcome=outcome,
        provider=ProviderKind.NONE, path=None, provider_version=None, via=None, reason="", roots=(MODULE,),
        platforms=(OLD, NEW), candidates=(),
    )  # fmt: skip
    return replace(made, **changes)


def bound(symbol: bytes, path: str, via: Via, **changes: Any) -> Resolution:
    """A binding that hangs on something."""
    return resolution(symbol, Outcome.BOUND, provider=ProviderKind.PLATFORM, path=path, via=via, **changes)


def missing_version(file: str, version: bytes, provider: ProviderKind, **changes: Any) -> MissingVersion:
    """A version need of the module that the load-time check refuses."""
    made = MissingVersion(
        object=MODULE, file=file, version=version, provider=provider, path=file, symbols=(), aborts=False, roots=(MODULE,),
        platforms=(OLD,),
    )  # fmt: skip
    return replace(made, **changes)


def member(path: str, sha256: str = "ab" * 32, size: int = 4096, kind: FileKind = FileKind.OTHER) -> Member:
    """One file."""
    return Member(path=path, size=size, mode=0o644, sha256=sha256, kind=kind)


def wheel(**changes: Any) -> WheelMetadata:
    """The metadata of pkg-1.0, all well."""
    tags = (Tag(python="cp311", abi="cp311", platform="manylinux_2_17_x86_64"),)
    made = WheelMetadata(
        dist_info="pkg-1.0.dist-info", distribution="pkg", version="1.0", build="", name_tags=tags,
        wheel_fields=(("Wheel-Version", "1.0"), ("Root-Is-Purelib", "false"), ("Tag", str(tags[0]))), wheel_tags=tags,
        root_is_purelib=False,
        metadata_fields=(("Metadata-Version", "2.1"), ("Name", "pkg"), ("Version", "1.0")), requires=(), record=(), problems=(),
    )  # fmt: skip
    return replace(made, **changes)


def record_line(path: str, hashed: str = "", size: int | None = None, line: int = 1) -> RecordEntry:
    """One line of RECORD."""
    return RecordEntry(path=path, hash=hashed, size=size, line=line)


def case(*objects: ElfFacts, members: Iterable[Member] = (), metadata: WheelMetadata | None = None, **changes: Any) -> Case:
    """A wheel of these objects under a manylinux_2_17 tag; other members beside them."""
    metadata = metadata or wheel()
    everything = (*(member(facts.path, kind=FileKind.ELF) for facts in objects), *members)
    inventory = Inventory(
        path="dist/pkg.whl", name="pkg.whl", kind=ArtifactKind.WHEEL, sha256="", size=1,
        members=tuple(sorted(everything, key=lambda each: each.path)), wheel=metadata, problems=(),
    )  # fmt: skip
    counts = ResolutionCounts(bound=(), weak_absent=0, version_missing=0, symbol_missing=0, library_missing=0, undecided=0)
    made = Case(
        inventory=inventory, objects=objects, tags=metadata.name_tags, promises=(promise(),), host=None,
        roots=tuple(RootVerdict(path=facts.path, host="python", loads=()) for facts in objects), libraries=(), resolutions=(),
        missing_versions=(), counts=counts, providers=(), computed=None,
    )  # fmt: skip
    return replace(made, **changes)


def computed(path: str, tag: str | None) -> ComputedPlatform:
    """The computed platform of one file."""
    return ComputedPlatform(platform=tag, by_file=((path, tag),), because=())


def ask(rule: Rule, asked: Case, **parameters: Any) -> list[Observation | ReadProblem]:
    """All answers of a rule."""
    return list(rule.check(asked, rule.parameters(**parameters)))


def told(rule: Rule, asked: Case, **parameters: Any) -> list[Observation]:
    """The observations of a rule, which must be all of its answers; what every one of them must hold is held here."""
    answers: list[Observation] = []
    for each in ask(rule, asked, **parameters):
        assert isinstance(each, Observation), f"not an observation: {each}"
        assert each.subject
        assert not each.message.endswith(".")
        assert each.message
        assert "\n" not in each.message
        assert each.remedy
        assert not each.remedy.endswith(".")
        assert list(each.evidence) == sorted(each.evidence, key=lambda pair: pair[0])
        answers.append(each)
    return answers


def listed(found: Observation, key: str) -> tuple[str, ...]:
    """What the evidence lists under a key."""
    value = dict(found.evidence)[key]
    assert isinstance(value, tuple)
    return value


def load(flags: int, address: int = 0, size: int = 4096) -> Segment:
    """A PT_LOAD with these ``p_flags``."""
    return Segment(type=1, flags=flags, offset=address, address=address, file_size=size, memory_size=size, alignment=4096)


def program(path: str = "pkg/bin/tool", *, static: bool = False, **changes: Any) -> ElfFacts:
    """A program: ET_EXEC with an interpreter, or a static one without any needed library."""
    if static:
        changes = {"view": View.SECTIONS, "needed": (), "imports": (), "segments": (load(5),), **changes}
    else:
        changes = {"interpreter": "/lib64/ld-linux-x86-64.so.2", **changes}
    return elf(path, **{"identity": identity(type=ElfType.ET_EXEC), **changes})


MACHINES = tuple(
    replace(X86_64, machine=machine, bits=bits, little_endian=little_endian)
    for machine, bits, little_endian in (
        (Machine.EM_X86_64, 64, True),
        (Machine.EM_386, 32, True),
        (Machine.EM_AARCH64, 64, True),
        (Machine.EM_ARM, 32, True),
        (Machine.EM_PPC64, 64, True),
        (Machine.EM_S390, 64, False),
        (Machine.EM_RISCV, 64, True),
        (Machine.EM_LOONGARCH, 64, True),
    )
)
"""ELF headers of the eight architectures of manylinux and musllinux."""
