"""Sources: which files of a folder become documents, and what text they hold."""

from .decode import SourceText, read_bytes, read_text, text_of
from .front_matter import FrontMatter, front_matter
from .gitignore import IGNORE_FILES, IgnoreMatch, IgnoreRules, PatternList
from .rules import (
    CONFIGURATION,
    CONVERTED_FORMATS,
    DEFAULT_EXCLUSIONS,
    MAX_FILE_BYTES,
    TEXT_FORMATS,
    Rules,
    is_convertible,
)
from .source_filter import CONVERSION_HINT, SourceFile
from .tree import is_url, label_of
from .walk import Verdict, Walk, explain_path, walk

__all__ = [
    "CONFIGURATION",
    "CONVERSION_HINT",
    "CONVERTED_FORMATS",
    "DEFAULT_EXCLUSIONS",
    "IGNORE_FILES",
    "MAX_FILE_BYTES",
    "TEXT_FORMATS",
    "FrontMatter",
    "IgnoreMatch",
    "IgnoreRules",
    "PatternList",
    "Rules",
    "SourceFile",
    "SourceText",
    "Verdict",
    "Walk",
    "explain_path",
    "front_matter",
    "is_convertible",
    "is_url",
    "label_of",
    "read_bytes",
    "read_text",
    "text_of",
    "walk",
]
