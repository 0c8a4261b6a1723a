"""The loader refuses the file for a reason that no other rule tells.

## What

On some promised platform, opening a root ends with an error or kills the process, and neither a
missing library or version nor an unsatisfied import is the reason. What is left: a program where a
library is needed (DF_1_PIE, ET_EXEC), DF_1_NOOPEN, an instruction set level beyond the processor's,
thread-local storage that no longer fits, a relocation type that the loader does not know, a hash
table that does not lead to a symbol which the file refers to, and a library that was to be loaded
before (`--preload`) and cannot be. An allocator whose storage fits only where it is preloaded is told by `initial-exec-tls`.

## Why it breaks

`import` or `dlopen` fails; where the loader asserts, the whole process dies.

## Causes and fixes

- Linked as a program (`-pie` without `-shared`), or with `-z nodlopen`: link again as a library.
- Compiled with `-ftls-model=initial-exec`: such storage fits into a running process by luck on glibc
  and never on musl; the default model (global-dynamic) and TLS descriptors always do.
- A tool that edits or strips files has damaged the hash table: build again, and find the step that does it.

## References

glibc `elf/dl-load.c` (`_dl_map_object_from_fd`), `elf/dl-reloc.c` (`_dl_try_allocate_static_tls`), `elf/do-rel.h`,
`elf/dl-version.c`; musl `ldso/dynlink.c` (`do_relocs`); System V gABI, "Hash Table".
"""

from __future__ import annotations

from checker.model.closure import ProviderKind
from checker.model.finding import Observation
from checker.model.resolution import LoadOutcome, Outcome
from checker.model.rule import NoParameters, Rule
from checker.rules.preloads import is_preload_only
from checker.rules.wording import evidence, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from checker.model.case import Case
    from checker.model.platform import PlatformId
    from checker.model.resolution import Load, LoadCause

_REFUSED = frozenset({LoadOutcome.FAILS, LoadOutcome.ABORTS})
_FAILED = frozenset({Outcome.VERSION_MISSING, Outcome.SYMBOL_MISSING, Outcome.LIBRARY_MISSING})
_HAVE_THEIR_OWN_RULE = ("it asks for an executable stack", "does not apply DT_RELR")
"""Ends of subjects that executable-stack and dt-relr-without-marker tell."""

_REMEDIES = (
    ("executable cannot be loaded", "Link it with -shared and not as a program (-pie), or do not need it from a library"),
    ("DF_1_NOOPEN", "Link it without -Wl,-z,nodlopen"),
    ("ISA level", "Build it without -Wl,-z,x86-64-v2 or the like (and -march), or for the level that the tag promises"),
    ("TLS", "Compile it with the default -ftls-model=global-dynamic, and without -mtls-dialect or __attribute__((tls_model))"),
    ("relocation type", "Link it with a linker for this system; for code that is not position-independent compile with -fPIC"),
)
_BROKEN_TABLE = (
    "Build it again, and look for the step after the link (strip, patchelf, an obfuscator) that damages .gnu.hash or .hash"
)


class _Told:
    """What other rules tell of a case's failing loads."""

    def __init__(self, case: Case) -> None:
        self._objects = {facts.path: facts for facts in case.objects}
        self._unfound = {(edge.needer, edge.soname) for edge in case.libraries if edge.provider is ProviderKind.NONE}
        self._versions = {(one.object, platform) for one in case.missing_versions for platform in one.platforms}
        self._symbols = {
            (one.object, one.symbol.decode("utf-8", "backslashreplace"), platform)
            for one in case.resolutions
            if one.outcome in _FAILED
            for platform in one.platforms
        }

    def holds(self, root: str, load: Load, cause: LoadCause) -> bool:
        """Another rule tells the cause."""
        facts = self._objects.get(root)
        if facts is not None and is_preload_only(facts, cause):
            return True
        if cause.kind == "library":
            return (cause.object, cause.subject) in self._unfound
        if cause.kind == "version":
            return (cause.object, load.platform) in self._versions
        if cause.kind == "symbol":
            return (cause.object, cause.subject, load.platform) in self._symbols
        return cause.subject.endswith(_HAVE_THEIR_OWN_RULE)


def check(case: Case, parameters: NoParameters) -> Iterator[Observation]:  # noqa: ARG001 - every rule is asked in the same way
    """One observation for each object and reason."""
    if all(load.outcome not in _REFUSED for root in case.roots for load in root.loads):
        return
    told = _Told(case)
    found: dict[LoadCause, tuple[set[str], set[PlatformId], set[LoadOutcome]]] = {}
    for root in case.roots:
        for load in root.loads:
            if load.outcome in _REFUSED and load.because is not None and not told.holds(root.path, load, load.because):
                roots, platforms, outcomes = found.setdefault(load.because, (set(), set(), set()))
                roots.add(root.path)
                platforms.add(load.platform)
                outcomes.add(load.outcome)
    for cause, (roots, platforms, outcomes) in found.items():
        yield _observe(cause, sorted(roots), tuple(map(str, sorted(platforms))), aborts=LoadOutcome.ABORTS in outcomes)


def _observe(cause: LoadCause, roots: list[str], platforms: tuple[str, ...], *, aborts: bool) -> Observation:
    subject = text(cause.subject.encode("utf-8", "surrogateescape"))
    where = f"on {platforms[0]}" if len(platforms) == 1 else f"on {len(platforms)} platforms, {platforms[0]} to {platforms[-1]}"
    ends = "the process dies" if aborts else "the load fails"
    told = {
        "symbol": f"it refers to its own symbol {subject}, to which its hash table does not lead",
        "library": f"{subject} is not found",
        "version": f"version {subject} is missing",
    }
    return Observation(
        file=cause.object,
        subject=subject,
        message=f"{ends} {where}: {told.get(cause.kind, subject)}",
        evidence=evidence(kind=cause.kind, roots=roots, platforms=platforms),
        remedy=_remedy(cause),
    )


def _remedy(cause: LoadCause) -> str:
    if cause.kind == "symbol":
        return _BROKEN_TABLE
    if cause.kind != "property":
        return "Load something else before the roots (--preload), or mend what is loaded; wheelproof explain tells its story"
    return next((remedy for words, remedy in _REMEDIES if words in cause.subject), "Build it for this loader")


RULE = Rule(id="load-failure", family="libraries", parameters=NoParameters, check=check, doc=__doc__ or "")
