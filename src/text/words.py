"""From a run of text to its words, and from a word to the terms that it is found by.

A *run* is a stretch without white space or separating punctuation: `deployment.`, `--dry-run`, `getUserById`.
All that decides how a word is read stands in its own run, so that a run always means the same and needs to be
read only once.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache, partial
from operator import add

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import ModuleType

SIGNS = r".'#+\\\-"
"""The signs that can be part of a name, as they stand in a character class."""

_ASCII_RUN = re.compile(rf"[A-Za-z0-9_{SIGNS}]+")
_ASCII_RUNS = re.sub(rf"[^A-Za-z0-9_{SIGNS}]", " ", bytes(range(128)).decode())
"""Each character of ASCII, a space for what is in no run: splitting is twice as fast as finding."""

ENDING = "(?:'(?:s|t|d|m|re|ve|ll)(?![a-z0-9_]))?"
"""What an English apostrophe can add to a word."""

_WORD = re.compile("[a-z0-9_]+" + ENDING)
_PART = re.compile("[A-Z]{2,}s(?![^A-Z0-9_])|[A-Z]+(?![^A-Z0-9_])|[A-Z]?[^A-Z0-9_]+|[0-9]+")
_NAME = re.compile(  # each stretch is entered at its start alone and never given back: the time is linear
    "(?:v|(?<![0-9]))(?P<version>[0-9]++(?:[.][0-9]++)++)(?:[a-z_][a-z0-9_]*+(?:-[a-z0-9_]++)++)?+"
    "|(?<![a-z0-9_-])(?P<flag>--?[a-z][a-z0-9_]*+(?:-[a-z0-9_]++)*+)"
    "|(?<![a-z0-9_])(?P<hyphened>[a-z0-9_]++(?:-[a-z0-9_]++)++)"
    "|(?<![a-z0-9_])_*+(?P<signed>[a-z][a-z0-9_]*+(?:[+][+]|#))"
    "|(?<![a-z0-9_.])(?P<dotted>[.][a-z][a-z0-9_]*+)"
)
_SIGN_OF_NAME = re.compile("[-.+#]")
"""What every name has."""
_DIGIT = re.compile("[0-9]")
_DOTTED = re.compile("[a-z_][a-z0-9_]*(?:[.][a-z0-9_]+(?:-[a-z0-9_]+)*)+")
"""A dotted name in lower case: `package.json`, `os.path.join`."""
EXACT = "="
"""The first character of the term for a word as it is written, and of no other term."""
NAME = "/"
"""The first character of the term for a word of a file's or folder's name, and of no other term."""
HEADING = "<"
"""The first character of the term for a whole heading, and of no other term."""
_EXTENSION = re.compile("[.][A-Za-z][A-Za-z0-9]{0,7}")
_JOINT = re.compile("(?<![0-9])-|-(?![0-9])|_")

_LONGEST_REMEMBERED = 64


class Word:
    """One word of a run: where it stands, how it is shown, what it is found by."""

    __slots__ = ("base", "end", "exact", "parts", "start", "text", "wholes")

    def __init__(
        self,
        start: int,
        end: int,
        base: str,
        wholes: list[str],
        parts: Sequence[str],
        exact: Sequence[str] = (),
    ) -> None:
        self.start = start
        self.end = end
        self.base = base
        """In lower case, before stemming: what the list of stop words knows."""
        self.text = base
        """In lower case, as people are shown it."""
        self.wholes = wholes
        """The term of the word, then those of the names that begin with it (`c#`, `2.10.1`)."""
        self.parts = parts
        """The terms of an identifier's parts, those in `wholes` left out."""
        self.exact = list(exact)
        """The terms of the word as it is written, and of a dotted name that begins with it."""


def runs(text: str) -> re.Pattern[str]:
    """The expression that finds the runs of this text: words and signs that can be part of a name."""
    return _ASCII_RUN if text.isascii() else _letters().RUN


@cache
def _letters() -> ModuleType:
    """What text above ASCII needs: its tables cost a query in plain ASCII more than all the rest."""
    from . import letters

    return letters


