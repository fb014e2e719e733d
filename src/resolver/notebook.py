"""What a notebook shows of a result, an explanation and a comparison: tables with bars, as HTML.

Everything that comes out of documents and queries is escaped; nothing is loaded or run.
"""

from __future__ import annotations

from html import escape

from ..text.display import escape_control

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

SHOWN = 20  # rows of a table
BAR = 160  # pixels
COLOURS = ("#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377")
"""Of words, in order; they can be told apart by most people who see colours differently."""


def text_of(text: str) -> str:
    """Untrusted text for HTML: control characters as words, markup escaped."""
    return escape(escape_control(text))


def heading(query: str) -> str:
    """The query, above all else."""
    return f"<div><b>{text_of(query)}</b></div>"


def line(text: str) -> str:
    """A line of figures below a table."""
    return f"<div><small>{text}</small></div>"


def more(count: int) -> str:
    """How many rows are not shown, if there are some."""
    return f"the first {SHOWN} of {count:,}; " if count > SHOWN else ""


def budget_bar(used: int, budget: int) -> str:
    """How much of a budget is used, as a bar and in figures."""
    width = BAR * used / budget if budget else 0
    drawn = bar([(width, COLOURS[0], "used"), (BAR - width, "#dddddd", "left")])
    return f"<div>{drawn} {used:,} of {budget:,} tokens</div>"


def keys(colours: Mapping[str, str]) -> str:
    """Which word has which colour."""
    key = '<span style="color:{}">■</span> {}'
    return f"<div>{' '.join(key.format(colour, text_of(word)) for word, colour in colours.items())}</div>"


def bar(parts: Iterable[tuple[float, str, str]]) -> str:
    """Coloured stretches side by side, each with its width in pixels, colour and title."""
    style = "display:inline-block;height:0.7em;width:{:.1f}px;background:{}"
    return "".join(
        f'<span title="{text_of(title)}" style="{style.format(width, colour)}"></span>'
        for width, colour, title in parts
    )


def table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """A table of cells that are HTML."""
    cell = '<td style="text-align:left">{}</td>'
    body = "".join(f"<tr>{''.join(map(cell.format, row))}</tr>" for row in rows)
    titles = "".join(f'<th style="text-align:left">{each}</th>' for each in head)
    return f"<table><thead><tr>{titles}</tr></thead><tbody>{body}</tbody></table>"
