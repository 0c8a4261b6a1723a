"""A run path names a fixed directory of the build machine, or the current directory.

## What

Every entry of an object's DT_RUNPATH (or of its DT_RPATH, which counts only where there is no
DT_RUNPATH) must start with `$ORIGIN`, the directory of the object itself. Entries such as
`/opt/vendor/lib` are told, and so are relative ones, `.` and empty ones (`a::b`, a colon at either
end).

## Why it breaks

An absolute directory exists on the machine that built the wheel. Elsewhere it is absent, so the
library is not found; or it exists and holds something else, which is then loaded. An empty or
relative entry means the current directory of the process: whoever can write a file there decides
which code runs. Both run before the system's own directories.

## Causes and fixes

- The build environment's linker flags (`-Wl,-rpath,/opt/…`, `LD_RUN_PATH`, conda's compilers):
  leave them out for the wheel.
- The Python that builds was itself linked with a run path to its own `lib`, as those of pyenv and many
  installed by hand are, and setuptools links every extension as it was linked
  (`python -m sysconfig | grep LDSHARED`): set `LDSHARED='gcc -shared'` for the build.
- CMake adds the directories that it linked from: set `CMAKE_BUILD_RPATH_USE_ORIGIN` or
  `CMAKE_INSTALL_RPATH=$ORIGIN`, and package the *installed* file, not the one in the build tree.
- A shell ate the dollar sign: write `'-Wl,-rpath,$ORIGIN'` in single quotes, and `$$ORIGIN` in a
  Makefile.
- A colon that was left over when two variables were joined (`$ORIGIN/../lib:`).
- On a finished wheel: `wheel unpack WHEEL`, in its folder `patchelf --set-rpath '$ORIGIN/…' FILE`, and
  `wheel pack DIRECTORY`, which writes RECORD anew.

## References

gABI chapter 5, "Shared Object Dependencies"; ld.so(8), "Rpath token expansion"; glibc
`elf/dl-load.c`, `fillin_rpath` (an empty element becomes `./`); musl `ldso/dynlink.c`, `path_open`
(an empty element is skipped). CWE-426, Untrusted Search Path.
"""

from __future__ import annotations

from checker.model.finding import Observation
from checker.model.globs import any_match
from checker.model.record import record
from checker.model.rule import Rule
from checker.rules.run_path import run_path, setting, starts_at_origin
from checker.rules.wording import evidence, listing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from checker.model.case import Case
    from checker.model.elf import ElfFacts


@record
class Parameters:
    """Parameters.

    Attributes:
        allowed: globs over entries that are accepted as they stand, such as ``/usr/local/cuda/lib64``.
    """

    allowed: tuple[str, ...] = ()


def check(case: Case, parameters: Parameters) -> Iterator[Observation]:
    """One observation for each object with such entries."""
    families = {promise.oldest.family for promise in case.promises}
    for facts in case.objects:
        observation = _observe(facts, parameters, skips_empty=families == {"musl"})
        if observation is not None:
            yield observation


def _observe(facts: ElfFacts, parameters: Parameters, *, skips_empty: bool) -> Observation | None:
    path = run_path(facts)
    if path is None:
        return None
    faulty = tuple(
        entry
        for entry in path.entries
        if not starts_at_origin(entry) and not any_match(parameters.allowed, entry) and (entry or not skips_empty)
    )
    if not faulty:
        return None
    current = tuple(entry for entry in faulty if not entry.startswith("/"))
    fixed = tuple(dict.fromkeys(entry for entry in faulty if entry.startswith("/")))
    kept = tuple(entry for entry in path.entries if entry not in faulty)
    return Observation(
        file=facts.path,
        subject=fixed[0] if fixed else current[0] or "(empty entry)",
        message=_message(fixed, tuple(dict.fromkeys(current))),
        evidence=evidence(tag=path.tag, run_path=path.written, entries=faulty, ignored_rpath=path.ignored),
        remedy=f"Link with '-Wl,-rpath,$ORIGIN/…' or nothing, or mend the file: patchelf {setting(path, kept)} {facts.path}",
    )


def _message(fixed: tuple[str, ...], current: tuple[str, ...]) -> str:
    parts = []
    if fixed:
        parts.append(f"looks for its libraries in {listing(fixed)}, which the machines of your users need not have")
    if current:
        shown = listing([f"'{entry}'" if entry else "an empty entry" for entry in current])
        parts.append(
            f"looks for its libraries in the current directory ({shown} in its run path), so that anyone who can write there "
            "decides what is loaded"
        )
    return "; it also ".join(parts)


RULE = Rule(id="absolute-run-path", family="runpaths", parameters=Parameters, check=check, doc=__doc__ or "")
