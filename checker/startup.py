"""Follows the code that runs whenever a file is loaded, as far as nothing decides which way it goes.

From each initializer on, every instruction is decoded up to the first conditional jump, with direct jumps and calls followed. A
called function is taken to return, so where it comes to a conditional jump, or leaves for another library, the way goes on
behind the call. What is met runs on every processor that loads the file: an instruction that a processor lacks ends the process
there.
"""

from __future__ import annotations

from checker.archive.errors import ArchiveError
from checker.elf.initializers import initializers, source_of
from checker.elf.source import PT_LOAD
from checker.model.elf import ElfReadError, Machine
from checker.model.sparse import RangeMissing
from checker.model.startup import Startup, StartupInstruction
from checker.rules.architectures import is_native

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from checker.archive import Reread
    from checker.elf.source import Source
    from checker.model.elf import ElfFacts
    from checker.model.sparse import SparseBytes

EXTENSIONS = {
    "sse3": ("SSE3", 2),
    "ssse3": ("SSSE3", 2),
    "sse41": ("SSE4.1", 2),
    "sse42": ("SSE4.2", 2),
    "avx": ("AVX", 3),
    "avx2": ("AVX2", 3),
    "bmi": ("BMI1", 3),
    "bmi2": ("BMI2", 3),
    "f16c": ("F16C", 3),
    "fma": ("FMA", 3),
    "avx512": ("AVX-512", 4),
    "bwi": ("AVX-512", 4),
    "cdi": ("AVX-512", 4),
    "dqi": ("AVX-512", 4),
    "vlx": ("AVX-512", 4),
}
"""Capstone's name of an instruction group → the extension, and the level of x86-64 that has it (x86-64 psABI)."""

_RUN_EVERYWHERE = frozenset({"tzcnt", "lzcnt"})
"""Older processors run these as ``bsf`` and ``bsr``: with another result, and without a fault."""

_ENDS = frozenset({"hlt", "int", "int3", "syscall", "sysenter", "ud2"})
"""The way is not followed beyond these, which need not go on."""

_LONGEST_INSTRUCTION = 15
_MOST_INSTRUCTIONS = 1 << 17
"""Followed in one file. Measured: 100,117 in a library of 110 MB with thousands of initializers."""
_DEEPEST = 64
_AROUND = 1 << 26
"""Bytes before and behind what is missing that a further pass brings with it."""
_MOST_PASSES = 6


def startup_search() -> StartupSearch | None:
    """A search; ``None`` where the disassembler is not installed."""
    try:
        import capstone
    except ImportError:
        return None
    return StartupSearch(capstone)


class StartupSearch:
    """Looks at one file after the other and keeps what it found."""

    def __init__(self, capstone: Any) -> None:  # noqa: ANN401 - a module without type information
        self._found: list[Startup] = []
        self._decoders = {
            Machine.EM_X86_64: _Decoder(capstone, capstone.CS_MODE_64),
            Machine.EM_386: _Decoder(capstone, capstone.CS_MODE_32),
        }

    def look(self, facts: ElfFacts, content: SparseBytes, reread: Reread) -> None:
        """Follow the initializers of one file; those of other machines are left alone."""
        decoder = self._decoders.get(facts.identity.machine)
        if decoder is None or not is_native(facts):
            return
        instructions: tuple[StartupInstruction, ...] | None = None
        for _ in range(_MOST_PASSES):
            try:
                instructions = _instructions(facts, source_of(facts, content), decoder)
                break
            except RangeMissing as missing:
                try:
                    content = _with_more(facts, content, missing, reread)
                except ArchiveError:
                    break
            except ElfReadError:
                break
        self._found.append(Startup(file=facts.path, instructions=instructions))

    def found(self) -> tuple[Startup, ...]:
        """What was found, by file."""
        return tuple(sorted(self._found, key=lambda one: one.file))


