"""A file is made for the other C library than the one that the platform tag names.

## What

`manylinux` tags promise systems with glibc, `musllinux` tags systems with musl. A file that names
the other one's loader as its interpreter (PT_INTERP), or the other one's C library as needed, is
told; so is a file that names both. Static programs name neither and serve both; so may a library that
needs libc.so.6 and none of glibc's versions, since musl takes that name for itself.

## Why it breaks

The other system has no file of that name: "libc.musl-x86_64.so.1: cannot open shared object file",
or for a program a baffling "No such file or directory" for its interpreter. Where the name does
exist (a compatibility package), two C libraries meet in one process.

## Causes and fixes

- One wheel carries both a manylinux and a musllinux tag though its files are dynamic: build one
  wheel for each.
- The wheel was built in the wrong container: manylinux images for manylinux tags, musllinux images
  for musllinux tags.
- A Rust or Go program for `*-linux-musl` that was meant to be static: `-C
  target-feature=+crt-static`, `CGO_ENABLED=0`.
- The tag was set by hand: `wheel tags --platform-tag`, or `auditwheel repair`, which refuses the
  wrong one.

## References

PEP 600 (manylinux), PEP 656 (musllinux); gABI chapter 5, "Program Interpreter"; musl `ldso/dynlink.c`,
`load_library` (reserved names).
"""

from __future__ import annotations

from checker.model.finding import Observation
from checker.model.globs import any_match
from checker.model.rule import NoParameters, Rule
from checker.rules.architectures import is_native
from checker.rules.known_libraries import GLIBC, MUSL, is_libc
from checker.rules.wording import evidence, listing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from checker.model.case import Case
    from checker.model.elf import ElfFacts

_NAMES = {"glibc": "glibc", "musl": "musl"}
_TAGS = {"glibc": "manylinux", "musl": "musllinux"}
_TAKEN_BY_BOTH = "libc.so.6"
"""glibc's C library, and one of the names that musl's loader answers itself."""
_GLIBC_VERSION = b"GLIBC_"


def check(case: Case, parameters: NoParameters) -> Iterator[Observation]:  # noqa: ARG001 - every rule is asked in the same way
    """One observation for each file that needs a C library which a tag does not promise, or both."""
    promised = _promised(case)
    for facts in case.objects:
        if not is_native(facts):
            continue
        signs = _signs(facts)
        families = tuple(sorted({family for family, _ in signs}))
        without = tuple(family for family in promised if families and families != (family,))
        if len(families) > 1:
            message = f"needs both glibc and musl ({listing([sign for _, sign in signs])}): no system has both"
        elif without:
            missing = listing([f"{_TAGS[family]} ({_NAMES[family]})" for family in without])
            message = f"needs {_NAMES[families[0]]} ({listing([sign for _, sign in signs])}), and the tag promises {missing}"
        else:
            continue
        yield Observation(
            file=facts.path,
            subject=signs[0][1],
            message=message,
            evidence=evidence(
                interpreter=facts.interpreter, needed=facts.needed, tags=tuple(sorted({tag.platform for tag in case.tags}))
            ),
            remedy=_remedy(families, promised),
        )


def _promised(case: Case) -> tuple[str, ...]:
    platforms = [tag.platform for tag in case.tags]
    found = {family for family, prefix in _TAGS.items() if any(platform.startswith(prefix) for platform in platforms)}
    return tuple(sorted(found | {promise.oldest.family for promise in case.promises}))


def _signs(facts: ElfFacts) -> list[tuple[str, str]]:
    """(family, what tells it) of one file."""
    names = ([facts.interpreter.rpartition("/")[2]] if facts.interpreter else []) + list(facts.needed)
    names = [name for name in names if is_libc(name)]
    signs = [("musl", name) for name in names if any_match(MUSL, name)]
    signs += [("glibc", name) for name in names if any_match(GLIBC, name)]
    return [] if signs == [("glibc", _TAKEN_BY_BOTH)] and not _asks_for_glibc(facts) else list(dict.fromkeys(signs))


def _asks_for_glibc(facts: ElfFacts) -> bool:
    """It was linked with glibc's own library and not with a stub: that leaves the versions of its symbols."""
    return any(version.name.startswith(_GLIBC_VERSION) for need in facts.version_needs for version in need.versions)


def _remedy(families: tuple[str, ...], promised: tuple[str, ...]) -> str:
    if len(families) > 1:
        return "Build the file and all that it links in one container, manylinux or musllinux"
    if len(promised) > 1:
        return "Build one wheel for each C library, or link the program statically (Rust: -C target-feature=+crt-static)"
    return (
        f"Build it in a {_TAGS[promised[0]]} container, or let the tag say {_TAGS[families[0]]}: "
        "wheel tags --platform-tag TAG WHEEL"
    )


RULE = Rule(id="libc-mismatch", family="platform", parameters=NoParameters, check=check, doc=__doc__ or "")
