"""A file wants newer symbol versions than the project allows itself.

## What

Version needs on system libraries above the policy's own `ceilings`, such as `{GLIBC = "2.28",
GLIBCXX = "3.4.24"}`; an `[[override]]` can have others for some files, architectures or tags. What
is above the platform tag's own ceiling is told by `platform-tag-too-old`; what a library of the
artifact supplies, and weak needs, are not told.

## Why it breaks

The tag is true, so the wheel loads where it says; but the project has promised its users more: a
customer's distribution, an older C++ runtime, the next release's lower tag. Such a promise is lost
with one new call, or with a newer compiler.

## Causes and fixes

- A newer compiler or container: the same code then wants `GLIBCXX_3.4.29` or `GLIBC_2.34`. Pin the
  image; build with gcc-toolset, whose libstdc++ parts are linked statically.
- A new call: look at the symbols in the evidence; many (`pthread_once@GLIBC_2.34`,
  `__isoc23_strtol`) come by recompiling alone.
- GLIBCXX and CXXABI only: `g++ -static-libstdc++ -static-libgcc`.
- The project's floor has moved on purpose: raise the policy's ceiling.

## References

PEP 600; glibc and libstdc++ symbol version histories (libstdc++ manual, "ABI Policy and
Guidelines").
"""

from __future__ import annotations

from checker.model.finding import Observation
from checker.model.record import record
from checker.model.regex import regex
from checker.model.rule import Rule
from checker.rules.platform_needs import PlatformNeed, PlatformNeeds, newest_first, wanted
from checker.rules.versions import dotted, numbers
from checker.rules.wording import evidence, listing, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from checker.model.case import Case
    from checker.model.elf import ElfFacts
    from checker.rules.versions import Release


_VERSION = regex(r"\d{1,4}(\.\d{1,4}){0,3}")


@record
class Parameters:
    """Parameters.

    Attributes:
        ceilings: namespace → newest version allowed, such as ``GLIBC = "2.28"``.
    """

    ceilings: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        """Refuses ceilings that are no versions."""
        bad = [f'{namespace} = "{version}"' for namespace, version in self.ceilings if not _VERSION.fullmatch(version)]
        if bad:
            raise ValueError(f"ceilings must be versions such as 2.28, not {listing(bad)}")


def check(case: Case, parameters: Parameters) -> Iterator[Observation]:
    """One observation for each file."""
    if not parameters.ceilings:
        return
    ceilings = {namespace: numbers(version) for namespace, version in parameters.ceilings}
    needs = PlatformNeeds(case)
    tags = dict(case.computed.by_file) if case.computed is not None else {}
    for facts in case.objects:
        beyond = [
            need
            for need in needs.of(facts)
            if need.namespace in ceilings and need.release > ceilings[need.namespace] and not needs.exceeds_tag(facts, need)
        ]
        if beyond:
            yield _observe(facts, beyond, ceilings, tags.get(facts.path))


def _observe(facts: ElfFacts, beyond: list[PlatformNeed], ceilings: dict[str, Release], since: str | None) -> Observation:
    beyond = newest_first(beyond)
    shown, symbols = wanted(facts, beyond)
    allowed = [f"{namespace}_{dotted(ceilings[namespace])}" for namespace in dict.fromkeys(need.namespace for need in beyond)]
    return Observation(
        file=facts.path,
        subject=text(beyond[0].version),
        message=f"needs {listing(shown)}, and the policy allows {listing(allowed)} at most",
        evidence=evidence(
            versions=tuple(dict.fromkeys(f"{text(need.version)} of {need.file}" for need in beyond)),
            symbols=symbols,
            ceilings=tuple(allowed),
            first_platform=since,
        ),
        remedy=f"Build it where the libraries end at {listing(allowed)}{_image(ceilings)}, or avoid the symbols"
        + (", or link the C++ runtime statically (g++ -static-libstdc++ -static-libgcc)" if _is_cxx_only(beyond) else "")
        + "; or raise ceilings in [rules.symbol-version-too-new] of the policy",
    )


def _image(ceilings: dict[str, Release]) -> str:
    """The name of the image for a ceiling of glibc, by PEP 600."""
    glibc = ceilings.get("GLIBC", ())
    return f" (a container of manylinux_{glibc[0]}_{glibc[1]} or older)" if len(glibc) > 1 else ""


def _is_cxx_only(beyond: list[PlatformNeed]) -> bool:
    return all(need.namespace in {"GLIBCXX", "CXXABI", "GCC"} for need in beyond)


RULE = Rule(id="symbol-version-too-new", family="symbols", parameters=Parameters, check=check, doc=__doc__ or "")
