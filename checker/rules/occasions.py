"""What gives some rules an occasion: cheap questions, asked before a rule's module is imported.

Where the answer is no, the rule has nothing to say and nothing that it could not check; a test holds each rule to that on every
fixture.
"""

from __future__ import annotations

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
