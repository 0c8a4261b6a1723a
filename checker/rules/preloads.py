"""Libraries that take the place of malloc: they work only where they come before everything else."""

from __future__ import annotations

from checker.rules.extension_names import is_defined, other_inits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from checker.model.elf import ElfFacts
    from checker.model.resolution import LoadCause

_ALLOCATOR = (b"malloc", b"free", b"realloc")


def is_preload_only(facts: ElfFacts, cause: LoadCause) -> bool:
    """An allocator that dlopen refuses for its own static thread-local storage.

    Opened late it would not take malloc's place anyway: LD_PRELOAD brings it, or a program's DT_NEEDED, and then there is room.
    """
    return (
        cause.kind == "property"
        and "TLS" in cause.subject
        and cause.object == facts.path
        and all(is_defined(facts.symbols, name) for name in _ALLOCATOR)
        and not other_inits(facts)
    )
