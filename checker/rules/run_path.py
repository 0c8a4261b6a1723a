"""The run path that the loader uses, entry by entry."""

from __future__ import annotations

from checker.model.layout import normalized
from checker.model.record import record
from checker.model.regex import regex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from checker.model.elf import ElfFacts

_ORIGIN = regex(r"\$(?:ORIGIN(?![A-Za-z0-9_])|\{ORIGIN\})")

_BUILD_TREE = regex(
    r"(?:^|/)(?:_solib_[^/]+|[^/]+\.runfiles|bazel-(?:out|bin)|CMakeFiles|_skbuild|cmake-build-[^/]+|_cmake_test_compile"
    r"|build/(?:lib|temp|bdist)\.[^/]+|pip-(?:req-build|install|build-env)-[^/]+|cibw-run-[^/]+|\.tox|\.nox)(?:/|$)"
)


@record
class RunPath:
    """The list in force.

    Attributes:
        tag: ``DT_RUNPATH`` or ``DT_RPATH``.
        entries: between the colons, as written; empty ones too.
        ignored: a DT_RPATH that the loader ignores, since DT_RUNPATH stands beside it; else empty.
    """

    tag: str
    entries: tuple[str, ...]
    ignored: str

    @property
    def written(self) -> str:
        """The whole string."""
        return ":".join(self.entries)


def run_path(facts: ElfFacts) -> RunPath | None:
    """The run path of an object, or ``None``.

    DT_RPATH does not exist beside DT_RUNPATH, and a string that is empty as a whole is no list (glibc ``elf/dl-load.c``,
    ``_dl_init_paths`` and ``decompose_rpath``).
    """
    if not facts.is_dynamic:
        return None
    if facts.runpath:
        return RunPath(tag="DT_RUNPATH", entries=tuple(facts.runpath.split(":")), ignored=facts.rpath or "")
    if facts.rpath and facts.runpath is None:
        return RunPath(tag="DT_RPATH", entries=tuple(facts.rpath.split(":")), ignored="")
    return None


def starts_at_origin(entry: str) -> bool:
    """The entry is relative to the object's own directory."""
    found = _ORIGIN.match(entry)
    return found is not None and entry[found.end() : found.end() + 1] in {"", "/"}


def is_build_tree(path: str) -> bool:
    """The path holds a folder that only build tools make: Bazel's, setuptools', CMake's, scikit-build's or pip's own."""
    return _BUILD_TREE.search(path) is not None


def resolved(entry: str, origin: str) -> str:
    """The directory that an entry at ``$ORIGIN`` means for an object in the directory ``origin``."""
    return normalized(_ORIGIN.sub(lambda _: origin, entry, count=1))


def setting(path: RunPath, kept: tuple[str, ...]) -> str:
    """The ``patchelf`` arguments that leave only ``kept``, each once, with the same tag."""
    if not kept:
        return "--remove-rpath"
    force = "--force-rpath " if path.tag == "DT_RPATH" else ""
    return f"{force}--set-rpath '{':'.join(dict.fromkeys(kept))}'"
