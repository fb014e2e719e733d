"""Programs that break what the program works on: damaged caches, crafted caches, refused and killed writes.

Each takes its size as an argument; `tests/repo/test_gauntlet.py` runs all of them small.
"""
