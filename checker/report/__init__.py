"""Reporters: pure functions from a report to text, or to lines of styled segments. They neither filter nor decide."""
