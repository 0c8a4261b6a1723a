"""A wheel that says it has no native code holds some.

## What

Programs and shared libraries for Linux in a wheel whose tags all say platform `any`. With `purelib
= true` the same in a wheel with a platform tag whose WHEEL file says `Root-Is-Purelib: true`, for
the files outside `.data/platlib`: such wheels install and work, unless a system keeps pure and
native packages in different directories. With `any_tag = true` native code is told whatever the
tags say.

A wheel that brings a program or library once for each of several platforms, to choose at run time (Linux
files for several processors, or `.exe`, `.dll` and `.dylib` files beside them), keeps what `any` says:
only extension modules are told of it.

## Why it breaks

Installers offer the wheel to every operating system and processor. On all but one of them the
import fails, or a program cannot be started; where a source distribution would have been built
instead, the wrong wheel now shadows it.

## Causes and fixes

- Prebuilt files in `package_data`: setuptools then does not know that the wheel is native. Give the
  `Distribution` a `has_ext_modules` that returns true, or use `bdist_wheel --plat-name`; hatchling:
  `pure_python = false` and `infer_tag = true` in a build hook.
- A stale `.so` beside the sources (`build_ext --inplace`) was swept in: exclude it.
- The tag was lost on the way: `wheel tags --platform-tag TAG WHEEL`, or `auditwheel repair`.
- The file is data and never run: exclude it from this rule with an override for that file.

## References

PEP 425 ("Platform Tag"), PEP 427 and the binary distribution format (`Root-Is-Purelib`).
"""

from __future__ import annotations

from checker.model.finding import Observation
from checker.model.record import record
from checker.model.rule import Rule
from checker.rules.architectures import is_native
from checker.rules.extension_names import extension_name, other_inits
from checker.rules.wording import evidence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from checker.model.case import Case
    from checker.model.elf import ElfFacts

_OTHER_SYSTEMS = (".exe", ".dll", ".dylib")


@record
class Parameters:
    """Parameters.

    Attributes:
        purelib: also tell native files that ``Root-Is-Purelib: true`` sends to the directory of pure packages.
        any_tag: tell native files whatever the tags say: the wheel is to have none.
    """

    purelib: bool = False
    any_tag: bool = False


def check(case: Case, parameters: Parameters) -> Iterator[Observation]:
    """One observation for each native file."""
    wheel = case.inventory.wheel
    if wheel is None:
        return
    tags = wheel.name_tags or wheel.wheel_tags
    is_any = bool(tags) and all(tag.platform == "any" for tag in tags)
    is_purelib = parameters.purelib and wheel.root_is_purelib is True
    if not (is_any or is_purelib or parameters.any_tag):
        return
    chooses = is_any and not parameters.any_tag and _is_for_several_platforms(case)
    for facts in case.objects:
        if chooses and not _is_extension(facts):
            continue
        if not is_native(facts) or not (is_any or parameters.any_tag or _is_in_root(facts.path, wheel.dist_info)):
            continue
        machine = str(facts.identity.machine)
        yield Observation(
            file=facts.path,
            subject=machine,
            message=(
                f"is native code ({machine}) in a wheel that is offered to every platform"
                if is_any
                else f"is native code ({machine}), and the policy allows none"
                if parameters.any_tag
                else f"is native code ({machine}), and WHEEL says Root-Is-Purelib: true"
            ),
            evidence=evidence(
                machine=machine,
                tags=tuple(map(str, tags)),
                root_is_purelib={True: "true", False: "false", None: ""}[wheel.root_is_purelib],
            ),
            remedy=(
                "Give the wheel a platform tag: wheel tags --platform-tag TAG WHEEL, or has_ext_modules = True in setuptools; "
                "or leave the file out"
                if is_any
                else "Leave the file out of the package data"
                if parameters.any_tag
                else "Let the build say that the wheel is native (setuptools: has_ext_modules = True), so that WHEEL says "
                "Root-Is-Purelib: false"
            ),
        )


def _is_for_several_platforms(case: Case) -> bool:
    """Native files for several processors, or those of other systems beside them (by their names: they are not read)."""
    machines = {facts.identity.machine for facts in case.objects if is_native(facts)}
    return len(machines) > 1 or any(member.path.endswith(_OTHER_SYSTEMS) for member in case.inventory.members)


def _is_extension(facts: ElfFacts) -> bool:
    """An import statement may load it: then the interpreter looks for this one file on every platform."""
    return extension_name(facts.path) is not None or bool(other_inits(facts))


def _is_in_root(path: str, dist_info: str) -> bool:
    return not path.startswith(dist_info.removesuffix(".dist-info") + ".data/")


RULE = Rule(id="elf-in-pure-wheel", family="platform", parameters=Parameters, check=check, doc=__doc__ or "")
