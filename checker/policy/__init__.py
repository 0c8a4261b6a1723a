"""Policies: TOML files in, one effective :class:`checker.model.policy.Policy` out.

``load`` finds and orders the files; ``shipped`` holds those that come with the program, also in a compiled form; ``read`` turns
a file into a ``layer`` with the help of ``schema`` (pydantic) and ``locate`` (lines); ``merge`` lays layers over one another;
``settings`` answers what holds for one file; ``show`` tells a policy to people and editors.

``load``, ``shipped``, ``layer``, ``parameters``, ``merge`` and ``settings`` are all that a check with shipped policies loads: no
pydantic, no tomllib.
"""
