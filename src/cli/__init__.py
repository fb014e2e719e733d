"""The program `ctx`, also called `context`: parse, call one function, write one thing."""

from .main import main

__all__ = ["main"]
