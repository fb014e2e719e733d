"""Deriving the fields of a context from the documents, code and manifests of a directory, without a model.

A field that cannot be derived is left out.
"""
