"""This machine's libraries, its Python, and what its loader does with a shared object.

:class:`Machine` gives them to the checker as a platform and a host; :class:`Site` asks the loader itself. Needs Linux on x86_64
with glibc and gcc.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from checker.elf import read_elf
from checker.model.platform import PlatformId
from checker.model.sparse import SparseBytes
from tools.measured import MeasuredBaseline, MeasuredHost, MeasuredLibrary

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from checker.closure import Installation, Preload
    from checker.model.elf import ElfFacts

INTERPRETER = "(interpreter)"
LONGEST_RUN = 300
"""Seconds after which a process is given up."""

DRIVER = r"""
#include <dlfcn.h>
#include <stdio.h>
int main(int count, char **words)
{
    for (int i = 1; i < count; i++) {
        int is_root = i == count - 1, is_global = words[i][0] == 'g';
        if (is_root) dprintf(2, "\nOPENING\n");
        if (!dlopen(words[i] + 1, RTLD_NOW | (is_global ? RTLD_GLOBAL : RTLD_LOCAL))) {
            dprintf(2, "\nREFUSED %s\n", dlerror());
            return 1;
        }
    }
    dprintf(2, "\nOPENED\n");
    return 0;
}
"""
"""Takes paths, each behind ``g`` (RTLD_GLOBAL) or ``l``; the last is the root. It refers to no data of libc, which would become
COPY relocations and change what others bind to."""
INTERPRETED = r"""
import ctypes, os, sys
for place, word in enumerate(sys.argv[1:], 2):
    if place == len(sys.argv):
        os.write(2, b"\nOPENING\n")
    try:
        ctypes.CDLL(word[1:], mode=os.RTLD_NOW | (os.RTLD_GLOBAL if word[0] == "g" else os.RTLD_LOCAL))
    except OSError as error:
        os.write(2, f"\nREFUSED {error}\n".encode())
        os._exit(1)
os.write(2, b"\nOPENED\n")
os._exit(0)
"""
"""The same, where there is no libpython to link to."""

_BINDING = re.compile(rb"binding file (.+?) \[\d+\] to (.+?) \[\d+\]: \w+ symbol [`'](.+?)'(?: \[(.+?)\])?\s*$")
_CACHED = re.compile(r"\s(\S+) \(libc6,x86-64[^)]*\) => (/\S+)")

Lookup = tuple[bytes, "bytes | None"]
"""Symbol and version asked for."""
Bindings = dict[str, dict[Lookup, str]]
"""Member path → lookup → who it was bound to: a member path, a soname or :data:`INTERPRETER`."""


def facts_of(path: Path) -> ElfFacts:
    """The facts of a file of this machine."""
    data = path.read_bytes()
    return read_elf(str(path), SparseBytes(size=len(data), parts=((0, data),)))


class Machine:
    """This machine's libraries and its Python, as a platform and a host.

    Attributes:
        command: starts a process with the interpreter's global scope; paths follow, see :data:`DRIVER`.
        platform: which one this is.
        interpreter: the files that are the interpreter.
        host: the same for the checker.
        lib: what ``$LIB`` stands for.
    """

    def __init__(self, folder: Path) -> None:
        """Builds what is needed in ``folder``."""
        release = tuple(int(part) for part in os.confstr("CS_GNU_LIBC_VERSION").split()[1].split("."))  # type: ignore[union-attr]
        self.platform = PlatformId(family="glibc", release=release, architecture="x86_64")
        program, libpython = Path(sys.executable).resolve(), _libpython()
        self.command: tuple[str, ...] = (str(program), "-I", "-c", INTERPRETED)
        self.interpreter: tuple[Path, ...] = (program,)
        if libpython is not None:
            program = _built_driver(folder, libpython)
            self.command = (str(program),)
            self.interpreter = (program, libpython)
        self._cache = _library_cache()
        self._libraries: dict[str, MeasuredLibrary] = {}
        facts = tuple(map(facts_of, self.interpreter))
        brought = tuple(self._closure(name for one in facts for name in one.needed))
        self.host = MeasuredHost(name="python", libraries=brought, facts=facts)
        self.lib = str(Path(self._cache["libc.so.6"]).parent).lstrip("/")

    def baseline(self, objects: Iterable[ElfFacts]) -> MeasuredBaseline:
        """The platform's libraries that these objects may need, with what those need in turn."""
        for _ in self._closure(name for facts in objects for name in (*facts.needed, *facts.filter, *facts.auxiliary)):
            pass
        return MeasuredBaseline(id=self.platform, libraries=self._libraries)

    def _closure(self, names: Iterable[str]) -> Iterator[str]:
        """Breadth first, the names that this machine's cache knows; their files are read on the way."""
        queue = list(dict.fromkeys(names))
        for name in queue:
            if name not in self._cache or name.startswith("libpython"):
                continue
            if name not in self._libraries:
                self._libraries[name] = MeasuredLibrary(facts=facts_of(Path(self._cache[name])))
            queue += [needed for needed in self._libraries[name].needed if needed not in queue]
            yield name

    def name_of(self, path: str) -> str:
        """How the checker calls a file outside the wheel."""
        real = Path(path).resolve()
        if real in {one.resolve() for one in self.interpreter}:
            return INTERPRETER
        names = (library.soname for name, library in self._libraries.items() if Path(self._cache[name]).resolve() == real)
        return next(names, real.name)


