"""A needed library is in the artifact, but the loader does not look there.

## What

A DT_NEEDED entry that is not found although a file of that name (or with that SONAME) lies in the
artifact. The finding says which `$ORIGIN/…` entry would reach it.

## Why it breaks

The loader looks only where run paths, `LD_LIBRARY_PATH` and the system's configuration lead; lying
in the same folder is not enough. The import ends with "libfoo.so: cannot open shared object file",
though the file is there.

## Causes and fixes

- The object was linked without `-Wl,-rpath,$ORIGIN`: add it (single quotes in a shell, `$$ORIGIN`
  in a Makefile; CMake: `INSTALL_RPATH "$ORIGIN/…"`).
- The library moved in the package after the link: the path from the needer to it is another.
- A DT_RUNPATH does not reach the libraries of libraries: each object needs its own entry. (DT_RPATH
  is inherited, which is why auditwheel uses it.)
- The library's file name is not the needed name: the loader opens files by name; rename the file to
  its SONAME.
- On a finished file: `patchelf --add-rpath '$ORIGIN/…' FILE`; for a whole wheel `auditwheel
  repair`.

## References

ld.so(8); glibc `elf/dl-load.c`, `_dl_map_object`; gABI chapter 5, "Shared Object Dependencies".
"""

from __future__ import annotations

from checker.model.finding import Observation
from checker.model.rule import NoParameters, Rule
from checker.rules.installed import directory, layout_of, origin_path
from checker.rules.unfound import Cause, Unfound, looked, unfound
from checker.rules.wording import evidence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from checker.model.artifact import Member
    from checker.model.case import Case


def check(case: Case, parameters: NoParameters) -> Iterator[Observation]:  # noqa: ARG001 - every rule is asked in the same way
    """One observation for each object and library."""
    for lost in unfound(case):
        if lost.cause is Cause.UNREACHABLE and lost.bundled is not None:
            yield _observe(case, lost, lost.bundled)


def _observe(case: Case, lost: Unfound, bundled: Member) -> Observation:
    layout = layout_of(case)
    edge = lost.edge
    entry = origin_path(directory(layout.installed(edge.needer)), directory(layout.installed(bundled.path)))
    name = bundled.path.rpartition("/")[2]
    remedy = f"Link with '-Wl,-rpath,{entry}', or mend the file: patchelf --add-rpath '{entry}' {edge.needer}"
    if "/" in edge.soname:
        remedy = f"Give the library a SONAME without a directory, link again, and add the run path '{entry}'"
    elif name != edge.soname:
        remedy = f"Rename {bundled.path} to {edge.soname}, the name that the loader opens. {remedy}"
    return Observation(
        file=edge.needer,
        subject=edge.soname,
        message=f"needs {edge.soname}; the artifact holds it as {bundled.path}, but no run path leads there",
        evidence=evidence(root=edge.root, bundled=bundled.path, reached_by=entry, looked_in=looked(edge)),
        remedy=remedy,
    )


RULE = Rule(id="unreachable-bundled-library", family="libraries", parameters=NoParameters, check=check, doc=__doc__ or "")
