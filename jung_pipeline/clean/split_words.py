"""Words that fell apart, and words that ran together: joined and divided where the words say so.

"noth ing" is "nothing" because "nothing" is frequent and "noth" is no word; "any one" stays, for both are
words. Compared is how likely the pieces stand side by side as words with how likely the whole word stands
there, broken. How often words break at a blank, at a line's end or at a hyphen that only a line's end called
for is learned from the volume's clear cases, so that a volume without any keeps its hyphens.
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import regex

from jung_pipeline.clean import shapes, tokens
from jung_pipeline.clean.lexicon import Lexicon
from jung_pipeline.clean.tracked import Edit
from jung_pipeline.text import words as word_lists

#: What may stand between the halves of a word where a line ended: its hyphen, or what was read for it, and dirt.
_LINE_END_GAP = regex.compile(r"[-¬.,;:·•|»«*~^'’_— ]{1,6}")
_HYPHEN_AND_DIRT = regex.compile(r"-[—–«»·~]|[«»·~]-")
_HYPHEN_READ = regex.compile(r"[-¬»«~]")
#: What may stand in the middle of a word elsewhere: a blank, a hyphen, or a speck that a blank shows to be none.
_GAP = regex.compile(r" |-{1,2}| [.,;:·•|»«*~^_-]{1,2} ?|[.,;:·•|»«*~^_-]{1,2} | {2}")

#: Beginnings and ends of words that are rarely words, however often lists have them (abbreviations, other languages).
_BEGINNINGS = {
    "en": frozenset(["ab", "abs", "ac", "ad", "af", "ag", "al", "ap", "ar", "as", "at", "be", "com", "con", "col", "cor", "coun", "de", "des", "dif", "dis", "ef", "el", "em", "en", "es", "ex", "fa", "fi", "fore", "gen", "gov", "ha", "il", "im", "in", "inter", "intro", "ir", "le", "li", "lit", "man", "ma", "mag", "me", "mis", "mo", "mod", "ne", "no", "non", "nu", "ob", "oc", "op", "or", "par", "per", "po", "pre", "pri", "pro", "pub", "re", "rec", "rem", "rep", "res", "sa", "se", "sec", "sen", "sev", "sim", "su", "sub", "suc", "suf", "sug", "sup", "sur", "te", "tem", "thor", "to", "tra", "trans", "un", "up", "ver", "vi", "vo", "wo", "wel", "lat", "cer", "ulti", "devel", "leg", "num", "morn", "peo", "commis", "liti", "numer", "experi", "examina", "reli", "cham", "thir", "chil", "hun", "oth", "noth", "fol", "lib", "hon"]),
    "de": frozenset(["ab", "an", "auf", "aus", "be", "bei", "da", "dar", "durch", "ein", "emp", "ent", "er", "ge", "her", "hin", "in", "mit", "nach", "ver", "vor", "un", "um", "ur", "wi", "wider", "zer", "zu", "zusam", "alt", "char", "ei", "freun", "gan", "gesell"]),
}  # fmt: skip
_ENDS = {
    "en": frozenset(["able", "ably", "al", "ally", "ance", "ances", "ant", "ants", "ary", "ate", "ated", "ates", "ation", "ations", "ble", "bled", "bly", "bers", "ber", "ced", "ceed", "cent", "cer", "ces", "cess", "cial", "cient", "cing", "cion", "cious", "city", "cled", "cle", "clude", "cluded", "come", "ction", "cy", "dant", "ded", "den", "dence", "dent", "der", "ders", "dered", "des", "dicated", "ding", "dition", "dles", "dom", "dred", "ed", "ee", "eer", "el", "en", "ence", "ences", "ened", "ening", "ent", "ents", "er", "ered", "ering", "eries", "ers", "ery", "es", "ess", "est", "eth", "etic", "ety", "fect", "fer", "fered", "fication", "fied", "fies", "ful", "fully", "fy", "gan", "ged", "gence", "gent", "ger", "gers", "ges", "ging", "gious", "gle", "gling", "graph", "hood", "ial", "ian", "ible", "ibly", "ic", "ical", "ically", "icate", "ice", "ics", "ied", "ier", "ies", "iest", "ify", "ility", "ily", "in", "ing", "ings", "ingly", "inal", "ion", "ions", "ious", "ish", "ished", "ism", "ist", "ists", "ite", "ities", "ity", "ive", "ively", "ize", "ized", "ject", "ked", "ken", "ker", "ladies", "less", "lated", "lation", "led", "lence", "lent", "ler", "less", "lessness", "ling", "lish", "lished", "lous", "ly", "mand", "manded", "ment", "mental", "mently", "ments", "mer", "mined", "ming", "mit", "mon", "mous", "nal", "nance", "nate", "nated", "nation", "ned", "nent", "ness", "nesses", "ney", "nian", "nied", "ning", "nity", "nor", "nounced", "ny", "ous", "ously", "pany", "parently", "pears", "peared", "ped", "pen", "per", "pers", "ping", "ple", "ples", "pose", "posed", "posing", "posi", "press", "pressed", "quence", "quent", "quently", "quired", "rate", "rated", "ration", "red", "rels", "rent", "ress", "rible", "ried", "ries", "ring", "rity", "rous", "ry", "sal", "scious", "sed", "self", "selves", "sence", "sent", "ser", "serve", "ses", "sible", "sing", "sion", "sional", "sions", "sist", "sity", "sive", "som", "son", "sure", "surely", "tain", "tained", "tal", "tance", "tant", "tary", "tation", "tations", "ted", "tee", "tem", "ten", "tend", "tendant", "tention", "ter", "tered", "tering", "ters", "tery", "test", "th", "ther", "thing", "tial", "tian", "tic", "tical", "tice", "tient", "ties", "tinct", "ting", "tinge", "tion", "tional", "tions", "tious", "tired", "tive", "tively", "tle", "tled", "tles", "tling", "tor", "tors", "tory", "tow", "tract", "tress", "tribute", "tude", "tumn", "tural", "ture", "tured", "tures", "ty", "ual", "ular", "ulate", "ulation", "ure", "ured", "ures", "uring", "val", "vance", "vant", "ved", "vel", "ven", "vent", "ver", "vered", "vering", "vers", "verse", "ves", "vice", "vided", "viding", "ving", "vious", "vision", "vities", "vity", "vous", "ward", "wards", "ways", "whelmed", "wise", "with", "wood", "zation", "zed", "zen", "zing"]),
    "de": frozenset(["bar", "chen", "chem", "chens", "den", "der", "dern", "des", "det", "dung", "dungen", "ein", "en", "end", "ende", "enden", "ender", "er", "ern", "ers", "es", "fen", "gen", "gem", "ger", "gin", "gung", "gungen", "haft", "haften", "heit", "heiten", "ig", "ige", "igen", "iger", "iges", "igkeit", "in", "isch", "ische", "ischen", "keit", "keiten", "ken", "kel", "kommen", "len", "lein", "ler", "lich", "liche", "lichen", "licher", "liches", "ling", "lung", "lungen", "men", "mer", "nen", "ner", "nis", "niß", "nisse", "nissen", "nung", "nungen", "rei", "ren", "rung", "rungen", "sam", "samen", "schaft", "schaften", "schen", "sche", "sel", "sen", "ser", "sten", "ste", "te", "tem", "ten", "ter", "tere", "tern", "tes", "tet", "ten", "tig", "tigt", "tigen", "tung", "tungen", "ung", "ungen", "zen", "zung", "zungen"]),
}  # fmt: skip
_SELF = frozenset(["self", "selves"])
#: What an English word ending in "self" begins with.
_SELVES = frozenset(["him", "her", "it", "my", "your", "thy", "our", "them", "one"])
#: First halves that English writes with a hyphen before any word.
_HYPHENED = frozenset(
    [
        "to",
        "self",
        "well",
        "ill",
        "half",
        "ex",
        "co",
        "non",
        "anti",
        "semi",
        "pre",
        "post",
        "vice",
        "cross",
        "re",
        "good",
        "fellow",
        "all",
        "by",
        "counter",
        "over",
        "under",
        "out",
        "so",
        "re",
        "mother",
        "father",
        "grand",
        "great",
        "step",
        "quasi",
        "half",
    ]
)
_ALWAYS_HYPHENED = frozenset(["non", "self", "co", "anti", "semi"])
#: Small words that run together with a neighbour.
_SMALL = {
    "en": frozenset(["i", "in", "the", "of", "and", "to", "that", "is", "was", "he", "his", "her", "she", "it", "with", "as", "by", "at", "from", "but", "they", "them", "had", "have", "you", "we", "my", "your", "their", "this", "which", "who", "when", "were", "him"]),
    "de": frozenset(["die", "das", "den", "und", "nicht", "sich", "ist", "seine", "seiner", "seinen", "eine", "einen", "einer", "ihre", "ihren", "sie", "daß", "oder"]),
}  # fmt: skip

#: Minus log10 of how often a word is broken (joined) at a blank, at a line's end, at a hyphen or by a speck.
_PRIOR = {" ": 4.0, "\n": 3.6, "-": 2.9, ".": 4.4, "=": 1.5}
#: Running words that the prior weighs as much as.
_WEIGHT = 3000.0
#: A hyphen between two words is meant, with this cost beside that of the words.
_MEANT = {" ": 0.0, "\n": 0.0, "-": 1.6, ".": 1.0, "=": 1.5}
#: German writes few words with a hyphen and a small letter after it.
_MEANT_GERMAN = 3.0
#: Added to a piece that is the beginning or end of words rather than a word.
_PIECE = 1.7
#: Cost of a word no list has; and what joining must be better by, clearly or at all.
_NEW_WORD = 2.0
_CLEAR, _BETTER = 3.0, 1.7
#: In a book (words) where breaks of a kind are rarer than one in so many words, only this is a break; and none
#: at a hyphen, which is its author's there ("dis-ease"), nor between two words ("no thing").
_A_BOOK, _SELDOM, _BEYOND_DOUBT = 20_000, 5_000, 4.0
#: Words this frequent in one and the same other language are quoted from it.
_QUOTED = 4.5
#: A whole word this frequent is enough where a line ended with a hyphen.
_AT_A_HYPHEN = 1.2
#: Words this frequent are words, side by side, or with a stop between.
_BOTH_WORDS, _APART_AT_STOP = 4.0, 3.0
#: A hyphen between words this frequent is an author's, unless the whole is as frequent as ``_PLAIN``.
_A_WORD, _PLAIN = 2.6, 4.2
#: Second halves of words that were long written with a hyphen.
_COMPOUNDED = frozenset(
    [
        "room",
        "day",
        "body",
        "one",
        "where",
        "time",
        "boy",
        "work",
        "side",
        "light",
        "line",
        "paper",
        "book",
        "end",
        "house",
        "way",
        "stairs",
        "night",
    ]
)
_RUN_TOGETHER = 1.2
#: English words that clitics lean on; elsewhere ("ist 's", "the boys 's") a blank may be meant.
_CLITIC = regex.compile(
    r"(?<=\b(?:that|it|he|she|there|what|where|who|here|how|let)) (?=['’]s )"
    r"|(?<=\b(?:you|we|they|I)) (?=['’](?:re|ve|ll|d) )|(?<=\bI) (?=['’]m )|(?<=n) (?=['’]t )",
    regex.IGNORECASE,
)
_MAY_BE_CLITIC = re.compile(r" (?=['’]\w{1,2} )")
_CLOSED = regex.compile(r"\p{Ll}['’](?:s|re|ve|ll|d|m|t)(?!\p{L})")
_DETACHED, _ATTACHED = regex.compile(r"\p{L} [.,;!?](?!\S)"), regex.compile(r"\p{L}[,;!?](?!\S)")


@dataclass(frozen=True, slots=True)
class _Join:
    start: int
    end: int
    whole: str
    kind: str
    margin: float
    parts: tuple[str, str]


def join_split_words(text: str, lexicon: Lexicon, line_ends: Collection[int] = ()) -> Iterator[Edit]:
    """Words that fell apart, closed up.

    Args:
        text: paragraphs divided by blank lines.
        lexicon: word evidence.
        line_ends: offsets of the blanks that stand for the end of a printed line.
    """
    if lexicon.language not in ("en", "de"):
        return
    found = list(_joins(text, lexicon, line_ends))
    words = max(1, lexicon.total)
    rates = {}
    asked = dict.fromkeys(_PRIOR, _BETTER)
    for kind, prior in _PRIOR.items():
        of_kind = (join for join in found if join.kind == kind and join.margin >= _CLEAR)
        # Two words side by side are no evidence that words fall apart here; German compounds always are two.
        compounds = kind == "-" and lexicon.language == "de" and words <= _A_BOOK
        clear = sum(compounds or not _two_words(join, lexicon) for join in of_kind)
        if words > _A_BOOK and clear * _SELDOM < words:
            asked[kind] = _BEYOND_DOUBT
        rates[kind] = -math.log10((clear + _WEIGHT * 10.0**-prior) / (words + _WEIGHT)) - prior
    end = 0
    for join in found:
        if asked[join.kind] == _BEYOND_DOUBT and (join.kind == "-" or _two_words(join, lexicon)):
            continue
        if join.start >= end and join.margin - _rarity(rates[join.kind]) >= asked[join.kind]:
            yield Edit(join.start, join.end, join.whole, "split_word")
            end = join.end
    if lexicon.language == "en":
        yield from _clitics(text)


def _two_words(join: _Join, lexicon: Lexicon) -> bool:
    """Whether both parts of ``join`` are words by themselves, in whatever language."""
    return min(lexicon.zipf_anywhere(part) for part in join.parts) >= _A_WORD


def _rarity(rate: float) -> float:
    """How much more a join must show where they are ``rate`` rarer than expected (log10)."""
    return max(-1.0, rate if rate < 0 else 2.2 * rate)


def _clitics(text: str) -> Iterator[Edit]:
    """Blanks before clitics ("that 's") closed up, unless the text has them before all signs or clitics."""
    maybe = (_CLITIC.match(text, match.start()) for match in _MAY_BE_CLITIC.finditer(text))
    spaced = [match for match in maybe if match is not None]
    if not spaced:
        return
    closed, detached, attached = (len(sign.findall(text)) for sign in (_CLOSED, _DETACHED, _ATTACHED))
    if not (closed or attached) or len(spaced) > 3 + closed or detached * 10 > attached:
        return
    for match in spaced:
        if match.end() > match.start():
            yield Edit(match.start(), match.end(), "", "split_word")


def _joins(text: str, lexicon: Lexicon, line_ends: Collection[int]) -> Iterator[_Join]:
    points = tokens.code_points(text)
    starts, ends = tokens.runs((tokens.classes(points) & (tokens.LETTER | tokens.MARK)) > 0)
    if len(starts) < 2:
        return
    words = tokens.forms(text, starts, ends)
    at_line_end = np.zeros(len(points), dtype=bool)
    at_line_end[list(line_ends)] = True
    worth = _worth_weighing(words, starts, ends, points, at_line_end, lexicon)
    numbers = _that_make_a_word(words, worth, lexicon)
    line_ends_before = np.cumsum(at_line_end)
    line_ends_between = line_ends_before[starts[numbers + 1] - 1] > line_ends_before[ends[numbers] - 1]
    for first, second, start, end, following, last, line_end in zip(
        words.of[numbers].tolist(),
        words.of[numbers + 1].tolist(),
        starts[numbers].tolist(),
        ends[numbers].tolist(),
        starts[numbers + 1].tolist(),
        ends[numbers + 1].tolist(),
        line_ends_between.tolist(),
        strict=True,
    ):
        left, right = words.strings[first], words.strings[second]
        kind = _kind(text[end:following], line_end)
        if kind is None or (start and text[start - 1] in ("'’-" if kind != " " else "'’")):
            continue  # a clitic ("wasn't able") or the end of a compound
        if text[last : last + 1] in ("'", "’") and text[last + 1 : last + 2].isalpha() and len(right) < 3:
            continue
        margin = _margin(left, right, kind, lexicon)
        if margin is not None and margin > 0:
            yield _Join(start, last, left + right, kind, margin, (left, right))


def _worth_weighing(
    words: tokens.Forms,
    starts: tokens.Places,
    ends: tokens.Places,
    points: npt.NDArray[np.uint32],
    at_line_end: npt.NDArray[np.bool_],
    lexicon: Lexicon,
) -> tokens.Places:
    """Numbers of the words that may be one with the next: what frequent words show at a glance is left out."""
    beginnings, endings = _BEGINNINGS[lexicon.language], _ENDS[lexicon.language]
    length = np.array([len(word) for word in words.strings])
    lower = np.array([word.islower() for word in words.strings], dtype=bool)
    title = np.array([word.istitle() for word in words.strings], dtype=bool)
    listed = lexicon.listed.get
    zipf = np.array([listed(word.casefold(), 0.0) for word in words.strings])
    no_beginning = np.array([word.lower() not in beginnings for word in words.strings], dtype=bool)
    no_end = np.array([word not in endings and word not in _SELF for word in words.strings], dtype=bool)
    left, right = words.of[:-1], words.of[1:]
    gap, behind = starts[1:] - ends[:-1], ends[:-1]
    worth = (gap <= 6) & lower[right] & (lower | title)[left] & (length[left] + length[right] >= 5)
    # Words side by side (_stand_apart): at a blank, and at a stop or comma with a blank.
    least = np.where(no_beginning[left] & no_end[right], np.minimum(zipf[left], zipf[right]), 0.0)
    blank = points == ord(" ")
    plain_blank = (gap == 1) & blank[behind] & ~at_line_end[behind]
    stop = (gap == 2) & np.isin(points[behind], [ord(sign) for sign in ".,;:"]) & blank[behind + 1]
    stop &= ~at_line_end[behind] & ~at_line_end[np.minimum(behind + 1, len(at_line_end) - 1)]
    worth &= ~(plain_blank & (least >= _BOTH_WORDS)) & ~(stop & (least >= _APART_AT_STOP))
    return np.flatnonzero(worth)


def _that_make_a_word(words: tokens.Forms, numbers: tokens.Places, lexicon: Lexicon) -> tokens.Places:
    """Those of the words ``numbers`` that make a known word with the next."""
    # The same two words stand together again and again: each pair is looked up once.
    pairs, which = np.unique(
        words.of[numbers] * len(words.strings) + words.of[numbers + 1], return_inverse=True
    )
    lefts, rights = np.divmod(pairs, len(words.strings))
    lower = [word.lower() for word in words.strings]
    wholes = [lower[left] + lower[right] for left, right in zip(lefts.tolist(), rights.tolist(), strict=True)]
    listed, own = lexicon.listed.get, lexicon.vocabulary.get
    known = [
        listed(whole if whole.isascii() else whole.casefold(), 0.0) >= _AT_A_HYPHEN or own(whole, 0) >= 2
        for whole in wholes
    ]
    return numbers[np.array(known, dtype=bool)[which]]


@functools.lru_cache(maxsize=1000)
def _kind(gap: str, ends: bool) -> str | None:
    """What stands between two words; ``ends`` if a printed line ended there."""
    if ends and gap.strip() and _LINE_END_GAP.fullmatch(gap):
        return "=" if _HYPHEN_READ.search(gap) else "."
    if _HYPHEN_AND_DIRT.fullmatch(gap):
        return "="
    if _GAP.fullmatch(gap) is None:
        return None
    if gap == "-":
        return "-"
    if not gap.strip():
        return "\n" if ends else (" " if gap == " " else None)
    return "."


def _margin(left: str, right: str, kind: str, lexicon: Lexicon) -> float | None:
    """How much better one word explains ``left`` and ``right`` (log10); ``None`` if it is out of the question."""
    if not right.islower() or not (left.islower() or left.istitle()) or len(left) + len(right) < 5:
        return None
    language, whole = lexicon.language, (left + right).lower()
    zipf = lexicon.zipf(whole)
    own = lexicon.count(whole)
    least = 2.0 if len(whole) > 6 else 3.0
    if zipf < (_AT_A_HYPHEN if kind == "=" and len(whole) > 6 else least) and own < 2:
        return None
    a, b = left.lower(), right
    first, second = lexicon.zipf(a), lexicon.zipf(b)
    ending = kind == "-" and language == "de"  # "Lehrer-n": no author's hyphen
    if len(b) == 1 and kind != "-" and (lexicon.zipf_anywhere(a) >= 3.0 or lexicon.count(a) >= 5):
        return None  # "die Sätze n": a word and a sign
    if (len(b) == 1 and first >= 3.0 and not ending) or "æ" in whole or "œ" in whole:
        return None
    piece = (a in _BEGINNINGS[language]) + (b in _ENDS[language])
    if b in _SELF and a in _SELVES:
        return 2.6
    if (a, b) == ("per", "cent") or _stand_apart(a, b, kind, piece, lexicon):
        return None
    likely = max(zipf, math.log10(own / max(1, lexicon.total)) + 9 if own >= 2 else 0.0)
    meant = _MEANT_GERMAN if kind == "-" and language == "de" else _MEANT[kind]
    apart = _cost(a, first, language) + _cost(b, second, language) + meant + _PIECE * piece
    if kind == "-" and own >= 1:
        apart += 1.0
    return apart - (9.0 - likely) - _PRIOR[kind]


def _stand_apart(a: str, b: str, kind: str, piece: int, lexicon: Lexicon) -> bool:
    """Whether ``a`` and ``b`` are words side by side, or a compound whose hyphen its author set."""
    least = min(lexicon.zipf(a), lexicon.zipf(b))
    german = lexicon.language == "de"
    if kind in " \n." and _quoted(a, b, lexicon.language):
        return True
    if kind in " ." and not piece and least >= (_BOTH_WORDS if kind == " " else _APART_AT_STOP):
        return True
    if kind == "=" and not german and not piece and least >= _BOTH_WORDS:
        return True
    if kind not in "-=":
        return False
    together, divided = lexicon.count(a + b), lexicon.count(f"{a}-{b}")
    if divided >= 2 and together < divided:
        return True
    if german:
        return False
    if a in _HYPHENED and (lexicon.zipf(b) >= 2.5 or a in _ALWAYS_HYPHENED):
        return True
    known = not piece and least >= _A_WORD and together < 2
    return known and (lexicon.zipf(a + b) < _PLAIN or b in _COMPOUNDED)


def _quoted(a: str, b: str, language: str) -> bool:
    """Whether ``a`` and ``b`` are frequent words of one and the same language other than the volume's."""
    return any(
        word_lists.zipf(a, other) >= _QUOTED and word_lists.zipf(b, other) >= _QUOTED
        for other in word_lists.LANGUAGES
        if other != language
    )


