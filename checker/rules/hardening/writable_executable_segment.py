"""A segment of a file is writable and executable at once.

## What

A PT_LOAD segment with both PF_W and PF_X, in programs, libraries and extension modules.

## Why it breaks

Where that is forbidden, the file does not load: "failed to map segment from shared object" in
services with systemd's `MemoryDenyWriteExecute=yes`, after `prctl(PR_SET_MDWE)`, and under SELinux
without `execmem`. Elsewhere it is the one place that an attacker with a single wild write needs:
what is written there can be run.

## Causes and fixes

- `-Wl,-N` (`--omagic`) or a linker script that puts code and data into one segment: remove it.
  GNU ld 2.39 and later warn: "has a LOAD segment with RWX permissions".
- A section that assembly or `__attribute__((section(…)))` makes both (`.section x,"awx"`): give
  code and data a section each.
- A packer (UPX) that unpacks into its own memory: ship the file as the linker wrote it; a wheel is
  compressed already.

## References

gABI chapter 5, "Program Header" (p_flags); glibc `elf/dl-map-segments.h`; GNU ld manual,
`--warn-rwx-segments`; `prctl(2)`, PR_SET_MDWE; systemd.exec(5).
"""

from __future__ import annotations

from checker.model.finding import Observation
from checker.model.rule import NoParameters, Rule
from checker.rules.architectures import is_native
from checker.rules.wording import evidence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from checker.model.case import Case

_PT_LOAD = 1
_WRITABLE_AND_EXECUTABLE = 3
"""PF_W and PF_X."""


def check(case: Case, parameters: NoParameters) -> Iterator[Observation]:  # noqa: ARG001 - every rule is asked in the same way
    """One observation for each such file."""
    for facts in case.objects:
        both = tuple(
            f"PT_LOAD at {each.address:#x}, {each.memory_size} bytes"
            for each in facts.segments
            if each.type == _PT_LOAD and each.flags & _WRITABLE_AND_EXECUTABLE == _WRITABLE_AND_EXECUTABLE and each.memory_size
        )
        if both and is_native(facts):
            yield Observation(
                file=facts.path,
                subject="PT_LOAD",
                message="has a segment that is writable and executable: systems that forbid it (SELinux, systemd's "
                "MemoryDenyWriteExecute) do not load it, and elsewhere whatever overwrites it is run",
                evidence=evidence(segments=both),
                remedy="Link it without -Wl,-N, with code and data in sections of their own, and do not pack it (UPX); "
                "ld --warn-rwx-segments tells when it is mended",
            )


RULE = Rule(id="writable-executable-segment", family="hardening", parameters=NoParameters, check=check, doc=__doc__ or "")
