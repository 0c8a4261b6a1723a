"""How a process was started, and what it loaded before a root: all that the loaders know beyond files."""

from __future__ import annotations

from checker.model.record import record

EVERY_ISA_LEVEL = 0b1111
"""GNU_PROPERTY_X86_ISA_1 bits up to x86-64-v4: a processor that lacks nothing."""


@record
class Preload:
    """A library opened before the root, as ``ctypes.CDLL`` or an earlier import does.

    Attributes:
        path: member path.
        is_global: RTLD_GLOBAL.
        lazy: RTLD_LAZY; Python always says RTLD_NOW.
    """

    path: str
    is_global: bool = False
    lazy: bool = False


@record
class Setup:
    """How the process was started.

    Attributes:
        executable: member path of the program, in place of an interpreter.
        environment_preloads: LD_PRELOAD, as member paths.
        preloads: what was opened before the root, in order.
        library_path: directories of LD_LIBRARY_PATH, installed paths; an empty one is the current directory.
        directory: the current directory, an installed path; ``None``: not known, and nothing is found there.
        lib: value of ``$LIB``: ``lib64``, on Debian and its kin ``lib/x86_64-linux-gnu``.
        platform: value of ``$PLATFORM`` (AT_PLATFORM); empty for the architecture's name.
        isa: GNU_PROPERTY_X86_ISA_1 bits of the processor.
    """

    executable: str | None = None
    environment_preloads: tuple[str, ...] = ()
    preloads: tuple[Preload, ...] = ()
    library_path: tuple[str, ...] = ()
    directory: str | None = None
    lib: str = "lib64"
    platform: str = ""
    isa: int = EVERY_ISA_LEVEL