DATA_URI = (
    r"data:[A-Za-z0-9.+-]++/[A-Za-z0-9.+-]++(?:;[A-Za-z0-9=.+-]++)*+,"
    r"[A-Za-z0-9%._~:/?#@!$&*+,;=\u037e\u212a-]{32,}(?![\u0300-\u036f])"
)
"""An image or a font in a text (source: RFC 2397); a short one is an example, and text.

Composed or not, it is the same: two of its signs have a second code point, and a letter with a mark ends it.
"""
_DATA_URI = re.compile(DATA_URI)


def without_data(text: str) -> str:
    """The text with a space for each character of a `data:` URI, which has no words."""
    if "data:" not in text:
        return text
    return _DATA_URI.sub(lambda match: " " * len(match[0]), text)


def cut(text: str) -> list[str]:
    """The runs of a text, in order."""
    text = without_data(text)
    return text.translate(_ASCII_RUNS).split() if text.isascii() else runs(text).findall(text)


_PATH = re.compile("[A-Za-z0-9_.@~/:+$-]+")
_LONGEST_NAME = 64
_BROKEN = re.compile(r"-\r?\n[ \t]*([a-z]+)")
_LAST_WORD = re.compile(r"(?<![A-Za-z-])[A-Za-z]++\Z")
_THOUSANDS = re.compile("[0-9]++(?:,[0-9]{3}(?![0-9]))+")
_THOUSAND = re.compile(",[0-9]{3}")


def extra_runs(text: str) -> list[str]:
    """What is found across runs: `=NAME` for a path or a name with colons, `:WORD` for a word put together.

    No run begins with either sign. They are terms, but no words of the text: their pieces are counted.
    """
    text = without_data(text)
    if not text.isascii():
        text = _letters().composed(text)  # so that equal texts have equal names, however they are written
    return (_paths(text) if "/" in text or ":" in text else []) + _joined(text)


def joined_runs(text: str) -> list[str]:
    """Those of `extra_runs` that are no exact terms: `:WORD` for a word put together."""
    if "-\n" in text or "-\r\n" in text or "," in text:
        text = without_data(text)
        return _joined(text if text.isascii() else _letters().composed(text))
    return []


def _joined(text: str) -> list[str]:
    """Words broken at a line end, and numbers written with commas."""
    joined: list[str] = []
    if "-\n" in text or "-\r\n" in text:
        joined += _broken_words(text)
    if _THOUSAND.search(text):
        numbers = [match for match in _THOUSANDS.findall(text) if match.index(",") < 4]
        joined += [":" + number.replace(",", "") for number in numbers]
    return joined


def _broken_words(text: str) -> Iterator[str]:
    """Words broken at a line end: hyphens there are few, so they are looked for first."""
    end = 0
    for match in _BROKEN.finditer(text):
        line = text.rfind("\n", end, match.start()) + 1
        if first := _LAST_WORD.search(text, max(end, line), match.start()):
            yield f":{first[0]}{match[1]}"
            end = match.end()


def name_runs(path: str) -> list[str]:
    """The runs of the names of a file and its folders, each once, as `/NAME`; the extension tells nothing."""
    stem, dot, extension = path.rpartition(".")
    plain = stem if stem and _EXTENSION.fullmatch(dot + extension) else path
    return [*dict.fromkeys(NAME + run for run in cut(plain))]


def _paths(text: str) -> list[str]:
    """The exact terms of paths (`/etc/hosts`) and names with colons (`std::vector`); no web addresses."""
    lines = [line for line in text.split("\n") if "/" in line or ":" in line]
    tokens = [token for token in " ".join(lines).split() if "/" in token or ":" in token]
    names = []
    for name in _PATH.findall(" ".join(tokens)):
        if ("/" in name or ":" in name[:-1]) and "://" not in name:
            plain = name.strip("/.:-+@~$")
            if len(plain) <= _LONGEST_NAME and ("/" in plain or ":" in plain) and not plain.isdigit():
                names.append(EXACT + plain.lower())
    return names


