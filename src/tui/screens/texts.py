"""The screens of exact texts: the call of an agent and its answer, and the context of a directory."""

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
"""The most changes of a scope that are shown."""


def exchange(name: str, cache: Cache, question: Question) -> tuple[dict[str, str], int]:
    """The texts of a call and its answer, with the keys of `PARTS`, and the tokens of the answer's text.

    The answer is that of the server; `name` is the name of the cache in its root. Raises what `resolve`
    raises.
    """
    result = cache.resolve(question.query, question.budget)
    arguments = {"cache": name, "query": question.query, "budget": question.budget}
    call = jsonio.pretty({"name": "context.resolve", "arguments": arguments})
    texts = {"text": result.to_json(), "pretty": result.to_pretty(), "call": call}
    return texts, wire_tokens(result, cache.manifest.tokenizer)


class ExactTextScreen(SessionScreen[None]):
    """A screen of one text, which can be copied exactly."""

    CSS_PATH = "texts.tcss"
    AUTO_FOCUS = "TextView"
    text = ""
    """The text in view."""
    label = ""
    """What a notification calls the text when it was copied."""

    def parts(self) -> ComposeResult:
        """The view of the text."""
        yield TextView()

    def show(self, text: str) -> None:
        """Show another text."""
        self.text = text
        self.query_one(TextView).show(page(text))

    def action_copy_content(self) -> None:
        """Copy the text."""
        self.copy(self.text, self.label)


class AgentScreen(ExactTextScreen):
    """The call of `context.resolve` for the question of the session, and its answer."""

    commands = AGENT
    label = PARTS["text"]

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._texts: dict[str, str] = {}

    def on_mount(self) -> None:
        """Make the call in a thread."""
        cache, info, question = self.session.cache, self.session.info, self.session.question
        if cache is not None and info is not None:
            self.start("call", lambda: exchange(info.name, cache, question), lambda texts: self._take(*texts))

    def _take(self, texts: dict[str, str], tokens: int) -> None:
        self._texts = texts
        figures = f"{tokens:,} tokens that the agent reads, {len(texts['text']):,} characters "
        self.query_one(TitleBar).show([(" What the agent sees", "strong")], [(figures, "dim")])
        self.action_show("text")

    def action_show(self, part: str) -> None:
        """Show one of the three texts."""
        self.label = self.query_one(TextView).border_title = PARTS[part]
        self.show(self._texts.get(part, ""))


class ScopeScreen(ExactTextScreen):
    """The context of a directory as an agent gets it, below its state and the changes that led to it."""

    commands = SCOPE
    label = "the context"

    def __init__(self, session: Session, root: str, scope: str) -> None:
        """`root` is the path of the project, `scope` that of the directory below it."""
        super().__init__(session)
        self._root = root
        self._scope = scope

    def parts(self) -> ComposeResult:
        """The state and the text."""
        yield Lines(id="state")
        yield from super().parts()

    def on_mount(self) -> None:
        """Read the context in a thread."""
        self.query_one(TitleBar).show([(f" {escaped(self._scope)}", "accent")], [("query_context ", "dim")])
        root, scope = self._root, self._scope
        self.start("scope", lambda: read_scope(root, scope), lambda read: self._show(*read))

    def _show(self, text: str, state: str, changes: tuple[str, ...]) -> None:
        self.query_one("#state", Lines).show(scope_lines(state, changes, MOST_CHANGES))
        self.show(text)
