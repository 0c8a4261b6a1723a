"""Small installations of written files, and what a loader makes of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from checker.bindings import relocated_names
from checker.closure import Distribution, Installation, Process, Setup, install
from checker.elf import read_elf
from checker.exports import Exports
from checker.judge import Judgement, judge
from checker.model.artifact import FileKind
from checker.model.sparse import SparseBytes
from tests.elfwriter import Elf, Relocation, Symbol, write
from tests.loader.kit import LAYOUT
from tests.loader.systems import opener, system

if TYPE_CHECKING:
    from collections.abc import Mapping

    from checker.model.elf import ElfFacts
    from checker.model.resolution import Load

GLOB_DAT, JUMP_SLOT = 6, 7


def facts_of(elf: Elf | bytes, path: str = "x.so") -> ElfFacts:
    """The facts of a written file."""
    data = elf if isinstance(elf, bytes) else write(elf)
    return read_elf(path, SparseBytes(size=len(data), parts=((0, data),)))


def world(files: Mapping[str, Elf | bytes], links: Mapping[str, str] | None = None) -> Installation:
    """Files by path, laid out; links by path with their targets."""
    links = links or {}
    return install(
        LAYOUT,
        Distribution(
            name="",
            objects=tuple(facts_of(elf, path) for path, elf in sorted(files.items())),
            members=tuple((path, FileKind.ELF) for path in files) + tuple((path, FileKind.OTHER) for path in links),
            links=tuple(links.items()),
        ),
    )


def judged(
    installation: Installation,
    root: str = "root.so",
    loader: str = "glibc-2.36",
    setup: Setup | None = None,
    *,
    lazy: bool = False,
) -> Judgement:
    """What a loader says of a root that a plain program opens."""
    platform = system(loader)
    host = opener(loader, interpreter=False)
    process = Process(installation, platform=platform.id, baseline=platform, host=host, setup=setup)
    number = next(position for position, facts in enumerate(installation.objects) if facts.path == root)
    exports = Exports(installation.objects, relocated_names(installation.objects))
    return judge(process, exports, (number,), frozenset(), lazy=lazy)


def load(installation: Installation, root: str = "root.so", loader: str = "glibc-2.36", setup: Setup | None = None) -> Load:
    """The verdict for one root."""
    return next(iter(judged(installation, root, loader, setup).loads.values()))


def asking(*names: str, needed: tuple[str, ...] = ("liba.so",), runpath: str | None = "$ORIGIN", type: int = GLOB_DAT) -> Elf:  # noqa: A002
    """An object that refers to names by GOT entries."""
    return Elf(
        needed=needed,
        runpath=runpath,
        symbols=tuple(Symbol(name=name) for name in names),
        relocations=tuple(Relocation(type=type, symbol=name) for name in names),
    )
