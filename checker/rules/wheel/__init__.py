"""Rules about the wheel's own files."""
