"""How a file was compiled and linked, as far as it tells: what the hardening rules ask before they judge."""

from __future__ import annotations

from checker.model.elf import Use
from checker.model.globs import any_match
from checker.rules.architectures import is_program
from checker.rules.known_libraries import MUSL, is_cxx_runtime

TYPE_CHECKING = False
if TYPE_CHECKING:
    from checker.model.elf import ElfFacts

_IS_JUMP_SLOT = bytes(1 if use & Use.JUMP_SLOT else 0 for use in range(256))
_GO = "Go"
"""Owner of the note with the build id of Go's linker (``cmd/internal/buildid``)."""
_UNWINDS_BY_ITSELF = frozenset({b"_Unwind_Backtrace", b"_Unwind_GetLanguageSpecificData", b"_Unwind_SetIP"})
"""Rust's standard library has a personality routine and a backtrace of its own, and so imports these together
(``library/std/src/sys/personality/gcc.rs``); C and C++ leave them to libgcc and libstdc++."""


def has_lazy_slots(facts: ElfFacts) -> bool:
    """Some functions are looked up at their first call, through slots that stay writable."""
    uses = facts.imports.uses + facts.self_uses
    return not facts.bind_now and 1 in uses.translate(_IS_JUMP_SLOT)


def is_go(facts: ElfFacts) -> bool:
    """Linked by Go; parts of it may be C."""
    return any(note.owner == _GO for note in facts.notes.others)


def is_rust(facts: ElfFacts) -> bool:
    """Compiled by rustc, in whole or in part.

    Of a file without ``.comment``, or from an older rustc, which leaves nothing there, what its unwinder imports tells.
    """
    return any(text.startswith("rustc") for text in facts.comment) or _UNWINDS_BY_ITSELF.issubset(facts.imports.names)


def is_by_c_compilers(facts: ElfFacts) -> bool:
    """Nothing tells of another language, for which the flags of a C compiler say nothing."""
    return not (is_go(facts) or is_rust(facts))


def is_static(facts: ElfFacts) -> bool:
    """A program that no loader gives a library: its imports tell nothing, since it has none."""
    return is_program(facts) and not facts.needed


def is_cxx(facts: ElfFacts) -> bool:
    """It needs a C++ runtime, or the unwinder, as a library."""
    return any(is_cxx_runtime(soname) for soname in facts.needed)


def is_by_gcc_alone(facts: ElfFacts) -> bool:
    """``.comment`` names GCC and nothing else; ``False`` where nothing is told."""
    return bool(facts.comment) and all(text.startswith("GCC:") for text in facts.comment)


def needs_musl(facts: ElfFacts) -> bool:
    """Its C library is musl."""
    return any(any_match(MUSL, soname) for soname in facts.needed)
