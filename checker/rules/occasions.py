"""What gives some rules an occasion: cheap questions, asked before a rule's module is imported.

Where the answer is no, the rule has nothing to say and nothing that it could not check; a test holds each rule to that on every
fixture.
"""

from __future__ import annotations

from checker.model.closure import FoundBy, ProviderKind
from checker.model.elf import ElfType
from checker.model.resolution import LoadOutcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    from checker.model.case import Case


def has_open_imports(case: Case) -> bool:
    """An import failed, is undecided, or hangs on more than its object needs; or a needed version or library is missing."""
    return bool(case.resolutions or case.missing_versions)


def has_run_paths(case: Case) -> bool:
    """An object has a DT_RPATH or DT_RUNPATH."""
    return any(facts.rpath is not None or facts.runpath is not None for facts in case.objects)


def has_several_objects(case: Case) -> bool:
    """There is more than one ELF object, so that one can need another."""
    return len(case.objects) > 1


def has_interpositions(case: Case) -> bool:
    """A definition of one object takes the place of another's."""
    return bool(case.interpositions)


def has_lost_libraries(case: Case) -> bool:
    """A needed library is not found."""
    return any(edge.provider is ProviderKind.NONE for edge in case.libraries)


def has_declared_libraries(case: Case) -> bool:
    """A needed library is a declared provider's."""
    return any(edge.provider is ProviderKind.DECLARED for edge in case.libraries)


def has_bundled_needs(case: Case) -> bool:
    """A needed library is the artifact's own."""
    return any(edge.provider is ProviderKind.MEMBER for edge in case.libraries)


def has_unused_libraries(case: Case) -> bool:
    """A needed library of which some needer uses nothing."""
    return any(edge.used is False for edge in case.libraries)


def hangs_on_preloads(case: Case) -> bool:
    """Something may be found only because something else was loaded before."""
    return bool(case.resolutions) or any(edge.how in {FoundBy.PRELOADED, FoundBy.DECLARED} for edge in case.libraries)


def has_refused_roots(case: Case) -> bool:
    """A loader does not load a root, or is not known to."""
    return any(load.outcome is not LoadOutcome.LOADS for root in case.roots for load in root.loads)


def has_no_objects(case: Case) -> bool:
    """No ELF object could be read."""
    return not case.objects


def has_static_tls(case: Case) -> bool:
    """An object uses initial-exec thread-local storage."""
    return any(facts.static_tls for facts in case.objects)


def has_isa_needs(case: Case) -> bool:
    """An object says which level of x86 processors it needs."""
    return any(facts.notes.x86_isa_needed for facts in case.objects)


def has_relr(case: Case) -> bool:
    """An object has compact relocations."""
    return any(facts.has_relr for facts in case.objects)


def has_cut_objects(case: Case) -> bool:
    """An object ends before something that it tells of."""
    return any(facts.cut for facts in case.objects)


def has_text_relocations(case: Case) -> bool:
    """An object is marked as having text relocations."""
    return any(facts.text_relocations for facts in case.objects)


def has_fixed_programs(case: Case) -> bool:
    """A program is linked to a fixed address."""
    return any(facts.identity.type == ElfType.ET_EXEC for facts in case.objects)


def has_symbol_tables(case: Case) -> bool:
    """An object has symbol tables that a strip would remove, or does not tell."""
    return any(facts.strippable is None or facts.strippable.symbols for facts in case.objects)


def has_debug_sections(case: Case) -> bool:
    """An object has sections for debuggers, or does not tell."""
    return any(facts.strippable is None or facts.strippable.debug for facts in case.objects)


def opens_by_name(case: Case) -> bool:
    """An object has the names of libraries that it may open."""
    return any(facts.opened_names or facts.notes.dlopen for facts in case.objects)


def has_stable_abi_tags(case: Case) -> bool:
    """A tag promises the stable ABI."""
    return any(tag.abi.startswith("abi") for tag in case.tags)
