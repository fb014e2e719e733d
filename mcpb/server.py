"""What the bundle starts: `ctx serve` with the arguments of its manifest."""

import sys

from ctxcache.cli import main

sys.exit(main(["serve", *sys.argv[1:]]))
