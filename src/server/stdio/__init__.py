"""The stdio transport: lines in, ASCII frames out, every request answered once, an end in time."""
