"""What can be said of a directory without a model: read from its documents, code and manifests.

Nothing is invented: what cannot be derived is left out.
"""
