"""Policies: TOML files in, one effective :class:`checker.model.policy.Policy` out.

``load`` finds and orders the files; ``builtin`` holds those that come with the program, also in a compiled form; ``read`` turns
a file into a ``layer`` with the help of ``schema`` (pydantic) and ``locate`` (lines); ``merge`` lays layers over one another;
``settings`` answers what holds for one file; ``show`` tells a policy to people and editors.

A check with shipped policies loads ``load``, ``builtin``, ``layer``, ``parameters``, ``merge`` and ``settings`` alone: no
pydantic, no tomllib.
"""
