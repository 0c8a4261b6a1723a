"""The loader must write into a file's code before it can run.

## What

Programs, libraries and extension modules with DT_TEXTREL or DF_TEXTREL: code that was not compiled
to be position-independent, and that the loader patches with the address at which it lies.

## Why it breaks

Where writing to code is forbidden, the load fails with "cannot make segment writable for
relocation" or "cannot restore segment prot after reloc: Permission denied": in services with
systemd's `MemoryDenyWriteExecute=yes`, after `prctl(PR_SET_MDWE)`, and under SELinux without
`execmod`. glibc asks for the permission as soon as the tag is there, whether or not a relocation
needs it. Elsewhere the file loads; its code is writable for a while, and each process has a copy
of it in place of sharing one.

## Causes and fixes

- A source that was compiled without `-fPIC`, or a static library that was: add it (CMake:
  `POSITION_INDEPENDENT_CODE ON`). `-Wl,-z,text` makes the linker fail and name the object.
- `-Wl,-z,notext`, which allows it: lld then sets the tag in any case. Remove the flag.
- GraalVM's native-image, which did so up to its releases of 2024: build with a newer one.
- Assembly with absolute addresses, which no flag changes (32-bit x86 above all; `movabs $table, %rax`
  on x86-64): use PC-relative addresses (`lea table(%rip), %rax`) or the GOT.

## References

gABI chapter 5, "Dynamic Section" (DT_TEXTREL, DF_TEXTREL); glibc `elf/dl-reloc.c`,
`_dl_relocate_object`; musl `ldso/dynlink.c`, `map_library`; `prctl(2)`, PR_SET_MDWE;
systemd.exec(5); oracle/graal#1443, oracle/graal#8768.
"""

from __future__ import annotations

from checker.model.finding import Observation
from checker.model.rule import NoParameters, Rule
from checker.rules.architectures import is_native
from checker.rules.wording import evidence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from checker.model.case import Case

_DT_TEXTREL = 22
_PT_LOAD = 1
_PF_X = 1
_PF_W = 2


def check(case: Case, parameters: NoParameters) -> Iterator[Observation]:  # noqa: ARG001 - every rule is asked in the same way
    """One observation for each such file."""
    for facts in case.objects:
        if not facts.text_relocations or not is_native(facts):
            continue
        read_only = [each for each in facts.segments if each.type == _PT_LOAD and not each.flags & _PF_W and each.memory_size]
        yield Observation(
            file=facts.path,
            subject="DT_TEXTREL",
            message="is marked as having text relocations: the loader makes its code writable, which systems that forbid it "
            "(SELinux, systemd's MemoryDenyWriteExecute) answer with a failed load",
            evidence=evidence(
                tag="DT_TEXTREL" if any(tag == _DT_TEXTREL for tag, _ in facts.dynamic) else "DT_FLAGS: DF_TEXTREL",
                made_writable=tuple(
                    f"PT_LOAD at {each.address:#x}, {each.memory_size} bytes{' of code' if each.flags & _PF_X else ''}"
                    for each in read_only
                ),
            ),
            remedy="Compile everything in it with -fPIC and link it with -Wl,-z,text, which names the object that is not, "
            "in place of -Wl,-z,notext; assembly needs PC-relative addresses",
        )


RULE = Rule(id="text-relocations", family="hardening", parameters=NoParameters, check=check, doc=__doc__ or "")
