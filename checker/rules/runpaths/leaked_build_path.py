"""A file names a folder of the tree that it was built in.

## What

Folders that only build tools make (`build/lib.linux-…` of setuptools, `_solib_…` and `….runfiles` of Bazel,
`_skbuild`, `CMakeFiles`, pip's and cibuildwheel's temporary folders) in an entry of the run path that starts
at `$ORIGIN` and that the artifact does not have; a DT_SONAME with a directory in it; and directories of the
build machine in a DT_RPATH that the loader ignores, since DT_RUNPATH stands beside it.

What the loader does look into is told by others: absolute entries by `absolute-run-path`, entries that leave
the install root by `escaping-run-path`, other directories that are not there by `dead-run-path`, and needed
names with a directory by `missing-library`.

## Why it breaks

The file was not made for where it lies: it was taken from the build tree, where such entries find the
libraries, instead of being installed, so that tests beside the build tree pass and prove nothing. A SONAME
with a directory is copied into DT_NEEDED of all that link it, and the loader then looks in that directory alone.
A CMake package or pkg-config file that names the build machine's folders is of no use to whoever builds
against the package: the header or library is not there. And the names of folders, users and machines are
told to everyone.

## Causes and fixes

- A wheel packed from the build tree: pack what `cmake --install` made; with setuptools, do not add
  `build/lib.…` to `runtime_library_dirs`.
- Bazel: its run paths lead into `_solib_…`: strip them when the wheel is packed, and set `$ORIGIN/…`.
- A CMake package with absolute paths: export targets with `install(EXPORT)` and relative destinations, and
  let them depend on imported targets (`ZLIB::ZLIB`) instead of `${ZLIB_LIBRARIES}`; in a `.pc` file begin with
  `prefix=${pcfiledir}/../..`.
- A SONAME with a directory: `-Wl,-soname,libfoo.so.1`, without one.
- On a finished file: `patchelf --set-rpath '$ORIGIN/…' FILE`; `patchelf --set-soname libfoo.so.1 FILE`.

## References

ld.so(8); gABI chapter 5, "Shared Object Dependencies"; CMake, `BUILD_WITH_INSTALL_RPATH` and
cmake-packages(7), "Creating Relocatable Packages"; pkg-config(1), `pcfiledir`.
"""

from __future__ import annotations

import re

from checker.model.artifact import ArtifactKind, ReadProblem
from checker.model.finding import Observation
from checker.model.rule import NoParameters, Rule
from checker.rules.installed import directories, directory, layout_of, root_of
from checker.rules.run_path import is_build_tree, resolved, run_path, setting, starts_at_origin
from checker.rules.wording import counted, evidence, listing, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from checker.model.case import Case
    from checker.model.elf import ElfFacts
    from checker.rules.run_path import RunPath


_MOST_PATHS = 100
"""Paths in the evidence."""
_WORKPLACES = (
    rb"home|root|Users|tmp|var/tmp|private/var|builds?|io|project|workspace|work|host|github|__w|croot|opt/conda|opt/_internal"
)
"""Folders at the root of a file system in which CI services, containers and people build."""


def check(
    case: Case,
    parameters: NoParameters,  # noqa: ARG001 - every rule is asked in the same way
) -> Iterator[Observation | ReadProblem]:
    """One observation for all run paths together, since they come of one build, one for all package files, and one a SONAME."""
    found: list[tuple[ElfFacts, RunPath, tuple[str, ...]]] = []
    there: frozenset[str] | None = None
    for facts in case.objects:
        path = run_path(facts)
        if path is not None:
            if there is None and any(map(is_build_tree, path.entries)):
                there = directories(case)
            leaked = _leaked(case, facts, path, there or frozenset())
            if leaked:
                found.append((facts, path, leaked))
        if facts.soname is not None and "/" in facts.soname:
            yield _soname(facts, facts.soname)
    if found:
        yield _run_path(found)
    yield from _package_files(case)


