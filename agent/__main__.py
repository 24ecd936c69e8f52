"""`python -m agent`: the same as the command `agent`."""

import sys

from palimpsest_agent import main

sys.exit(main())
