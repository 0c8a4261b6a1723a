"""Reports made by hand, for reporters and commands: every argument has a plain default."""
# ruff: noqa: ANN401 (builders pass any field on)

from __future__ import annotations

from typing import Any

from checker.model.artifact import ArtifactKind, FileKind, Inventory, Member, ReadProblem, Tag
from checker.model.case import Because, Case, ComputedPlatform, Promise
from checker.model.closure import Attempt, Edge, FoundBy, ProviderKind
from checker.model.elf import (
    ElfFacts,
    ElfIdentity,
    ElfType,
    Imports,
    Machine,
    Notes,
    Relro,
    Stack,
    Strippable,
    SymbolTable,
    Use,
    View,
)
from checker.model.finding import Finding, Level, Waived, fingerprint
from checker.model.platform import PlatformId
from checker.model.policy import Policy
from checker.model.report import ArtifactReport, Report, Verdict
from checker.model.resolution import (
    BindingRow,
    Load,
    LoadCause,
    LoadOutcome,
    Lookup,
    Met,
    Outcome,
    Resolution,
    ResolutionCounts,
    RootVerdict,
    Via,
)

OLDEST = PlatformId(family="glibc", release=(2, 17), architecture="x86_64")
NEWEST = PlatformId(family="glibc", release=(2, 41), architecture="x86_64")
WHEEL = "pkg-1.0-cp311-cp311-manylinux_2_17_x86_64.whl"
CORE = "pkg/_core.cpython-311-x86_64-linux-gnu.so"
LIBRARY = "pkg.libs/libfoo-1a2b3c4d.so.1"


def facts(path: str = CORE, **changes: Any) -> ElfFacts:
    """An x86-64 shared object without symbols."""
    values: dict[str, Any] = {
        "path": path,
        "size": 4096,
        "identity": ElfIdentity(
            bits=64, little_endian=True, machine=Machine.EM_X86_64, type=ElfType.ET_DYN, os_abi=0, abi_version=0, flags=0
        ),
        "view": View.DYNAMIC,
        "segments": (),
        "interpreter": None,
        "dynamic": (),
        "needed": ("libc.so.6",),
        "soname": None,
        "rpath": None,
        "runpath": None,
        "auxiliary": (),
        "filter": (),
        "flags": 0,
        "flags_1": 0,
        "bind_now": False,
        "symbolic": False,
        "text_relocations": False,
        "static_tls": False,
        "stack": Stack.NOT_EXECUTABLE,
        "relro": Relro.FULL,
        "has_relr": False,
        "symbols": symbols(),
        "imports": imports(),
        "self_references": (),
        "self_uses": b"",
        "relocation_types": (),
        "version_needs": (),
        "version_definitions": (),
        "notes": Notes(build_id=None, abi_tag=None, x86_isa_needed=0, properties=(), dlopen=(), others=()),
        "comment": (),
        "strippable": Strippable(symbols=0, debug=0),
    }
    return ElfFacts(**{**values, **changes})


def symbols(version_names: dict[int, bytes] | None = None) -> SymbolTable:
    """A table of the null symbol alone."""
    return SymbolTable(
        count=1,
        raw=bytes(24),
        strings=b"\0",
        versions=None,
        version_names=version_names or {},
        bits=64,
        little_endian=True,
        gnu_hash=None,
        sysv_hash=None,
    )


def imports(*names: bytes, version_index: int = 1) -> Imports:
    """Strong imports called through the PLT."""
    return Imports(
        symbols=tuple(range(1, len(names) + 1)),
        names=names,
        version_indices=(version_index,) * len(names),
        weak=bytes(len(names)),
        visibilities=bytes(len(names)),
        uses=bytes([Use.JUMP_SLOT] * len(names)),
    )


