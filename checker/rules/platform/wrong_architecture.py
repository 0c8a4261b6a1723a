"""A file is built for another processor than the one that the platform tag names.

## What

Programs and shared libraries whose ELF header (machine, 32 or 64 bit, byte order, and on Arm,
PowerPC, RISC-V and LoongArch the calling convention's flags) is that of no Linux architecture in
the tags. Object files, GPU kernels and BPF programs are left alone.

## Why it breaks

The loader passes over a file for another machine while it searches, so the library counts as
missing; opened by its path it fails: "cannot open shared object file", "wrong ELF class", "Exec
format error".

## Causes and fixes

- A cross build packaged the build machine's files, or a stale build directory was used again: clean
  it, and check `CC` and `--host`.
- The wheel got its tag by hand, or `_PYTHON_HOST_PLATFORM` was not set: `wheel tags --platform-tag`
  gives it the true one.
- A prebuilt binary was downloaded for the wrong machine (`uname -m` inside an emulated container
  tells the kernel's machine).
- A file that is data and is never run: exclude it from this rule with an override for that file.

## References

gABI chapter 4, "ELF Header"; PEP 599 and PEP 600 for the armhf and ppc64le conventions; glibc
`elf/dl-load.c`, `open_verify`.
"""

from __future__ import annotations

from checker.model.artifact import ReadProblem
from checker.model.elf import ElfType
from checker.model.finding import Observation
from checker.model.rule import NoParameters, Rule
from checker.rules.architectures import ABIS, is_native, tagged_architectures
from checker.rules.extension_names import extension_name
from checker.rules.wording import evidence, listing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from checker.model.case import Case
    from checker.model.elf import ElfIdentity


def check(case: Case, parameters: NoParameters) -> Iterator[Observation | ReadProblem]:  # noqa: ARG001 - every rule is asked in the same way
    """One observation for each file that suits no tagged architecture."""
    architectures = tagged_architectures(case)
    unknown = tuple(name for name in architectures if name not in ABIS)
    if unknown:
        yield ReadProblem(
            file=case.inventory.name,
            reason=f"architecture {listing(unknown)} is not known: whether the files are built for it was not checked",
        )
        return
    for facts in case.objects:
        # What bears the name of an extension module is opened as one, whatever its header says.
        is_extension = extension_name(facts.path) is not None
        if not architectures or not (is_native(facts) or is_extension):
            continue
        faults = [ABIS[name].fault(facts.identity) for name in architectures]
        if is_extension and facts.identity.type != ElfType.ET_DYN:
            faults = [fault or f"type {facts.identity.type}, no shared object" for fault in faults]
        if not all(faults):
            continue
        promised = listing(architectures)
        yield Observation(
            file=facts.path,
            subject=_described(facts.identity),
            message=f"is built for {_described(facts.identity)} ({faults[0]}), and the tag promises {promised}",
            evidence=evidence(
                machine=str(facts.identity.machine),
                bits=facts.identity.bits,
                byte_order="little" if facts.identity.little_endian else "big",
                flags=f"{facts.identity.flags:#x}",
                differs=tuple(faults),
                promised=architectures,
            ),
            remedy=f"Build the file for {promised}, or give the wheel the tag of the machine that it was built for: "
            "wheel tags --platform-tag TAG WHEEL",
        )


def _described(identity: ElfIdentity) -> str:
    """The architecture as tags call it; else the header's own words."""
    exact = next((name for name, abi in ABIS.items() if not abi.fault(identity)), None)
    if exact is not None:
        return exact
    order = "little" if identity.little_endian else "big"
    return f"{identity.machine} ({identity.bits}-bit, {order}-endian, flags {identity.flags:#x})"


RULE = Rule(id="wrong-architecture", family="platform", parameters=NoParameters, check=check, doc=__doc__ or "")
