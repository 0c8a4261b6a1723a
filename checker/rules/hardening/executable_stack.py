"""A file asks for a stack that can be executed; new systems refuse to load it.

## What

Shared libraries and extension modules whose PT_GNU_STACK segment is executable, or that have none
on an architecture where that means the same (x86, 32-bit Arm and PowerPC, s390), and programs whose
PT_GNU_STACK is executable.

## Why it breaks

Since glibc 2.41, `dlopen` (and with it `import`) refuses such a file: "cannot enable executable
stack as shared object requires". Up to 2.40 it made the stacks of the whole process executable,
which takes away a defence against every memory error in it, and SELinux may forbid it. A program
still starts, with an executable stack. musl ignores the request.

## Causes and fixes

- An assembly source without `.section .note.GNU-stack,"",@progbits` at its end: add it, or assemble
  with `-Wa,--noexecstack`. `ld --warn-execstack` names the object.
- A nested C function whose address is taken (a GCC trampoline): move it out; `-Wtrampolines` finds
  it.
- A Fortran internal procedure that is passed as an argument: the same; `-ftrampoline-impl=heap`
  from GCC 14 on.
- For the link as a whole: `-Wl,-z,noexecstack`, when nothing really runs code on the stack.
- On a finished wheel: `wheel unpack WHEEL`, in its folder `patchelf --clear-execstack FILE`, and
  `wheel pack DIRECTORY`.

## References

glibc 2.41 NEWS (`dlopen` and `dlmopen` no longer make the stack executable; tunable
`glibc.rtld.execstack`); glibc `elf/dl-load.c`, `_dl_map_object_from_fd`, and
`sysdeps/*/stackinfo.h` for the defaults; `elf/rtld.c` and the kernel's `fs/binfmt_elf.c` for
programs.
"""

from __future__ import annotations

from checker.model.elf import Machine, Stack
from checker.model.finding import Observation
from checker.model.rule import NoParameters, Rule
from checker.rules.architectures import is_native, is_program
from checker.rules.wording import evidence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from checker.model.case import Case
    from checker.model.elf import ElfFacts

_EXECUTABLE_BY_DEFAULT = frozenset({Machine.EM_386, Machine.EM_X86_64, Machine.EM_ARM, Machine.EM_PPC, Machine.EM_S390})
"""``DEFAULT_STACK_PERMS`` has PF_X there (glibc ``sysdeps/*/stackinfo.h``)."""


def check(case: Case, parameters: NoParameters) -> Iterator[Observation]:  # noqa: ARG001 - every rule is asked in the same way
    """One observation for each such file."""
    for facts in case.objects:
        if not is_native(facts):
            continue
        program = is_program(facts)
        if facts.stack is Stack.EXECUTABLE or (
            facts.stack is Stack.ABSENT and not program and _is_executable_by_default(facts)
        ):
            yield Observation(
                file=facts.path,
                subject="PT_GNU_STACK",
                message=_PROGRAM if program else _LIBRARY,
                evidence=evidence(PT_GNU_STACK=facts.stack.value, machine=str(facts.identity.machine)),
                remedy=_remedy(facts),
            )


_LIBRARY = (
    "asks for an executable stack: from glibc 2.41 on the loader refuses it, and older ones drop a protection "
    "of the whole process"
)
_PROGRAM = "is a program that runs with an executable stack, so that a memory error in it is easier to exploit"


def _is_executable_by_default(facts: ElfFacts) -> bool:
    return facts.is_dynamic and facts.identity.machine in _EXECUTABLE_BY_DEFAULT


def _remedy(facts: ElfFacts) -> str:
    cause = (
        "Link with -Wl,-z,noexecstack"
        if facts.stack is Stack.ABSENT
        else 'Find the object with -Wl,--warn-execstack and mend it (assembly: .section .note.GNU-stack,"",@progbits)'
    )
    return f"{cause}; if no code runs on the stack, patchelf --clear-execstack {facts.path} mends the finished file"


RULE = Rule(id="executable-stack", family="hardening", parameters=NoParameters, check=check, doc=__doc__ or "")
