"""A file opens a library by a name that nothing supplies.

## What

Names that a file may pass to `dlopen`: the entries of its `.note.dlopen` of priority `required` or `recommended`, and, where
it imports `dlopen`, literals in its read-only data that are a library's name as a whole (`libfoo.so.1`). Told where neither
the artifact nor a promised platform has a library of that name, several names of one library together. Passed over are
literals of libraries that come with the user's system or driver where they are there (`libcuda.so.1`, `libX11.so.6`), or
with another known distribution, and those of `allowed`. Files above 8 MiB are not looked through for literals.

## Why it breaks

No import fails. What hangs on the library (an optional codec, a plug-in, an accelerator) is silently not there, or ends with
an exception when it is first used, on the user's machine only: the build machine has the library.

## Causes and fixes

- `auditwheel repair` follows DT_NEEDED and not `dlopen`: add the library to the package yourself, and open it by a path
  relative to the module.
- It *was* bundled, and `auditwheel repair` put a hash into its file name, so that the plain name no longer finds it: link
  against it, or take it out of the repair by `--exclude` and package it under its own name.
- It is meant to be optional: accept it by `allowed`, and see that its absence is handled.

## References

dlopen(3); systemd, "ELF dlopen metadata"; pypa/auditwheel issues 197 and 375.
"""

from __future__ import annotations

from checker.model.finding import Observation
from checker.model.globs import any_match
from checker.model.record import record
from checker.model.rule import Rule
from checker.rules.bundled import file_name, names_of, plain_name
from checker.rules.known_libraries import distribution_of, is_libc, is_libpython, system_origin
from checker.rules.wording import evidence, listing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from checker.model.case import Case
    from checker.model.elf import ElfFacts

_BINDING_PRIORITIES = frozenset({"required", "recommended", ""})


@record
class Parameters:
    """Parameters.

    Attributes:
        allowed: globs over names that may be absent.
    """

    allowed: tuple[str, ...] = ()


def check(case: Case, parameters: Parameters) -> Iterator[Observation]:
    """One observation for each file and library."""
    objects = [facts for facts in case.objects if facts.opened_names or facts.notes.dlopen]
    if not objects:
        return
    present = {name for facts in case.objects for name in (file_name(facts.path), facts.soname) if name}
    hashed = {name: facts.path for facts in case.objects for name in names_of(facts) if name not in present}
    for facts in objects:
        for names, where in _wanted(facts):
            free = [name for name in names if not _is_supplied(case, name, present)]
            if len(free) < len(names) or any(any_match(parameters.allowed, name) for name in names):
                continue
            if where == "literal" and any(_is_none_of_ours(facts, name) for name in names):
                continue
            if any(file_name(member.path) in names for member in case.inventory.members):
                continue
            yield _observe(facts, names, where, next((hashed[name] for name in names if name in hashed), None))


def _wanted(facts: ElfFacts) -> Iterator[tuple[tuple[str, ...], str]]:
    """Names of which any will do, and where they stand."""
    for note in facts.notes.dlopen:
        if note.priority in _BINDING_PRIORITIES and note.sonames:
            yield note.sonames, f".note.dlopen, {note.priority or 'no priority'}"
    noted = {soname for note in facts.notes.dlopen for soname in note.sonames}
    families: dict[str, list[str]] = {}
    for name in facts.opened_names or ():
        if name not in noted:
            families.setdefault(name.partition(".so")[0], []).append(name)
    for names in families.values():
        yield tuple(names), "literal"


def _is_supplied(case: Case, name: str, present: set[str]) -> bool:
    """The artifact has a file of the name, or every promised platform with data has the library."""
    if file_name(name) in present or is_libc(name):
        return True
    baselines = [promise.baseline for promise in case.promises if promise.baseline is not None]
    return bool(baselines) and all(each.is_promised(name) or each.library(name) is not None for each in baselines)


def _is_none_of_ours(facts: ElfFacts, name: str) -> bool:
    """The user's system or another distribution brings it, or it is the file's own name."""
    # Development links (libX11.so) are asked for as well; the tables know the names that DT_NEEDED has.
    if any(system_origin(each) for each in (name, f"{name}.0")) or distribution_of(name) or is_libpython(name):
        return True
    own = {each.partition(".so")[0] for each in names_of(facts)}
    return plain_name(name).partition(".so")[0] in own


def _observe(facts: ElfFacts, names: tuple[str, ...], where: str, hashed: str | None) -> Observation:
    opened = f"opens {listing(names)} by name"
    if hashed is not None:
        message = f"{opened}, which the artifact holds as {file_name(hashed)}: no search for the plain name finds that"
        remedy = f"Link against the library, or package it under its own name: auditwheel repair --exclude {names[0]} WHEEL"
    else:
        message = f"{opened}, which neither the artifact nor the platform has"
        remedy = f"Add {names[0]} to the package and open it by its path; if it is optional, accept it in the policy: "
        remedy += f'[rules.missing-dlopen-target] allowed = ["{names[0]}"]'
    return Observation(
        file=facts.path,
        subject=names[0],
        message=message,
        evidence=evidence(names=names, told_by=where, held_as=hashed),
        remedy=remedy,
    )


RULE = Rule(id="missing-dlopen-target", family="wheel", parameters=Parameters, check=check, doc=__doc__ or "")
