"""Kinds of things that people ask and that a plain search of words misses, each with its siblings."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

import ctxcache
from ctxcache import BuildConfig, Cache

if TYPE_CHECKING:
    from pathlib import Path

Made = Callable[..., Cache]

FILLER = {
    f"filler{n}.md": "Other pages speak of other matters, at some length and in plain words."
    for n in range(6)
}


def order(cache: Cache, query: str) -> list[str]:
    """The ids of the documents that match, best first."""
    return [entry.id for entry in cache.explain(query).entries()]


@pytest.mark.parametrize(
    ("name", "decoy"),
    [
        ("--no-verify", "Verify each commit. Verify it twice, then verify the verify step."),
        ("--all-features", "Features, features: a list of features and of more features."),
        ("off-by-one", "One by one they went off, one and then one more."),
        ("to-do", "What to do: do this and do that, to and fro."),
        ("Where-Item", "An item, the item, each item and every other item."),
        ("on-call", "Call us. A call is answered, then the next call is."),
    ],
)
def test_a_name_that_begins_with_a_stop_word_is_a_name(made: Made, name: str, decoy: str) -> None:
    cache = made(
        FILLER
        | {"a-decoy.md": decoy, "named.md": f"In the middle of a text about things stands {name} once."}
    )
    assert order(cache, f"run {name}")[0] == "named.md"


@pytest.mark.parametrize(
    ("name", "decoy"),
    [
        ("in-box", "A box, a box in a box, and the box in each list box."),
        ("load-from", "Load it from a path. Load all from one context, load none from another."),
        ("type-cast", "The cast of a type: cast each type to the type that the cast names."),
        ("--dry-run", "Dry it, then run it; a run that is dry is a dry run."),
        ("c++", "C, and C again: C is the third letter, after B. C."),
        ("tools.toml", "Toml is read by tools. Other tools write toml."),
        ("etc/motd", "The motd, etc.: a motd for each motd, etc."),
        ("page::reader", "A reader of a page: each page has a reader, each reader a page."),
    ],
)
def test_a_name_that_is_asked_for_alone_is_found_before_its_words(made: Made, name: str, decoy: str) -> None:
    mention = (
        f"In the middle of a long text about other things, which says little of it, stands {name} once. " * 2
    )
    cache = made(FILLER | {"a-decoy.md": decoy, "named.md": mention.replace(name, "it", 1)})
    assert order(cache, name)[0] == "named.md"


@pytest.mark.parametrize(
    ("query", "right", "wrong"),
    [
        ("until loop", "An until loop repeats its body.", "A for loop counts its turns."),
        ("WHERE clause", "The WHERE clause filters rows.", "The GROUP BY clause sorts rows."),
        ("self keyword", "The keyword self is the object.", "The keyword async is older."),
        ("AND operator", "The operator AND joins both.", "The operator XOR joins none."),
        ("IS NULL", "IS NULL holds for a value that is missing from its row.", "NOT NULL forbids that."),
        ("vitamin k", "Of vitamin K little is needed, as we said above, day by day.", "Vitamin D is made."),
    ],
)
def test_a_stop_word_that_is_the_subject_decides(made: Made, query: str, right: str, wrong: str) -> None:
    cache = made({"a.md": wrong, "b.md": wrong.replace("its", "the"), "z.md": right})
    assert order(cache, query)[0] == "z.md"


@pytest.mark.parametrize(
    ("query", "written"),
    [
        ("http", "HTTP2"), ("lambda", "Lambda7"), ("elasticsearch", "ElasticSearch8"), ("base", "Base64"),
        ("windows", "Windows11"), ("kafka", "Kafka3"),
    ],
)  # fmt: skip
def test_letters_before_a_number_are_a_word_of_the_name(made: Made, query: str, written: str) -> None:
    cache = made(FILLER | {"it.md": f"We moved to {written} last year."})
    assert order(cache, query)[0] == "it.md"


@pytest.mark.parametrize(
    ("query", "written"),
    [
        ("naive", "naïve"), ("Zurich", "Zürich"), ("smorrebrod", "smørrebrød"), ("Wroclaw", "Wrocław"),
        ("grosse", "große"), ("duong dan", "đường dẫn"), ("مدرسه", "مَدرَسه"), ("שלום", "שָׁלוֹם"),
    ],
)  # fmt: skip
def test_a_word_is_found_without_its_marks(made: Made, query: str, written: str) -> None:
    cache = made(FILLER | {"it.md": f"Here stands {written} in the text."})
    assert order(cache, query)[0] == "it.md"
    assert order(cache, written)[0] == "it.md"


def test_of_two_spellings_the_one_that_was_written_comes_first(made: Made) -> None:
    cache = made(FILLER | {"a.md": "The resume of work.", "b.md": "The résumé of work."})
    assert order(cache, "résumé")[0] == "b.md"


@pytest.mark.parametrize(
    ("source", "query"),
    [
        ("guides/podman-compose.md", "podman compose"),
        ("terraform/index.md", "terraform"),
        ("docs/v9/de/setup.md", "v9"),
        ("notes/2031_budget_review.txt", "budget review"),
        ("src/ParserTable.md", "parser table"),
        ("日本語/概要.md", "概要"),
    ],
)
def test_a_document_is_found_by_the_names_of_its_file_and_folders(
    made: Made, source: str, query: str
) -> None:
    cache = made(FILLER | {source: "Nothing here says what the page is about."})
    assert order(cache, query) == [source]


def test_a_name_counts_less_than_a_title_and_says_so(made: Made) -> None:
    texts = {"other/page.md": "A page of text.", "storage/page.md": "A page of text."}
    cache = made(FILLER | texts, titles={"other/page.md": "Storage", "storage/page.md": "Notes"})
    assert order(cache, "storage") == ["other/page.md", "storage/page.md"]
    reason = cache.explain("storage").document("storage/page.md").reason
    assert [part.reason.partition(":")[0] for part in reason.parts] == ["names of its file and folders"]
    assert reason.parts[0].parts[0].reason.startswith("`storag` (in a name)")


def test_an_extension_is_no_name(made: Made) -> None:
    assert order(made({"a.md": "text", "b.markdown": "text"}), "md markdown") == []


@pytest.mark.parametrize(
    "name",
    [
        "tsconfig.json",
        "std::optional",
        "/var/log/syslog",
        "logging.handlers.rotate",
        "vue.js",
        "C:/tools/run.exe",
    ],
)
def test_a_whole_name_stands_before_its_scattered_parts(made: Made, name: str) -> None:
    text = "A text of some length that says many other things and then names {} once."
    parts = " ".join(name.replace("/", " ").replace(".", " ").replace(":", " ").split())
    cache = made(FILLER | {"a.md": text.format(parts), "b.md": text.format(name)})
    assert order(cache, name)[:2] == ["b.md", "a.md"]
    reasons = [part.reason for part in cache.explain(name).document("b.md").reason.parts]
    assert any(reason.startswith("exact forms") for reason in reasons)


@pytest.mark.parametrize(
    ("query", "written"),
    [
        ("flow", "ﬂow"), ("office", "oﬃce"), ("m2", "m²"), ("configuration", "configu-\nration"),
        ("environment", "environ-\r\n  ment"), ("12500", "12,500"),
    ],
)  # fmt: skip
def test_text_from_a_printed_page_is_found(made: Made, query: str, written: str) -> None:
    cache = made(FILLER | {"it.md": f"On the page stands {written} as it was set."})
    assert order(cache, query)[0] == "it.md"


def test_the_page_that_is_called_so_stands_before_one_that_mentions_it_often(made: Made) -> None:
    update = "UPDATE changes rows. A DELETE differs: delete removes, and a delete takes no values. " * 3
    cache = made(
        {
            "delete.md": "Removes the rows that a condition meets.",
            "update.md": update,
            "log.md": update + "delete",
        },
        titles={"delete.md": "DELETE", "update.md": "UPDATE", "log.md": "Changelog"},
    )
    assert order(cache, "delete")[0] == "delete.md"


@pytest.mark.parametrize(
    ("query", "title"),
    [
        ("webhook", "Webhooks"),
        ("What is a webhook?", "Webhooks and retries"),
        ("token expiry", "Expiry of a token"),
    ],
)
def test_a_short_query_finds_the_page_of_that_title_however_often_others_say_it(
    made: Made, query: str, title: str
) -> None:
    """Each of one or two words stands in every third place of the other page."""
    words = query.removesuffix("?").split()[-2:]
    often = " ".join(f"{word} in one or" for word in words * 30)
    cache = made(
        FILLER | {"1.md": often, "2.md": "Called back later."}, titles={"1.md": "Log", "2.md": title}
    )
    assert order(cache, query)[0] == "2.md"
    branches = [part.reason for part in cache.explain(query).document("2.md").reason.parts]
    assert "its title holds all words of the query: 16 × weight × idf, summed" in branches


GUIDE = """# Guide

