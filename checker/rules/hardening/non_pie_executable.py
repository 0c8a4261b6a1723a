"""A program always lies at the same address.

## What

Programs of type ET_EXEC: linked to fixed addresses, not as a position-independent executable.

## Why it breaks

Nothing breaks. The kernel places libraries, stack and heap at random, and such a program's code and
data always at the same addresses: who finds a memory error in it knows where to jump.

## Causes and fixes

- A compiler without the default (GCC in the manylinux images is one): compile with `-fPIE` (or
  `-fPIC`) and link with `-pie`. CMake: `include(CheckPIESupported)`, `check_pie_supported()` and
  `POSITION_INDEPENDENT_CODE ON`; the property alone sets the compiler's flag and not the linker's.
- A static program: `-static-pie` in place of `-static`.
- Go: `go build -buildmode=pie`. Rust makes such programs by default (`-C relocation-model=pie`).
- `-no-pie`, for code that is not position-independent: mend that code.

## References

gABI chapter 4, "ELF Header" (e_type); GCC manual, "Link Options", `-pie` and `-static-pie`; the
kernel's `fs/binfmt_elf.c`, `load_elf_binary`.
"""

from __future__ import annotations

from checker.model.elf import ElfType
from checker.model.finding import Observation
from checker.model.rule import NoParameters, Rule
from checker.rules.architectures import is_native
from checker.rules.toolchain import is_go, is_static
from checker.rules.wording import evidence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from checker.model.case import Case
    from checker.model.elf import ElfFacts


def check(case: Case, parameters: NoParameters) -> Iterator[Observation]:  # noqa: ARG001 - every rule is asked in the same way
    """One observation for each program."""
    for facts in case.objects:
        if facts.identity.type == ElfType.ET_EXEC and is_native(facts):
            yield Observation(
                file=facts.path,
                subject="ET_EXEC",
                message="is a program linked to a fixed address: where its code and data lie can be known beforehand",
                evidence=evidence(type="ET_EXEC", interpreter=facts.interpreter),
                remedy=_remedy(facts),
            )


def _remedy(facts: ElfFacts) -> str:
    if is_go(facts):
        return "Build it with go build -buildmode=pie"
    if is_static(facts):
        return "Compile it with -fPIE and link it with -static-pie"
    return "Compile it with -fPIE and link it with -pie (CMake: check_pie_supported() and POSITION_INDEPENDENT_CODE ON)"


RULE = Rule(id="non-pie-executable", family="hardening", parameters=NoParameters, check=check, doc=__doc__ or "")
