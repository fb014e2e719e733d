"""Programs that break what the program works on: damaged and crafted caches, refused and killed writes.

One asks every door the same queries, one sends the server random lines. Each takes its size as an argument;
`tests/repo/test_gauntlet.py` runs all of them small.
"""