Of the two.

### Rotating a key

Twice a year.

### How do I use `--no-cache`?

Seldom.

### Ключи и замки

Да.
"""
OFTEN = "# Log\n\n" + "A key was rotated, rotating keys, use no cache, use --no-cache, ключи замки. " * 9


@pytest.mark.parametrize(
    ("query", "heading"),
    [
        ("Rotating a key", "Rotating a key"),
        ("rotate the keys", "Rotating a key"),
        ("How do I use --no-cache?", "How do I use --no-cache?"),
        ("ключи и замки", "Ключи и замки"),
    ],
)
@pytest.mark.parametrize("split", ["auto", "none"])
def test_a_query_that_repeats_a_heading_finds_it_inside_of_a_document(
    tmp_path: Path, query: str, heading: str, split: str
) -> None:
    """However often others say its words: by whole headings, without stop words."""
    (tmp_path / "docs").mkdir()
    for name, text in {**FILLER, "a.md": OFTEN, "guide.md": GUIDE}.items():
        (tmp_path / "docs" / name).write_text(text, encoding="utf-8")
    ctxcache.build(tmp_path / "docs", tmp_path / "cache", config=BuildConfig(split=split))
    cache = ctxcache.open_cache(tmp_path / "cache")
    first = cache.explain(query).entry(1)
    summary = next(summary for summary in cache.summaries() if summary.id == first.id)
    assert summary.source == "guide.md"
    assert heading in [title for _, title in summary.headings]
    reasons = [part.reason for part in first.reason.parts]
    assert "one of its headings is the query: 32 × weight × idf, summed" in reasons


def test_a_query_of_more_words_than_a_heading_does_not_repeat_it(made: Made) -> None:
    cache = made(FILLER | {"a.md": "# Keys\n\nRotate a key."}, titles={"a.md": "Keys"})
    for query in ("rotate keys", "keys keys", "key-", "key " + "the " * 130, "?"):
        branches = [part.reason for entry in cache.explain(query).entries() for part in entry.reason.parts]
        assert any("its headings" in reason for reason in branches) == (query == "key-")


@pytest.mark.parametrize("query", ["one two three", "--one", "one.two", "the of"])
def test_no_title_is_looked_for_where_a_query_is_long_or_names_something_else(made: Made, query: str) -> None:
    cache = made(FILLER | {"a.md": "It is --one, one.two, three."}, titles={"a.md": "The one, two, three"})
    branches = [part.reason for part in cache.explain(query).document("a.md").reason.parts]
    assert not any("its title" in reason for reason in branches)


MESSAGE = "connection pool exhausted"
TRACES = {
    "python": 'Traceback (most recent call last):\n  File "/srv/app/billing/invoice.py", line 9, in render\n'
    "    page = template.render(invoice)\nPoolError: {}\n",
    "node": "PoolError: {}\n    at render (/srv/app/billing/invoice.js:9:12)\n"
    "    at async template (node:internal/invoice:77:3)\n",
    "java": "app.PoolException: {}\n\tat app.billing.Invoice.render(Invoice.java:9)\n"
    "\tat app.Template.render(Template.java:31)\n\t... 12 more\n",
    "go": "panic: {}\n\ngoroutine 1 [running]:\nmain.renderInvoice(0xc000010250)\n"
    "\t/srv/app/billing/invoice.go:9 +0x1d\nexit status 2\n",
    "rust of today": "thread 'main' panicked at src/billing/invoice.rs:9:5:\n{}\n"
    "note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace\n",
    "rust": "thread 'main' panicked: {}\nstack backtrace:\n   0: billing::invoice::render\n"
    "   1: template::invoice\nnote: run with `RUST_BACKTRACE=full`\n",
    ".net": "PoolException: {}\n   at Billing.Invoice.Render(Template template) in /srv/Invoice.cs:line 9\n"
    "   at Billing.Template.Render()\n--- End of stack trace ---\n",
}


@pytest.mark.parametrize("trace", TRACES.values(), ids=TRACES.keys())
def test_the_message_of_an_error_is_asked_not_its_frames(made: Made, trace: str) -> None:
    invoice = "How to render an invoice: the template of an invoice, its page, and how billing renders it. "
    cache = made(
        FILLER | {"billing.md": invoice * 3, "pool.md": "What to do when a connection pool is exhausted."}
    )
    assert order(cache, trace.format(MESSAGE))[0] == "pool.md"


def test_of_the_type_of_an_error_its_name_counts_and_neither_its_package_nor_its_parts(made: Made) -> None:
    trace = "client.transport.retry.QuotaError: limit reached\n  at client.transport.send(Send.java:9)\n"
    cache = made(
        FILLER
        | {
            "name.md": "A QuotaError is raised by the service.",
            "message.md": "What it means that a limit is reached.",
            "package.md": "The transport of a client, how a client tells its transport to retry.",
            "parts.md": "An error of quota: quota, error, an error in a quota, another error, another quota.",
        }
    )
    assert set(order(cache, trace)[:2]) == {"name.md", "message.md"}


@pytest.mark.parametrize("odd", ["a$_$b.Error: {}", "_.Error: {}", "Error", "$: {}"])
def test_an_odd_type_of_an_error_does_no_harm(made: Made, odd: str) -> None:
    cache = made(FILLER | {"pool.md": f"On {MESSAGE}."})
    assert order(cache, f"{odd.format('')}\n  at x (y.js:1:2)\n{MESSAGE}")[0] == "pool.md"


def test_a_name_in_emphasis_is_the_name(made: Made) -> None:
    cache = made(FILLER | {"a.md": "The rs file is a lib.", "b.md": "Open the file _lib.rs_ and read it."})
    assert order(cache, "lib.rs")[0] == "b.md"


def test_a_name_counts_as_much_as_the_words_that_it_joins(made: Made) -> None:
    cache = made(
        FILLER
        | {
            "often.md": "A sync of an atomic, then a fence: of sync, atomic and fence other things are told.",
            "once.md": "Among many other things that are told here there is sync::atomic::fence too.",
        }
    )
    assert order(cache, "sync::atomic::fence")[0] == "once.md"


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("databse", "database"),
        ("kuberntes", "kubernetes"),
        ("cahce", "cache"),
        ("terrraform", "terraform"),
        ("deploymnt", "deployment"),
    ],
)  # fmt: skip
def test_an_unknown_word_is_read_as_the_known_one_that_is_near(made: Made, typed: str, meant: str) -> None:
    cache = made(FILLER | {"it.md": f"All about the {meant} that we run."})
    assert order(cache, typed) == ["it.md"]
    assert cache.resolve(typed, 100).documents[0].why.query_terms == [meant]


def test_what_people_say_around_a_question_does_not_decide(made: Made) -> None:
    polite = "Hello, please help me, I need an example: could you explain how to {}? Thanks!"
    cache = made({
        "help.md": "Help: please read this example. Thanks for your help, we explain what you need. " * 3,
        "rotate.md": "Rotate keys every month.",
    })  # fmt: skip
    assert order(cache, polite.format("rotate keys"))[0] == "rotate.md"


@pytest.mark.parametrize(("letters", "read_as"), [(32, "known"), (33, None), (100_000, None)])
def test_a_word_of_up_to_32_letters_is_repaired(made: Made, letters: int, read_as: str | None) -> None:
    """All that one edit makes of a word is looked up: of a very long one that would take for ever."""
    known = "pneumono" * 4
    cache = made(FILLER | {"a.md": f"The word {known[: min(letters, 33)]}{'s' * (letters - 32)} is here."})
    query = f"x{known[1:]}{'s' * (letters - 32)}"
    words = [word.read_as for word in cache.explain(query).words]
    assert words == [known if read_as else None]


def test_the_first_twenty_unknown_words_are_repaired(made: Made) -> None:
    cache = made(FILLER | {"a.md": "The deployment is here."})
    unknown = [f"xyzzy{chr(97 + number // 5) * 3}{chr(97 + number % 5) * 3}" for number in range(20)]
    assert order(cache, " ".join([*unknown[:19], "deploymnet"])) == ["a.md"]
    assert order(cache, " ".join([*unknown, "deploymnet"])) == []
