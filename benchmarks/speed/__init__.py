"""Speed of a warm process, beside its peers."""
