"""The artifact holds a library that must come from the user's system, or that the policy forbids.

## What

A shared library whose file name or DT_SONAME, apart from a hash that `auditwheel repair` put in, is one of `libraries`: by
default the C library with its parts and its loader, and the user-space half of the NVIDIA driver. Files in a folder named
`stubs` are for the linker and not meant. Those of `driven` (the dispatchers and drivers of OpenGL) are forbidden only where
some file of the artifact is given the bundled one: a software renderer that is opened by its path on demand is none of
this rule's business.

## Why it breaks

- The C library is one program with its loader: `libm`, `libpthread` or `libc` of another build find the loader's private
  data (`GLIBC_PRIVATE`) laid out otherwise, and the process dies at load, or much later in a thread or a name lookup.
- The driver's libraries talk to the kernel module of exactly their own version: on every other machine
  `cuInit` fails with "driver/library version mismatch", though the user's own driver is fine.
- libGL of the build machine leads to the build machine's graphics: no acceleration, or two dispatchers in one process.

## Causes and fixes

- The build image has the library in a place that `auditwheel` does not know for a system's, and it was grafted: name it,
  `auditwheel repair --exclude libcuda.so.1 WHEEL`, or link against the stub (`/usr/local/cuda/lib64/stubs`).
- A script copies all that `ldd` prints: leave out what the platform promises (PEP 600).
- The policy's own list has it: the message tells which glob.

## References

PEP 513 and PEP 600 (libraries that a wheel may take from the system); auditwheel, "repair --exclude"; glibc manual,
"Static linking and NSS"; NVIDIA CUDA Compatibility guide; libglvnd's documentation.
"""

from __future__ import annotations

from checker.model.closure import ProviderKind
from checker.model.finding import Observation
from checker.model.globs import matches
from checker.model.record import record
from checker.model.rule import Rule
from checker.rules.bundled import bundled_libraries, file_name, names_of
from checker.rules.known_libraries import system_origin
from checker.rules.wording import evidence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from checker.model.case import Case
    from checker.model.elf import ElfFacts

_C_LIBRARY = (
    "ld-linux*.so.*",
    "ld64.so.*",
    "ld-musl-*.so.1",
    "libc.so.6*",
    "libc.musl-*.so.1",
    "libc-2.*.so",
    "libm.so.6",
    "libm-2.*.so",
    "libmvec.so.1",
    "libpthread.so.0",
    "libpthread-2.*.so",
    "libdl.so.2",
    "libdl-2.*.so",
    "librt.so.1",
    "librt-2.*.so",
    "libutil.so.1",
    "libresolv.so.2",
    "libresolv-2.*.so",
    "libanl.so.1",
    "libthread_db.so.1",
    "libBrokenLocale.so.1",
    "libnss_*.so.2",
)
"""glibc's own files (``Makeconfig``, ``shlib-versions``), by SONAME and by the file names before 2.34; and musl's. libnsl and
libcrypt are left out: distributions ship other makers' libraries under these names, and wheels rightly bring them."""
_DRIVER = ("libcuda.so*", "libcudadebugger.so*", "libnvidia-*.so*", "libnvcuvid.so*", "libnvoptix.so*", "libnvcucompat.so*")
_GRAPHICS = ("libGL.so.1*", "libGLX.so.0*", "libGLX_*.so.0*", "libGLdispatch.so.0*", "libEGL.so.1*", "libOpenGL.so.0*")


@record
class Parameters:
    """Parameters.

    Attributes:
        libraries: globs over file names and sonames, hashes left out, that no member may have.
        driven: the same, where some file of the artifact needs the library and is given the artifact's own.
    """

    libraries: tuple[str, ...] = (*_C_LIBRARY, *_DRIVER)
    driven: tuple[str, ...] = _GRAPHICS


def check(case: Case, parameters: Parameters) -> Iterator[Observation]:
    """One observation for each library."""
    given = {edge.path for edge in case.libraries if edge.provider is ProviderKind.MEMBER}
    for facts in bundled_libraries(case):
        if "stubs" in facts.path.split("/")[:-1]:
            continue
        globs = parameters.libraries + (parameters.driven if facts.path in given else ())
        names = names_of(facts)
        found = next(((name, glob) for glob in globs for name in names if matches(glob, name)), None)
        if found is not None:
            yield _observe(case, facts, *found)


def _observe(case: Case, facts: ElfFacts, name: str, glob: str) -> Observation:
    needers = sorted({edge.needer for edge in case.libraries if edge.path == facts.path})
    message = f"is {name}, which the policy forbids ({glob})"
    if glob in _C_LIBRARY:
        message = f"is {name}, a part of the C library: it works with no other build's parts, and a user's system has its own"
    elif glob in (*_DRIVER, *_GRAPHICS):
        message = f"is {name} of {system_origin(name)}: a user's system has its own, and another does not work there"
    stem = name.partition(".so")[0]
    return Observation(
        file=facts.path,
        subject=name,
        message=message,
        evidence=evidence(glob=glob, soname=facts.soname, needed_by=needers),
        remedy=f"Leave it out: auditwheel repair --exclude '{stem}.so*' WHEEL, or take {file_name(facts.path)} off the list of "
        "packaged files",
    )


RULE = Rule(id="forbidden-bundled-library", family="libraries", parameters=Parameters, check=check, doc=__doc__ or "")
