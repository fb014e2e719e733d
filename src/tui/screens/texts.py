"""Exact texts, to read and to copy: what the agent sends and gets, and the context of a directory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ... import jsonio
from ...resolver.result import wire_tokens
from ..commands import AGENT, SCOPE
from ..project import read_scope
from ..views.pages import page
from ..views.project import scope_lines
from ..views.spans import escaped
from ..widgets.document import TextView
from ..widgets.lines import Lines, TitleBar
from .base import SessionScreen

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from ...resolver.cache import Cache
    from ..session import Question, Session

PARTS = {"text": "the exact answer", "pretty": "the answer, indented", "call": "the call"}
MOST_CHANGES = 8
"""Changes of a scope that are named."""


def exchange(name: str, cache: Cache, question: Question) -> tuple[dict[str, str], int]:
    """One call of an agent and its answer as exact texts, by `PARTS`; and the tokens of the answer's text.

    Resolves as a server would; `name` is the cache's in its root. Raises what `resolve` raises.
    """
    result = cache.resolve(question.query, question.budget)
    arguments = {"cache": name, "query": question.query, "budget": question.budget}
    call = jsonio.pretty({"name": "context.resolve", "arguments": arguments})
    texts = {"text": result.to_json(), "pretty": result.to_pretty(), "call": call}
    return texts, wire_tokens(result, cache.manifest.tokenizer)


class AgentScreen(SessionScreen[None]):
    """The call and the answer of the question on screen."""

    CSS_PATH = "texts.tcss"
    commands = AGENT

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._texts: dict[str, str] = {}
        self._part = "text"

    def parts(self) -> ComposeResult:
        """One text."""
        yield TextView()

    def on_mount(self) -> None:
        """Make the call."""
        cache, info, question = self.session.cache, self.session.info, self.session.question
        if cache is not None and info is not None:
            self.start("call", lambda: exchange(info.name, cache, question), lambda made: self._take(*made))

    def _take(self, texts: dict[str, str], tokens: int) -> None:
        self._texts = texts
        figures = f"{tokens:,} tokens that the agent reads, {len(texts['text']):,} characters "
        self.query_one(TitleBar).show([(" What the agent sees", "strong")], [(figures, "dim")])
        self.action_show("text")

    @property
    def text(self) -> str:
        """The text in view, exactly."""
        return self._texts.get(self._part, "")

    def action_show(self, part: str) -> None:
        """Show one of the three texts."""
        self._part = part
        self.query_one(TextView).border_title = PARTS[part]
        self.query_one(TextView).show(page(self.text))

    def action_copy_content(self) -> None:
        """Copy the text in view."""
        self.copy(self.text, PARTS[self._part])


class ScopeScreen(SessionScreen[None]):
    """The context of one directory as an agent gets it; what led to its state above."""

    CSS_PATH = "texts.tcss"
    AUTO_FOCUS = "TextView"
    commands = SCOPE

    def __init__(self, session: Session, root: str, scope: str) -> None:
        """`root` is the project's directory, `scope` the name of the directory in it."""
        super().__init__(session)
        self._root = root
        self._scope = scope
        self._text = ""

    def parts(self) -> ComposeResult:
        """The state and the text."""
        yield Lines(id="state")
        yield TextView()

    def on_mount(self) -> None:
        """Read it."""
        self.query_one(TitleBar).show([(f" {escaped(self._scope)}", "accent")], [("query_context ", "dim")])
        root, scope = self._root, self._scope
        self.start("scope", lambda: read_scope(root, scope), lambda read: self._show(*read))

    def _show(self, text: str, state: str, changes: tuple[str, ...]) -> None:
        self._text = text
        self.query_one("#state", Lines).show(scope_lines(state, changes, MOST_CHANGES))
        self.query_one(TextView).show(page(text))

    def action_copy_content(self) -> None:
        """Copy it."""
        self.copy(self._text, "the context")
