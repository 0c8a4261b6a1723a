"""An object carries a copy of a runtime whose names it hides.

## What

A runtime of `families` that is linked into a library or module and exports nothing, told by what its own code says of
itself in read-only data: a version line ("OpenSSL 3.0.13 30 Jan 2024", " inflate 1.3.1 Copyright"), or a message that only
the runtime has. An object that exports the runtime's names is not told here: it is the runtime's own library, or
`leaked-runtime-symbols` and `clashing-runtimes` tell it. Nor is one that needs a shared OpenSSL or BLAS, whose headers put
the same line into their users. A build that leaves such texts out is not seen.

The rule is off until a policy wants to know, as reading all data takes as long as the rest of a check.

## Why it breaks

By itself it does not: hidden names meet nobody. It matters where all of a process are to share one runtime (exceptions that
cross libraries, one pool of OpenMP threads), and where somebody must know which OpenSSL or zlib is inside when a
vulnerability is published: no list of libraries shows it.

## Causes and fixes

- `-static-libstdc++`, or a static library that has it: link without, against the system's.
- A static OpenSSL, zlib or OpenBLAS of a dependency (vcpkg, Conan, Rust's `openssl-src`, a vendored copy): link against a
  shared one and let `auditwheel repair` bundle it; or keep it, name it in the SBOM, and set other `families` for that file.

## References

GCC manual, "-static-libstdc++"; ld(1), "--exclude-libs"; PEP 770 (SBOM documents in wheels).
"""

from __future__ import annotations

from checker.model.finding import Observation
from checker.model.record import record
from checker.model.rule import Rule
from checker.rules.runtimes import RUNTIMES, carried, named_by
from checker.rules.wording import evidence, listing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Literal

    from checker.model.case import Case
    from checker.model.elf import ElfFacts
    from checker.rules.runtimes import Runtime


@record
class Parameters:
    """Parameters.

    Attributes:
        families: which runtimes are looked for.
    """

    families: tuple[Literal["cxx", "openmp", "blas", "openssl", "zlib", "protobuf"], ...] = (
        "cxx",
        "openmp",
        "blas",
        "openssl",
        "zlib",
        "protobuf",
    )


_NAMES = {"cxx": "the C++ runtime", "blas": "OpenBLAS"}
_REMEDIES = {
    "cxx": "Link without -static-libstdc++ and without static libraries that bring it, so that the system's is used",
    "openmp": "Link with -fopenmp against the shared runtime, so that the process has one pool of threads",
}
_SHARE = "Link against a shared library and let auditwheel repair bundle it, or name it in an SBOM (PEP 770) and waive this"


def check(case: Case, parameters: Parameters) -> Iterator[Observation]:
    """One observation for each object and runtime."""
    objects = {facts.path: facts for facts in case.objects}
    for signatures in case.signatures or ():
        for runtime in RUNTIMES:
            texts = [text for family, text in signatures.texts if family == runtime.id]
            if runtime.id in parameters.families and texts and not _is_known(objects[signatures.file], runtime):
                yield Observation(
                    file=signatures.file,
                    subject=runtime.id,
                    message=f"has a copy of {_NAMES.get(runtime.id, runtime.name)} linked in and hidden: {listing(texts)}",
                    evidence=evidence(texts=texts),
                    remedy=_REMEDIES.get(runtime.id, _SHARE),
                )


_IN_HEADERS = frozenset({"openssl", "blas"})
"""Their headers have the version line as a macro (OPENSSL_VERSION_TEXT, OPENBLAS_VERSION)."""


def _is_known(facts: ElfFacts, runtime: Runtime) -> bool:
    """The object exports the runtime, or has the text of the headers of the shared one."""
    needs_it = any(named_by(soname, runtime) is not None for soname in facts.needed)
    return carried(facts, runtime) is not None or (needs_it and runtime.id in _IN_HEADERS)


RULE = Rule(id="hidden-runtime-copy", family="libraries", parameters=Parameters, check=check, doc=__doc__ or "")