def _cost(word: str, zipf: float, language: str) -> float:
    new = _NEW_WORD + shapes.letters_cost(word, language)
    if len(word) == 1 and word not in "aioé":
        return 5.5
    return min(9.0 - zipf, new) if zipf > 0 else new


def of_small_words(word: str, language: str) -> bool:
    """Whether ``word`` (lower case) is two of the smallest words without the blank between them."""
    return word in two_small_words(language)


@functools.cache
def two_small_words(language: str) -> frozenset[str]:
    """The smallest words run together, two at a time."""
    small = [word for word in _SMALL.get(language, ()) if len(word) >= 2]
    return frozenset(first + second for first in small for second in small if len(first + second) >= 5)


def divided(word: str, lexicon: Lexicon) -> tuple[float, str] | None:
    """The likeliest two words that ``word`` (no word itself) ran together from: cost and words."""
    lower = word.lower()
    small = _SMALL.get(lexicon.language, frozenset())
    best: tuple[float, str] | None = None
    for at in range(1, len(lower)):
        a, b = lower[:at], lower[at:]
        if a == "in" and b not in small:
            continue  # a beginning of words
        if word[0].isupper() and lexicon.language == "en" and not (a in small and b in small):
            continue  # most likely a name
        if len(lower) < 5 or not (a in small or (b in small and lexicon.language == "en")):
            continue
        if min(len(a), len(b)) < 2 and not (word[:at] == "I" and lexicon.zipf(b) >= 4.5):
            continue
        first, second = lexicon.zipf(a), lexicon.zipf(b)
        if min(first, second) < 3.0 or (len(b) <= 2 and b not in small) or (len(a) <= 2 and a not in small):
            continue
        cost = 18.0 - first - second + _RUN_TOGETHER
        if best is None or cost < best[0]:
            best = (cost, f"{word[:at]} {word[at:]}")
    return best