class WordReader:
    """Reads runs; safe to share between threads. What it remembers only makes it faster."""

    def __init__(self, stem: Callable[[str], str], *, remembered: int) -> None:
        """`stem` gives the stem of a lower-case word of letters; `remembered` is how many words, at most."""
        stem_short = lru_cache(remembered)(stem)

        def stem_once(word: str) -> str:
            return stem_short(word) if len(word) <= _LONGEST_REMEMBERED else stem(word)

        self._stem = stem_once
        self._read_anew = partial(_read, self._stem)
        self._read_short = lru_cache(remembered)(self._read_anew)  # words of new identifiers are seldom new

    def plain_terms(self, run: str) -> str | tuple[str, ...] | None:
        """The terms of a run that is a plain word (`Deployment.`), as most are, alone if one; else None."""
        plain = run.rstrip(".'-").lower()
        if plain.isalpha() and run[1:].islower() and (run.isascii() or _is_composed(run)):
            term = _term(self._stem, plain)
            return term if term == plain else (term, EXACT + plain)
        return None

    def words(self, run: str) -> list[Word]:
        """The words of a run, in order; those of a script without spaces are overlapping pairs of characters.

        Their offsets are those in the folded run; `unfolded_words` has those in the run itself.
        """
        shape, lowered, matches = _matched(run)
        words: list[Word] = []
        for match in matches:
            if match.lastgroup:
                pairs = enumerate(_pairs(lowered[match.start() : match.end()]), start=match.start())
                words.extend(Word(at, at + len(pair), pair, [pair], []) for at, pair in pairs)
            else:
                words += self._spaced_words(shape, lowered, *match.span())
        if not _is_nameless(lowered):
            _add_names(self._stem, words, lowered)
        if words and (name := _dotted_name(lowered)):
            words[0].exact.append(name)
        return words

    def terms(self, run: str) -> list[tuple[str, ...]]:
        """The terms of each word of a run, in no order: a run can be a whole text, and `words` are large."""
        plain = run.rstrip(".'-")
        if plain.isascii() and plain.replace("_", "").isalnum():  # one word, and no name of several
            return [word.terms] if (word := self._read(plain, plain.lower())) else []
        if not run.isascii() and _is_dense(run):
            return [*zip(_pairs(run))]
        shape, lowered, matches = _matched(run)
        nameless = _is_nameless(lowered)
        yields: list[tuple[str, ...]] = []
        words: list[Word] = []
        for match in matches:
            start, end = match.span()
            if match.lastgroup:
                yields += zip(_pairs(lowered[start:end]))
            elif not nameless:
                words += self._spaced_words(shape, lowered, start, end)
            elif word := self._read(shape[start:end], lowered[start:end]):
                yields.append(word.terms)
        if words:
            _add_names(self._stem, words, lowered)
            yields += [(*word.wholes, *word.parts, *word.exact) for word in words]
        if yields and (name := _dotted_name(lowered)):
            yields[0] = (*yields[0], name)
        return yields

    def unfolded_words(self, run: str) -> list[Word]:
        """The words of a run with their offsets in it."""
        words = self.words(run)
        if not run.isascii() or "\\" in run:
            offsets = _letters().unfolded_offsets(run)
            for word in words:
                word.start, word.end = offsets[word.start], offsets[word.end]
        return words

    def term(self, word: str) -> str:
        """The term of a word in lower case."""
        return _term(self._stem, word)

    def _spaced_words(self, shape: str, lowered: str, start: int, end: int) -> list[Word]:
        """The word between two positions, unless it is all underscores."""
        read = self._read(shape[start:end], lowered[start:end])
        if read is None:
            return []
        start += read.start
        word = Word(start, start + read.length, read.base, [read.whole], read.parts, read.exact)
        word.text = read.text
        return [word]

    def _read(self, shape: str, lowered: str) -> _Read | None:
        """Read a word; None if it is all underscores."""
        return (self._read_short if len(shape) <= _LONGEST_REMEMBERED else self._read_anew)(shape, lowered)


def _is_composed(run: str) -> bool:
    """Whether folding leaves the letters of a run, which is not ASCII, as they are: most of Europe's do."""
    return _letters().COMPOSED.fullmatch(run) is not None


def _is_dense(run: str) -> bool:
    """Whether a run is one stretch of a script without spaces that folding leaves as it is."""
    return _letters().DENSE.fullmatch(run) is not None


