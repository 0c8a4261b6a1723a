"""Instructions that a file runs whenever it is loaded, and that not every processor has."""

from __future__ import annotations

from checker.model.record import record


@record
class StartupInstruction:
    """The first instruction of the highest level on the way of one initializer.

    Attributes:
        entry: the initializer: ``DT_INIT``, ``DT_INIT_ARRAY[2]`` or ``PyInit_name``.
        address: of the instruction, as the file counts addresses.
        text: the instruction, such as ``vxorps xmm0, xmm0, xmm0``.
        extension: the part of the instruction set that has it, such as ``AVX``.
        level: of x86-64 that has it: 2, 3 or 4.
    """

    entry: str
    address: int
    text: str
    extension: str
    level: int


@record
class Startup:
    """What was found in one file.

    Attributes:
        file: member path.
        instructions: at most one for each initializer, in the order in which they run; ``None`` where they could not be read.
    """

    file: str
    instructions: tuple[StartupInstruction, ...] | None
