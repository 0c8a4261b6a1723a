"""Writes small ELF files in memory, for unit tests that need one exact property.

Give an :class:`Elf` to :func:`build`. What it returns has the bytes and where each part lies, so
that a test can damage one field. Files have no section headers unless ``sections`` is given, as
the loader needs none. Addresses of the writable segment differ from file offsets, so a reader
that confuses the two fails.

Names and values are those of the gABI, of the Linux Standard Base ("Symbol Versioning") and of
the GNU extensions. ELF32 and ELF64, both byte orders and any machine are written. MIPS64's own
``r_info`` layout is not.
"""

from .layout import build, write
from .spec import *
from .tables import gnu_hash, sysv_hash