def _libpython() -> Path | None:
    folder, name = sysconfig.get_config_var("LIBDIR"), sysconfig.get_config_var("INSTSONAME")
    path = Path(folder or "", name or "")
    return path if sysconfig.get_config_var("Py_ENABLE_SHARED") and path.is_file() else None


def _built_driver(folder: Path, libpython: Path) -> Path:
    source, program = folder / "driver.c", folder / "driver"
    source.write_text(DRIVER)
    flags = ("-O1", "-Wl,--no-as-needed", str(libpython), f"-Wl,-rpath,{libpython.parent}", "-ldl")
    subprocess.run(("gcc", "-o", program, source, *flags), check=True)
    return program


def _library_cache() -> dict[str, str]:
    """Name → path of ``ld.so.cache``; the first entry of a name is the one for this processor."""
    printer = shutil.which("ldconfig", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin") or "ldconfig"
    printed = subprocess.run((printer, "-p"), capture_output=True, text=True, check=True).stdout
    names: dict[str, str] = {}
    for name, path in _CACHED.findall(printed):
        names.setdefault(name, path)
    return names


# The loader's answer


@dataclass
class Opening:
    """What the loader did with one root.

    Attributes:
        loads: it was loaded; its constructors were not waited for.
        message: why not.
        complete: relocation came to its end, perhaps with unresolved symbols passed over.
        bindings: of the wheel's objects.
    """

    loads: bool
    message: str
    complete: bool
    bindings: Bindings


class Site:
    """The wheels as they were laid out on disk, and how the loader's paths are called in the checker's terms."""

    def __init__(self, folder: Path, installation: Installation, machine: Machine) -> None:
        """``folder`` stands for the root of the file system of the layout."""
        self.folder = folder
        self._installation = installation
        self._machine = machine
        self._names: dict[bytes, str] = {}

    def path(self, member: str) -> str:
        """Where a member lies on disk."""
        return f"{self.folder}{self._installation.layout.installed(member)}"

    def name_of(self, path: bytes) -> str:
        """Member path, soname or interpreter."""
        known = self._names.get(path)
        if known is None:
            known = self._names[path] = self._called(os.path.normpath(os.fsdecode(path)))
        return known

    def _called(self, path: str) -> str:
        place = path.removeprefix(str(self.folder))
        number = self._installation.places.get(place)
        return self._installation.objects[number].path if number is not None else self._machine.name_of(path)

    def is_member(self, name: str) -> bool:
        """The name is that of a member."""
        return self._installation.layout.installed(name) in self._installation.places

    def open(self, member: str, preloads: Sequence[Preload]) -> Opening:
        """Open a member as the interpreter would; where that fails, once more with unresolved symbols passed over."""
        words = [f"{'g' if one.is_global else 'l'}{self.path(one.path)}" for one in preloads]
        command = (*self._machine.command, *words, f"l{self.path(member)}")
        first = self._run(command, "bindings,files")
        if first.loads:
            return first
        # LD_DEBUG=unused makes elf/dl-lookup.c silent about undefined symbols.
        second = self._run(command, "bindings,files,unused")
        return Opening(loads=False, message=first.message, complete=second.loads, bindings=second.bindings)

    def _run(self, command: Sequence[str], debug: str) -> Opening:
        environment = {"PATH": os.environ.get("PATH", ""), "LD_DEBUG": debug, "LC_ALL": "C"}
        bindings: Bindings = {}
        with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
            timer = threading.Timer(LONGEST_RUN, process.kill)
            timer.start()
            loads, message = self._listen(process.stderr or (), bindings)
            timer.cancel()
            process.kill()
        return Opening(
            loads=loads,
            message=message or ("" if loads else f"ended with {process.returncode}"),
            complete=loads,
            bindings=bindings,
        )

    def _listen(self, lines: Iterable[bytes], bindings: Bindings) -> tuple[bool, str]:
        """Whether the root was loaded, and why not.

        The lines of interest begin where the driver opens the root. Relocation ends before the first constructor is called
        (``elf/dl-open.c``, ``dl_open_worker``); what is bound later was asked for by running code.
        """
        is_opening = False
        for line in lines:
            if not is_opening:
                is_opening = line.startswith(b"OPENING")
            elif b"binding file " in line:
                self._note(line, bindings)
            elif b"calling init: " in line or line.startswith(b"OPENED"):
                return True, ""
            if line.startswith(b"REFUSED "):
                return False, line[8:].decode("utf-8", "backslashreplace").strip().replace(str(self.folder), "")
        return False, ""

    def _note(self, line: bytes, bindings: Bindings) -> None:
        found = _BINDING.search(line)
        if found is None:
            message = f"a line of LD_DEBUG=bindings that is not understood: {line!r}"
            raise ValueError(message)
        needer, target, symbol, version = found.groups()
        name = self.name_of(needer)
        if self.is_member(name):
            enter(bindings.setdefault(name, {}), (symbol, version), self.name_of(target))


def enter(lookups: dict[Lookup, str], lookup: Lookup, provider: str) -> None:
    """Note a binding; an address and a call of one symbol can have two, as a program's PLT entry serves addresses only."""
    known = lookups.setdefault(lookup, provider)
    if known != provider:
        lookups[lookup] = " and ".join(sorted({*known.split(" and "), provider}))
