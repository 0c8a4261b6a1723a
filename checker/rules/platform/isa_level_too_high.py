"""A file asks for a newer processor than its platform tag names.

## What

The GNU property note of a file says that its code needs x86-64-v2, v3 or v4
(`GNU_PROPERTY_X86_ISA_1_NEEDED`), and the tag names plain `x86_64` or `i686`. Libraries below
`glibc-hwcaps/x86-64-v3/` and the like are left out for their own level: only a processor that has
it is given them.

## Why it breaks

glibc 2.33 and later refuse the file on an older processor: "CPU ISA level is lower than required".
An older glibc, or musl, loads it, and the process dies of an illegal instruction at some later
point.

## Causes and fixes

- `-march=x86-64-v3`, `-march=native` or `-mavx2` for everything: compile the parts that gain from
  it apart, and choose at run time (`__builtin_cpu_supports`, `__attribute__((target_clones))`, NumPy's
  CPU dispatcher, Highway).
- The build ran with a distribution's compiler that defaults to a higher level (RHEL 9: v2, RHEL 10:
  v3): `-march=x86-64`.
- A marker that says too much: `-Wl,-z,x86-64-baseline`, or link without `-z x86-64-v3`.
- A library copied by the repair tool from such a system: build it in the manylinux image.

## References

x86-64 psABI, "Micro-Architecture Levels" and ".note.gnu.property"; glibc `sysdeps/x86/dl-prop.h`,
`dl_isa_level_check`.
"""

from __future__ import annotations

from checker.model.finding import Observation
from checker.model.rule import NoParameters, Rule
from checker.rules.architectures import granted_isa_level, isa_level
from checker.rules.wording import evidence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from checker.model.case import Case


def check(case: Case, parameters: NoParameters) -> Iterator[Observation]:  # noqa: ARG001 - every rule is asked in the same way
    """One observation for each file."""
    platforms = tuple(sorted({tag.platform for tag in case.tags} | {promise.tag for promise in case.promises}))
    granted = min((granted_isa_level(platform) for platform in platforms), default=1)
    for facts in case.objects:
        needed = isa_level(facts)
        if needed <= granted:
            continue
        name = f"x86-64-v{needed}"
        yield Observation(
            file=facts.path,
            subject=name,
            message=f"needs a processor of level {name}, and the tag promises "
            f"{f'x86-64-v{granted}' if granted > 1 else 'any processor of its architecture'}",
            evidence=evidence(property=f"GNU_PROPERTY_X86_ISA_1_NEEDED {facts.notes.x86_isa_needed:#x}", tags=platforms),
            remedy="Compile and link it with -march=x86-64 (no -march=native, no -z x86-64-v…), and choose faster code at run "
            "time",
        )


RULE = Rule(id="isa-level-too-high", family="platform", parameters=NoParameters, check=check, doc=__doc__ or "")
