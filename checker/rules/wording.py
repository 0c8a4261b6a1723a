"""How rules put names, lists and evidence, so that all findings read alike."""

from __future__ import annotations

from checker.model.demangle import demangled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from checker.model.finding import EvidenceValue

SHOWN = 3
"""Names told in a message; the evidence has them all."""

_LONGEST_NAME = 120


def text(name: bytes) -> str:
    """A name from a file as printable text: what is no printable ASCII is escaped."""
    shown = name.decode("ascii", "backslashreplace")
    return shown if shown.isprintable() else "".join(each if each.isprintable() else f"\\x{ord(each):02x}" for each in shown)


def readable(name: bytes, version: bytes | None = None) -> str:
    """A symbol for people: demangled where it can be, cut where it is long, with ``@version`` where there is one."""
    shown = demangled(text(name)) or "(empty name)"
    if len(shown) > _LONGEST_NAME:
        shown = shown[: _LONGEST_NAME - 1] + "…"
    return f"{shown}@{text(version)}" if version else shown


def versioned(name: bytes, version: bytes | None) -> str:
    """A symbol as it stands in the file, with ``@version`` where there is one."""
    return f"{text(name)}@{text(version)}" if version else text(name)


def listing(items: Sequence[str], limit: int = SHOWN) -> str:
    """``a``, ``a and b``, ``a, b and c`` or ``a, b, c and 17 more``."""
    if len(items) > limit:
        return f"{', '.join(items[:limit])} and {len(items) - limit} more"
    if len(items) > 1:
        return f"{', '.join(items[:-1])} and {items[-1]}"
    return items[0] if items else ""


def shown_symbols(symbols: Iterable[tuple[bytes, bytes | None]], limit: int = SHOWN) -> str:
    """A listing of (name, version) pairs, demangled; only those that are shown cost time."""
    unique = list(dict.fromkeys(symbols))
    shown = [readable(name, version) for name, version in unique[: limit + 1]]
    return listing(shown + [""] * (len(unique) - len(shown)), limit)


def shown_size(size: int) -> str:
    """``12.3 MB``; exact below a kilobyte, as the evidence always is."""
    for unit, digits in (("GB", 9), ("MB", 6), ("kB", 3)):
        if abs(size) >= 10**digits:
            return f"{size / 10**digits:.1f} {unit}"
    return counted(size, "byte")


def counted(number: int, noun: str, plural: str = "") -> str:
    """``1 symbol``, ``3 symbols``."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


def evidence(**values: EvidenceValue | Iterable[str] | None) -> tuple[tuple[str, EvidenceValue], ...]:
    """Evidence as sorted pairs; empty values are left out."""
    pairs: list[tuple[str, EvidenceValue]] = []
    for key, value in sorted(values.items()):
        if value is None or value in ("", ()):
            continue
        kept = value if isinstance(value, str | int) else tuple(value)
        if kept != ():
            pairs.append((key, kept))
    return tuple(pairs)
