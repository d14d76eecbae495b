"""Sentences of real prose, changed as careless quoting and careful printing change them: what passes and what does not."""

from __future__ import annotations

from pathlib import Path

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

import jung_pipeline.demo
from jung_pipeline.text.normalise import NEGATIONS, content_words, words
from jung_pipeline.text.quotes import locate
from jung_pipeline.text.sentences import sentence_spans

GERMAN = """Der Schatten eines Menschen wird nicht kürzer, wenn er die Augen schließt. Wer ihn abschneiden will, verliert
die Füße mit. Kein Träumer hat je die dritte Tür geöffnet, ohne vorher zu zögern. Das Tagebuch soll keine Deutungen
enthalten, sondern nur die Farben der Türen. Niemand weiß, woher der Schlüssel kam, den die alte Frau im Garten fand.
Nie war der Brunnen tiefer als in jenem Winter, und doch hörte man die Glocke nicht mehr. Die Seele, sagte er, sei ein
Haus ohne Treppe: Man könne es nur von innen betreten. Weder der Arzt noch der Pfarrer wollte die Stimme gehört haben."""


def passages():
    """Paragraphs of the three demonstration books, and of German prose."""
    folder = Path(jung_pipeline.demo.__file__).with_name("prose")
    texts = [p for f in sorted(folder.glob("*.md")) for p in f.read_text(encoding="utf-8").split("\n\n")]
    return [" ".join(p.split()) for p in texts if len(p.split()) > 30 and not p.startswith("#")]


SENTENCES = [
    (text[start:end], text)
    for text in [" ".join(GERMAN.split()), *passages()]
    for start, end in sentence_spans(text)
    if 6 <= len(words(text[start:end])) <= 60 and len(content_words(text[start:end])) > 1
]
NEGATED = [
    (sentence, text, word)
    for sentence, text in SENTENCES
    for word in words(sentence)
    if word.form in NEGATIONS
]
IN = {"en": SENTENCES[20:], "de": SENTENCES[:8]}


def without(sentence, word):
    return f"{sentence[: word.start]}{sentence[word.end :]}"


def test_there_is_enough_to_mutate():
    assert len(NEGATED) > 50 and len(SENTENCES) > 300
    assert {"nicht", "not", "no"} <= {word.form for _, _, word in NEGATED}


@settings(derandomize=True, deadline=None)
@given(st.sampled_from(NEGATED))
def test_a_dropped_negation_is_never_verbatim(case):
    sentence, text, word = case
    assert locate(sentence, text)
    for quoted in (
        without(sentence, word),
        f"{sentence[: word.start]}…{sentence[word.end :]}",
        f"{sentence[: word.start]}[...]{sentence[word.end :]}",
        f"{sentence[: word.start]}[so]{sentence[word.end :]}",
    ):
        assert locate(quoted, text) is None, quoted


@pytest.mark.parametrize("language", ["en", "de"])
@settings(derandomize=True, deadline=None)
@given(data=st.data())
def test_a_changed_content_word_is_never_verbatim(language, data):
    sentence, text = data.draw(st.sampled_from(IN[language]))
    telling = set(content_words(sentence))
    word = data.draw(st.sampled_from([w for w in words(sentence) if w.form in telling]))
    other, _ = data.draw(st.sampled_from(IN[language]))
    put = data.draw(st.sampled_from([w for w in content_words(other) if w != word.form] or ["zeppelin"]))
    quoted = f"{sentence[: word.start]}{put}{sentence[word.end :]}"
    assert locate(quoted, text) is None


@settings(derandomize=True, deadline=None)
@given(st.sampled_from(SENTENCES), st.data())
def test_a_dropped_or_doubled_word_is_never_verbatim(case, data):
    sentence, text = case
    inner = words(sentence)[1:-1]
    word = data.draw(st.sampled_from(inner))
    neighbours = {w.form for w in words(sentence) if w is not word}
    if word.form not in neighbours:  # of two equal words one may be dropped only where they stand apart
        assert locate(without(sentence, word), text) is None
    doubled = f"{sentence[: word.end]} {sentence[word.start : word.end]}{sentence[word.end :]}"
    assert locate(doubled, text) is None


@settings(derandomize=True, deadline=None)
@given(st.sampled_from(SENTENCES), st.data())
def test_print_and_typing_change_nothing(case, data):
    """Quote styles, dashes, line ends with and without a hyphen, blanks and capitals, in any mixture."""
    sentence, text = case
    marks = data.draw(st.sampled_from(["“”", "„“", "«»", '""', "‘’", "  "]))
    quoted = regex.sub(r"[“”„\"]", data.draw(st.sampled_from('“”"„')), sentence)
    quoted = quoted.replace("’", "'") if data.draw(st.booleans()) else quoted
    quoted = regex.sub(r"\s*[—–]\s*", data.draw(st.sampled_from(["—", " – ", "--", " - "])), quoted)
    long = [w for w in words(quoted) if w.end - w.start > 6]
    if long and data.draw(st.booleans()):
        word = data.draw(st.sampled_from(long))
        at = data.draw(st.integers(word.start + 2, word.end - 2))
        if quoted[at].isalnum() and quoted[at - 1].isalnum():
            quoted = f"{quoted[:at]}-\n{quoted[at:]}"
    quoted = regex.sub(
        r" ", lambda _: data.draw(st.sampled_from([" ", "  ", "\n", "\u00a0"])), quoted, count=3
    )
    quoted = quoted[0].swapcase() + quoted[1:]
    assert locate(f"{marks[0]}{quoted}{marks[1]}", text), quoted


@settings(derandomize=True, deadline=None)
@given(st.sampled_from(SENTENCES), st.data())
def test_an_honest_ellipsis_is_verbatim_and_a_turned_one_is_not(case, data):
    sentence, text = case
    found = words(sentence)
    cut = data.draw(st.integers(2, len(found) - 3))
    left = data.draw(st.integers(cut + 1, len(found) - 2))
    skipped = {w.form for w in found[cut:left]}
    head, tail = sentence[: found[cut - 1].end], sentence[found[left].start :]
    if not skipped & NEGATIONS:
        for mark in (" … ", " ... ", " [...] ", " [. . .] "):
            assert locate(head + mark + tail, text)
    repeated = sum(locate(tail, rest) is not None for rest in [text[text.index(sentence) + len(sentence) :]])
    if not repeated and len(words(head)) > 3 and len(words(tail)) > 3:
        assert locate(f"{tail} … {head}", text[: text.index(sentence) + len(sentence)]) is None
