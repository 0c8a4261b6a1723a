"""A library or module lands at the top of site-packages under a name that anyone could have taken.

## What

Directly in site-packages:

- a shared library (`libfoo.so.1`), unless its name holds the distribution's: folders of packages and `NAME.libs` are the
  places for libraries;
- a module or package of one of `names` (`utils.py`, `tests/`, `core.cpython-311-x86_64-linux-gnu.so`), unless the
  distribution itself has that name. A folder counts where it holds Python files directly, or libraries at any depth (`lib64/`).

## Why it breaks

All distributions share that one folder. Another wheel with the same file name overwrites this one's, with whatever
version it has, and uninstalling either deletes the other's; pip says nothing. `import utils` finds whichever was
installed last, or shadows the user's own file of that name.

## Causes and fixes

- `find_packages()` without `exclude`/`include`: name what is to be packaged (`include = ["demo*"]` in
  `[tool.setuptools.packages.find]`).
- CMake installs into `lib64`, `lib` or `.` of the wheel: `install(TARGETS demo LIBRARY DESTINATION demo)`.
- An extension named without its package: `Extension("demo._core", …)`, `pybind11_add_module` with
  `DESTINATION demo`.

## References

PyPA specifications, "Recording installed projects"; setuptools, "Package Discovery"; scikit-build-core, "Configuring your
CMake project".
"""

from __future__ import annotations

from checker.model.artifact import ArtifactKind, FileKind
from checker.model.finding import Observation
from checker.model.record import record
from checker.model.rule import Rule
from checker.rules.bundled import bundled_libraries, file_name, plain_name
from checker.rules.installed import layout_of
from checker.rules.wording import counted, evidence, listing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from checker.model.artifact import Member
    from checker.model.case import Case

_NAMES = """
    tests test testing docs doc examples example samples benchmarks benchmark scripts script tools tool src source
    utils util helpers helper common core lib libs lib64 bin include share build dist config data resources ext extension
    extensions bindings native plugins backend kernels third_party thirdparty vendor cmake setup conftest version
    _utils _util _helpers _common _core _lib _ext _extension _bindings _native _backend _tools _cpp _cython _impl _C
"""


@record
class Parameters:
    """Parameters.

    Attributes:
        names: module and folder names that no distribution can claim for itself.
    """

    names: tuple[str, ...] = tuple(sorted(_NAMES.split()))


def check(case: Case, parameters: Parameters) -> Iterator[Observation]:
    """One observation for each library, however many versions of its name there are, and for each module or folder."""
    wheel = case.inventory.wheel
    if case.inventory.kind is not ArtifactKind.WHEEL or wheel is None or not wheel.distribution:
        return
    own = _letters(wheel.distribution)
    top = _top_level(case)
    libraries = {facts.path for facts in bundled_libraries(case)}
    stems: dict[str, list[str]] = {}
    for name, found in top.items():
        stem = plain_name(name).partition(".")[0]
        first = found[0][1].path
        if first in libraries and not found[0][0]:
            if own not in _letters(stem):
                stems.setdefault(stem, []).append(first)
        elif stem in parameters.names and _letters(stem) != own and _is_importable(name, stem, found):
            yield _module(name, [member.path for _, member in found], wheel.distribution)
    for stem, paths in stems.items():
        yield _library(stem, paths, wheel.distribution)


def _top_level(case: Case) -> dict[str, list[tuple[str, Member]]]:
    """First part of the path below site-packages → the rest of it and the member, for each member there."""
    layout = layout_of(case)
    prefix = layout.site_packages + "/"
    top: dict[str, list[tuple[str, Member]]] = {}
    for member in case.inventory.members:
        name, _, rest = member.path.partition("/")
        if name.endswith(".data") and rest:
            place = layout.installed(member.path)
            if not place.startswith(prefix):
                continue
            name, _, rest = place[len(prefix) :].partition("/")
        top.setdefault(name, []).append((rest, member))
    return top


def _is_importable(name: str, stem: str, found: list[tuple[str, Member]]) -> bool:
    """A module, or a folder that holds modules directly or libraries anywhere."""
    if not found[0][0]:
        return name == f"{stem}.py" or found[0][1].kind is FileKind.ELF
    if name != stem:
        return False
    return any("/" not in rest and rest.endswith(".py") for rest, _ in found) or any(
        member.kind in {FileKind.ELF, FileKind.ARCHIVE} for _, member in found
    )


def _module(name: str, paths: list[str], distribution: str) -> Observation:
    what = "module" if file_name(paths[0]) == name else f"folder of {counted(len(paths), 'file')}"
    return Observation(
        file=paths[0],
        subject=name,
        message=f"{name} lands at the top of site-packages, a {what} under a name that others use too",
        evidence=evidence(files=paths[:20], count=len(paths)),
        remedy=f'Move it into the package, or leave it out: include = ["{distribution}*"] in [tool.setuptools.packages.find], '
        f"or DESTINATION {distribution} in CMake's install()",
    )


def _library(stem: str, paths: list[str], distribution: str) -> Observation:
    names = listing([file_name(path) for path in paths])
    return Observation(
        file=paths[0],
        subject=stem,
        message=f"{names} {'lands' if len(paths) == 1 else 'land'} at the top of site-packages: another distribution that "
        "brings the same file overwrites it",
        evidence=evidence(files=paths),
        remedy=f"Install it into the package (CMake: install(TARGETS … LIBRARY DESTINATION {distribution})), or let auditwheel "
        "repair bundle it and leave the file itself out",
    )


def _letters(name: str) -> str:
    """A name for comparison: lower case, without separators."""
    return "".join(each for each in name.lower() if each.isalnum())


RULE = Rule(id="generic-library-at-install-root", family="libraries", parameters=Parameters, check=check, doc=__doc__ or "")
