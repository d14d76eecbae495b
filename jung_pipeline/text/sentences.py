"""Where sentences begin and end in scholarly English and German prose.

One regular expression finds every stop with the closing quotes, brackets and note marks behind it; a few
rules on the word before and the word after decide. Linear in the length of the text, whatever is in it.

The rules, in the order they are asked:

* A blank line always ends a sentence; a single line break never does by itself (verse).
* Closing quotes and brackets, and note marks ("automatisms.[36]"), belong to the sentence they close.
* Lower case after a stop goes on: “Why?” he asked.
* Before anything was said ("3.", "IV.", "…") nothing ends: an enumerator belongs to its item.
* After an abbreviation or an initial see :mod:`jung_pipeline.text.abbreviations`.
* German ordinals ("am 3. Mai") go on.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice

from jung_pipeline.text import abbreviations

_STOPS = ".!?…"
#: What may stand between a stop and the white space behind it and belongs to the sentence. “ is the German
#: closing mark too; _ * and = are the emphasis marks of plain-text editions.
_CLOSERS = "\"'”’“‘»«›‹)\\]}_*="
_NOTE_MARK = r"\[[0-9A-Za-z*†‡]{1,4}\]|[¹²³⁰⁴-⁹†‡]"

# It begins with one plain character class, which is what the engine can skip to fast.
_CANDIDATE = re.compile(
    rf"""
      [{_STOPS}\n]
      (?:
        (?<!\n)
        (                                       # 1: the rest of the stops; ". . ." is one
          (?:[{_STOPS}]++|(?<=[.…])(?:[ \u00a0\u202f][.…]++)++)*+
        )
        (                                       # 2: what closes
          (?:[{_CLOSERS}]|{_NOTE_MARK}|[ \u00a0\u202f](?:[»”]|\[\d{{1,3}}\])(?=\s|\Z))*+
        )
        (\d{{1,3}}(?=\s))?+                     # 3: a note mark whose superscript was lost
        ()                                      # 4: here the sentence would end
        \s*+
      |
        (?<=\n)[^\S\n]*+\n\s*+                 # a blank line
      )
    """,
    re.VERBOSE,
)

#: The word a next sentence would begin with, past opening quotes, brackets, emphasis and dashes.
_NEXT_WORD = re.compile(r"(?:[\"'“‘”„‚»«›‹(\[{_*=¿¡—–-]\s?){0,8}+([^\W\d_]{1,30}|\d{1,4})")
_DASH = re.compile(r"(?:—|–|--)+\s?")
_INITIALS = re.compile(r"(?:[^\W\d_]\.[-\u2010\u2011]?)*[^\W\d_]")
_ROMAN = re.compile(r"[IVXLC]+|[ivxlc]+")
_VOWELS = frozenset("aeiouyäöüàáâèéêëìíîïòóôœæùúûAEIOUYÄÖÜÀÁÈÉÊÌÍÒÓÙÚ")
#: Longest look back for the word before a stop: two words of any abbreviation.
_LOOK_BACK = 28
_OPENERS = "\"'“‘„‚»«›‹([{_*=—–-"
_QUOTES = frozenset('"”’“»«')
_MARK_IN_BRACKETS = re.compile(r"[(\[](?:sic)?\Z")
_ENUMERATOR = re.compile(r"[IVXLC]+|[ivxlc]+|[^\W\d_]")
_SPEAKERS = frozenset(("He", "She", "They", "We", "Er", "Sie", "Wir"))
_BEFORE_PRONOUN = frozenset(("than", "and", "am", "as", "do", "did", "was"))
_ENGLISH_MONTHS = frozenset(("April", "August", "September", "November"))
_GERMAN = re.compile(r"\b(?:der|die|und|das|nicht|ist|von|des)\b")
_ENGLISH = re.compile(r"\b(?:the|of|and|is|to|that|in|was)\b")
_LAST_STOP = re.compile(rf"[{_STOPS}]++(?:[{_CLOSERS}]|{_NOTE_MARK}|[ \u00a0\u202f][»”’])*+\d{{0,3}}\s*\Z")


def sentence_spans(text: str, *, language: str | None = None) -> list[tuple[int, int]]:
    """The sentences of ``text`` as (start, end) offsets, in order; together they hold all that is not blank.

    Args:
        text: Paragraphs divided by blank lines.
        language: BCP 47 primary tag. It matters where German nouns would look like the beginning of a
            sentence; judged from the text where it is not given.
    """
    german = language.lower().startswith("de") if language else _looks_german(text)
    tails = abbreviations.long_tails()
    length = len(text)
    begin = length - len(text.lstrip())
    spans: list[tuple[int, int]] = []
    for match in _CANDIDATE.finditer(text, begin):
        stop, following = match.span()
        end = match.end(4)
        if end == stop + 1:
            # The common case needs no rules: a word in lower case, one stop, white space, a capital.
            tail = text[stop - 4 : stop]
            if (
                following > end
                and stop - begin > 12
                and tail.islower()
                and tail.isalpha()
                and tail not in tails
                and text[following : following + 1].isupper()
            ):
                spans.append((begin, end))
                begin = following
                continue
        elif end < 0:  # a blank line
            end = stop
            while end > begin and text[end - 1].isspace():
                end -= 1
            if end > begin:
                spans.append((begin, end))
            begin = following
            continue
        if following == length:
            break
        if following == end:  # no space behind the stop
            divides = text[following] in "—–-" and _dash_divides(text, begin, match, german)
        else:
            divides = _is_blank_line(text, end, following) or _ends_here(
                text, begin, match, following, german
            )
        if divides:
            spans.append((begin, end))
            begin = following
    end = len(text.rstrip())
    if end > begin:
        spans.append((begin, end))
    return spans


def is_sentence_end(text: str) -> bool:
    """Whether ``text`` stops where a sentence can stop: at . ! ? or …, and not after "Dr.", "Cf." or "z. B."."""
    match = _LAST_STOP.search(text, max(0, len(text.rstrip()) - 40))
    if match is None:
        return False
    if text[match.start()] != "." or match.group()[1:2] in (".", "…"):
        return True
    _, key = _word_before(text, match.start())
    if abbreviations.classes().get(key) == "continues":
        return len(match.group().rstrip()) > 1  # "(eds.)" is whole
    # "C. G." waits for a name; a single letter may be one itself: "Mrs. X.", "the axis A."
    return not re.search(r"(?:\A|[\s(])[A-Z]\.[ -]?[A-Z]\Z", text[max(0, match.start() - 6) : match.start()])


def _looks_german(text: str) -> bool:
    """Whether the beginning of ``text`` has more German than English function words."""
    sample = text[:20_000]
    german = sum(1 for _ in islice(_GERMAN.finditer(sample), 400))
    return german > sum(1 for _ in islice(_ENGLISH.finditer(sample), 400))


def _is_blank_line(text: str, end: int, following: int) -> bool:
    return following - end > 1 and text.count("\n", end, following) > 1


@dataclass(slots=True)
class _Stop:
    """A stop in its surroundings, as the rules see it."""

    text: str
    begin: int  # of the sentence that may end here
    at: int  # of the first stop
    stops: str  # ".", "?!", ". . ."
    closers: str  # closing quotes, brackets and note marks behind it
    lost_mark: bool  # digits close behind it: a note mark that is no longer raised
    german: bool
    word: str  # the next word, or a number, or ""
    word_end: int

    @property
    def starts(self) -> bool:
        """Whether the next word only begins sentences."""
        if self.word == "I":
            return self.text[self.word_end : self.word_end + 1] == " "
        return self.word in abbreviations.STARTERS

    @property
    def numberish(self) -> bool:
        """Whether the next word is a number, a Roman numeral or a single letter."""
        word = self.word
        if word == "I":  # a numeral, unless it stands free like a pronoun
            return not self.starts
        if (
            len(word) == 1
            and word.isalpha()
            and word not in "IVX"
            and self.text[self.word_end : self.word_end + 1] == "."
        ):
            return False  # the initial of a name
        return word.isdigit() or len(word) == 1 or bool(_ROMAN.fullmatch(word))

    @property
    def reference_follows(self) -> bool:
        """Whether the next word is one that leads a number: "Bd. III. S. 4"."""
        return (
            self.text[self.word_end : self.word_end + 1] == "."
            and self.text[self.word_end + 1 : self.word_end + 4].strip()[:1].isdigit()
            and self.word.lower() in abbreviations.classes()
        )


def _dash_divides(text: str, begin: int, match: re.Match[str], german: bool) -> bool:
    """Whether a dash close behind a stop begins a sentence: 'He came.—She went.' '“Yes.”—“No.”'."""
    dash = _DASH.match(text, match.end())
    if dash is None or dash.end() >= len(text):
        return False
    if not _QUOTES.isdisjoint(match.group(2)):
        # Behind a closing quote a capital may be the speaker or the author: only a new quote is sure.
        return text[dash.end()] in '"“„»«‘'
    return _ends_here(text, begin, match, dash.end(), german)


def _ends_here(text: str, begin: int, match: re.Match[str], following: int, german: bool) -> bool:
    """Whether the sentence begun at ``begin`` ends with the stops of ``match``."""
    found = _NEXT_WORD.match(text, following)
    word, word_end = (found.group(1), found.end()) if found else ("", following)
    if word and word[0].islower():
        return False
    at = match.start()
    stops = text[at : match.end(1)]
    stop = _Stop(text, begin, at, stops, match.group(2), bool(match.group(3)), german, word, word_end)
    if not any(character.isalnum() for character in text[max(begin, at - 200) : at]):
        return False  # nothing was said yet
    if stop.lost_mark and not (stop.closers or text[at - 1].isalpha()):
        return False  # "3.14"
    if stop.closers[:1] in (")", "]") and _MARK_IN_BRACKETS.search(text, max(0, at - 5), at):
        return False  # "(?)", "(sic!)"
    if "!" in stops or "?" in stops:
        return not (stop.closers and _speech_follows(stop))
    if len(stops) > 1 or stops == "…":
        return _ellipsis_ends(stop)
    return _full_stop_ends(stop)


def _speech_follows(stop: _Stop) -> bool:
    """Whether the word after a quoted “Why?” speaks it: “Why?” Freud asked. “No!” I cried."""
    if stop.word in abbreviations.STARTERS and stop.word not in _SPEAKERS:
        return False
    if stop.text[stop.word_end - len(stop.word) - 1] in _OPENERS:
        return False  # a new quotation
    words = stop.text[stop.word_end : stop.word_end + 40].split(None, 2)[:2]
    return any(word.rstrip(".,;:!?") in abbreviations.SPEECH_VERBS for word in words)


def _ellipsis_ends(stop: _Stop) -> bool:
    """Whether an ellipsis ends a sentence: a fourth dot says so, else the word that follows."""
    dots = stop.stops.count(".")
    if stop.text[stop.at - 1] in "“„»([":
        return False  # a quotation that begins with it
    if stop.word.isdigit():
        return dots in (2, 3)  # longer runs are leaders: "Contents ........ 12"
    if not stop.word or dots == 4 or stop.closers:
        return True
    detached = stop.text[stop.at - 1].isspace()
    return stop.word in abbreviations.STARTERS or (stop.word != "I" and not stop.german and not detached)


def _word_before(text: str, at: int) -> tuple[str, str]:
    """The word before ``at``, and the abbreviation it would be: "B" and "z.b" for "z. B"."""
    words = text[max(0, at - _LOOK_BACK) : at].split()
    if not words or text[at - 1].isspace():
        return "", ""
    word = words[-1].lstrip(_OPENERS)
    key = word.lower()
    known = abbreviations.classes()
    for part in reversed(words[:-1]):
        part = part.lstrip(_OPENERS).lower()
        longer = f"{part.rstrip('.')}.{key}"
        if longer not in known:
            break
        key = longer
    return word, key


def _full_stop_ends(stop: _Stop) -> bool:
    """Whether a single full stop before a capital, a number or nothing readable ends the sentence."""
    before, key = _word_before(stop.text, stop.at)
    if not before:
        return True  # a stop that stands alone: "It ended . Later"
    if before[-1].isdigit():
        return _number_ends(stop, before)
    if stop.at - stop.begin <= len(before) + 2 and _ENUMERATOR.fullmatch(before):
        return False
    kind = abbreviations.classes().get(key)
    if kind is not None:
        return _abbreviation_ends(stop, kind, before)
    if _INITIALS.fullmatch(before):
        return _initial_ends(stop, before)
    if _ROMAN.fullmatch(before):
        if stop.reference_follows or stop.word.isdigit():
            return False
        return bool(stop.starts or stop.closers or not stop.german or before.islower())
    if len(before) <= 5 and before.isalpha() and _VOWELS.isdisjoint(before):
        return bool(stop.starts or stop.closers)  # "Hrsg.", "Zschr.": no vowel, no word
    # "Tylor, Prim. Cult., i, p. 4": a chain of shortened words in a reference
    return not (before[0].isupper() and len(before) <= 8 and stop.text.startswith(".,", stop.word_end))


def _abbreviation_ends(stop: _Stop, kind: str, before: str) -> bool:
    """Whether an abbreviation of the class ``kind`` ends the sentence."""
    if stop.lost_mark:
        return kind == "closes"  # "p.36 So" is a page, "etc.36 So" has lost its note mark
    if kind == "continues":
        return bool(stop.closers and stop.starts)
    if kind == "numbered":
        if before == "f" and stop.text[stop.at - 3 : stop.at - 2].isdigit():
            return not stop.numberish and (stop.starts or not stop.german)  # "S. 4 f."
        if before in abbreviations.TITLES:
            return stop.starts
        if before == "ed" and stop.text[max(0, stop.at - 4) : stop.at - 3] in (",", "("):
            return False  # "Opera, ed. Huser"
        return not stop.numberish and (len(before) > 1 or stop.starts)
    if kind == "closes" and not stop.german:
        return bool(stop.word) and not stop.word.isdigit()
    return bool(stop.starts or (stop.closers and not stop.german))


def _initial_ends(stop: _Stop, before: str) -> bool:
    """Whether the stop after an initial ends the sentence too: "the case of Miss E. She …"."""
    if stop.starts:
        return True
    if before == "I":
        words = stop.text[max(0, stop.at - 20) : stop.at - 1].split()
        return bool(words) and words[-1] in _BEFORE_PRONOUN and len(stop.word) > 1
    return bool(stop.closers) and len(stop.word) > 1 and "." not in before


def _number_ends(stop: _Stop, before: str) -> bool:
    """Whether the stop after a number ends the sentence, or makes it an ordinal or an enumerator."""
    if stop.reference_follows and len(before) < 4:
        return False
    if not before.isdigit():
        return True  # "A4.", "1,5.", "3-4."
    if stop.at - stop.begin <= len(before) + 2:
        return False  # "3. The third point …"
    if len(before) > 2:
        return True
    if stop.word in abbreviations.ORDINAL_NOUNS and (stop.german or stop.word not in _ENGLISH_MONTHS):
        return False
    if stop.word.isdigit():
        return False
    if not stop.german or stop.starts:
        return True
    lead = stop.text[max(0, stop.at - 20) : stop.at].split()[:-1]
    return not (lead and lead[-1].lower() in abbreviations.ORDINAL_LEADS)
