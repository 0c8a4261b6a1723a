"""The same library is in the artifact twice.

## What

Two shared libraries of one architecture with the same build id (the linker's fingerprint of the contents: what came after,
such as a new run path, does not change it), or with the same DT_SONAME apart from a hash. Told once for each group.
Different builds under one name count only where some file needs one of them: otherwise a program opens the one that it
chooses by its path. Folders from which the loader chooses (`glibc-hwcaps`, and the globs of `variants`) do not count.

## Why it breaks

The wheel is larger by each copy: wheels know no symbolic links, so that `libfoo.so`, `libfoo.so.1` and `libfoo.so.1.2` are
three files. Where two of them are loaded, each has its own globals: a registry filled through one copy is empty in the other,
`dynamic_cast` and `catch` fail between them, and memory of one is freed by the other.

## Causes and fixes

- `install(TARGETS …)` or a glob in `package_data` took the links along: package only the file that DT_SONAME names (CMake:
  `NAMELINK_SKIP`, and no `VERSION` property).
- The build installed the library into the package, and `auditwheel repair` copied it once more into `NAME.libs`: let a run
  path of the extension (`-Wl,-rpath,'$ORIGIN/…'`) lead to the packaged one, and say `--exclude`, or do not package it.
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
from checker.rules.bundled import bundled_libraries, copies, plain_name
from checker.rules.wording import counted, evidence, listing, megabytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

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
    """One observation for each group of copies."""
    libraries = [facts for facts in bundled_libraries(case) if not any_match(parameters.variants, facts.path)]
    groups = copies(libraries)
    if not groups:
        return
    members = {member.path: member for member in case.inventory.members}
    needed = {edge.path for edge in case.libraries if edge.provider is ProviderKind.MEMBER}
    for group in groups:
        contents = {facts.notes.build_id or members[facts.path].sha256 for facts in group}
        paths = [facts.path for facts in group]
        # Different builds that nobody needs by name are opened by path: a program chooses among them.
        if len(contents) == 1 or needed.intersection(paths):
            yield _observe(
                group, [path for path in paths if path in needed], [members[path].size for path in paths], len(contents)
            )


def _observe(group: Sequence[ElfFacts], used: list[str], sizes: list[int], builds: int) -> Observation:
    paths = [facts.path for facts in group]
    name = plain_name(group[0].soname or group[0].path)
    times = "twice" if len(group) == 2 else f"{len(group)} times"  # noqa: PLR2004
    kind = "the same build" if builds == 1 else counted(builds, "different build")
    # All but the largest could go.
    spare = sum(sorted(sizes)[:-1])
    kept = used[0] if len(used) == 1 else None
    others = [path for path in paths if path != kept]
    if kept is not None:
        remedy = f"Leave out {listing(others)}: what is needed is {kept}"
    else:
        remedy = (
            f"Keep one of them, under the file name that is in its DT_SONAME ({group[0].soname or 'it has none'}), and let run "
        )
        remedy += "paths lead to it"
    return Observation(
        file=paths[0],
        subject=name,
        message=f"the artifact holds {name} {times}: {listing(paths)} ({kind}, {megabytes(spare)} more than one takes)",
        evidence=evidence(
            paths=paths, needed=used, build_ids=sorted({facts.notes.build_id or "none" for facts in group}), spare_bytes=spare
        ),
        remedy=remedy,
    )


RULE = Rule(id="duplicate-bundled-library", family="libraries", parameters=Parameters, check=check, doc=__doc__ or "")
