"""The same library is in the artifact twice.

## What

Two shared libraries of one architecture with the same build id (the linker's fingerprint of the contents: what came after,
such as a new run path, does not change it), or with the same DT_SONAME apart from a hash. Told once for each group, and
once for a whole folder where the copies in it differ in their names alone. Different builds under one name count only
where some file needs one of them: otherwise a program opens the one that it chooses by its path. Folders from which the
loader chooses (`glibc-hwcaps`, and the globs of `variants`) do not count.

## Why it breaks

The wheel is larger by each copy: wheels know no symbolic links, so that `libfoo.so`, `libfoo.so.1` and `libfoo.so.1.2` are
three files. Where two of them are loaded, each has its own globals: a registry filled through one copy is empty in the other,
`dynamic_cast` and `catch` fail between them, and memory of one is freed by the other.

## Causes and fixes

- `install(TARGETS …)` or a glob in `package_data` took the links along: package only the file that DT_SONAME names (CMake:
  `NAMELINK_SKIP`, and no `VERSION` property).
- The build installed the library into the package, and `auditwheel repair` copied it once more into `NAME.libs`: let a run
  path of the extension (`-Wl,-rpath,'$ORIGIN/…'`) lead to the packaged one, and say `--exclude`, or do not package it.
- A build dependency (scipy-openblas) brought a copy that was grafted once before, and the repair grafted it again beside the
  build image's own: link what needs the image's statically (`-static-libgfortran`), or against the dependency's copy.
- Two builds of it (a system package and a vendored one) were linked into different extensions: link all against one.

## References

ld(1), "--build-id"; auditwheel, "repair"; PEP 427 (no symbolic links); glibc `elf/dl-load.c`, `_dl_map_object_from_fd` (one
file is told by device and inode, and copies differ).
"""

from __future__ import annotations

from checker.model.closure import ProviderKind
from checker.model.finding import Observation
from checker.model.globs import any_match
from checker.model.record import record
from checker.model.rule import Rule
from checker.rules.bundled import bundled_libraries, copies, file_name, plain_name, stem
from checker.rules.installed import directory
from checker.rules.wording import counted, evidence, listing, shown_size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Sequence

    from checker.model.case import Case
    from checker.model.elf import ElfFacts


@record
class Parameters:
    """Parameters.

    Attributes:
        variants: globs over member paths of builds of which a program chooses one.
    """

    variants: tuple[str, ...] = ("**/glibc-hwcaps/**",)


def check(case: Case, parameters: Parameters) -> Iterator[Observation]:
    """One observation for each group of copies, and one for all of a folder that differ in their names only."""
    libraries = [facts for facts in bundled_libraries(case) if not any_match(parameters.variants, facts.path)]
    groups = copies(libraries)
    if not groups:
        return
    members = {member.path: member for member in case.inventory.members}
    needed = {edge.path for edge in case.libraries if edge.provider is ProviderKind.MEMBER}
    links: dict[str, list[tuple[ElfFacts, ...]]] = {}
    for group in groups:
        builds = {facts.notes.build_id or members[facts.path].sha256 for facts in group}
        folders = {directory(facts.path) for facts in group}
        if len(builds) == len(folders) == 1:
            links.setdefault(folders.pop(), []).append(group)
        # Different builds that nobody needs by name are opened by path: a program chooses among them.
        elif len(builds) == 1 or needed.intersection(facts.path for facts in group):
            yield _copies(group, needed, len(builds))
    for folder, found in links.items():
        yield _links(folder, found, needed)


def _copies(group: Sequence[ElfFacts], needed: Container[str | None], builds: int) -> Observation:
    paths = [facts.path for facts in group]
    used = [path for path in paths if path in needed]
    name = plain_name(group[0].soname or group[0].path)
    kind = "the same build" if builds == 1 else counted(builds, "different build")
    soname = f" ({group[0].soname})" if group[0].soname else ""
    remedy = (
        f"Keep one of them, under the file name that is its SONAME{soname}, and let run paths ('-Wl,-rpath,$ORIGIN/…') "
        "lead to it"
    )
    if len(used) == 1:
        remedy = f"Leave out {listing([path for path in paths if path != used[0]])}: what is needed is {used[0]}"
    return Observation(
        file=paths[0],
        subject=name,
        message=f"the artifact holds {name} {_times(group)}: {listing(paths)} ({kind}, {_spare([group])} more than one takes)",
        evidence=evidence(paths=paths, needed=used, build_ids=sorted({facts.notes.build_id or "none" for facts in group})),
        remedy=remedy,
    )


def _links(folder: str, groups: Sequence[Sequence[ElfFacts]], needed: Container[str | None]) -> Observation:
    """What were symbolic links in the build tree."""
    shown = [f"{plain_name(group[0].soname or group[0].path)} {_times(group)}" for group in groups]
    if all(file_name(facts.path) != plain_name(facts.path) for group in groups for facts in group):
        return _grafted(folder, groups)
    first = groups[0]
    kept = next((facts for facts in first if facts.path in needed), None)
    kept = kept or next((facts for facts in first if file_name(facts.path) == facts.soname), first[0])
    return Observation(
        file=first[0].path,
        subject=folder or "site-packages",
        message=f"{folder or 'the top folder'} holds {listing(shown)} under several names: links became files "
        f"({_spare(groups)} more than one of each takes)",
        evidence=evidence(paths=[facts.path for group in groups for facts in group]),
        remedy=f"Package only the file by whose name each is needed ({kept.path}): NAMELINK_SKIP and no VERSION property in "
        "CMake, or a narrower glob in package_data",
    )


def _grafted(folder: str, groups: Sequence[Sequence[ElfFacts]]) -> Observation:
    """Each with a hash of its own: two files that a repair tool found, and no link of one to the other."""
    names = [stem(group[0].path) for group in groups]
    shown = [f"{name} {_times(group)}" for name, group in zip(names, groups, strict=True)]
    return Observation(
        file=groups[0][0].path,
        subject=folder,
        message=f"{folder} holds {listing(shown)} under hashed names: what had been grafted into a build dependency was "
        f"grafted once more, beside the build image's own ({_spare(groups)} more than one of each takes)",
        evidence=evidence(paths=[facts.path for group in groups for facts in group]),
        remedy=f"Link what needs {listing(names)} of the build image statically (GCC's own libraries: -static-libgcc "
        "-static-libstdc++ -static-libgfortran), or against the copy that the dependency brings",
    )


def _times(group: Sequence[ElfFacts]) -> str:
    return "twice" if len(group) == 2 else f"{len(group)} times"  # noqa: PLR2004


def _spare(groups: Sequence[Sequence[ElfFacts]]) -> str:
    """The bytes of all but the largest of each."""
    return shown_size(sum(sum(sorted(facts.size for facts in group)[:-1]) for group in groups))


RULE = Rule(id="duplicate-bundled-library", family="libraries", parameters=Parameters, check=check, doc=__doc__ or "")
