"""A wheel for one version of Python uses only what the stable ABI has.

## What

Every extension module of a wheel tagged for one CPython (`cp311-cp311`) uses functions and variables
of the stable ABI only. The lowest version whose stable ABI has them all is told.

## Why it breaks

Nothing breaks. One wheel for all later versions would do: fewer builds, and support for the next
Python from its first day.

## Causes and fixes

- Compile with `-DPy_LIMITED_API` as the version that is told: the compiler then also refuses what
  symbols do not show, such as members of structures and macros that read them.
- Tag it: setuptools `py_limited_api`, PyO3 `abi3-py3…`, scikit-build-core `wheel.py-api`, Meson
  `limited_api`.
- Not for builds without a global lock before PEP 803, which have no stable ABI.

## References

PEP 384; "C API Stability"; CPython `Misc/stable_abi.toml`.
"""

from __future__ import annotations

from checker.model.finding import Observation
from checker.model.rule import NoParameters, Rule
from checker.rules.stable_abi import interpreter_symbols, is_defined
from checker.rules.versions import dotted
from checker.rules.wording import counted, evidence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from checker.model.case import Case

_FIRST = (3, 2)


def check(case: Case, parameters: NoParameters) -> Iterator[Observation]:  # noqa: ARG001 - every rule is asked in the same way
    """At most one observation, for the wheel."""
    abi = case.stable_abi
    tags = sorted({(tag.python, tag.abi) for tag in case.tags})
    if abi is None or not tags or not all(_is_one_version(found) for _, found in tags):
        return
    used = {facts.path: names for facts in case.objects if (names := interpreter_symbols(facts))}
    wanted = {name for names in used.values() for name in names}
    known = {name: since for name in wanted if (since := abi.since(name)) is not None}
    # Whoever is to have a name that is neither in the ABI nor the artifact's own: nothing is suggested on a guess.
    if not known or not all(name in known or is_defined(name, case.objects) for name in wanted):
        return
    lowest = max((_FIRST, *known.values()))
    tag = f"cp{lowest[0]}{lowest[1]}-abi3"
    modules = f"{counted(len(used), 'module')} {'uses' if len(used) == 1 else 'use'}"
    yield Observation(
        file=case.inventory.name,
        subject=tag,
        message=f"is tagged {'-'.join(tags[0])}, and its {modules} only the stable ABI of Python {dotted(lowest)}",
        evidence=evidence(modules=tuple(sorted(used)), symbols=len(known)),
        remedy=f"Compile with -DPy_LIMITED_API=0x{lowest[0]:02x}{lowest[1]:02x}0000 and tag the wheel {tag}",
    )


def _is_one_version(abi: str) -> bool:
    """``cp311``, or ``cp37m``: not ``cp313t``, whose builds have no such ABI."""
    return abi.startswith("cp3") and abi[3:].removesuffix("m").isdigit()


RULE = Rule(id="could-be-stable-abi", family="interpreter", parameters=NoParameters, check=check, doc=__doc__ or "")
