"""The artifact holds a library that nothing in it asks for.

## What

A shared library with a version in its file name (`libfoo.so.1`) or a hash of `auditwheel repair` in it, and so made to be
needed by others, while no file of the artifact needs it, no `.note.dlopen` names it, and no file that imports `dlopen`
has its name among its literals. Libraries without a version (`libfoo.so`) may be opened by Python code or as plug-ins, so
that nothing can be said of them. Passed over as well: copies, which `duplicate-bundled-library` tells; artifacts that hold
libraries only, for others to use (`nvidia-cuda-runtime`); and every library where a file that imports `dlopen` is too large
to have been looked through (8 MiB), since it may open any.

## Why it breaks

It does not: it is downloaded and installed for nothing, and stays behind unpatched when it gets a security fix elsewhere.
Often it is the trace of a step that went wrong: what needed it was left out, or was linked against another copy.

## Causes and fixes

- The build linked the library statically in the end, and the packaging list still has the shared one: take it out of
  `package_data` or `install(TARGETS …)`.
- What needs it was removed after `auditwheel repair` had grafted it: remove it before.
- It is opened by a name that is put together at run time, or by Python code: accept it by `allowed`.

## References

auditwheel, "repair"; systemd, "ELF dlopen metadata" (`.note.dlopen`); dlopen(3).
"""

from __future__ import annotations

import re

from checker.model.finding import Observation
from checker.model.globs import any_match
from checker.model.record import record
from checker.model.rule import Rule
from checker.rules.bundled import bundled_libraries, copies, file_name, is_library, plain_name
from checker.rules.wording import evidence, shown_size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from checker.model.case import Case

_VERSIONED = r"lib[^/]+\.so\.\d[^/]*"


@record
class Parameters:
    """Parameters.

    Attributes:
        allowed: globs over file names of libraries that are opened in a way that nobody can see.
    """

    allowed: tuple[str, ...] = ()


def check(case: Case, parameters: Parameters) -> Iterator[Observation]:
    """One observation for each library."""
    candidates = [facts for facts in bundled_libraries(case) if _is_made_to_be_needed(facts.path)]
    if not candidates or all(is_library(facts) for facts in case.objects if facts.is_dynamic):
        return
    asked = _asked_for(case)
    if asked is None:
        return
    given = {edge.path for edge in case.libraries}
    copied = {facts.path for group in copies(bundled_libraries(case)) for facts in group}
    for facts in candidates:
        names = {file_name(facts.path), facts.soname or ""}
        plain = {plain_name(name) for name in names}
        if facts.path in given | copied or (names | plain) & asked or any_match(parameters.allowed, file_name(facts.path)):
            continue
        yield Observation(
            file=facts.path,
            subject=file_name(facts.path),
            message=f"nothing in the artifact needs or names it ({shown_size(facts.size)})",
            evidence=evidence(soname=facts.soname, size=facts.size),
            remedy="Leave it out (package_data, or CMake's install(TARGETS …)); if it is opened by a name made at run time, "
            f'accept it in the policy: [rules.orphan-bundled-library] allowed = ["{file_name(facts.path)}"]',
        )


def _is_made_to_be_needed(path: str) -> bool:
    name = file_name(path)
    return re.fullmatch(_VERSIONED, name) is not None or plain_name(name) != name


def _asked_for(case: Case) -> set[str] | None:
    """Every name that some file needs or may open; ``None`` where that is not known of one."""
    asked: set[str] = set()
    for facts in case.objects:
        if facts.opened_names is None:
            return None
        asked.update(facts.opened_names, map(file_name, facts.needed), facts.auxiliary, facts.filter)
        asked.update(soname for note in facts.notes.dlopen for soname in note.sonames)
    return asked


RULE = Rule(id="orphan-bundled-library", family="libraries", parameters=Parameters, check=check, doc=__doc__ or "")
