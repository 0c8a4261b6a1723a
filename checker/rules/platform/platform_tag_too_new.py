"""The platform tag is newer than the files need.

## What

The computed platform of all files together, by their version needs and needed libraries, is an older
manylinux tag than the oldest one in the wheel's name. Wheels for glibc 2.17 or what `oldest` says are
for old systems enough: nothing older runs a Python that is still maintained. For musllinux nothing can
be told: musl's symbols have no versions.

## Why it breaks

Nothing breaks. Users of older systems are not offered the wheel, and build from source or do without.

## Causes and fixes

- The tag is the build image's, not the files': `auditwheel repair` without `--plat` gives the oldest
  true one, and `wheel tags --platform-tag TAG WHEEL` sets it.
- The newer tag was chosen on purpose, for instance as older systems are not tested: switch the rule off.

## References

PEP 600.
"""

from __future__ import annotations

from checker.model.finding import Observation
from checker.model.record import record
from checker.model.rule import Rule
from checker.rules.wording import evidence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from checker.model.case import Case


@record
class Parameters:
    """Parameters.

    Attributes:
        oldest: the manylinux tag, without its architecture, of the oldest systems that are worth an older tag.
    """

    oldest: str = "manylinux_2_17"


def check(case: Case, parameters: Parameters) -> Iterator[Observation]:
    """At most one observation, for the wheel."""
    if case.computed is None or case.computed.platform is None or not case.promises:
        return
    promise, platform = case.promises[0], case.computed.platform
    release = _release(platform)
    if not promise.tag.startswith("manylinux") or not release or release >= promise.oldest.release:
        return
    if promise.oldest.release <= _release(parameters.oldest):
        return
    own = {tag.platform for tag in case.tags}
    if promise.tag not in own or any(() < _release(tag) < promise.oldest.release for tag in own):
        return  # A platform asked for in place of the wheel's oldest tag says nothing about that.
    yield Observation(
        file=case.inventory.name,
        subject=platform,
        message=f"is tagged {promise.tag}, and by what its files need {platform} would be true as well",
        evidence=evidence(tag=promise.tag, computed=platform),
        remedy=f"To offer it to older systems too: wheel tags --platform-tag {platform} WHEEL",
    )


def _release(tag: str) -> tuple[int, ...]:
    """``manylinux_2_17_x86_64`` → ``(2, 17)``; ``()`` for tags of other families."""
    family, _, rest = tag.partition("_")
    major, _, rest = rest.partition("_")
    minor = rest.partition("_")[0]
    return (int(major), int(minor)) if family == "manylinux" and major.isdigit() and minor.isdigit() else ()


RULE = Rule(id="platform-tag-too-new", family="platform", parameters=Parameters, check=check, doc=__doc__ or "")
