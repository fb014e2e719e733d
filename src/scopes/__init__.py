"""Per-directory contexts: finding, reading, checking and writing `.context.yaml` files."""
