"""MDX: what looks like a heading in its JavaScript is none."""

from __future__ import annotations

import pytest

from ctxcache.builder.splitting.formats import scan


def _headings(text: str) -> list[str]:
    return list(scan(text, "mdx", 0).headings.values())


@pytest.mark.parametrize(
    "code",
    [
        "export const a = `\n# no\n\n# no\n`",
        "export const a = `${ {b: `\n# no\n`}.b }\n# no\n`",
        "export const a = {\n  b: 'it\\'s',\n\n# no\n}",
        'export const a = "`"',
        "import a from 'a'\nimport {\n  b,\n\n  c\n} from \"b\"",
        "{/* a\n\n# no\n*/}",
        "{\n// ` } \n[1,\n\n# no\n2]}",
        "export default function A() {\n  return (\n\n# no\n  )\n}",
        "export const a = `\\`\n\n# no\n`",
    ],
)
def test_javascript_holds_no_heading(code: str) -> None:
    assert _headings(f"# One\n\n{code}\n\n# Two\n\ntext\n") == ["One", "Two"]


@pytest.mark.parametrize(
    "text",
    [
        "{name} is\n# Two\n",
        "export is a word\n\n# Two\n",
        "{ never closed\n\n# Two\n",
        "export const a = `never closed\n\n# Two\n",
        "exported\n\n# Two\n",
        "words\nimport a\n# Two\n",
        "- item\n\n# Two\n",
    ],
)
def test_what_is_no_javascript_hides_no_heading(text: str) -> None:
    assert _headings(f"# One\n\n{text}") == ["One", "Two"]


def test_plain_markdown_has_no_javascript() -> None:
    assert list(scan("{/*\n\n# One\n\n*/}\n", "markdown", 0).headings.values()) == ["One"]
