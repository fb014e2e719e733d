"""Reading the facts of a file, by the kind that its name tells."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..listing import DOCUMENTS, LANGUAGES, read_source, suffix_of
from .imports import KNOWN_FILES
from .prose import first_sentence, heading, lead, leading_comment
from .python import FileFacts
from .tree_worker import syntax_facts

if TYPE_CHECKING:
    from collections.abc import Callable

    TreeFacts = Callable[[str, str], FileFacts]

_MOST_NAMES = 4
_ENVIRONMENT = re.compile(
    r"""(?:\bos\.(?:environ(?:\.get)?|getenv)\s*[\[(]\s*["']|\bprocess\.env(?:\.|\[["'])|\bimport\.meta\.env\.
    |\bos\.(?:Getenv|LookupEnv)\("|\benv(?:::var(?:_os)?|!)\("|\bSystem\.getenv\("|\bENV\[["'])([A-Z][A-Z0-9_]+)\b""",
    re.VERBOSE,
)


def read_facts(directory: str, name: str, read_tree: TreeFacts = syntax_facts) -> FileFacts:
    """The facts of a file; of one that is no text, what its name says."""
    text = read_source(f"{directory}/{name}")
    facts = facts_of(name, text, read_tree) if text is not None else FileFacts()
    known = KNOWN_FILES.get(name)
    return facts._replace(purpose=known) if known else facts


def facts_of(name: str, text: str, read_tree: TreeFacts = syntax_facts) -> FileFacts:
    """The facts of a file's text; `read_tree` reads it if it has a grammar."""
    suffix = suffix_of(name)
    if suffix in DOCUMENTS:
        about = lead(name, text)
        return FileFacts(purpose=heading(name, text) or first_sentence(about), about=about)
    facts = read_tree(suffix, text)
    if not facts.about:
        about = leading_comment(suffix, text)
        facts = facts._replace(about=about, purpose=first_sentence(about) or facts.purpose)
    if facts.exports and not facts.purpose:
        facts = facts._replace(purpose=f"Defines {named(facts)}")
    if suffix in LANGUAGES:
        facts = facts._replace(environment=tuple(sorted(set(_ENVIRONMENT.findall(text)))))
    return facts


def named(facts: FileFacts) -> str:
    """What a file exports: a few names, and how many more."""
    names = [export.name for export in facts.exports]
    rest = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return ", ".join(names[:_MOST_NAMES]) + rest
