"""A file uses what a system library keeps for itself.

## What

Symbols in the version GLIBC_PRIVATE of a library of the platform; and symbols that the policy of the
tag denies, because some builds of a promised library export them and others do not (zlib's `_tr_*` and
`inflate_fast`, `__cxa_thread_atexit_impl` below manylinux_2_18 …). Weak references do not count.

## Why it breaks

GLIBC_PRIVATE changes with every build of glibc: after an update of the system the import ends with
"symbol lookup error", or the call goes to something else. A denied symbol is there on one
distribution and missing on the next: "undefined symbol".

## Causes and fixes

- One of glibc's own libraries (libpthread, libresolv, libnsl, ld.so) was bundled: it belongs to the C
  library of the build machine. Take it out: `auditwheel repair` never copies it.
- A static glibc archive (`-l:libpthread.a`) was linked into a shared library: link dynamically.
- Code that peeks into the loader (`_dl_*`, `__libc_*`, `_rtld_global`): use the documented interface
  (`dl_iterate_phdr`, `dladdr`).
- zlib's inner functions: link zlib statically, or bundle it (`auditwheel repair` does not, as it is
  promised: link it as `-l:libz.a`).

## References

glibc `Versions` files; PEP 513, "Security Implications" and PEP 600; auditwheel
`manylinux-policy.json`, `blacklist`.
"""

from __future__ import annotations

from checker.model.closure import ProviderKind
from checker.model.elf import Use
from checker.model.finding import Observation
from checker.model.record import record
from checker.model.resolution import Outcome
from checker.model.rule import Rule
from checker.rules.architectures import suits
from checker.rules.known_libraries import is_libc
from checker.rules.platform_needs import symbols_by_version
from checker.rules.versions import PRIVATE
from checker.rules.wording import evidence, listing, shown_symbols, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from checker.model.case import Case
    from checker.model.elf import ElfFacts


@record
class Parameters:
    """Parameters.

    Attributes:
        denied: symbols that the project denies besides, whichever library of the platform has them.
        allowed: symbols that are accepted all the same.
    """

    denied: tuple[str, ...] = ()
    allowed: tuple[str, ...] = ()


def check(case: Case, parameters: Parameters) -> Iterator[Observation]:
    """One observation for each object with GLIBC_PRIVATE needs, and one for each object and library of denied symbols."""
    providers: dict[tuple[str, str], set[ProviderKind]] = {}
    for edge in case.libraries:
        providers.setdefault((edge.needer, edge.soname), set()).add(edge.provider)
    failed = {
        (resolution.object, resolution.symbol) for resolution in case.resolutions if resolution.outcome is not Outcome.BOUND
    }
    for facts in case.objects:
        yield from _private(facts, providers, parameters)
        ours = {soname for soname in facts.needed if providers.get((facts.path, soname)) == {ProviderKind.PLATFORM}}
        denied = _denied(case, facts, parameters)
        used = [name for name in _strong_imports(facts, denied) if (facts.path, name) not in failed]
        # A symbol that another member defines is that member's, though the system may have one of that name too.
        used = [name for name in used if not any(other.symbols.definitions(name) for other in case.objects)]
        for soname in sorted(ours):
            names = [name for name in used if soname in denied[name]]
            if names:
                yield _denied_observation(case, facts, soname, names)


def _private(
    facts: ElfFacts, providers: dict[tuple[str, str], set[ProviderKind]], parameters: Parameters
) -> Iterator[Observation]:
    files: list[str] = []
    symbols: list[bytes] = []
    users: dict[int, list[bytes]] | None = None
    for need in facts.version_needs:
        if not is_libc(need.file) and providers.get((facts.path, need.file)) != {ProviderKind.PLATFORM}:
            continue
        for version in need.versions:
            if version.name == PRIVATE and not version.weak:
                if users is None:
                    users = symbols_by_version(facts)
                names = users.pop(version.index, [])
                kept = [name for name in names if text(name) not in parameters.allowed]
                if kept or not names:
                    files.append(need.file)
                    symbols.extend(kept)
    if files:
        shown = f": {shown_symbols([(name, None) for name in symbols])}" if symbols else ""
        yield Observation(
            file=facts.path,
            subject="GLIBC_PRIVATE",
            message=f"uses what {listing(files)} keeps for itself (GLIBC_PRIVATE){shown}",
            evidence=evidence(symbols=tuple(map(text, symbols)), libraries=tuple(files)),
            remedy="Do without the private symbols, or leave the file out where it is a part of the build machine's C library",
        )


def _denied(case: Case, facts: ElfFacts, parameters: Parameters) -> dict[bytes, set[str]]:
    """Symbol → the libraries that do not all have it, over every promise for the object's architecture."""
    found: dict[bytes, set[str]] = {}
    for promise in case.promises:
        if suits(facts, promise.oldest.architecture):
            for soname, symbol in promise.private:
                found.setdefault(symbol.encode("ascii"), set()).add(soname)
    for symbol in parameters.denied:
        found.setdefault(symbol.encode("utf-8"), set()).update(facts.needed)
    for symbol in parameters.allowed:
        found.pop(symbol.encode("utf-8"), None)
    return found


def _strong_imports(facts: ElfFacts, wanted: dict[bytes, set[str]]) -> list[bytes]:
    columns = facts.imports
    return sorted(
        name
        for position, name in enumerate(columns.names)
        if name in wanted and not columns.weak[position] and columns.uses[position] != Use.NONE
    )


def _denied_observation(case: Case, facts: ElfFacts, soname: str, names: list[bytes]) -> Observation:
    tags = tuple(promise.tag for promise in case.promises if suits(facts, promise.oldest.architecture))
    return Observation(
        file=facts.path,
        subject=text(names[0]),
        message=f"uses {shown_symbols([(name, None) for name in names])} of {soname}, which not every system of "
        f"{listing(tags)} has",
        evidence=evidence(symbols=tuple(map(text, names)), libraries=(soname,), tags=tags),
        remedy=f"Do without them, or link {soname} statically; to accept one, name it in the policy: "
        f'[rules.private-platform-symbol] allowed = ["{text(names[0])}"]',
    )


RULE = Rule(id="private-platform-symbol", family="symbols", parameters=Parameters, check=check, doc=__doc__ or "")
