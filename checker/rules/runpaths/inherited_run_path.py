"""A library finds what it needs only by the run path of whoever loads it.

## What

A needed library of the artifact that no run path of the needing file leads to, and that is found all the
same: glibc also searches the DT_RPATH of the object that loaded it, and of that one's loader. Libraries whose
name bears a digest (`libfoo-1a2b3c4d.so.1` of `auditwheel repair`) are not told: only what was
linked against that very name loads them, and auditwheel counts on the inheritance. Where some root does
*not* inherit the path, `unreachable-bundled-library` says so. A library that the promised platforms have
as well (libz) would be found there, and is not told.

## Why it breaks

Opened by itself, with `ctypes.CDLL` or from another package, the library fails: "cannot open shared
object file". The same happens within the package once a loader's DT_RPATH becomes a DT_RUNPATH, which is
never inherited: `patchelf --set-rpath` without `--force-rpath` writes that, and so do the linkers of most
distributions (`--enable-new-dtags`).

## Causes and fixes

- Give each library the run path to its own neighbours: `-Wl,-rpath,'$ORIGIN'` when it is linked
  (CMake: `INSTALL_RPATH "$ORIGIN"` for the libraries too, not only for the modules).
- On a finished file: `patchelf --add-rpath '$ORIGIN/…' FILE`.

## References

ld.so(8), "DT_RPATH"; gABI chapter 5, "Shared Object Dependencies"; glibc `elf/dl-load.c`, `_dl_map_object`
(the loop over `l_loader`).
"""

from __future__ import annotations

from checker.model.closure import FoundBy, ProviderKind
from checker.model.finding import Observation
from checker.model.globs import any_match
from checker.model.record import record
from checker.model.rule import Rule
from checker.rules.installed import directory, layout_of, origin_path
from checker.rules.wording import evidence, listing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from checker.model.case import Case
    from checker.model.closure import Edge

_HEX = "[0-9a-f]"
_DIGEST = f"**/*-{_HEX * 8}.*"


@record
class Parameters:
    """Parameters.

    Attributes:
        private: globs over libraries that nobody opens by itself.
    """

    private: tuple[str, ...] = (_DIGEST,)


def check(case: Case, parameters: Parameters) -> Iterator[Observation]:
    """One observation for each object."""
    lost = {(edge.needer, edge.soname) for edge in case.libraries if edge.provider is ProviderKind.NONE}
    found: dict[str, dict[str, Edge]] = {}
    for edge in case.libraries:
        if edge.how is not FoundBy.INHERITED_RPATH or edge.provider is not ProviderKind.MEMBER:
            continue
        is_told = (edge.needer, edge.soname) in lost
        if not is_told and not _is_on_platform(case, edge.soname) and not any_match(parameters.private, edge.needer):
            found.setdefault(edge.needer, {}).setdefault(edge.soname, edge)
    layout = layout_of(case)
    for needer, edges in found.items():
        origin = directory(layout.installed(needer))
        places = {soname: directory(layout.installed(edge.path or "")) for soname, edge in edges.items()}
        entries = tuple(dict.fromkeys(origin_path(origin, place) for place in places.values()))
        root = next(iter(edges.values())).root
        yield Observation(
            file=needer,
            subject=next(iter(edges)),
            message=f"finds {listing(tuple(edges))} only by the run path of what loads it ({root}): opened by itself it fails",
            evidence=evidence(needed=tuple(edges), root=root, reached_by=entries),
            remedy=f"Link it with '-Wl,-rpath,{':'.join(entries)}', or mend the file: patchelf --add-rpath "
            f"'{':'.join(entries)}' {needer}",
        )


def _is_on_platform(case: Case, soname: str) -> bool:
    """Every promised platform has a library of that name, which would be found in its stead."""
    baselines = [promise.baseline for promise in case.promises]
    return bool(baselines) and all(baseline is not None and baseline.library(soname) is not None for baseline in baselines)


RULE = Rule(id="inherited-run-path", family="runpaths", parameters=Parameters, check=check, doc=__doc__ or "")