def finding(rule: str = "missing-library", level: Level = Level.ERROR, **changes: Any) -> Finding:
    """An open finding about ``CORE``."""
    values: dict[str, Any] = {
        "file": CORE,
        "subject": "libbar.so.2",
        "message": "needs libbar.so.2, which is neither in the wheel nor on manylinux_2_17_x86_64",
        "evidence": (("looked_in", ("site-packages/pkg", "the system")), ("soname", "libbar.so.2")),
        "remedy": "run auditwheel repair, or declare its distribution as a [[provider]]",
        **changes,
    }
    mark = fingerprint(rule, values["file"], values["subject"])
    return Finding(rule=rule, level=level, fingerprint=mark, **values)


def waived(reason: str = "build-time helper", owner: str = "release team", expires: str = "2027-03-31") -> Waived:
    return Waived(reason=reason, owner=owner, expires=expires)


def problem(file: str = "pkg/broken.so", reason: str = "byte 0x40: the program headers end outside the file") -> ReadProblem:
    return ReadProblem(file=file, reason=reason)


def edge(soname: str = "libc.so.6", **changes: Any) -> Edge:
    """``CORE`` finds the C library on the platform."""
    values: dict[str, Any] = {
        "root": CORE,
        "needer": CORE,
        "provider": ProviderKind.PLATFORM,
        "path": soname,
        "how": FoundBy.SYSTEM,
        "looked_in": (),
        **changes,
    }
    return Edge(soname=soname, **values)


def missing_edge(soname: str = "libbar.so.2", needer: str = CORE) -> Edge:
    places = (
        Attempt(place="site-packages/pkg.libs", source=f"DT_RUNPATH $ORIGIN/../pkg.libs of {CORE}", outcome="no such file"),
        Attempt(place="the system", source="default directories", outcome="not on glibc-2.17-x86_64"),
    )
    return edge(soname, needer=needer, provider=ProviderKind.NONE, path=None, how=FoundBy.NOT_FOUND, looked_in=places)


def member_edge(soname: str = "libfoo-1a2b3c4d.so.1") -> Edge:
    place = Attempt(place="site-packages/pkg.libs", source=f"DT_RUNPATH $ORIGIN/../pkg.libs of {CORE}", outcome="found")
    return edge(soname, provider=ProviderKind.MEMBER, path=LIBRARY, how=FoundBy.RUNPATH, looked_in=(place,))


def binding(symbol: bytes = b"memcpy", **changes: Any) -> BindingRow:
    values: dict[str, Any] = {
        "root": None,
        "platform": NEWEST,
        "object": CORE,
        "version": b"GLIBC_2.14",
        "outcome": Outcome.BOUND,
        "provider": ProviderKind.PLATFORM,
        "path": "libc.so.6",
        "provider_version": b"GLIBC_2.14",
        "via": Via.NEEDED,
        **changes,
    }
    return BindingRow(symbol=symbol, **values)


def met(path: str, note: str = "", provider: ProviderKind = ProviderKind.PLATFORM) -> Met:
    return Met(provider=provider, path=path, note=note)


def lookup(symbol: bytes = b"memcpy", **changes: Any) -> Lookup:
    values: dict[str, Any] = {
        "object": CORE,
        "version": b"GLIBC_2.14",
        "weak": False,
        "uses": Use.JUMP_SLOT,
        "outcome": Outcome.BOUND,
        "provider": ProviderKind.PLATFORM,
        "path": "libc.so.6",
        "provider_version": b"GLIBC_2.14",
        "via": Via.NEEDED,
        "rule": "",
        "roots": (CORE,),
        "platforms": (OLDEST, NEWEST),
        "met": (met("cpython-3.11", provider=ProviderKind.HOST), met("libc.so.6", "defines it, version GLIBC_2.14")),
        "later": (),
        **changes,
    }
    return Lookup(symbol=symbol, **values)


def resolution(symbol: bytes = b"foo_open", **changes: Any) -> Resolution:
    values: dict[str, Any] = {
        "object": CORE,
        "version": None,
        "version_file": None,
        "weak": False,
        "uses": Use.JUMP_SLOT,
        "outcome": Outcome.SYMBOL_MISSING,
        "provider": ProviderKind.NONE,
        "path": None,
        "provider_version": None,
        "via": None,
        "reason": "",
        "roots": (CORE,),
        "platforms": (OLDEST, NEWEST),
        "candidates": (LIBRARY,),
        **changes,
    }
    return Resolution(symbol=symbol, **values)


