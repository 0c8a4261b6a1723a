"""A run path leads to a directory that nobody brings.

## What

An entry that starts at `$ORIGIN` and stays within the install root, whose directory the artifact does not
have. A directory of another distribution is accepted where Requires-Dist or a `[[provider]]` of the policy
names any that may bring it. Each directory is told once, at the first file that looks there.

A file that misses a library is `missing-library`'s, which tells where was looked. Entries that are not
relative to `$ORIGIN` are `absolute-run-path`'s, those that leave the install root
`escaping-run-path`'s, and build trees (`build/lib.linux-…`, `_solib_k8`) `leaked-build-path`'s.

## Why it breaks

It does not, today: the loader looks there in vain for every library that it seeks. It is the trace of a layout
that has changed while the run path has not, so that the next library to be moved is not found. And who
installs a directory of that name decides what is loaded.

## Causes and fixes

- One list of run paths for all targets (`CMAKE_INSTALL_RPATH`): set `INSTALL_RPATH` for each target.
- The file or the libraries were moved in the package: count the steps from the file to the libraries as
  both lie in site-packages.
- The libraries come from another distribution: name it in Requires-Dist.
- On a finished file: `patchelf --set-rpath '$ORIGIN/…' FILE`.

## References

ld.so(8), "Rpath token expansion"; glibc `elf/dl-load.c`, `open_path`; CMake, "RPATH handling".
"""

from __future__ import annotations

from checker.model.artifact import ArtifactKind
from checker.model.closure import ProviderKind
from checker.model.finding import Observation
from checker.model.globs import any_match
from checker.model.record import record
from checker.model.rule import Rule
from checker.rules.foreign import brought_by_others
from checker.rules.installed import directories, directory, layout_of, root_of
from checker.rules.run_path import is_build_tree, resolved, run_path, setting, starts_at_origin
from checker.rules.wording import counted, evidence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from checker.model.case import Case
    from checker.rules.run_path import RunPath


@record
class Parameters:
    """Parameters.

    Attributes:
        allowed: globs over entries that are accepted as they stand, such as ``$ORIGIN/../plugins`` that users fill.
    """

    allowed: tuple[str, ...] = ()


@record
class _Dead:
    """One entry of one file: as written, where it leads, and the run path that it stands in."""

    file: str
    entry: str
    target: str
    path: RunPath


def check(case: Case, parameters: Parameters) -> Iterator[Observation]:
    """One observation for each directory, or for each entry where files in several folders have the same one."""
    if case.inventory.kind is not ArtifactKind.WHEEL:
        # Where another artifact will lie, and beside what, is not known.
        return
    layout = layout_of(case)
    for found in _grouped(list(_dead(case, parameters))):
        first = found[0]
        files = tuple(dict.fromkeys(one.file for one in found))
        others = f" (and {counted(len(files) - 1, 'other file')})" if len(files) > 1 else ""
        entries = tuple(dict.fromkeys(one.entry for one in found))
        kept = tuple(entry for entry in first.path.entries if entry not in entries)
        target = layout.shown(first.target)
        yield Observation(
            file=first.file,
            subject=first.entry,
            message=f"{first.entry} in its run path leads to {target}, which nobody brings{others}",
            evidence=evidence(
                tag=first.path.tag,
                run_path=first.path.written,
                entries=entries,
                leads_to=tuple(dict.fromkeys(layout.shown(one.target) for one in found)),
                files=files,
            ),
            remedy=f"Take the entry out, or lead it to the libraries: patchelf {setting(first.path, kept)} {first.file}",
        )


def _dead(case: Case, parameters: Parameters) -> Iterator[_Dead]:
    layout = layout_of(case)
    there: frozenset[str] | None = None
    lacking = {edge.needer for edge in case.libraries if edge.provider is ProviderKind.NONE}
    for facts in case.objects:
        path = run_path(facts)
        if path is None or facts.path in lacking:
            continue
        place = layout.installed(facts.path)
        for entry in dict.fromkeys(path.entries):
            if not starts_at_origin(entry) or "$" in entry[1:] or is_build_tree(entry) or any_match(parameters.allowed, entry):
                continue
            target = resolved(entry, directory(place))
            there = directories(case) if there is None else there
            is_within = target.startswith(root_of(case, place) + "/")
            if is_within and target not in there and not brought_by_others(case, target, there):
                yield _Dead(file=facts.path, entry=entry, target=target, path=path)


def _grouped(dead: list[_Dead]) -> Iterable[list[_Dead]]:
    """By directory; by entry where the same one means several directories."""
    targets: dict[str, set[str]] = {}
    for one in dead:
        targets.setdefault(one.entry, set()).add(one.target)
    groups: dict[str, list[_Dead]] = {}
    for one in dead:
        groups.setdefault(one.target if len(targets[one.entry]) == 1 else one.entry, []).append(one)
    return groups.values()


RULE = Rule(id="dead-run-path", family="runpaths", parameters=Parameters, check=check, doc=__doc__ or "")
