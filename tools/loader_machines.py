"""Builds the loader cases of aarch64 and i686, and measures what real loaders make of them.

``testdata/loader/machines/README.md`` tells how. The tests need neither: the files and what was measured lie there.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

from tools.fixtures.recipes import TESTDATA
from tools.fixtures.toml import read_toml

FOLDER = TESTDATA / "loader" / "machines"
LOADERS = ("glibc-2.31", "glibc-2.36", "glibc-2.41", "glibc-2.43", "musl-1.2.3", "musl-1.2.5", "musl-1.2.6")
_OLDEST = "2.31"
_COMPILE = ["-O1", "-fPIC", "-g0", "-w", "-fno-stack-protector", "-fno-asynchronous-unwind-tables", "-fno-sanitize=all"]
_PLAIN = ["-O1", "-g0", "-w", "-s", "-no-pie", "-fno-pie"]
_LINK = ["-shared", "-z", "lazy", "--hash-style=gnu", "--build-id=none", "--enable-new-dtags", "--strip-all"]
_PAGES = ["-z", "max-page-size=4096", "-z", "common-page-size=4096", "-z", "noseparate-code"]
_MACHINES: dict[str, dict[str, Any]] = {
    "aarch64": {
        "target": "aarch64-linux-gnu",
        "bfd": ["aarch64-linux-gnu-ld"],
        "assembler": ["aarch64-linux-gnu-as"],
        "debian": "arm64",
        "glibc": "ld-linux-aarch64.so.1",
        "musl": "ld-musl-aarch64.so.1",
        "run": ["qemu-aarch64"],
        "descriptors": [],
        "address": "adrp x0, {0}; add x0, x0, :lo12:{0}; ret",
        "traditional": "adrp x0, :tlsgd:{0}; add x0, x0, :tlsgd_lo12:{0}; bl __tls_get_addr; nop",
    },
    "i686": {
        "target": "x86-linux-gnu",
        "bfd": ["ld.bfd", "-m", "elf_i386"],
        "assembler": ["as", "--32"],
        "debian": "i386",
        "glibc": "ld-linux.so.2",
        "musl": "ld-musl-i386.so.1",
        "run": [],
        "descriptors": ["-mtls-dialect=gnu2"],
        "address": "movl ${0}, %eax; ret",
        "traditional": "leal {0}@tlsgd(,%ebx,1), %eax; call ___tls_get_addr@PLT",
    },
}
_PROGRAM = """
#include <dlfcn.h>
#include <stdio.h>
int main(int count, char **words) {
    if (count < 3) return 2;
    if (dlopen(words[2], words[1][0] == 'n' ? RTLD_NOW : RTLD_LAZY)) { puts("loads"); return 0; }
    puts(dlerror());
    return 1;
}
"""
_BINDING = re.compile(r"binding file (\S+) \[0\] to (\S+) \[0\]: (?:normal|protected) symbol `([^']+)'(?: \[([^\]]+)\])?")


def cases() -> dict[str, dict[str, Any]]:
    """Every case by its name."""
    return read_toml(FOLDER / "cases.toml")


def machines_of(case: dict[str, Any]) -> list[str]:
    """The machines for which a case is built."""
    return list(case.get("machines", _MACHINES))


def build() -> None:
    """Build every case into ``MACHINE/CASE``, and write the manifest."""
    for machine in _MACHINES:
        shutil.rmtree(FOLDER / machine, ignore_errors=True)
    for name, case in cases().items():
        for machine in machines_of(case):
            folder = FOLDER / machine / name
            folder.mkdir(parents=True)
            for step in case["steps"]:
                _build_step(step, machine, folder)
    files = sorted(path for machine in _MACHINES for path in (FOLDER / machine).rglob("*") if path.is_file())
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(FOLDER).as_posix()}\n" for path in files]
    (FOLDER / "SHA256SUMS").write_text("".join(lines))


def _build_step(step: dict[str, Any], machine: str, folder: Path) -> None:
    tools = _MACHINES[machine]
    zig = [sys.executable, "-m", "ziglang"]
    compiler = [*zig, "cc", "-target", f"{tools['target']}.{_OLDEST}"]
    if "program" in step:
        extra = step.get("source") or f'__asm__(".globl fill\\nfill: {tools["address"].format(step["address_of"])}\\n");'
        _compile([*compiler, *_PLAIN, *_shared(step)], folder, _PROGRAM + extra)
        return
    if "traditional" in step:
        # LLVM knows TLS descriptors only, on aarch64.
        code = tools["traditional"].format(step["traditional"])
        _compile([*tools["assembler"], "-o", "step.o"], folder, f".globl root\nroot: {code}\n.section .note.GNU-stack\n")
    else:
        flags = tools["descriptors"] if step.get("descriptors") else []
        _compile([*compiler, *_COMPILE, *flags, "-c", "-o", "step.o"], folder, step["source"])
    linker = tools["bfd"] if step.get("linker") == "bfd" or "traditional" in step else [*zig, "ld.lld"]
    link = [*linker, *_LINK, *_PAGES, "-soname", step["build"], *step.get("link", ()), "-o", step["build"], "step.o"]
    if "versions" in step:
        (folder / "step.map").write_text(step["versions"])
        link += ["--version-script", "step.map"]
    _run([*link, *step.get("libraries", ()), "-rpath", "$ORIGIN"], folder)
    (folder / "step.o").unlink()
    (folder / "step.map").unlink(missing_ok=True)
    data = bytearray((folder / step["build"]).read_bytes())
    if "retype" in step:
        _retype(data, *step["retype"])
    for name in step.get("hide", ()):
        _set_visibility(data, name.encode(), 2)
    for name in step.get("protect", ()):
        _set_visibility(data, name.encode(), 3)
    (folder / step["build"]).write_bytes(data)


def _shared(step: dict[str, Any]) -> list[str]:
    return ["-o", step["program"], *step.get("link", ()), *step.get("libraries", ()), "-Wl,-rpath,$ORIGIN"]


def _compile(command: list[str], folder: Path, source: str) -> None:
    (folder / "step.c").write_text(source)
    _run([*command, "step.c"], folder)
    (folder / "step.c").unlink()


def _run(command: list[str], folder: Path) -> None:
    done = subprocess.run(command, cwd=folder, text=True, capture_output=True, check=False)
    if done.returncode:
        sys.exit(f"{folder}: {' '.join(command)}\n{done.stderr[:2000]}")


def _sections(data: bytearray) -> list[tuple[int, int, int, int]]:
    """(type, file offset, bytes, linked section) of every section."""
    wide = data[4] == 2  # noqa: PLR2004 - ELFCLASS64
    (start,) = struct.unpack_from("<Q" if wide else "<I", data, 40 if wide else 32)
    size, count = struct.unpack_from("<HH", data, 58 if wide else 46)
    layout = "<4xI16xQQI" if wide else "<4xI8xIII"
    return [struct.unpack_from(layout, data, start + number * size) for number in range(count)]


def _retype(data: bytearray, old: int, new: int) -> None:
    """Give relocations of one type another; 386 has its own numbers."""
    wide = data[4] == 2  # noqa: PLR2004
    if not wide:
        old, new = 1, 10  # R_386_32, R_386_GOTPC
    for kind, offset, size, _ in _sections(data):
        if kind not in {4, 9}:
            continue
        for place in range(offset, offset + size, 24 if wide else 8):
            at, code = (place + 8, "<I") if wide else (place + 4, "<B")
            if struct.unpack_from(code, data, at) == (old,):
                struct.pack_into(code, data, at, new)


def _set_visibility(data: bytearray, name: bytes, visibility: int) -> None:
    """Set ``st_other`` of a dynamic symbol."""
    wide = data[4] == 2  # noqa: PLR2004
    sections = _sections(data)
    _, start, size, link = next(one for one in sections if one[0] == 11)  # noqa: PLR2004 - SHT_DYNSYM
    strings = sections[link][1]
    for place in range(start, start + size, 24 if wide else 16):
        (offset,) = struct.unpack_from("<I", data, place)
        if data.startswith(name + b"\0", strings + offset):
            data[place + (5 if wide else 13)] = visibility


def measure(roots: Path) -> None:
    """Ask every loader for every case, and write the verdicts.

    Args:
        roots: a folder with Debian's ``libc6`` or ``musl`` of each release and machine, unpacked in ``LOADER-ARCHITECTURE``.
    """
    verdicts: dict[str, Any] = {}
    for machine, tools in _MACHINES.items():
        plain = roots / f"driver-{machine}"
        zig = [sys.executable, "-m", "ziglang", "cc", "-target", f"{tools['target']}.{_OLDEST}"]
        _compile([*zig, *_PLAIN, "-o", plain.name], roots, _PROGRAM)
        for name, case in cases().items():
            if machine not in machines_of(case):
                continue
            folder = FOLDER / machine / name
            program = folder / case["executable"] if "executable" in case else plain
            for each in LOADERS:
                root = (roots / f"{each}-{tools['debian']}").resolve()
                name_of_loader = tools[each.partition("-")[0]]
                loader = next(path for path in sorted(root.rglob(name_of_loader)) if path.resolve().is_file())
                verdicts.setdefault(name, {})[f"{each}-{machine}"] = _ask(loader, tools, program, folder)
    lines = []
    for name, measured in sorted(verdicts.items()):
        rows = ",\n".join(f"    {json.dumps(loader)}: {json.dumps(verdict)}" for loader, verdict in measured.items())
        lines.append(f"  {json.dumps(name)}: {{\n{rows}\n  }}")
    (FOLDER / "verdicts.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")


def _ask(loader: Path, tools: dict[str, Any], program: Path, folder: Path) -> dict[str, Any]:
    """What one loader says with RTLD_NOW and RTLD_LAZY, and what it bound with RTLD_NOW; musl does not tell that."""
    verdict: dict[str, Any] = {}
    for mode in ("now", "lazy"):
        command = [*tools["run"], *(["-E", "LD_DEBUG=bindings"] if tools["run"] else []), str(loader)]
        command += ["--library-path", str(loader.resolve().parent), str(program), mode, str(folder / "root.so")]
        environment = os.environ if tools["run"] else {**os.environ, "LD_DEBUG": "bindings"}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)
        said = done.stdout.strip().replace(f"{folder}/", "")
        verdict[mode] = "loads" if done.returncode == 0 and said == "loads" else "fails"
        if verdict[mode] == "fails":
            verdict[f"{mode}_because"] = said or f"the process ended with {done.returncode}"
        if mode == "now":
            verdict["bindings"] = _bindings(done.stderr, folder, program)
    return verdict


def _bindings(log: str, folder: Path, program: Path) -> dict[str, dict[str, str]]:
    """File → symbol → the file that it was bound to, of the case's libraries."""
    own = {str(path): path.name for path in folder.iterdir() if path != program}
    bound: dict[str, dict[str, str]] = {}
    for file, provider, symbol, version in _BINDING.findall(log):
        if file in own:
            bound.setdefault(own[file], {})[symbol + (f"@{version}" if version else "")] = Path(provider).name
    return bound


if __name__ == "__main__":
    if sys.argv[1:] == ["build"]:
        build()
    else:
        measure(Path(sys.argv[1]))
