"""A file's segments are aligned to smaller pages than kernels of its architecture use.

## What

A PT_LOAD segment with a `p_align` below the largest page size that kernels of the architecture are
built with: 64 KiB on aarch64 and ppc64le, 16 KiB on loongarch64. On the other architectures of
manylinux and musllinux every kernel has pages of 4 KiB.

## Why it breaks

The loader maps whole pages. On a system with larger ones (aarch64: RHEL 8 and many servers have 64
KiB, Asahi and the Raspberry Pi 5 have 16 KiB) it refuses the file: "ELF load command alignment not
page-aligned", or "… address/offset not page-aligned". Where the build ran, all was well.

## Causes and fixes

- patchelf before 0.12 wrote new segments for 4 KiB pages, whatever the machine: repair the wheel
  with a newer auditwheel and patchelf, or with `patchelf --page-size 65536`.
- A linker that was told so, or defaults to it (`lld` before 7, `-z max-page-size=4096`, Rust and Go
  cross builds): `-Wl,-z,max-page-size=65536`.
- `-Wl,-z,max-page-size=16384`, for Android or Apple's machines: use 65536, which serves them too.
  (Android has no pages above 16 KiB, so that nothing is told of a wheel for it alone.)

## References

gABI chapter 5, "Program Loading"; AArch64 and 64-Bit ELF V2 psABIs; glibc `elf/dl-map-segments.h`
and `elf/dl-load.c`, `_dl_map_object_from_fd`; pypa/auditwheel#251.
"""

from __future__ import annotations

from checker.model.elf import Machine
from checker.model.finding import Observation
from checker.model.rule import NoParameters, Rule
from checker.rules.architectures import is_for_linux, is_native
from checker.rules.wording import counted, evidence, listing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from checker.model.case import Case

_PT_LOAD = 1
_KIB = 1024

PAGES: dict[int, tuple[int, ...]] = {
    Machine.EM_AARCH64: (16 * _KIB, 64 * _KIB),  # arch/arm64/Kconfig: ARM64_4K_PAGES, 16K, 64K
    Machine.EM_PPC64: (64 * _KIB,),  # arch/powerpc/Kconfig: PPC_4K_PAGES, 64K
    Machine.EM_LOONGARCH: (16 * _KIB,),  # arch/loongarch/Kconfig: 16 KiB is what distributions build
}
"""Page sizes above 4 KiB that kernels in use have, ascending."""


def check(case: Case, parameters: NoParameters) -> Iterator[Observation]:  # noqa: ARG001 - every rule is asked in the same way
    """One observation for each file."""
    if not is_for_linux(case):
        return
    for facts in case.objects:
        pages = PAGES.get(facts.identity.machine, ())
        loads = [segment for segment in facts.segments if segment.type == _PT_LOAD and segment.memory_size]
        if not pages or not loads or not is_native(facts):
            continue
        smallest = min(segment.alignment for segment in loads)
        refusing = [page for page in pages if page > smallest]
        if not refusing:
            continue
        short = [segment for segment in loads if segment.alignment < pages[-1]]
        sizes = listing([f"{page // _KIB} KiB" for page in refusing])
        yield Observation(
            file=facts.path,
            subject=f"{smallest:#x}",
            message=f"has {counted(len(short), 'segment')} aligned to {smallest:#x}: "
            f"systems with pages of {sizes} cannot load it",
            evidence=evidence(
                segments=tuple(f"PT_LOAD at {each.address:#x}, p_align {each.alignment:#x}" for each in short),
                wanted=f"{pages[-1]:#x}",
            ),
            remedy=f"Link with -Wl,-z,max-page-size={pages[-1]}, and repair the wheel with patchelf 0.12 or later",
        )


RULE = Rule(id="small-page-alignment", family="platform", parameters=NoParameters, check=check, doc=__doc__ or "")
