"""How much of an artifact is read at most: every bound of this layer, each with the reason for its number."""

from __future__ import annotations

from checker.archive.errors import MemberError
from checker.model.record import field_names, record, replace

_KIB = 1 << 10
_MIB = 1 << 20
_GIB = 1 << 30
_UNITS = {"": 1, "k": _KIB, "m": _MIB, "g": _GIB}


@record
class Limits:
    """Bounds on what is read; beyond one of them something "could not be checked", and the rest is read all the same.

    "Measured" means over 87 wheels of all kinds, torch 2.5.1 with CUDA the largest.

    Attributes:
        members: files in the artifact. Measured: 11,000 at most; each takes about 1 KiB of memory.
        directory_size: bytes of a zip's central directory, which is held whole: 200,000 entries of 300 bytes.
        member_size: unpacked bytes of one member. Measured: 0.9 GB at most; libraries of the small code model end at 2 GiB.
        total_size: unpacked bytes of all members. Measured: 1.8 GB at most, 0.3 GB each second.
        ratio: unpacked bytes for each packed byte, beyond ``ratio_from``. DEFLATE can reach 1,032. Measured: 7 at most in files
            of that size.
        ratio_from: unpacked bytes below which a high ratio is harmless. Measured: 224 in a file of 2 MiB, a library padded
            with zeros.
        nesting: folders within folders of a directory; deeper than any path that is installed.
        text_size: bytes of each of WHEEL, METADATA and RECORD. Measured: RECORD has 105 for each member.
        documents_size: bytes of all licences and SBOMs of the dist-info folder, and again of all package files (CMake,
            pkg-config). Measured: 0.5 MB at most.
        headers: lines of the headers of WHEEL or METADATA, continuations included. Measured: 216 headers at most.
        tags: expanded tags of a file name or WHEEL; a real wheel has at most a few dozen, and expansion is a product.
        kept_size: bytes of one member that are held in memory for the ELF reader. Measured: 37 MB at most (libtorch_cuda).
        mapped: objects mapped and needs followed, for all roots on all platforms: a product of roots and libraries. Measured:
            77,000 at most (VTK); a million take 11 s and 0.2 GB.
        looked: directories looked into for needed libraries, for all roots on all platforms: a product of needs and run paths.
            Measured: 69,000 at most (torch); a million take 5 s.
        passes: further passes over one member for tables that lie where the plan did not look for them. Measured: one at most.
    """

    members: int = 200_000
    directory_size: int = 64 * _MIB
    member_size: int = 8 * _GIB
    total_size: int = 32 * _GIB
    ratio: int = 100
    ratio_from: int = 64 * _MIB
    nesting: int = 64
    text_size: int = 32 * _MIB
    documents_size: int = 16 * _MIB
    headers: int = 50_000
    tags: int = 1_000
    kept_size: int = 256 * _MIB
    mapped: int = 1_000_000
    looked: int = 1_000_000
    passes: int = 8

    def with_setting(self, setting: str) -> Limits:
        """These limits with one changed by ``NAME=NUMBER``, as ``--limit`` takes it; ``K``, ``M``, ``G`` for KiB, MiB, GiB.

        Raises:
            ValueError: no such limit, or no positive whole number; the message says which.
        """
        name, _, number = setting.partition("=")
        known = field_names(type(self))
        if name not in known:
            raise ValueError(f"no limit is called {name!r}; there are {', '.join(known)}")
        digits = number.rstrip("kKmMgG")
        unit = _UNITS.get(number[len(digits) :].lower())
        if unit is None or not (digits.isascii() and digits.isdigit()) or len(digits) > len(str(1 << 63)) or not int(digits):
            raise ValueError(
                f"the limit {name} takes a whole number above 0, such as {getattr(self, name)} or 2G, not {number!r}"
            )
        return replace(self, **{name: int(digits) * unit})

    def exceeded(self, name: str, what: str, offset: int | None = None) -> MemberError:
        """The error for crossing one limit: names it, its value, and the option that raises it."""
        return MemberError(offset, f"{what}: {self.reached(name)}")

    def reached(self, name: str) -> str:
        """A clause for what lies beyond one limit: names it, its value, and the option that raises it."""
        return f"the limit {name}={getattr(self, name)} was reached; --limit {name}=N raises it"
