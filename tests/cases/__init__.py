"""Declared fixtures: a TOML file that describes an artifact and says what one rule must answer about it.

``form`` is the format itself and reads it with places for every mistake; ``elves`` and ``zips`` write the bytes; ``artifacts``
puts them together; ``survey`` audits every fixture of the project with every rule switched on. ``testdata/README.md`` tells
authors the format.
"""
