"""The loader kit: one TOML file a case, with sources, steps and what the real loaders did; built here, judged by us."""

from __future__ import annotations

import shutil
import sysconfig
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from checker.closure import Distribution, Installation, Preload, Setup, install
from checker.elf import read_elf
from checker.model.artifact import FileKind
from checker.model.elf import ElfReadError
from checker.model.layout import Layout
from checker.model.sparse import SparseBytes
from tests.loader.surgery import change
from tools.fixtures.recipes import TESTDATA
from tools.fixtures.toml import read_toml
from tools.fixtures.toolchain import run

if TYPE_CHECKING:
    from pathlib import Path

FOLDER = TESTDATA / "loader"
LAYOUT = Layout(python="python3.11")
PROGRAM = """
#include <dlfcn.h>
#ifdef EXE_EXTRA
#include "exe_extra.h"
#endif
int main(int count, char **words) { return count < 2 || !dlopen(words[1], RTLD_NOW); }
"""

# Predictable code: PLT and GOT as written, able to be lazy, no C library unless asked for.
_COMPILE = ["-O1", "-fPIC", "-w", "-fno-stack-protector", "-fcf-protection=none", "-fno-asynchronous-unwind-tables"]
_LINK = ["-shared", "-Wl,--hash-style=gnu,-z,lazy,--no-as-needed,-z,noexecstack,--build-id=none,--enable-new-dtags"]


@dataclass(frozen=True)
class Case:
    """One case.

    Attributes:
        name: of its file.
        root: the object that is opened.
        setup: how the process is started.
        steps: how it is built, in order.
        sources: file name → text.
        measured: loader → what it did with RTLD_NOW and, where it was tried, with RTLD_LAZY: ``loads`` or ``fails``; what a
            rule says of a loader that was not at hand, too.
        bindings: loader → file → ``symbol`` or ``symbol@version`` → the file that it was bound to.
    """

    name: str
    root: str
    setup: dict[str, Any]
    steps: list[dict[str, Any]]
    sources: dict[str, str]
    measured: dict[str, list[str]]
    bindings: dict[str, dict[str, dict[str, str]]]

    @property
    def needs_lld(self) -> bool:
        """It is linked by lld."""
        return any("-fuse-ld=lld" in step.get("flags", ()) for step in self.steps)


def read_case(path: Path) -> Case:
    """The case of a file."""
    table = read_toml(path)
    return Case(
        name=path.stem,
        root=table["root"],
        setup=table.get("setup", {}),
        steps=table["steps"],
        sources=table["sources"],
        measured={**table["measured"], **table.get("by_rule", {})},
        bindings=table.get("bindings", {}),
    )


CASES = {path.stem: read_case(path) for path in sorted(FOLDER.glob("*.toml"))}


def build(case: Case, folder: Path) -> None:
    """Build a case in an empty folder; its sources lie in a second one beside it."""
    sources = folder.with_name(folder.name + ".sources")
    for place in (folder, sources):
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
    for name, text in case.sources.items():
        (sources / name).write_text(text)
    for step in case.steps:
        _build_step(step, folder, sources)


def _build_step(step: dict[str, Any], folder: Path, sources: Path) -> None:
    if "build" in step:
        _build_library(step, folder, sources)
    elif "program" in step:
        _build_program(step, folder, sources)
    elif "patch" in step:
        change(folder / step["patch"], *step["change"])
    else:
        _arrange(step, folder)


def _arrange(step: dict[str, Any], folder: Path) -> None:
    """A step that moves, removes or makes files; its first key says which."""
    what, name = next(iter(step.items()))
    place = folder / name if isinstance(name, str) else folder
    place.parent.mkdir(parents=True, exist_ok=True)
    if what == "remove":
        shutil.rmtree(place) if place.is_dir() else place.unlink()
    elif what == "rename":
        old, new = (folder / one for one in name)
        old.rename(new / old.name if new.is_dir() else new)
    elif what == "copy":
        old, new = (folder / one for one in name)
        shutil.copy2(old, new)
    elif what == "folder":
        place.mkdir()
    elif what == "empty":
        place.touch()
    elif what == "text":
        place.write_text(step["content"])
    elif what == "link":
        place.symlink_to(step["to"])
    elif what == "debug_file":
        run(("objcopy", "--only-keep-debug", name, name), folder)
    else:
        assert what == "class32", step
        place.write_bytes(_as_class_32(place.read_bytes()))


