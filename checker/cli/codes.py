"""Exit codes: part of the interface, whatever the format."""

COMPLIANT = 0
FINDINGS = 1
"""At or above ``--fail-on``; outweighs ``UNCHECKED``."""
USAGE = 2
"""Wrong usage or a wrong policy; outweighs every verdict, since the run is not the one that was meant."""
UNCHECKED = 3
"""Something could not be checked: never a pass."""
INTERRUPTED = 130
"""As shells tell of SIGINT."""