class _Decoder:
    """One mode of the disassembler."""

    def __init__(self, capstone: Any, mode: int) -> None:  # noqa: ANN401 - a module without type information
        self._decoder = capstone.Cs(capstone.CS_ARCH_X86, mode)
        self._decoder.detail = True
        self.is_call = capstone.CS_GRP_CALL
        self.is_jump = capstone.CS_GRP_JUMP
        self.is_return = capstone.CS_GRP_RET
        self._immediate = capstone.CS_OP_IMM

    def decode(self, code: bytes, address: int) -> Any:  # noqa: ANN401 - an instruction
        """The instruction at the start of some bytes; ``None`` where there is none."""
        return next(self._decoder.disasm(code, address, 1), None)

    def target(self, instruction: Any) -> int | None:  # noqa: ANN401 - an instruction
        """Where a direct jump or call leads."""
        operands = instruction.operands
        return int(operands[0].imm) if operands and operands[0].type == self._immediate else None

    def extension(self, instruction: Any) -> tuple[str, int]:  # noqa: ANN401 - an instruction
        """The extension of the highest level that has it, with the level; 1 for what every x86-64 processor runs."""
        if instruction.mnemonic in _RUN_EVERYWHERE:
            return "", 1
        known = (EXTENSIONS.get(instruction.group_name(group)) for group in instruction.groups)
        return max((one for one in known if one is not None), key=lambda one: one[1], default=("", 1))


def _with_more(facts: ElfFacts, content: SparseBytes, missing: RangeMissing, reread: Reread) -> SparseBytes:
    """With the segment that holds what is missing: who misses one instruction will miss others of it."""
    start, end = missing.offset, missing.offset + missing.size
    for segment in facts.segments:
        if segment.type == PT_LOAD and segment.offset <= start and end <= segment.offset + segment.file_size:
            start = max(segment.offset, start - _AROUND)
            end = min(segment.offset + segment.file_size, end + _AROUND)
            break
    for offset, part in reread([(start, end - start)]).parts:
        content = content.with_part(offset, part)
    return content


def _instructions(facts: ElfFacts, source: Source, decoder: _Decoder) -> tuple[StartupInstruction, ...] | None:
    """Of each initializer the first instruction of the highest level, unless an earlier one met it; ``None``: too much code."""
    found: list[StartupInstruction] = []
    seen: set[int] = set()
    for entry, address in initializers(facts, source):
        highest: StartupInstruction | None = None
        for instruction in _way(source, decoder, address, seen):
            extension, level = decoder.extension(instruction)
            if level > (highest.level if highest is not None else 1):
                text = f"{instruction.mnemonic} {instruction.op_str}".strip()
                highest = StartupInstruction(
                    entry=entry, address=instruction.address, text=text, extension=extension, level=level
                )
        if highest is not None:
            found.append(highest)
    return tuple(found) if found or len(seen) < _MOST_INSTRUCTIONS else None


def _way(source: Source, decoder: _Decoder, start: int, seen: set[int]) -> Iterator[Any]:
    """The instructions that run one after the other from ``start`` on, whatever the processor and the data.

    ``seen`` has those that an earlier way went over, and with them all that follows; this way adds its own.
    """
    returns: list[int] = []
    address: int | None = start
    while address is not None and len(seen) < _MOST_INSTRUCTIONS:
        instruction = None
        if address not in seen:
            instruction = decoder.decode(_code(source, address), address)
            if instruction is None or instruction.mnemonic in _ENDS:
                return
            seen.add(address)
            yield instruction
        address = _following(instruction, decoder, returns)


def _following(instruction: Any, decoder: _Decoder, returns: list[int]) -> int | None:  # noqa: ANN401 - an instruction
    """Where the way goes on: at the instruction's target, behind it, or behind the last call; ``None`` at its end."""
    if instruction is not None:
        groups = instruction.groups
        target = decoder.target(instruction)
        behind: int = instruction.address + instruction.size
        if decoder.is_call in groups:
            if target is None or len(returns) >= _DEEPEST:
                return behind
            returns.append(behind)
            return target
        if instruction.mnemonic == "jmp" and target is not None:
            return target
        if decoder.is_jump not in groups and decoder.is_return not in groups:
            return behind
    # A return; a conditional jump; an indirect one, such as that of a PLT slot; or what an earlier way went over.
    return returns.pop() if returns else None


def _code(source: Source, address: int) -> bytes:
    """The bytes of one instruction at most; none where nothing is loaded.

    Raises:
        RangeMissing: they were not kept.
    """
    try:
        offset, room = source.locate(address, "code", 0)
        return source.read(offset, min(room, _LONGEST_INSTRUCTION), "code")
    except ElfReadError:
        return b""
