"""The stemmer against the reference implementation of the same algorithm."""

from __future__ import annotations

# ruff: noqa: SIM905 - lists of words read best as lines
import snowballstemmer  # type: ignore[import-untyped] # it has no types
from hypothesis import example, given
from hypothesis import strategies as st

from ctxcache.text.stem import stem

REFERENCE = snowballstemmer.stemmer("english")

ENDINGS = """
    s ss us sses ies ied ed eed edly eedly ing ingly ying y ly li bly fully lessly ously ently ality
    bility ivity tional ational alism ation ization izer ator iveness fulness ousness ogy logy ogist
    icate ative alize icity ical ful ness ance ence able ible ant ement ment ent sion tion ion ism ate
    iti ous ive ize e l ll al er ic past
""".split()
STARTS = """
    arsen commun emerg gener inter later organ past univers succ proc exc inn out cann herr earr even
    hop hopp add egg off fil siz ski idl d t yes boy sayyid conform deploy relat triangul adjust vis
    electr contr r
""".split()
OTHERS = """
    andes atlas bias cosmos early gently howe idly news only singly skies skis sky ugly dying lying
    tying inning outing canning herring earring evening proceed exceed succeed a be see sees yy yyy
    youth enjoy by say cry ties tie gas this kiwis gaps dental pasted roll rolling
""".split()


def test_stems_equal_the_reference_on_every_pair_of_a_start_and_an_ending() -> None:
    words = [start + ending for start in STARTS for ending in ["", *ENDINGS]] + OTHERS
    assert [stem(word) for word in words] == REFERENCE.stemWords(words)


@given(st.text("abcdefghilmnoprstuvwxyz", max_size=9), st.sampled_from(["", *ENDINGS]))
@example("sky", "")
def test_stems_equal_the_reference_on_made_up_words(start: str, ending: str) -> None:
    assert stem(start + ending) == REFERENCE.stemWord(start + ending)


@given(st.text("aeiouyYbs'é", max_size=6))
def test_the_stemmer_takes_any_letters(word: str) -> None:
    assert isinstance(stem(word), str)
