"""A wheel for every later Python uses what the stable ABI of its lowest one lacks.

## What

A wheel tagged `abi3` (or `abi3t`) promises to work with the Python of its tag and all later ones. An
object in it uses a function or variable of the interpreter that the stable ABI has only from a later
version on, or never had. What a member of the wheel defines itself, whatever its name, is no use of
the interpreter; where the object needs libraries that were not there to be read, and which may have
the names, the answer is that it could not be checked.

## Why it breaks

Below the version that brings the symbol, the import fails: "undefined symbol: PyType_GetModule". A
symbol outside the stable ABI may change its meaning or go away in any release, and the installed wheel
is not rebuilt.

## Causes and fixes

- `Py_LIMITED_API` is defined higher than the tag says: `-DPy_LIMITED_API=0x03080000` for `cp38-abi3`,
  or tag it for the version that is told (setuptools: `py_limited_api = "cp311"` in `[bdist_wheel]`;
  PyO3: feature `abi3-py311`; scikit-build-core: `wheel.py-api = "cp311"`).
- `Py_LIMITED_API` is not defined in one of the source files, so that its macros and inline functions
  became calls of private functions (`_Py_Dealloc` below 3.12).
- Cython: `cython_limited_api` needs `CYTHON_LIMITED_API` and `Py_LIMITED_API`; pybind11 has no stable
  ABI at all; nanobind has it from 3.12 on (`STABLE_ABI`).
- A private `_Py…` function: use its public successor.

## References

PEP 384, PEP 652, PEP 803; CPython `Misc/stable_abi.toml` and "C API Stability".
"""

from __future__ import annotations

from checker.model.artifact import ReadProblem
from checker.model.closure import ProviderKind
from checker.model.finding import Observation
from checker.model.rule import NoParameters, Rule
from checker.rules.stable_abi import lowest_version, violations
from checker.rules.versions import dotted
from checker.rules.wording import counted, evidence, listing, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from checker.model.case import Case
    from checker.rules.stable_abi import Version, Violation


def check(case: Case, parameters: NoParameters) -> Iterator[Observation | ReadProblem]:  # noqa: ARG001 - every rule is asked in the same way
    """One observation for each object."""
    lowest = lowest_version(case)
    if lowest is None:
        return
    if case.stable_abi is None:
        yield ReadProblem(file=case.inventory.name, reason="no data for the stable ABI: what the wheel uses was not compared")
        return
    for facts in case.objects:
        found = violations(case, facts)
        unseen = _unseen(case, facts.path) if found else ()
        if unseen:
            names = listing([text(each.symbol) for each in found])
            reason = f"it uses {names} beyond the stable ABI of Python {dotted(lowest)}, unless {listing(unseen)} has them"
            yield ReadProblem(file=facts.path, reason=reason)
        elif found:
            yield _observe(facts.path, found, lowest)


def _unseen(case: Case, path: str) -> tuple[str, ...]:
    """Libraries that the object needs and that were not there to be read: they may define what it wants."""
    unseen = (ProviderKind.DECLARED, ProviderKind.NONE)
    return tuple(sorted({edge.soname for edge in case.libraries if edge.needer == path and edge.provider in unseen}))


def _observe(path: str, found: tuple[Violation, ...], lowest: Version) -> Observation:
    later = sorted((each for each in found if each.since is not None), key=lambda each: (each.since, each.symbol))
    never = [each for each in found if each.since is None]
    shown = [f"{text(each.symbol)} (never in it)" for each in never]
    shown += [f"{text(each.symbol)} (since {dotted(each.since)})" for each in reversed(later) if each.since is not None]
    newest = max((each.since for each in later if each.since is not None), default=lowest)
    if never:
        remedy = "Compile every source file with -DPy_LIMITED_API as the tag's version, and do without the symbols named"
    else:
        tag = f"cp{newest[0]}{newest[1]}-abi3"
        remedy = f"Tag it {tag}, or compile every source file with -DPy_LIMITED_API=0x{lowest[0]:02x}{lowest[1]:02x}0000"
    return Observation(
        file=path,
        subject=text((never or later)[0].symbol),
        message=f"uses {counted(len(found), 'symbol')} that the stable ABI of Python {dotted(lowest)} lacks: {listing(shown)}",
        evidence=evidence(
            symbols=tuple(text(each.symbol) for each in found),
            since=tuple(f"{text(each.symbol)} {dotted(each.since)}" for each in later if each.since is not None),
            lowest=dotted(lowest),
        ),
        remedy=remedy,
    )


RULE = Rule(id="stable-abi-violation", family="interpreter", parameters=NoParameters, check=check, doc=__doc__ or "")
