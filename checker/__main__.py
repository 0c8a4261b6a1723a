"""``python -m checker`` is ``wheelproof``."""

import sys

from checker.cli.main import main

sys.exit(main())
