"""Bytes of an ELF file in, :class:`~checker.model.elf.ElfFacts` out, read the way the dynamic loader reads.

Two functions are for the rest of the program: :func:`plan` says which ranges of a file to keep while it is streamed, and
:func:`read_elf` reads the facts from what was kept.
"""

from checker.elf.plan import plan
from checker.elf.reader import read_elf

__all__ = ["plan", "read_elf"]
