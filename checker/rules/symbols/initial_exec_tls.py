"""A library takes a part of the small thread-local storage that a process has to give away.

## What

Code compiled for initial-exec access reaches its thread-local variables at a fixed offset from the thread
pointer (DF_STATIC_TLS, TPOFF relocations). Of a library opened later, as every extension module and
what it needs is, the loader must place these in what glibc reserved at the start: 1664 bytes for all
libraries together, by default. The finding tells how many bytes the library takes and how many such
would fit. A library that does not fit at all, and any under musl, which reserves nothing, is told by
`load-failure`; unless it is an allocator (it defines malloc and free) that nothing else needs, as such work only where
they are preloaded or linked to a program.

## Why it breaks

Once other libraries have used up the rest, the import ends with "cannot allocate memory in static TLS
block". Whether that happens depends on what else the user imports, and in which order.

## Causes and fixes

- A bundled OpenMP runtime (`libgomp`), allocator (jemalloc, tcmalloc) or BLAS: they are built so on purpose.
  Import the package early; or build jemalloc with `--disable-initial-exec-tls`. Users can set
  `GLIBC_TUNABLES=glibc.rtld.optional_static_tls=…` (glibc 2.33 and later).
- `-ftls-model=initial-exec` or `__attribute__((tls_model("initial-exec")))`: leave it out. With
  `-mtls-dialect=gnu2` the general model is nearly as fast.
- Position-dependent objects or those of an executable (`-fPIE`) in a shared library: compile with `-fPIC`.

## References

"ELF Handling For Thread-Local Storage" (Drepper), 4.2; gABI chapter 5, DF_STATIC_TLS; glibc
`elf/dl-reloc.c`, `_dl_try_allocate_static_tls`; glibc manual, "Dynamic Linking Tunables".
"""

from __future__ import annotations

from checker.model.finding import Observation
from checker.model.record import record
from checker.model.rule import Rule
from checker.rules.preloads import is_preload_only
from checker.rules.wording import counted, evidence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from checker.model.case import Case
    from checker.model.elf import ElfFacts

_PT_TLS = 7


@record
class Parameters:
    """Parameters.

    Attributes:
        bytes: a library that takes fewer bytes is not told: six of them fit, and one must be able to come late. libgomp takes
            112 to 128, is in one wheel of fifteen, and only GCC's makers can change that.
        surplus: bytes that a process keeps for all libraries opened later: glibc's default.
    """

    bytes: int = 256
    surplus: int = 1664


def check(case: Case, parameters: Parameters) -> Iterator[Observation]:
    """One observation for each object."""
    if not any(facts.static_tls for facts in case.objects):
        return
    programs = {root.path for root in case.roots if root.host == "executable"}
    if len(programs) == len(case.roots):
        # What a program needs is placed before it starts.
        return
    refused = {
        load.because.object: load.because
        for root in case.roots
        for load in root.loads
        if load.because is not None and load.because.kind == "property" and "TLS" in load.because.subject
    }
    for facts in case.objects:
        if facts.path in refused and is_preload_only(facts, refused[facts.path]):
            yield _preload_only(facts)
            continue
        # Without a block of its own it reaches another's storage.
        block = next((segment for segment in facts.segments if segment.type == _PT_TLS), None)
        if not facts.static_tls or block is None or facts.path in programs or facts.path in refused:
            continue
        size = max(block.memory_size, 1)
        size += -size % max(block.alignment, 1)
        if not parameters.bytes <= size <= parameters.surplus:
            continue
        fitting = parameters.surplus // size
        yield Observation(
            file=facts.path,
            subject="DF_STATIC_TLS",
            message=f"takes {size} of the {parameters.surplus} bytes of static thread-local storage that a process has for all "
            f"libraries opened later: {counted(fitting, 'such library', 'such libraries')} would fit",
            evidence=evidence(size=block.memory_size, alignment=block.alignment, surplus=parameters.surplus, fitting=fitting),
            remedy="Compile it without -ftls-model=initial-exec; where it is a runtime that is built so on purpose (libgomp, "
            "jemalloc), tell users to import the package early",
        )


def _preload_only(facts: ElfFacts) -> Observation:
    return Observation(
        file=facts.path,
        subject="LD_PRELOAD",
        message="is an allocator that takes more static thread-local storage than a running process has to give: it can be "
        "preloaded or linked to a program, and not opened later",
        evidence=evidence(flags="DF_STATIC_TLS"),
        remedy="Let LD_PRELOAD bring it; or build it for being opened (jemalloc: --disable-initial-exec-tls)",
    )


RULE = Rule(id="initial-exec-tls", family="symbols", parameters=Parameters, check=check, doc=__doc__ or "")