def _matched(run: str) -> tuple[str, str, Iterator[re.Match[str]]]:
    """A folded run with its capitals, the same in lower case, and where its words are in both."""
    if run.isascii() and "\\" not in run:
        lowered = run.lower()
        return run, lowered, _WORD.finditer(lowered)
    letters = _letters()
    folded = letters.fold(run)
    lowered = letters.lower(folded)
    return letters.shape(folded, lowered), lowered, letters.WORD.finditer(letters.classes(lowered))


def _pairs(dense: str) -> list[str]:
    """Every two neighbours of a stretch of a script without spaces; a single character is its own word."""
    return [*map(add, dense, dense[1:])] or [dense]


class _Read:
    """What the letters of a word tell, wherever it stands."""

    __slots__ = ("base", "exact", "length", "parts", "start", "terms", "text", "whole")

    def __init__(
        self, start: int, length: int, base: str, text: str, whole: str, parts: Sequence[str]
    ) -> None:
        self.start = start
        self.length = length
        self.base = base
        self.text = text
        self.whole = whole
        """The term of the word."""
        self.parts = [part for part in dict.fromkeys(parts) if part != whole]
        """Those of an identifier's parts that differ."""
        self.exact = (EXACT + base,) if base != whole else ()
        """That of the word as it is written, where it is not the same."""
        self.terms = (whole, *self.parts, *self.exact)


def _read(stem: Callable[[str], str], shape: str, lowered: str) -> _Read | None:
    base, _, ending = lowered.partition("'")
    text = base.strip("_")
    if not text:
        return None
    start = base.index(text)
    length = len(text)
    base = text.replace("_", "")
    if ending == "t":
        base += ending
    whole = _term(stem, base)
    if shape.isalpha() and shape[1:].islower():
        return _Read(start, length, base, text, whole, ())  # as most are: it has no parts
    cuts = [match.span() for match in _PART.finditer(shape, start, start + length)]
    parts = [_term(stem, lowered[first:last]) for first, last in cuts] if len(cuts) > 1 else []
    letters = base.rstrip("0123456789")
    if parts and letters != base and len(letters) > 1 and letters.isalpha():
        parts.append(_term(stem, letters))  # the `oauth` of `OAuth2`
    length += 2 * (ending == "t")
    return _Read(start, length, base, lowered[start : start + length], whole, parts)


def _term(stem: Callable[[str], str], word: str) -> str:
    """What a word is found by: the stem of letters without their marks, anything with a digit as it is."""
    if not word.isascii():
        word = _letters().without_marks(word)
    return word if not word.isalpha() and _DIGIT.search(word) else stem(word)


def _dotted_name(lowered: str) -> str | None:
    """The exact term of a run that is a dotted name."""
    name = lowered.rstrip(".'-+#")
    if name[:1] == name[-1:] == "_":
        name = name.strip("_")  # emphasis of Markdown
    return EXACT + name if "." in name[1:] and _DOTTED.fullmatch(name) else None


def _add_names(stem: Callable[[str], str], words: list[Word], lowered: str) -> None:
    """Give the first word of every name in the run (`c++`, `--dry-run`, `2.10.1`) the term for the whole."""
    starts = {word.start: word for word in words}
    ends = {word.end for word in words}
    for match in _NAME.finditer(lowered):
        kind = match.lastgroup or ""
        end = match.end(kind)
        name = lowered[match.start() : end]
        if kind == "signed":
            name = name.lstrip("_")
        word = starts.get(end - len(name.lstrip("-.")))
        end -= len(name) - len(name.rstrip("+#"))
        if word is None or end not in ends:
            continue
        for term in _name_terms(stem, match.group(kind), kind):
            if term not in word.wholes:
                word.wholes.append(term)
        if word.end == end:
            word.text = name


def _is_nameless(lowered: str) -> bool:
    """Whether a run is sure to hold no name: no sign of one but at its end, or dots between letters alone."""
    plain = lowered.rstrip(".'-")
    if not _SIGN_OF_NAME.search(plain):
        return True
    return plain.isascii() and plain[0] != "." and plain.replace("_", "").replace(".", "").isalpha()


def _name_terms(stem: Callable[[str], str], name: str, kind: str) -> Iterator[str]:
    """The terms of a name: as it is written, and for one with hyphens written together."""
    if kind != "hyphened":
        yield name
    if "-" in name.lstrip("-"):
        yield _term(stem, _JOINT.sub("", name.lstrip("-")))
