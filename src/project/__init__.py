"""A project's caches as its team keeps them: configuration, freshness, rebuilding, watching, query tests."""
