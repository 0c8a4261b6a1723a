"""Functions are looked up at their first call, not when the file is loaded.

## What

Programs, libraries and extension modules with PLT slots (JUMP_SLOT relocations) and without
DT_BIND_NOW, DF_BIND_NOW or DF_1_NOW. Not told where every platform that the tags promise is musl,
whose loader always binds at once.

Off by default: it is how compilers link unless told otherwise. Where full RELRO is required
(`missing-relro`), this rule says the same once more.

## Why it breaks

A function that is missing on a user's system ends the process in the middle of a call ("symbol
lookup error"), where an import would have failed with an exception. The slots stay writable.

## Causes and fixes

- No flag: `-Wl,-z,now` (setuptools: LDFLAGS; CMake: `add_link_options(-Wl,-z,now)`; Meson:
  `link_args: '-Wl,-z,now'`).
- `-Wl,-z,lazy`, for programs that start faster with it: remove it.

## References

gABI chapter 5, "Procedure Linkage Table"; ld.so(8), LD_BIND_NOW; glibc `elf/dl-reloc.c`; musl
`ldso/dynlink.c`, `do_relocs`.
"""

from __future__ import annotations

from checker.model.finding import Observation
from checker.model.rule import NoParameters, Rule
from checker.rules.architectures import is_native
from checker.rules.toolchain import has_lazy_slots
from checker.rules.wording import evidence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from checker.model.case import Case


def check(case: Case, parameters: NoParameters) -> Iterator[Observation]:  # noqa: ARG001 - every rule is asked in the same way
    """One observation for each such file."""
    families = {promise.oldest.family for promise in case.promises}
    if families == {"musl"}:
        return
    for facts in case.objects:
        if has_lazy_slots(facts) and is_native(facts):
            yield Observation(
                file=facts.path,
                subject="DT_BIND_NOW",
                message="looks functions up at their first call: a missing one ends the process in the middle of its work",
                evidence=evidence(relro=facts.relro.value),
                remedy="Link it with -Wl,-z,now (setuptools: LDFLAGS; CMake: add_link_options)",
            )


RULE = Rule(id="lazy-binding", family="hardening", parameters=NoParameters, check=check, doc=__doc__ or "")
