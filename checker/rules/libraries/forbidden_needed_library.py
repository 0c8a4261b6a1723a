"""A file needs a library that it must not need.

## What

A DT_NEEDED entry that the policy forbids, and always libpython unless `allow_libpython` is set (or the
wheel is for Android alone, where every extension module is linked with it).
With `via = "direct"` an object's own entries count; with `via = "closure"` also what its libraries
need in turn.

## Why it breaks

libpython: most interpreters are built without the shared library, so the import fails with
"libpython3.11.so.1.0: cannot open shared object file"; where it exists, a second interpreter comes
into the process. libstdc++, for a project that ships its own copy in its files: the system's
version is used after all, which may be too old, and two C++ runtimes meet in one process.

## Causes and fixes

- libpython: link extension modules without it. CMake: `Python_add_library(… MODULE …)` or
  `Python::Module` in place of `Python::Python`; setuptools: no `libraries=["python3.11"]`;
  `python3-config --ldflags` without `--embed`. On a finished file: `patchelf --remove-needed
  libpython3.11.so.1.0 FILE`.
- libstdc++: link with the `g++` driver and `-static-libstdc++ -static-libgcc`. The `gcc` driver
  ignores that flag: give it `-l:libstdc++.a` *after* the objects. An explicit `-lstdc++` brings the
  dependency back, and so does any needed library that has it: mend those too.

## References

PEP 513, "libpythonX.Y.so.1"; PEP 738 and python/cpython#115780 for Android; GCC manual, "Link
Options"; gABI chapter 5, "Shared Object Dependencies".
"""

from __future__ import annotations

from checker.model.finding import Observation
from checker.model.globs import any_match
from checker.model.record import record
from checker.model.rule import Rule
from checker.rules.architectures import is_for_linux
from checker.rules.known_libraries import is_cxx_runtime, is_libpython
from checker.rules.wording import evidence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Literal

    from checker.model.case import Case


@record
class Parameters:
    """Parameters.

    Attributes:
        libraries: globs over needed names that are forbidden, besides libpython.
        via: ``direct``: an object's own DT_NEEDED; ``closure``: all that is loaded for it.
        allow_libpython: libpython may be needed, since the process that loads the files brings it.
    """

    libraries: tuple[str, ...] = ()
    via: Literal["direct", "closure"] = "direct"
    allow_libpython: bool = False


def check(case: Case, parameters: Parameters) -> Iterator[Observation]:
    """One observation for each object and forbidden library."""
    edges = _edges(case) if parameters.via == "closure" else {}
    may_need_libpython = parameters.allow_libpython or not is_for_linux(case)
    for facts in case.objects:
        chains: dict[str, tuple[str, ...]] = dict.fromkeys(facts.needed, (facts.path,))
        for soname, chain in _reached(facts.path, edges):
            chains.setdefault(soname, chain)
        for soname, chain in chains.items():
            if any_match(parameters.libraries, soname) or (is_libpython(soname) and not may_need_libpython):
                yield _observe(facts.path, soname, chain)


def _edges(case: Case) -> dict[str, tuple[tuple[str, str], ...]]:
    """Needer → (soname, provider's path) pairs, over all closures."""
    found: dict[str, dict[tuple[str, str], None]] = {}
    for edge in case.libraries:
        found.setdefault(edge.needer, {})[edge.soname, edge.path or ""] = None
    return {needer: tuple(pairs) for needer, pairs in found.items()}


def _reached(start: str, edges: dict[str, tuple[tuple[str, str], ...]]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """(soname, the chain of needers that leads to it), breadth first; each provider is entered once."""
    queue: list[tuple[str, tuple[str, ...]]] = [(start, (start,))]
    entered = {start}
    for path, chain in queue:
        for soname, provider in edges.get(path, ()):
            yield soname, chain
            if provider and provider not in entered:
                entered.add(provider)
                queue.append((provider, (*chain, provider)))


def _observe(path: str, soname: str, chain: tuple[str, ...]) -> Observation:
    through = f" through {chain[-1]}" if len(chain) > 1 else ""
    # The same words for every file that needs it itself, so that a report can tell them together.
    needer = chain[-1] if len(chain) > 1 else "it"
    if is_libpython(soname):
        message = f"needs {soname}{through}, which most interpreters do not have as a shared library"
        remedy = (
            "Link without libpython (CMake: Python::Module in place of Python::Python; no -lpython3.x), "
            f"or mend the file: patchelf --remove-needed {soname} {chain[-1]}"
        )
    elif is_cxx_runtime(soname):
        message = f"needs {soname}{through}, which the policy forbids"
        remedy = (
            f"Link {needer} with g++ -static-libstdc++ -static-libgcc and without an explicit -lstdc++; with the gcc driver, "
            "which ignores that flag, put -l:libstdc++.a after the objects"
        )
    else:
        message = f"needs {soname}{through}, which the policy forbids"
        remedy = (
            f"Link {needer} without it, or statically (-l:NAME.a after the objects); -Wl,--as-needed drops what is not used"
        )
    return Observation(file=path, subject=soname, message=message, evidence=evidence(needed_by=chain), remedy=remedy)


RULE = Rule(id="forbidden-needed-library", family="libraries", parameters=Parameters, check=check, doc=__doc__ or "")
