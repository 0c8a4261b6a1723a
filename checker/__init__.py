"""wheelproof proves, before a wheel is published, that it will load and behave as it claims.

The package is laid out in layers; see CONTRIBUTING.md. Nothing is imported here, so that ``wheelproof --version`` starts as
fast as Python does.
"""

__version__ = "0.1.0"
