"""`python -m ctxcache` is `ctx`."""

import sys

from .cli import main

sys.exit(main())