def root(path: str = CORE, outcome: LoadOutcome = LoadOutcome.LOADS, because: LoadCause | None = None) -> RootVerdict:
    loads = tuple(Load(platform=platform, outcome=outcome, because=because) for platform in (OLDEST, NEWEST))
    return RootVerdict(path=path, host="python", loads=loads)


def case(path: str = f"dist/{WHEEL}", **changes: Any) -> Case:
    """A wheel of one extension module that needs the C library alone."""
    objects = changes.get("objects", (facts(),))
    values: dict[str, Any] = {
        "inventory": inventory(path, objects),
        "tags": (Tag(python="cp311", abi="cp311", platform="manylinux_2_17_x86_64"),),
        "promises": (Promise(tag="manylinux_2_17_x86_64", oldest=OLDEST, judged=(OLDEST, NEWEST), baseline=None),),
        "host": None,
        "roots": (root(),),
        "libraries": (edge(),),
        "resolutions": (),
        "missing_versions": (),
        "counts": counts(platform=3, host=5),
        "providers": (),
        "computed": ComputedPlatform(
            platform="manylinux_2_14_x86_64",
            by_file=((CORE, "manylinux_2_14_x86_64"),),
            because=(Because(file=CORE, soname="libc.so.6", symbol="memcpy", version="GLIBC_2.14"),),
        ),
        **changes,
        "objects": objects,
    }
    return Case(**values)


def inventory(path: str, objects: tuple[ElfFacts, ...]) -> Inventory:
    members = tuple(
        Member(path=one.path, size=one.size, mode=0o755, sha256=f"{index:064x}", kind=FileKind.ELF)
        for index, one in enumerate(objects, start=1)
    )
    name = path.rpartition("/")[2]
    return Inventory(
        path=path, name=name, kind=ArtifactKind.WHEEL, sha256="ab" * 32, size=22_345, members=members, wheel=None, problems=()
    )


def counts(**numbers: int) -> ResolutionCounts:
    bound = tuple((kind, numbers.pop(kind, 0)) for kind in ("member", "host", "platform", "declared"))
    rest = dict.fromkeys(("weak_absent", "version_missing", "symbol_missing", "library_missing", "undecided"), 0)
    return ResolutionCounts(bound=bound, **{**rest, **numbers})


def policy(**changes: Any) -> Policy:
    values: dict[str, Any] = {
        "name": "recommended",
        "description": "What nobody wants.",
        "written_target": ("from-tag", "from-tag"),
        "platform": "from-tag",
        "python": "from-tag",
        "providers": (),
        "settings": (),
        "overrides": (),
        "waivers": (),
        **changes,
    }
    return Policy(**values)


def artifact(*findings: Finding, unchecked: tuple[ReadProblem, ...] = (), **changes: Any) -> ArtifactReport:
    """One artifact, judged with ``--fail-on error`` unless ``verdict`` is given."""
    failed = any(one.level is Level.ERROR and one.waived is None for one in findings)
    verdict = Verdict.FAIL if failed else Verdict.UNCHECKED if unchecked else Verdict.PASS
    values: dict[str, Any] = {"case": case(), "policy": policy(), "verdict": verdict, **changes}
    order = sorted(findings, key=lambda one: (-one.level.rank, one.file, one.rule, one.subject))
    return ArtifactReport(findings=tuple(order), unchecked=unchecked, **values)


def report(*artifacts: ArtifactReport) -> Report:
    verdicts = {one.verdict for one in artifacts}
    worst = next((verdict for verdict in (Verdict.FAIL, Verdict.UNCHECKED) if verdict in verdicts), Verdict.PASS)
    return Report(version="1.2.3", data=(("glibc/x86_64", "2.5-2.44 0123456789ab"),), artifacts=artifacts, verdict=worst)
