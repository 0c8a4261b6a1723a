"""Rules about what the tags promise."""
