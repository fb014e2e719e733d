"""The artifact: what a cache is on disk, how it is opened, listed, written and replaced."""