def _leaked(case: Case, facts: ElfFacts, path: RunPath, there: frozenset[str]) -> tuple[str, ...]:
    """Entries in force that lead into a build tree, and those of the build machine in an ignored DT_RPATH."""
    leaked = []
    for entry in path.entries:
        if starts_at_origin(entry) and is_build_tree(entry):
            place = layout_of(case).installed(facts.path)
            target = resolved(entry, directory(place))
            is_escaping = case.inventory.kind is ArtifactKind.WHEEL and not target.startswith(root_of(case, place) + "/")
            if target not in there and not is_escaping:
                leaked.append(entry)
    leaked += [entry for entry in path.ignored.split(":") if entry.startswith("/") and entry not in path.entries]
    return tuple(dict.fromkeys(leaked))


def _run_path(found: list[tuple[ElfFacts, RunPath, tuple[str, ...]]]) -> Observation:
    facts, path, leaked = found[0]
    others = f" (and {counted(len(found) - 1, 'other file')})" if len(found) > 1 else ""
    is_ignored = not set(leaked) & set(path.entries)
    where = "in a DT_RPATH that the loader ignores beside DT_RUNPATH" if is_ignored else "in its run path"
    kept = tuple(entry for entry in path.entries if entry not in leaked)
    return Observation(
        file=facts.path,
        subject=leaked[0],
        message=f"names folders of the tree that it was built in: {listing(leaked, 1)} {where}{others}",
        evidence=evidence(
            tag=path.tag,
            run_path=path.written,
            ignored_rpath=path.ignored,
            entries=tuple(dict.fromkeys(entry for _, _, entries in found for entry in entries)),
            files=tuple(holder.path for holder, _, _ in found),
        ),
        remedy=f"Pack the installed file instead of the build tree's, or mend it: patchelf {setting(path, kept)} {facts.path}",
    )


def _soname(facts: ElfFacts, soname: str) -> Observation:
    name = soname.rpartition("/")[2]
    return Observation(
        file=facts.path,
        subject=soname,
        message=f"has the SONAME {soname}: whatever links it looks for it in that directory alone",
        evidence=evidence(soname=soname),
        remedy=f"Link with -Wl,-soname,{name}, or mend the file: patchelf --set-soname {name} {facts.path}",
    )


def _paths_in(content: bytes) -> list[str]:
    """The paths into a build machine's folders that a package file names."""
    # What precedes the slash tells a path from the rest of one, of a variable's, or of a URL.
    pattern = re.compile(rb"(?:(?<=-[LI])|(?<![\w.})$/:~@-]))/(?:%b)/[^\s;\"'<>)#,]+" % _WORKPLACES)
    lines = [line for line in content.splitlines() if not line.lstrip().startswith(b"#")]
    return [text(path) for path in dict.fromkeys(path for line in lines for path in pattern.findall(line))]


def _package_files(case: Case) -> Iterator[Observation | ReadProblem]:
    leaking: list[tuple[str, list[str]]] = []
    for document in case.inventory.package_files:
        if document.content is None:
            reason = "it could not be read whole, so whether it names the build machine's folders is not known"
            yield ReadProblem(file=document.path, reason=reason)
        else:
            paths = _paths_in(document.content)
            if paths:
                leaking.append((document.path, paths))
    if not leaking:
        return
    file, paths = leaking[0]
    others = f" (and {counted(len(leaking) - 1, 'other file')})" if len(leaking) > 1 else ""
    everything = tuple(dict.fromkeys(path for _, named in leaking for path in named))
    yield Observation(
        file=file,
        subject=paths[0],
        message=f"names folders of the machine that it was built on: {listing(paths)}{others}",
        evidence=evidence(paths=everything[:_MOST_PATHS], files=tuple(path for path, _ in leaking)),
        remedy="Make its paths relative to where it lies (install(EXPORT), imported targets; ${pcfiledir} of pkg-config)",
    )


RULE = Rule(id="leaked-build-path", family="runpaths", parameters=NoParameters, check=check, doc=__doc__ or "")
