"""Misreadings that are words themselves, put right by the words around them: "arid the", "to bo", "1 saw".

No list of words tells that "arid" stands for "and", or a "1" for "I". What stands beside it does: no adjective
stands before "the" or "he", and nothing but "I" before "am". Each form has its own evidence here, of function
words, which are the same in every book; where that is lacking the form stays.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import regex

from jung_pipeline.clean import tokens
from jung_pipeline.clean.lexicon import Lexicon
from jung_pipeline.clean.tracked import Edit


def _words(words: str) -> str:
    return "(?:" + "|".join(words.split()) + ")"


_DETERMINERS = "the a an his her their its our my your this these those every each some any such no"
_PRONOUNS = "he she it they we I you him them me us who which what there then nobody nothing everyone"
_SUBJECTS = "he she it they we I you who which that there"
_FINITE = "went came saw said took made found left gave knew thought told asked felt began looked stood fell spoke wrote wished drank ate slept wept turned ran sat died lived loved would could should must did"
_MODALS = "to will would may might can could shall should must cannot not never"
_PREPOSITIONS = "of in to with from by on at for upon into and through that all under over"

#: Verbs that only "I" of all that looks like a "1" stands before.
_OF_I = (
    "am was have had shall should would could cannot can might may must did do think thought know knew believe said say "
    "saw see went came suppose remember myself feel felt found find wish want hope mean never told asked took gave heard "
    "wrote read spoke dreamed dreamt woke looked loved understood sat stood lay ran walked answered replied tried began "
    "don't didn't can't couldn't don’t didn’t can’t couldn’t"
)


@dataclass(frozen=True, slots=True)
class _Form:
    """A form that is a word, what it is read for, and between which neighbours it is no word."""

    read: str
    printed: str
    before: str | None = None  # pattern of what must stand before it, with the blank
    behind: str | None = None  # of what must stand behind it


_FORMS = (
    _Form("aud", "and"),  # a currency, in capitals only
    _Form("arid", "and", behind=_words(f"{_DETERMINERS} {_PRONOUNS} {_FINITE} that so not")),
    _Form("hut", "but", before=r"[,;:] ", behind=_words(f"{_DETERMINERS} {_PRONOUNS} that not only if when as")),
    _Form("bad", "had", before=_words(_SUBJECTS) + " ", behind=_words("been never become always already")),
    _Form("bis", "his", before=_words(_PREPOSITIONS) + " ", behind=r"\p{Ll}{3,}"),
    _Form("ho", "he", behind=_words("was had said is has would could should did went came saw knew thought must")),
    _Form("bo", "be", before=_words(_MODALS) + " "),
    _Form("bc", "be", before=_words(_MODALS) + " "),
    _Form("ail", "all", behind=_words("the his her their its our my these those this that")),
    _Form("ail", "all", before=_words("of at in for above after with and") + " "),
    _Form("carne", "came", before=r"\p{L}+ ", behind=_words("in to from out back up down into upon over with forth home the a")),
    _Form("tum", "turn", before=_words("to in his her their its a the will would must we I they") + " "),
    _Form("iu", "in", behind=_words(f"{_DETERMINERS} which whom order")),
    _Form("ou", "on", behind=_words(f"{_DETERMINERS} which whom")),
    _Form("oi", "of", behind=_words(f"{_DETERMINERS} which whom all")),
    _Form("ol", "of", behind=_words(f"{_DETERMINERS} which whom all")),
)  # fmt: skip
_BY_READ: dict[str, list[tuple[_Form, regex.Pattern[str] | None, regex.Pattern[str] | None]]] = {}
for _form in _FORMS:
    _BY_READ.setdefault(_form.read, []).append(
        (
            _form,
            regex.compile(rf"(?:(?<!\p{{L}})|(?=\W))(?:{_form.before})$", regex.IGNORECASE)
            if _form.before
            else None,
            regex.compile(rf" (?:{_form.behind})(?!\p{{L}})") if _form.behind else None,
        )
    )
#: So far back the word before is looked for.
_BACK = 16

_ONE_FOR_I = regex.compile(
    r"(?<![^\s\"“‘'(—–])(?<![\p{N}/§$£–—-]\s?)(?<!(?<!\p{Ll}{3})[.,:;]\s?)"
    r"(?<!(?:[Nn]os?|[Pp]p?|[Ff]igs?|[Vv]ols?|[Cc]h|[Cc]haps?|[Cc]hapter|[Pp]arts?|[Ll]ectures?|[Ss]tage|[Tt]ype|[Nn]umber|[Cc]ase"
    r"|[Tt]ables?|[Pp]ara?s?|[Ss]ect?|[Nn]otes?|[Pp]lates?|[Bb]ook|[Ii]tem|[Pp]age|[Pp]oint|[Ss]tep|[Pp]hase|[Gg]roup|[Ll]evel)\.? )"
    rf"(?:1|l|\|)(?= {_words(_OF_I)}(?![\p{{L}}'’]))"
)
#: A digit of a year that was read as a letter.
_YEAR = regex.compile(r"(?<![\p{L}\p{N}])1[5-9](?:[lIO|]\d|\d[lIO|])(?![\p{L}\p{N}])")
_DIGITS = str.maketrans("lIO|", "1101")
#: A nought for the letter, in words too short or too frequent to be weighed.
_NOUGHT = regex.compile(r"(?<![\p{L}\p{N}.,$£-])(?:\p{L}*0\p{L}+|\p{L}+0)(?![\p{L}\p{N}])")
_FREQUENT = 5.0


def misread_small_words(text: str, lexicon: Lexicon) -> Iterator[Edit]:
    """Corrections in English text, and of years and noughts in any."""
    for match in _matches(_YEAR, text, tokens.all_places(text, ("15", "16", "17", "18", "19"))):
        yield Edit(match.start(), match.end(), match.group().translate(_DIGITS), "misreading")
    yield from _noughts(text, lexicon)
    if lexicon.language != "en":
        return
    alone = (at for at in tokens.all_places(text, ("1 ", "l ", "| ")) if not text[at - 1 : at].isalnum())
    for match in _matches(_ONE_FOR_I, text, alone):
        yield Edit(match.start(), match.end(), "I", "misreading")
    there = [form for form in _BY_READ if lexicon.count(form)]
    if not there:
        return
    anywhere = regex.compile(
        r"(?<![\p{L}\p{N}'’.-])(?:" + "|".join(there) + r")(?![\p{L}\p{N}'’-])(?!\.\p{L})"
    )
    for match in _matches(anywhere, text, tokens.places_of(text, there)):
        before = text[max(0, match.start() - _BACK) : match.start()]
        for form, left, right in _BY_READ[match.group()]:
            if (left is None or left.search(before)) and (right is None or right.match(text, match.end())):
                yield Edit(match.start(), match.end(), form.printed, "misreading")
                break


def _noughts(text: str, lexicon: Lexicon) -> Iterator[Edit]:
    """Frequent words with a nought in the place of an o."""
    at = text.find("0")
    while at >= 0:
        end = at + 1
        if text[at - 1 : at].isalpha() or text[end : end + 1].isalpha():
            start = at
            while start and text[start - 1].isalpha():
                start -= 1
            found = _NOUGHT.match(text, start)
            word = found.group() if found is not None else ""
            if word.count("0") == 1 and lexicon.zipf(word.replace("0", "o")) >= _FREQUENT:
                letter = "O" if word.replace("0", "").isupper() else "o"
                yield Edit(start, start + len(word), word.replace("0", letter), "misreading")
                end = start + len(word)
        at = text.find("0", end)


def _matches(pattern: regex.Pattern[str], text: str, places: Iterable[int]) -> Iterator[regex.Match[str]]:
    """The matches of ``pattern`` at ``places``, the only ones where it can match."""
    return (match for at in places if (match := pattern.match(text, at)) is not None)
