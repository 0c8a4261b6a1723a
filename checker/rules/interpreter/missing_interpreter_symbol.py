"""A function or object of the interpreter is used that the promised interpreter does not have.

## What

An undefined symbol named `Py…` or `_Py…` that the oldest interpreter promised by the tags does not
export, and that no library of the artifact defines either. A module whose file name is for one
interpreter (`x.cpython-312-x86_64-linux-gnu.so`) is held to that one. What an abi3 wheel uses beyond
the stable ABI is told by `stable-abi-violation`.

## Why it breaks

The import fails with "undefined symbol: PyUnicode_AsUTF8AndSize" on the interpreters that the tag
promises, though not on the one that the wheel was built and tested with.

## Causes and fixes

- The tag names an older Python than the build used (`py3-none-…`, `cp38-abi3`, or a renamed file):
  build for each version, or let the tag say the true one.
- An abi3 wheel was compiled without, or with too high a, `Py_LIMITED_API`: define it as the lowest
  version, for instance `-DPy_LIMITED_API=0x03080000`; Cython, pybind11 and PyO3 have switches of
  their own (`abi3-py38`).
- A private `_Py…` function went away in the new version: use its public successor (see "What's
  New", "Porting to Python"), or pythoncapi-compat.
- Python 2 code, or a UCS2/UCS4 build (`PyUnicodeUCS2_…`).

## References

CPython `Misc/stable_abi.toml`; "C API Stability"; PEP 384, PEP 425.
"""

from __future__ import annotations

from checker.model.artifact import ReadProblem
from checker.model.finding import Observation
from checker.model.platform import host_order
from checker.model.rule import NoParameters, Rule
from checker.rules.fates import Fate, Fates, names_of, roots_of, undecided_reason
from checker.rules.stable_abi import violations
from checker.rules.wording import counted, evidence, listing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from checker.model.case import Case
    from checker.model.resolution import Resolution


def check(case: Case, parameters: NoParameters) -> Iterator[Observation | ReadProblem]:  # noqa: ARG001 - every rule is asked in the same way
    """One observation for each object."""
    fates = Fates(case)
    own = case.host.name if case.host is not None else ""
    loaded_by = {root.path: root.interpreter for root in case.roots}
    for path, failed in fates.told_by(Fate.INTERPRETER).items():
        resolutions = _untold(case, path, failed)
        if not resolutions:
            continue
        names = names_of(resolutions)
        symbols = counted(len(names), "symbol")
        hosts = sorted({loaded_by.get(root) or own for root in roots_of(resolutions)}, key=host_order)
        host = " or ".join(filter(None, hosts))
        if host:
            message = f"uses {symbols} of the interpreter that {host} does not have: {listing(names)}"
            remedy = _remedy(host, is_of_the_tag=own in hosts)
        else:
            message = f"uses {symbols} of a Python interpreter, and no interpreter loads it: {listing(names)}"
            remedy = (
                "Give the wheel the tag of the interpreter that it was built for, or check it with --python cp311 or the like"
            )
        yield Observation(
            file=path,
            subject=names[0],
            message=message,
            evidence=evidence(symbols=names, interpreter=host, roots=roots_of(resolutions)),
            remedy=remedy,
        )
    for path, undecided in fates.undecided(Fate.INTERPRETER).items():
        resolutions = _untold(case, path, undecided)
        if resolutions:
            yield ReadProblem(file=path, reason=undecided_reason(resolutions))


def _remedy(host: str, *, is_of_the_tag: bool) -> str:
    if not is_of_the_tag:
        return f"Build it with the headers of {host}, which alone loads a file of that name; or take it out if it is stale"
    return (
        "Build it with that interpreter's headers, or define Py_LIMITED_API as its version; else let the tag promise newer "
        f"interpreters only than {host}"
    )


def _untold(case: Case, path: str, resolutions: tuple[Resolution, ...]) -> tuple[Resolution, ...]:
    """Those that ``stable-abi-violation`` does not tell of an abi3 wheel."""
    facts = case.object(path)
    told = {violation.symbol for violation in violations(case, facts)} if facts is not None else set()
    return tuple(resolution for resolution in resolutions if resolution.symbol not in told)


RULE = Rule(id="missing-interpreter-symbol", family="interpreter", parameters=NoParameters, check=check, doc=__doc__ or "")
