"""From folders to caches: sources, splitting, the pipeline, the report."""
