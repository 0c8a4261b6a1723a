"""A file was cut short: the loader can read it, and tools cannot.

## What

The section header table, sections or other parts that the file's headers tell of lie beyond its end. All that
the loader maps is there, so that the file loads. A file that lacks a part of what is loaded is
not read at all, and stands among what could not be checked.

## Why it breaks

`strip`, `patchelf`, `objcopy`, `readelf` and debuggers stop with "section header table goes past the end of
file", and so does `auditwheel repair` or whatever else uses them; a distribution that repackages the wheel cannot
process it. And nobody knows why the bytes are missing: an upload or a copy that broke off may have lost more
in the next file.

## Causes and fixes

- A download, copy or unpacking that broke off (a full disk, a timeout) before the wheel was packed: build
  again, and compare the sizes.
- A tool that cuts the end off to save space and leaves `e_shoff` as it was: use `strip --strip-unneeded`,
  or set `e_shoff`, `e_shnum` and `e_shstrndx` to 0 as `sstrip` does.
- Git LFS or text conversions of a binary that was committed: mark it `binary` in `.gitattributes`.

## References

gABI chapter 4, "Section Header Table" and chapter 5, "Program Header"; glibc `elf/dl-load.c` (the loader reads
program headers only).
"""

from __future__ import annotations

from checker.model.finding import Observation
from checker.model.rule import NoParameters, Rule
from checker.rules.wording import counted, evidence, listing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from checker.model.case import Case


def check(case: Case, parameters: NoParameters) -> Iterator[Observation]:  # noqa: ARG001 - every rule is asked in the same way
    """One observation for each file."""
    for facts in case.objects:
        if facts.cut:
            missing = max(part.offset + part.size for part in facts.cut) - facts.size
            yield Observation(
                file=facts.path,
                subject=facts.cut[0].what,
                message=f"lacks at least {counted(missing, 'byte')} at its end ({listing([part.what for part in facts.cut])}): "
                "it loads, and tools cannot read it",
                evidence=evidence(
                    size=facts.size, parts=tuple(f"{part.what}: {part.size} bytes at {part.offset:#x}" for part in facts.cut)
                ),
                remedy="Build the file again, and compare its size before and after each step that copies or strips it",
            )


RULE = Rule(id="truncated-elf-data", family="platform", parameters=NoParameters, check=check, doc=__doc__ or "")
