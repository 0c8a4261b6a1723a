"""A wheel is tagged for one interpreter's ABI on Linux, and holds no native code.

## What

A wheel whose tags all name an ABI (`cp311`, `abi3`, not `none`) and a Linux platform, without a single
ELF file, static archive, zip archive or compiled Python file.

## Why it breaks

Mostly the extension modules were lost: a compiler that was not there, a build that let them fail, a glob
that missed them. The wheel installs, and falls back to slow code or fails at import. Where it never had
any, each user downloads one of many equal wheels, and those whose platform has none build it anew.

## Causes and fixes

- `optional=True` of a setuptools `Extension`, or a `build_ext` that catches errors: let the release build
  fail where a module cannot be built.
- The modules are built into a directory that the backend does not package (CMake without `install`,
  `package_data` without `*.so`): look for them in the build's log.
- There is no native code: leave out `ext_modules`, `has_ext_modules` and `--plat-name`, so that the wheel
  is `py3-none-any`; or `wheel tags --abi-tag none --platform-tag any WHEEL`.

## References

PEP 425 ("ABI Tag", "Platform Tag"); the binary distribution format; setuptools, "Building Extension Modules".
"""

from __future__ import annotations

from checker.model.artifact import FileKind
from checker.model.finding import Observation
from checker.model.rule import NoParameters, Rule
from checker.rules.wording import evidence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from checker.model.case import Case

_LINUX = ("manylinux", "musllinux", "linux_")


def check(case: Case, parameters: NoParameters) -> Iterator[Observation]:  # noqa: ARG001 - every rule is asked in the same way
    """At most one observation, for the wheel."""
    wheel = case.inventory.wheel
    if wheel is None or not wheel.name_tags:
        return
    if any(tag.abi == "none" or not tag.platform.startswith(_LINUX) for tag in wheel.name_tags):
        return
    if any(member.kind is not FileKind.OTHER or member.path.endswith(".pyc") for member in case.inventory.members):
        return
    first = str(wheel.name_tags[0])
    yield Observation(
        file=case.inventory.name,
        subject=wheel.name_tags[0].abi,
        message=f"is tagged {first}, and holds no native code: extension modules were lost, or the tag asks for too much",
        evidence=evidence(tags=tuple(map(str, wheel.name_tags)), members=len(case.inventory.members)),
        remedy="Find why the modules are missing (setuptools: optional=True hides a failed build); or, if there are none, "
        "build it as py3-none-any: without ext_modules and --plat-name, or wheel tags --abi-tag none --platform-tag any WHEEL",
    )


RULE = Rule(id="platform-tag-without-code", family="platform", parameters=NoParameters, check=check, doc=__doc__ or "")
