"""A file does not say that its code is ready for the processor's checks of branches and returns.

## What

x86-64 and aarch64 files whose GNU property note lacks a feature that the parameters ask for: IBT
and SHSTK (Intel CET), BTI and PAC. The linker sets a feature only if every object of the link has
it, so the note speaks for the whole file. Other architectures have no such note and are not judged.

Off by default: few build images have all of their own start files and libraries ready.

## Why it breaks

Nothing breaks, and the protection is not there. glibc maps pages of an aarch64 file with BTI only
if the note has it. Shadow stacks hold for a whole process: one library without SHSTK among those
loaded at the start turns them off, and where they are on, `dlopen` of one fails: "rebuild shared
object with SHSTK support enabled".

## Causes and fixes

- No flag: `-fcf-protection=full` (x86-64), `-mbranch-protection=standard` (aarch64), for C, C++ and
  everything that is linked in. `-Wl,-z,cet-report=error` and, in newer linkers,
  `-Wl,-z,bti-report=error` name the objects without.
- Assembly: start functions with `endbr64` or `bti c` and add the note (`.note.gnu.property`).
- A compiler without such a flag (Go, stable Rust): no remedy; switch the rule off for the file.
- The image's `crti.o`, or a static library of it, lacks the note: a newer image.

## References

x86-64 psABI, "Program Property"; ELF for the Arm 64-bit Architecture, "Program Property"; glibc
`sysdeps/x86/dl-cet.c`, `sysdeps/aarch64/dl-bti.c`; GCC manual, `-fcf-protection`,
`-mbranch-protection`.
"""

from __future__ import annotations

from checker.model.elf import Machine
from checker.model.finding import Observation
from checker.model.record import record
from checker.model.rule import Rule
from checker.rules.architectures import is_native
from checker.rules.wording import evidence, listing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Literal

    from checker.model.case import Case
    from checker.model.elf import ElfFacts

_X86_FEATURE_1_AND = 0xC0000002
_AARCH64_FEATURE_1_AND = 0xC0000000
_X86 = {"IBT": 1 << 0, "SHSTK": 1 << 1}
_AARCH64 = {"BTI": 1 << 0, "PAC": 1 << 1, "GCS": 1 << 2}
_STANDARD = ("-mbranch-protection=standard", "-Wl,-z,bti-report=error")
_CET = ("-fcf-protection=full", "-Wl,-z,cet-report=error")
_FLAGS = {
    "IBT": _CET,
    "SHSTK": _CET,
    "BTI": _STANDARD,
    "PAC": _STANDARD,
    "GCS": ("-mbranch-protection=gcs", "-Wl,-z,gcs-report=error"),
}
"""Feature → what sets it, and what makes the linker name the objects without it."""


@record
class Parameters:
    """Parameters.

    Attributes:
        x86_64: features that the note of an x86-64 file must have.
        aarch64: the same for aarch64; GCS is the shadow stack of the newest processors.
    """

    x86_64: tuple[Literal["IBT", "SHSTK"], ...] = ("IBT", "SHSTK")
    aarch64: tuple[Literal["BTI", "PAC", "GCS"], ...] = ("BTI", "PAC")


def check(case: Case, parameters: Parameters) -> Iterator[Observation]:
    """One observation for each file that lacks a feature."""
    for facts in case.objects:
        if not is_native(facts) or facts.identity.bits != 64:  # noqa: PLR2004 - x32 has no CET
            continue
        wanted: tuple[str, ...]
        if facts.identity.machine == Machine.EM_X86_64:
            wanted, kind, bits = parameters.x86_64, _X86_FEATURE_1_AND, _X86
        elif facts.identity.machine == Machine.EM_AARCH64:
            wanted, kind, bits = parameters.aarch64, _AARCH64_FEATURE_1_AND, _AARCH64
        else:
            continue
        value = _property(facts, kind)
        missing = [name for name in wanted if not value & bits[name]]
        if missing:
            compile_with, link_with = zip(*dict.fromkeys(_FLAGS[name] for name in missing), strict=True)
            yield Observation(
                file=facts.path,
                subject=",".join(missing),
                message=f"is not marked as ready for {listing(missing)}, the processor's checks of branches and returns",
                evidence=evidence(features=tuple(name for name, bit in bits.items() if value & bit), wanted=wanted),
                remedy=f"Compile everything in it with {listing(compile_with)}; link it with {listing(link_with)}, which names "
                "the objects without",
            )


def _property(facts: ElfFacts, kind: int) -> int:
    """The word of a property; 0 where it is absent or no word of 32 bits."""
    words = (data for found, data in facts.notes.properties if found == kind and len(data) == 4)  # noqa: PLR2004
    return int.from_bytes(next(words, b""), "little" if facts.identity.little_endian else "big")


RULE = Rule(id="missing-branch-protection", family="hardening", parameters=Parameters, check=check, doc=__doc__ or "")
