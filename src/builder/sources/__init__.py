"""Sources: which files of a folder become documents, and what text they hold."""

from .explain import Verdict, explain_path
from .front_matter import FrontMatter, front_matter
from .ignore import IGNORE_FILES, IgnoreRules, PatternList, Ruling
from .judge import CONVERSION_HINT, SourceFile
from .reading import SourceText, read_bytes, read_text, text_of
from .rules import (
    CONFIGURATION,
    CONVERTED_FORMATS,
    DEFAULT_EXCLUSIONS,
    MAX_FILE_BYTES,
    TEXT_FORMATS,
    Rules,
    is_convertible,
)
from .walk import Walk, walk

__all__ = [
    "CONFIGURATION",
    "CONVERSION_HINT",
    "CONVERTED_FORMATS",
    "DEFAULT_EXCLUSIONS",
    "IGNORE_FILES",
    "MAX_FILE_BYTES",
    "TEXT_FORMATS",
    "FrontMatter",
    "IgnoreRules",
    "PatternList",
    "Rules",
    "Ruling",
    "SourceFile",
    "SourceText",
    "Verdict",
    "Walk",
    "explain_path",
    "front_matter",
    "is_convertible",
    "read_bytes",
    "read_text",
    "text_of",
    "walk",
]