def _as_class_32(data: bytes) -> bytes:
    """An ELF32 header without program headers, and as many bytes as a loader reads before it looks at the class."""
    return data[:4] + b"\x01" + data[5:16] + b"\x03\0\x03\0\x01\0\0\0" + bytes(16) + b"\x34\0\x20" + bytes(64)


def _build_library(step: dict[str, Any], folder: Path, sources: Path) -> None:
    output = folder / step["build"]
    output.parent.mkdir(parents=True, exist_ok=True)
    command = ["g++" if step.get("language") == "c++" else "gcc", *_COMPILE, *_LINK, "-o", str(output)]
    command += [] if step.get("libc") else ["-nostdlib"]
    command += [str(sources / name) for name in step["sources"]]
    command += _options(step, folder)
    if step.get("python"):
        command.append(f"-I{sysconfig.get_paths()['include']}")
    if "versions" in step:
        command.append(f"-Wl,--version-script,{sources / step['versions']}")
    run(command, folder)


def _build_program(step: dict[str, Any], folder: Path, sources: Path) -> None:
    (sources / "program.c").write_text(PROGRAM)
    command = ["gcc", "-O1", "-w", *step.get("flags", ()), "-o", str(folder / step["program"]), str(sources / "program.c")]
    run([*command, *_options({**step, "flags": ()}, folder)], folder)


def _options(step: dict[str, Any], folder: Path) -> list[str]:
    options = [*step.get("flags", ()), *(str(folder / name) for name in step.get("libraries", ()))]
    if "folder_of_libraries" in step:
        options.insert(0, f"-L{folder / step['folder_of_libraries']}")
    if "soname" in step:
        options.append(f"-Wl,-soname,{step['soname']}")
    if "runpath" in step:
        options.append(f"-Wl,--enable-new-dtags,-rpath,{step['runpath']}")
    if "rpath" in step:
        options.append(f"-Wl,--disable-new-dtags,-rpath,{step['rpath']}")
    return options


def laid_out(folder: Path) -> Installation:
    """Everything in a folder, as if an installer had put it into site-packages."""
    objects = []
    members: list[tuple[str, FileKind]] = []
    folders: list[str] = []
    links: list[tuple[str, str]] = []
    for place in sorted(folder.rglob("*")):
        name = place.relative_to(folder).as_posix()
        if place.is_symlink():
            links.append((name, str(place.readlink())))
        elif place.is_dir():
            folders.append(name)
        else:
            data = place.read_bytes()
            members.append((name, FileKind.ELF if data.startswith(b"\x7fELF") else FileKind.OTHER))
            try:
                objects.append(read_elf(name, SparseBytes(size=len(data), parts=((0, data),))))
            except ElfReadError:
                continue
    return install(
        LAYOUT,
        Distribution(name="", objects=tuple(objects), members=tuple(members), folders=tuple(folders), links=tuple(links)),
    )


def setup_of(case: Case) -> Setup:
    """The process that a case asks for, on a Debian machine."""
    place = LAYOUT.installed
    directory = case.setup.get("directory")
    return Setup(
        executable=case.setup.get("executable"),
        environment_preloads=tuple(case.setup.get("environment_preloads", ())),
        preloads=tuple(
            Preload(path=one["path"], is_global=one.get("global", False), lazy=one.get("lazy", False))
            for one in case.setup.get("preloads", ())
        ),
        library_path=tuple(map(place, case.setup.get("library_path", ()))),
        directory=place(directory) if directory is not None else "/",
        lib="lib/x86_64-linux-gnu",
    )
