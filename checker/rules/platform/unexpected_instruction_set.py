"""Loading a file runs instructions that not every promised processor has.

## What

x86 files of which an initializer (DT_INIT, DT_INIT_ARRAY) or the module's `PyInit` function runs an
instruction beyond the level of x86-64 that the tag promises, or that `processors` allows, in any case:
the code was disassembled and followed from the start up to the initializer's first conditional
jump, through direct jumps and into the functions that it calls, which are taken to return.

Off by default; it needs the disassembler (`pip install "wheelproof[disassembly]"`). What it tells
is proven, and little is told: code that runs later, or behind a condition, is not looked at, since
nobody can tell from bytes alone whether it is chosen at run time. Not known: the population count,
AES and other small extensions, and other architectures. A file that the package opens only after a
look at the processor is told all the same: switch the rule off for it in an [[override]].

## Why it breaks

On a processor without the instruction, `import` ends the process with SIGILL, "Illegal
instruction": older and small Atom, Celeron and Pentium processors, and many virtual machines.

## Causes and fixes

- `-march=native`, `-mavx2` and the like for every source: give such flags only to sources whose
  functions are chosen at run time, and build the rest with `-march=x86-64`.
- A static C++ object (or an inline function that another source needs, of which the linker took
  this copy) in a source with such flags: keep the sources for one processor free of both.
- A static library in it was built so: build it anew.
- The project has a higher floor on purpose: set `processors`, and say so to its users.

## References

x86-64 psABI, "Micro-Architecture Levels"; gABI chapter 5, "Initialization and Termination
Functions"; GCC manual, "x86 Options" and "Function Multiversioning".
"""

from __future__ import annotations

from checker.model.artifact import ReadProblem
from checker.model.elf import Machine
from checker.model.finding import Observation
from checker.model.record import record
from checker.model.rule import Rule
from checker.rules.architectures import directory_isa_level, granted_isa_level, is_native
from checker.rules.wording import counted, evidence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Literal

    from checker.model.case import Case
    from checker.model.startup import StartupInstruction

_LEVELS = {"x86-64": 1, "x86-64-v2": 2, "x86-64-v3": 3, "x86-64-v4": 4}


@record
class Parameters:
    """Parameters.

    Attributes:
        processors: the level of x86-64 that the project is made for, where that is more than the tag says.
    """

    processors: Literal["x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"] = "x86-64"


def check(case: Case, parameters: Parameters) -> Iterator[Observation | ReadProblem]:
    """One observation for each file."""
    if case.startup is None:
        x86 = [facts for facts in case.objects if facts.identity.machine in {Machine.EM_X86_64, Machine.EM_386}]
        if any(is_native(facts) for facts in x86):
            yield ReadProblem(file=case.inventory.name, reason=_NOT_INSTALLED)
        return
    platforms = tuple(sorted({tag.platform for tag in case.tags} | {promise.tag for promise in case.promises}))
    granted = min((granted_isa_level(platform) for platform in platforms), default=1)
    for startup in case.startup:
        if startup.instructions is None:
            yield ReadProblem(file=startup.file, reason=_UNREADABLE)
            continue
        allowed = max(_LEVELS[parameters.processors], granted, directory_isa_level(startup.file))
        beyond = [one for one in startup.instructions if one.level > allowed]
        if beyond:
            yield _observe(startup.file, beyond, allowed, platforms)


_NOT_INSTALLED = 'the code was not looked at, since there is no disassembler: pip install "wheelproof[disassembly]"'
_UNREADABLE = "its initializers or their code could not be read, so what they run is not known; build it again"


def _observe(path: str, beyond: list[StartupInstruction], allowed: int, platforms: tuple[str, ...]) -> Observation:
    worst = max(beyond, key=lambda one: one.level)
    others = len(beyond) - 1
    more = f", as {'does' if others == 1 else 'do'} {counted(others, 'other initializer')}" if others else ""
    return Observation(
        file=path,
        subject=worst.extension,
        message=f"runs {worst.extension} instructions whenever it is loaded ({worst.entry}: {worst.text}){more}: a processor "
        f"that has {'plain x86-64' if allowed == 1 else f'x86-64-v{allowed}'} only ends the process with SIGILL",
        evidence=evidence(
            instructions=tuple(f"{one.entry} at {one.address:#x}: {one.text} ({one.extension})" for one in beyond),
            needs=f"x86-64-v{worst.level}",
            tags=platforms,
        ),
        remedy=f"Compile the source of {worst.entry} with -march=x86-64: flags such as -mavx2 are for sources whose functions "
        "are chosen at run time, and that hold no static object and no inline function which others share; or set processors "
        "in [rules.unexpected-instruction-set] of the policy",
    )


RULE = Rule(id="unexpected-instruction-set", family="platform", parameters=Parameters, check=check, doc=__doc__ or "")
