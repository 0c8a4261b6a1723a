"""A needed library is one that some systems have and the promised platform does not.

## What

A DT_NEEDED entry that the artifact does not satisfy, and that is the system's without being
promised: it is on the measured platform but not in the list of PEP 600 and auditwheel, or it is a
library that Linux distributions commonly have (OpenSSL, X11, libcuda).

## Why it breaks

It loads where that library happens to be installed in that version, and fails elsewhere with
"libssl.so.3: cannot open shared object file": in slim containers, on servers without a desktop, on
distributions that have moved on.

## Causes and fixes

- Bundle it: `auditwheel repair WHEEL` in the container where it was built.
- Link it statically (`-l:libssl.a`, OpenSSL's `no-shared`), or build without the feature that wants
  it.
- A driver's library (libcuda, libGL) must not be bundled: open it with `dlopen` when it is wanted
  and go on without; or, where the project cannot work without it, accept it in the policy:
  `[rules.library-outside-platform] allowed = ["libcuda.so.1"]`.
- `auditwheel repair --exclude` was used for it: take the exclusion out.

## References

PEP 513, PEP 571, PEP 599 and PEP 600 with auditwheel's `manylinux-policy.json`; PEP 656 for
musllinux.
"""

from __future__ import annotations

from checker.model.artifact import ReadProblem
from checker.model.closure import ProviderKind
from checker.model.finding import Observation
from checker.model.globs import any_match
from checker.model.record import record
from checker.model.rule import Rule
from checker.rules.known_libraries import is_libc, is_libpython, system_origin
from checker.rules.unfound import Cause, looked, platform_is_unknown, unfound
from checker.rules.wording import evidence, listing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from checker.model.case import Case
    from checker.model.closure import Edge


@record
class Parameters:
    """Parameters.

    Attributes:
        allowed: globs over needed names that the project accepts though no platform promises them.
    """

    allowed: tuple[str, ...] = ()


def check(case: Case, parameters: Parameters) -> Iterator[Observation | ReadProblem]:
    """One observation for each object and library."""
    unknown = platform_is_unknown(case)
    for edge in _outside(case):
        if any_match(parameters.allowed, edge.soname):
            continue
        if unknown:
            yield ReadProblem(
                file=edge.needer,
                reason=f"it needs {edge.soname}, which is not in the artifact; whether the platform promises it is not known",
            )
            continue
        origin = system_origin(edge.soname)
        tags = tuple(promise.tag for promise in case.promises)
        yield Observation(
            file=edge.needer,
            subject=edge.soname,
            message=f"needs {edge.soname}{f' ({origin})' if origin else ''}, which {listing(tags)} does not promise",
            evidence=evidence(root=edge.root, origin=origin, tags=tags, found=edge.how.value, looked_in=looked(edge)),
            remedy="Bundle it (auditwheel repair WHEEL) or link it statically; if every user has it in any case, "
            "accept it in the policy: "
            f'[rules.library-outside-platform] allowed = ["{edge.soname}"]',
        )


def _outside(case: Case) -> Iterator[Edge]:
    """Edges to libraries of the system that are not promised: those not found, then those that the measured platform has."""
    for lost in unfound(case):
        if lost.cause is Cause.SYSTEM:
            yield lost.edge
    members = {facts.path for facts in case.objects}
    seen: set[tuple[str, str]] = set()
    for edge in case.libraries:
        key = (edge.needer, edge.soname)
        if edge.provider is not ProviderKind.PLATFORM or edge.needer not in members or key in seen:
            continue
        seen.add(key)
        if not (_is_promised(case, edge.soname) or _is_libc(edge) or is_libpython(edge.soname)):
            yield edge


def _is_libc(edge: Edge) -> bool:
    """It is the C library: musl's loader takes ``libdl.so.2``, ``libm.so.6`` and the like for itself (``load_library``)."""
    return is_libc(edge.soname) or (edge.path is not None and is_libc(edge.path))


def _is_promised(case: Case, soname: str) -> bool:
    """Every promise with data covers it."""
    return all(promise.baseline.is_promised(soname) for promise in case.promises if promise.baseline is not None)


RULE = Rule(id="library-outside-platform", family="libraries", parameters=Parameters, check=check, doc=__doc__ or "")
