"""Artifacts: path → inventory, and the bytes of ELF members that a plan asks for, in one streaming pass."""

from __future__ import annotations

from checker.archive.errors import ArchiveError
from checker.archive.limits import Limits
from checker.archive.members import OnElf, OnProgress, Planner, Ranges, Reread
from checker.archive.scan import hash_artifact, scan

__all__ = ["ArchiveError", "Limits", "OnElf", "OnProgress", "Planner", "Ranges", "Reread", "hash_artifact", "scan"]
