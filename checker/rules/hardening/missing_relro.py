"""What the loader fills in stays writable while a file runs.

## What

Dynamically linked programs, libraries and extension modules without a PT_GNU_RELRO segment. With
`require = "full"` also those with partial RELRO: the slots of functions that are bound at their
first call stay writable (`.got.plt`). A file without such slots has all that there is to have.

Partial RELRO is what compilers on Linux make without being told, and what most extension modules
have; full RELRO is what distributions link their programs with.

## Why it breaks

Nothing breaks. An attacker who can write one word, by another error in the process, finds pointers
to functions at known places in the file's data, which RELRO makes read-only after relocation.

## Causes and fixes

- A linker that predates the default (binutils before 2.27, as in manylinux1 and manylinux2010), or
  was built without it: `-Wl,-z,relro`.
- For full RELRO: `-Wl,-z,relro,-z,now`. All functions are then bound when the file is loaded, which
  takes a little longer, and tells of a missing one at once. Rust: `-C relro-level=full`, the default.
- A bundled library: it is the one of the build image; a newer image has it relinked.

## References

GNU ld manual, `-z relro` and `-z now`; glibc `elf/dl-reloc.c`, `_dl_protect_relro`; musl
`ldso/dynlink.c`, `reloc_all`.
"""

from __future__ import annotations

from checker.model.elf import Relro
from checker.model.finding import Observation
from checker.model.record import record
from checker.model.rule import Rule
from checker.rules.architectures import is_native
from checker.rules.toolchain import has_lazy_slots
from checker.rules.wording import evidence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Literal

    from checker.model.case import Case

_PT_LOAD = 1
_PF_W = 2


@record
class Parameters:
    """Parameters.

    Attributes:
        require: ``partial``: a RELRO segment; ``full``: and no function bound later than the load.
    """

    require: Literal["partial", "full"] = "partial"


def check(case: Case, parameters: Parameters) -> Iterator[Observation]:
    """One observation for each file with less than is required."""
    for facts in case.objects:
        has_data = any(each.type == _PT_LOAD and each.flags & _PF_W for each in facts.segments)
        if not (facts.is_dynamic and has_data and is_native(facts)):
            continue
        if facts.relro is Relro.NONE:
            message = "has no RELRO: the pointers that the loader fills in stay writable while it runs"
            flags = "-Wl,-z,relro,-z,now" if parameters.require == "full" else "-Wl,-z,relro"
        elif parameters.require == "full" and facts.relro is Relro.PARTIAL and has_lazy_slots(facts):
            message = "has partial RELRO: the slots of the functions that it calls (.got.plt) stay writable while it runs"
            flags = "-Wl,-z,now"
        else:
            continue
        yield Observation(
            file=facts.path,
            subject="PT_GNU_RELRO",
            message=message,
            evidence=evidence(relro=facts.relro.value, required=parameters.require),
            remedy=f"Link it with {flags} (setuptools: LDFLAGS; CMake: add_link_options); a library of the build image comes "
            "relinked with a newer one",
        )


RULE = Rule(id="missing-relro", family="hardening", parameters=Parameters, check=check, doc=__doc__ or "")
