"""A run path leads out of the directory that the wheel is installed into.

## What

Entries that start at `$ORIGIN` are followed in the installed layout. A file in site-packages may
reach anything in site-packages: other packages too, such as `$ORIGIN/../../nvidia/cublas/lib`. A
script or data file may reach anything in its environment, such as `$ORIGIN/../lib`. What lies
beyond is told, unless the wheel itself installs files there.

## Why it breaks

Above site-packages the layout is not the wheel's to know: virtual environments, user installs, `pip
install --target` and zipped applications all differ. The library is found on one machine and not on
the next, or an unrelated one is found.

## Causes and fixes

- A run path made for another layout (a conda environment's `$ORIGIN/../../../..`, a CMake install
  tree): count the steps from the file to the library as both lie in site-packages.
- A file that was moved in the package after it was linked.
- On a finished file: `patchelf --set-rpath '$ORIGIN/…' FILE`.

## References

Binary distribution format, "Installing a wheel"; ld.so(8), "Rpath token expansion".
"""

from __future__ import annotations

from checker.model.finding import Observation
from checker.model.rule import NoParameters, Rule
from checker.rules.installed import directory, layout_of, root_of
from checker.rules.run_path import resolved, run_path, setting, starts_at_origin
from checker.rules.wording import evidence, listing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from checker.model.case import Case
    from checker.model.layout import Layout


def check(case: Case, parameters: NoParameters) -> Iterator[Observation]:  # noqa: ARG001 - every rule is asked in the same way
    """One observation for each object with such entries."""
    layout = layout_of(case)
    own: frozenset[str] | None = None
    for facts in case.objects:
        path = run_path(facts)
        if path is None:
            continue
        place = layout.installed(facts.path)
        origin = directory(place)
        root = root_of(case, place)
        targets = {entry: resolved(entry, origin) for entry in path.entries if starts_at_origin(entry)}
        outside = {entry: target for entry, target in targets.items() if not _is_within(target, root)}
        if outside and own is None:
            own = _directories(case, layout)
        leaving = tuple(entry for entry, target in outside.items() if target not in (own or ()))
        if not leaving:
            continue
        # Without those that absolute-run-path tells, whose remedy this one must not undo.
        kept = tuple(entry for entry in path.entries if starts_at_origin(entry) and entry not in leaving)
        name = layout.shown(root)
        yield Observation(
            file=facts.path,
            subject=leaving[0],
            message=f"looks for its libraries outside {name}: {listing(leaving)} in its run path",
            evidence=evidence(
                tag=path.tag,
                run_path=path.written,
                entries=leaving,
                leads_to=tuple(layout.shown(outside[entry]) for entry in leaving),
                ignored_rpath=path.ignored,
            ),
            remedy=f"Name a directory within {name}, or take the entry out: patchelf {setting(path, kept)} {facts.path}",
        )


def _is_within(path: str, root: str) -> bool:
    return path == root or path.startswith(root + "/")


def _directories(case: Case, layout: Layout) -> frozenset[str]:
    """Where the artifact itself puts files."""
    return frozenset(directory(layout.installed(member.path)) for member in case.inventory.members)


RULE = Rule(id="escaping-run-path", family="runpaths", parameters=NoParameters, check=check, doc=__doc__ or "")
