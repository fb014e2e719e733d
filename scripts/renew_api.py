"""Renew `docs/api.md` from the docstrings of the public names; with the argument `-`, print it instead."""

from __future__ import annotations

import inspect
import re
import sys
from pathlib import Path
from typing import Any

import ctxcache

PAGE = Path(__file__).parents[1] / "docs" / "api.md"
HEAD = """# The library

```python
{example}
```

Every name below stands in `ctxcache` and is loaded when it is first used. This page is made from the
docstrings (`make samples`), so `help(ctxcache.NAME)` says the same.
"""


def page() -> str:
    """The whole page."""
    intro = inspect.getdoc(ctxcache) or ""
    example = inspect.cleandoc(re.search(r"(?:^    .*\n|^\n)+", intro, re.MULTILINE)[0])  # type: ignore[index]
    kinds: dict[str, list[str]] = {"Functions": [], "Classes": [], "Errors": []}
    for name in ctxcache.__all__:
        value = getattr(ctxcache, name)
        if not inspect.isclass(value):
            kinds["Functions"].append(_function(name, value))
        elif issubclass(value, Exception):
            kinds["Errors"].append(f"### {name}\n{_bases(value)}{inspect.getdoc(value)}\n")
        else:
            kinds["Classes"].append(_class(name, value))
    parts = [f"## {kind}\n\n" + "\n".join(texts) for kind, texts in kinds.items()]
    return HEAD.format(example=example.strip()) + "\n" + "\n".join(parts)


def _function(name: str, function: Any, *, level: str = "###") -> str:
    return f"{level} {name}\n```python\n{name}{_signature(function)}\n```\n{inspect.getdoc(function) or ''}\n"


def _signature(function: Any) -> str:
    """The parameters, a line each if they are long."""
    text = re.sub(r"(: |-> )'([^']*)'", r"\1\2", str(inspect.signature(function)))
    text = text.replace("(self, ", "(").replace("(self)", "()")
    if len(text) <= 90:
        return text
    inside, _, returns = text[1:].rpartition(")")
    parts = re.split(r", (?![^\[(]*[\])])", inside)
    return "(\n" + "".join(f"    {part},\n" for part in parts) + f"){returns}"


def _bases(kind: type) -> str:
    base = kind.__bases__[0]
    return f"A `{base.__name__}`. " if base.__module__.startswith("ctxcache") else ""


def _class(name: str, kind: type) -> str:
    """Its docstring, its fields with what stands below each, its own public methods."""
    lines = [f"### {name}", inspect.getdoc(kind) or "", ""]
    fields = _fields(kind)
    if not fields and "__init__" in vars(kind):
        lines += [f"```python\n{name}{_signature(kind.__init__)}\n```", ""]  # type: ignore[misc]  # read only
    if fields:
        lines += ["| field | type | |", "|---|---|---|"]
        lines += [f"| `{field}` | `{type_}` | {text} |" for field, type_, text in fields]
        lines.append("")
    for member, value in vars(kind).items():
        if member.startswith("_") or not inspect.getdoc(value):
            continue
        if isinstance(value, property):
            lines.append(f"`{name}.{member}`: {_one_line(inspect.getdoc(value))}\n")
        elif inspect.isfunction(value) or isinstance(value, classmethod):
            lines.append(_function(member, getattr(kind, member), level="####"))
    return "\n".join(lines)


def _fields(kind: type) -> list[tuple[str, str, str]]:
    """The annotated fields of a class, each with the string that stands below it."""
    source = inspect.getsource(kind)
    found = re.findall(
        r'^    ([a-z]\w*): ([^=\n]+?)(?: = [^\n]*)?\n(?:    """((?s:.*?))""")?', source, re.MULTILINE
    )
    return [(name, type_.replace("|", "\\|"), _one_line(text)) for name, type_, text in found]


def _one_line(text: str | None) -> str:
    return " ".join((text or "").split()).replace("|", "\\|")


if __name__ == "__main__":
    if sys.argv[1:] == ["-"]:
        sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]  # a text stream
        sys.stdout.write(page())
    else:
        PAGE.write_text(page(), "utf-8")
