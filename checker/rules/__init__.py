"""Rules: one file each, asked of a :class:`checker.model.case.Case`; :mod:`checker.rules.registry` lists them."""
