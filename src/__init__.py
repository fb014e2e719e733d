"""Compile folders of documents into context caches and select from them within a token budget."""

__version__ = "0.1.0"
