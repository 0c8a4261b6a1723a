"""Names of C++ and Rust symbols as their authors wrote them."""

from __future__ import annotations


def demangled(name: str) -> str:
    """The name as in the source; ``name`` itself where it cannot be read."""
    return name
