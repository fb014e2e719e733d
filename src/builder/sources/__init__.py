"""Sources: which files of a folder become documents, and what text they hold."""
