"""A small wheel of two real ELF files, and all that a resolver would say of it; for ``show`` and ``explain``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from checker.elf import read_elf
from checker.model.artifact import FileKind, Member
from checker.model.closure import Closure, FoundBy, ProviderKind
from checker.model.record import replace
from checker.model.resolution import LoadCause, LoadOutcome, Outcome, Via
from checker.model.sparse import SparseBytes
from tests.elfwriter import DEFINED, X86_64, Elf, NeededVersion, Relocation, Symbol, VersionNeed, write
from tests.report import builders as build

if TYPE_CHECKING:
    from checker.model.elf import ElfFacts
    from checker.model.report import ArtifactReport

ADD = "_ZN3foo3addEii"  # foo::add(int, int)
TYPE = "PyLong_Type"
CORE = Elf(
    needed=("libfoo-1a2b3c4d.so.1", "libbar.so.2", "libc.so.6"),
    runpath="$ORIGIN/../pkg.libs",
    symbols=(
        Symbol(name="memcpy", version=2),
        Symbol(name=ADD),
        Symbol(name="foo_open"),
        Symbol(name=TYPE),
        Symbol(name="unused"),
        Symbol(name="PyInit__core", shndx=DEFINED),
    ),
    version_needs=(VersionNeed("libc.so.6", (NeededVersion("GLIBC_2.14", 2),)),),
    plt_relocations=tuple(Relocation(type=X86_64.jump_slot, symbol=name) for name in ("memcpy", ADD, "foo_open")),
    relocations=(Relocation(type=X86_64.glob_dat, symbol=TYPE),),
)
FOO = Elf(
    soname="libfoo-1a2b3c4d.so.1",
    needed=("libc.so.6",),
    symbols=(Symbol(name=ADD, shndx=DEFINED), Symbol(name="memcpy")),
)
UNVERSIONED = {"version": None, "provider_version": None}


def facts(path: str, elf: Elf) -> ElfFacts:
    data = write(elf)
    return read_elf(path, SparseBytes(size=len(data), parts=((0, data),)))


def artifact() -> ArtifactReport:
    """A wheel whose extension module lacks ``libbar.so.2``, and with it ``foo_open``."""
    objects = (facts(build.CORE, CORE), facts(build.LIBRARY, FOO))
    because = LoadCause(kind="library", object=build.CORE, subject="libbar.so.2")
    inner = build.edge(needer=build.LIBRARY, how=FoundBy.ALREADY_LOADED)
    edges = (build.member_edge(), build.missing_edge(), build.edge(), inner)
    case = build.case(
        objects=objects,
        roots=(build.root(outcome=LoadOutcome.FAILS, because=because),),
        libraries=edges,
        resolutions=(build.resolution(outcome=Outcome.LIBRARY_MISSING, candidates=("libother.so.9",)),),
    )
    text = Member(path="pkg/core.py", size=12, mode=0o644, sha256="", kind=FileKind.OTHER)
    case = replace(case, inventory=replace(case.inventory, members=(*case.inventory.members, text)))
    bindings = (
        build.binding(),
        build.binding(ADD.encode(), provider=ProviderKind.MEMBER, path=build.LIBRARY, **UNVERSIONED),
        build.binding(TYPE.encode(), provider=ProviderKind.HOST, path="cpython-3.11", via=Via.INTERPRETER, **UNVERSIONED),
        build.binding(
            b"foo_open", outcome=Outcome.LIBRARY_MISSING, provider=ProviderKind.NONE, path=None, via=None, **UNVERSIONED
        ),
        build.binding(object=build.LIBRARY, via=Via.SIBLING, version=None),
    )
    member: dict[str, Any] = {"provider": ProviderKind.MEMBER, "path": build.LIBRARY, **UNVERSIONED}
    interpreter = build.met("cpython-3.11", provider=ProviderKind.HOST)
    root = build.met(build.CORE, provider=ProviderKind.MEMBER)
    holder = build.met(build.LIBRARY, "defines it", ProviderKind.MEMBER)
    others = tuple(build.met(f"libother{number}.so") for number in range(9))
    missing: dict[str, Any] = {"provider": ProviderKind.NONE, "path": None, "via": None, **UNVERSIONED}
    older = build.met("libc.so.6", "has it in other versions only: GLIBC_2.2.5")
    lookups = (
        build.lookup(platforms=(build.NEWEST,), later=(root, *others)),
        build.lookup(
            outcome=Outcome.VERSION_MISSING, **{**missing, "version": b"GLIBC_2.14"}, platforms=(build.OLDEST,),
            met=(interpreter, older, root), rule="a versioned lookup ends at the file that the version need names",
        ),
        build.lookup(ADD.encode(), **member, via=Via.SIBLING, roots=("pkg/a.so", "pkg/b.so", "pkg/c.so", "pkg/d.so"),
                     met=(interpreter, *others, root, holder)),
        build.lookup(ADD.encode(), **member, via=Via.PRELOAD, met=(holder,)),
        build.lookup(b"foo_open", outcome=Outcome.LIBRARY_MISSING, **missing, met=(interpreter, root)),
    )  # fmt: skip
    closure = Closure(root=build.CORE, platform=build.OLDEST, scope=(), edges=edges, fatal=())
    findings = (
        build.finding(),
        build.finding(
            "unresolved-symbol",
            subject="foo_open",
            message="calls foo_open, which nobody defines",
            evidence=(("symbols", ("foo_open", "foo_close@FOO_1")), ("uses", "call")),
            remedy="link with -lbar",
        ),
    )
    return build.artifact(
        *findings, case=case, bindings=bindings, closures=(closure,), lookups=lookups, unchecked=(build.problem(),)
    )
