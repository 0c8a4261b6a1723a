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
- The needed name has a directory in it (`pkg/libfoo.so`), which the loader opens as it stands, from
  the current directory: the library was linked by its path and has no SONAME. Link it with
  `-Wl,-soname,libfoo.so`, and then what needs it again.
- On a finished wheel: `wheel unpack WHEEL`, in its folder `patchelf --add-rpath '$ORIGIN/…' FILE`, and
  `wheel pack DIRECTORY`. `auditwheel repair` does not do it: it looks for libraries where the loader
  does, and either stops or copies a second one from the build machine.

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
    lead = f"Link with '-Wl,-rpath,{entry}', or mend the file: patchelf --add-rpath '{entry}' {edge.needer}"
    held = f"needs {edge.soname}; the artifact holds it as {bundled.path}, but "
    if "/" in edge.soname:
        why = "a name with a directory is opened from the current one, and by no run path"
        remedy = (
            f"Link {name} with -Wl,-soname,{name}, and then {edge.needer} again, with '-Wl,-rpath,{entry}'; or mend the file: "
            f"patchelf --replace-needed {edge.soname} {name} --add-rpath '{entry}' {edge.needer}"
        )
    elif name == edge.soname:
        why, remedy = "no run path leads there", lead
    else:
        rename = f"Rename {bundled.path} to {edge.soname}, the name that the loader opens"
        is_searched = layout.shown(directory(layout.installed(bundled.path))) in {attempt.place for attempt in edge.looked_in}
        why = "not under that name" if is_searched else "not under that name, and no run path leads there"
        remedy = rename if is_searched else f"{rename}. {lead}"
    return Observation(
        file=edge.needer,
        subject=edge.soname,
        message=held + why,
        evidence=evidence(root=edge.root, bundled=bundled.path, reached_by=entry, looked_in=looked(edge)),
        remedy=remedy,
    )


RULE = Rule(id="unreachable-bundled-library", family="libraries", parameters=NoParameters, check=check, doc=__doc__ or "")
