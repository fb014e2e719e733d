"""A rehash changes two values and not one other character."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from ctxcache.errors import UsageError
from ctxcache.scopes.fingerprint import now, parse_timestamp, timestamp
from ctxcache.scopes.model import ContextCorrupt, ContextMissing, ScopeOutside
from ctxcache.scopes.project import ScopeProject
from ctxcache.scopes.queries import check_freshness
from ctxcache.scopes.write import rehash

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Tree = Callable[[dict[str, str]], Path]
    Context = Callable[..., str]

MOMENT = datetime(2026, 4, 5, 6, 7, 8, 90_000, tzinfo=UTC)

HAND_WRITTEN = """\
# The quay. Ask Ada before changing this.
version:   1
summary: >-
  Berths and who
  lies there.
decisions:   # the old ones
    - {what: "Metres", why: 'Charts'}


fingerprint: '0badcafe'     # by hand
maintenance: Keep it true.
last_updated: 2026-02-13T10:00:00Z
scope: .
"""


def fingerprint(root: Path) -> str:
    """The fingerprint by content of the root, which a rehash has just stored."""
    value: str = check_freshness(ScopeProject(root), ".").data["fingerprint"]["computed"]
    return value


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_comments_order_and_spacing_stay(tree: Tree, line_end: str, mark: str) -> None:
    root = tree({"a.py": "x", ".context.yaml": mark + HAND_WRITTEN.replace("\n", line_end)})
    new = fingerprint(root)
    rehash(ScopeProject(root), ["."], now=MOMENT)
    expected = HAND_WRITTEN.replace("0badcafe", new).replace(
        "2026-02-13T10:00:00Z", "2026-04-05T06:07:08.090Z"
    )
    assert (root / ".context.yaml").read_bytes().decode() == mark + expected.replace("\n", line_end)
    assert check_freshness(ScopeProject(root), ".").data["state"] == "fresh"


def test_a_named_scope_is_rewritten_even_when_fresh(tree: Tree, context: Context) -> None:
    """Whoever names it has looked at it: the date says when."""
    root = tree({"a.py": "x", ".context.yaml": context()})
    rehash(ScopeProject(root), ["."], now=MOMENT)
    later = rehash(ScopeProject(root), ["."], now=MOMENT.replace(year=2027))
    assert later[0].written
    assert '"2027-04-05' in (root / ".context.yaml").read_text()


def test_without_names_only_what_changed_is_rewritten(tree: Tree, context: Context) -> None:
    root = tree({"a/a.py": "x", "b/b.py": "x", "a/.context.yaml": context(), "b/.context.yaml": context()})
    project = ScopeProject(root)
    assert [result.written for result in rehash(project, now=MOMENT)] == [True, True]
    tree({"b/b.py": "y"})
    again = {result.scope: result.written for result in rehash(project, now=MOMENT)}
    assert again == {"a": False, "b": True}


def test_nothing_is_written_unless_all_can_be(tree: Tree, context: Context) -> None:
    root = tree({"a/.context.yaml": context(), "b/.context.yaml": "["})
    with pytest.raises(ContextCorrupt):
        rehash(ScopeProject(root), ["a", "b"], now=MOMENT)
    assert (root / "a" / ".context.yaml").read_text() == context()


def test_what_is_not_there_is_not_rehashed(tree: Tree) -> None:
    project = ScopeProject(tree({"a.py": "x"}))
    with pytest.raises(ContextMissing):
        rehash(project, ["."], now=MOMENT)
    with pytest.raises(ScopeOutside):
        rehash(project, [".."], now=MOMENT)


def test_a_file_that_cannot_be_spliced_says_what_to_write(tree: Tree, context: Context) -> None:
    text = context().replace('"0badcafe"', "&hash 0badcafe") + "todos: [*hash]\n"
    root = tree({".context.yaml": text})
    with pytest.raises(UsageError, match=r'write fingerprint: "[0-9a-f]{8}" and last_updated: ".*" by hand'):
        rehash(ScopeProject(root), ["."], now=MOMENT)
    assert (root / ".context.yaml").read_text() == text


def test_permissions_and_a_link_stay(tree: Tree, context: Context) -> None:
    root = tree({"shared.yaml": context(), "a.py": "x"})
    (root / "shared.yaml").chmod(0o640)
    (root / ".context.yaml").symlink_to("shared.yaml")
    rehash(ScopeProject(root), ["."], now=MOMENT)
    assert (root / ".context.yaml").is_symlink()
    assert (root / "shared.yaml").stat().st_mode & 0o777 == 0o640
    assert "0badcafe" not in (root / "shared.yaml").read_text()
    assert sorted(path.name for path in root.iterdir()) == [".context.yaml", "a.py", "shared.yaml"]


def test_the_clock_can_be_set_for_reproducible_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    assert timestamp(now()) == "1970-01-02T00:00:00.000Z"
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "soon")
    with pytest.raises(UsageError, match="SOURCE_DATE_EPOCH"):
        now()
    monkeypatch.delenv("SOURCE_DATE_EPOCH")
    assert now().tzinfo is UTC


def test_a_date_is_read_in_any_usual_form() -> None:
    assert parse_timestamp("2026-04-05T06:07:08.090Z") == MOMENT
    assert parse_timestamp("2026-04-05T06:07:08.09") == MOMENT
    assert parse_timestamp("2026-04-05T08:07:08.090+02:00") == MOMENT
    assert parse_timestamp("last spring") is None
