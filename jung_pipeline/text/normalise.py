"""The normal forms in which words are compared: for search, for checking quotations, for telling languages.

Two texts that a reader calls the same words must be equal here: quote styles, dashes, soft hyphens, line
breaks, capitals, accents, ligatures and the long s do not count. Every form keeps the way back to offsets
(Unicode code points) in the text as it was, so that what was found can be shown as printed.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import lru_cache

import regex

#: Letters that NFKD leaves whole but readers take for two.
_LIGATURES = str.maketrans({"æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "þ": "th", "ð": "d"})

#: Characters that are not there for a reader: soft hyphen, zero-width space and joiners, byte order mark.
INVISIBLE = "\u00ad\u200b\u200c\u200d\u2060\ufeff"

_WORD = regex.compile(rf"[\p{{L}}\p{{N}}](?:[\p{{L}}\p{{N}}\p{{M}}{INVISIBLE}]|['’ʼ](?=\p{{L}}))*")


@lru_cache(maxsize=65536)
def fold(text: str) -> str:
    """``text`` in lower case without accents, ligatures opened, apostrophes and invisible marks gone.

    Other punctuation and white space stay: this is for single words and short names.
    """
    if text.isascii() and text.isalpha():
        return text.lower()
    text = unicodedata.normalize("NFKD", text.casefold().translate(_LIGATURES))
    return "".join(
        c for c in text if not unicodedata.combining(c) and c not in INVISIBLE and c not in "'’ʼ"
    ).casefold()


@dataclass(frozen=True)
class Word:
    """A word of a text: its folded form, and where it stands (``text[start:end]``)."""

    form: str
    start: int
    end: int


def words(text: str) -> list[Word]:
    """The words of ``text`` in order. An apostrophe inside a word belongs to it; hyphens divide."""
    found = []
    for match in _WORD.finditer(text):
        form = fold(match[0])
        if form:
            found.append(Word(form, match.start(), match.end()))
    return found


@dataclass(frozen=True)
class Letters:
    """A text as its folded letters and digits alone: no spaces, no punctuation.

    In this form "dream-work", "dream work" and the same at a line end are equal, so neither hyphens nor line
    breaks stand in the way of a comparison, while a changed or missing word still does.
    """

    letters: str
    offsets: tuple[int, ...]  # of the character of the text behind each letter
    word_starts: frozenset[int]  # positions in ``letters`` where a word begins

    def find(self, piece: str, start: int = 0) -> int:
        """Where ``piece`` (folded letters) stands at or after ``start`` as whole words; -1 if nowhere."""
        if not piece:
            return -1
        at = self.letters.find(piece, start)
        while at != -1:
            end = at + len(piece)
            if at in self.word_starts and (end == len(self.letters) or end in self.word_starts):
                return at
            at = self.letters.find(piece, at + 1)
        return -1


def letters(text: str) -> Letters:
    """``text`` as :class:`Letters`."""
    pieces: list[str] = []
    offsets: list[int] = []
    starts: set[int] = set()
    for match in _WORD.finditer(text):
        starts.add(len(offsets))
        for index in range(match.start(), match.end()):
            folded = fold(text[index])
            pieces.append(folded)
            offsets.extend([index] * len(folded))
    return Letters("".join(pieces), tuple(offsets), frozenset(starts))


# --------------------------------------------------------------------------------------------------
# content words and languages
# --------------------------------------------------------------------------------------------------


def _split(listed: str) -> list[str]:
    """The words of a list, folded."""
    return [fold(word) for word in listed.split()]


_ENGLISH = _split("""a about after again all also am an and any are as at be because been before being between both
but by can cannot could did do does doing down during each few for from further had has have having he her here
hers him his how i if in into is it its itself just me more most much my no nor not of off on once one only or
other our out over own same shall she should so some such than that the their them then there these they this
those through thus to too under until up upon us very was we were what when where which while who whom whose
why will with would you your""")

_GERMAN = _split("""aber alle allem allen aller alles als also am an auch auf aus bei beim bin bis bist da damit dann
das dass daß dein dem den denn der des dessen die dies diese diesem diesen dieser dieses doch dort du durch ein
eine einem einen einer eines er es etwas euch für gegen haben hat hatte hier ich ihm ihn ihnen ihr ihre im in
ins ist ja jede jeder jedes jener jetzt kann kein keine können man mein mich mir mit muß muss nach nicht nichts
noch nun nur ob oder ohne sehr sein seine sich sie sind so soll solche um und uns unter vom von vor war waren
was weil welche welcher wenn wer werden wie wieder will wir wird wo worden zu zum zur zwar zwischen über""")

#: Words that carry grammar rather than matter, folded, by language.
STOP_WORDS = {
    "en": frozenset(_ENGLISH),
    "de": frozenset(_GERMAN),
}

# The little words that a question is put together with besides: forms of the words above, auxiliaries, words of
# asking, adverbs that turn up in any question. Not part of STOP_WORDS, by which long texts are told apart.
_ENGLISH_BESIDES = _split("""above across along already always although among anyone anything aren't around away
become becomes became below beneath beside besides beyond can't cannot couldn't didn't doesn't don't either else
even ever every everyone everything except hadn't hasn't haven't however i'd i'm i've instead isn't it's let's
maybe might must myself near neither never nobody none nothing often onto ought ours ourselves perhaps quite
rather really shan't she's shouldn't since someone something sometimes somewhere still that's themselves there's
throughout together toward towards unless upon wasn't weren't what's whatever whenever where's wherever whether
who's whoever whose within without won't wouldn't yes yet yourself""")

_GERMAN_BESIDES = _split("""ab allein allerdings anders anderen andere anderer anderes auch außer außerdem bald
beide beiden bereits besonders bevor bisher bitte da dabei dadurch dafür dagegen daher dahin damals danach
daneben daran darauf daraus darf darfst darin darüber darum darunter davon davor dazu deine deinem deinen deiner
deren derselbe derselben denen denselben deshalb desto deswegen diejenige diejenigen drei dürfen durfte einander
einig einige einigen einiger einmal einst entweder erst eure fast ferner ganz gar geben gegenüber gibt gab gemäß
genau gerade gern gewesen geworden gleich hast hätte hätten hatten hattest hin hinter immer inwiefern inwieweit
innerhalb irgend irgendein irgendwo jedem jeden jedoch jemand jemals jenem jenen jenes kaum keinem keinen keiner
keines kannst konnte konnten könnte könnten lassen laut lässt ließ lediglich letztlich mag
manche manchem manchen mancher manches mehr meine meinem meinen meiner meist mithilfe mittels möchte möchten mögen
mußte mußten musste mussten müssen nachdem nämlich neben nie niemals niemand nirgends obwohl oft ohnehin
schließlich schon sehr seid seinem seinen seiner seines seit seitdem  sei seien sein sobald sodass
sogar solange solch solchem solchen solcher solches soll sollen sollte sollten sonst soviel sowie sowohl statt
stets tut trotz trotzdem überhaupt unser unsere unserem unseren unserer unseres unten usw viel viele
vielem vielen vieler vielleicht voll vor vorher wann wäre wären während wann warst warum weder wegen weil weit
weitere welchem welchen welches wem wen wenig wenige weniger werde weshalb wessen weswegen wieso wieviel wieviele
wird wirst wobei wodurch wofür wogegen woher wohin wohl wollen wollte wollten womit wonach woran worauf woraus
worin worüber worum worunter wovon wovor wozu wurde wurden würde würden zudem zueinander zuerst zuletzt""")

#: The words that carry grammar in a question, folded, by language: :data:`STOP_WORDS` and more.
FUNCTION_WORDS = {
    "en": STOP_WORDS["en"].union(_ENGLISH_BESIDES),
    "de": STOP_WORDS["de"].union(_GERMAN_BESIDES),
}
_ALL_FUNCTION_WORDS = FUNCTION_WORDS["en"] | FUNCTION_WORDS["de"]

#: Words of asking and of talking about books: in a question they say nothing about its subject.
ASKING_WORDS = frozenset(
    _split("""say says said tell tells told mean means meant meaning explain explains explained describe describes
    described define defines defined definition call calls called name names named give gives given gave think
    thinks thought write writes wrote written speak speaks spoke according difference compare please find book
    books chapter chapters page pages passage passages text texts author authors quote quotation line word words
    way part make makes made use uses used like get got does kind many there
    sagt sagte sagten sagen gesagt schreibt schrieb schreiben geschrieben heißt hieß heißen bedeutet bedeutete
    bedeuten erklärt erklärte erklären beschreibt beschrieb beschreiben nennt nannte nennen genannt meint
    meinte meinen gemeint versteht verstand verstehen verstanden spricht sprach buch bücher buches büchern kapitel
    kapitels seite seiten stelle stellen text texte autor verfasser unterschied wort worte wörter""")
)

#: Words that turn a sentence round. An omission or insertion in a quotation must not hide one.
NEGATIONS = frozenset(
    _split("""not no never nor neither none nothing nobody nowhere cannot can't don't doesn't didn't isn't
    aren't wasn't weren't won't wouldn't shouldn't couldn't hasn't haven't hadn't without hardly scarcely
    nicht nie niemals kein keine keinen keinem keiner keines nichts niemand weder ohne kaum non nec ne pas
    """)
)


def language_of(text: str) -> str | None:
    """The language that the little words of ``text`` speak, "en" or "de"; ``None`` where they do not say."""
    forms = [word.form for word in words(text)]
    english = sum(form in FUNCTION_WORDS["en"] for form in forms)
    german = sum(form in FUNCTION_WORDS["de"] for form in forms) + 2 * sum(c in "äöüß" for c in text.lower())
    if english == german:
        return None
    return "en" if english > german else "de"


def content_terms(text: str) -> dict[str, str]:
    """The words of ``text`` that carry its matter, in order, each once: folded form to the word as written.

    Only the little words of its own language are left out where that can be told: "die" is an article in one
    language and a matter of life and death in the other.
    """
    language = language_of(text)
    little = FUNCTION_WORDS[language] if language else _ALL_FUNCTION_WORDS
    terms: dict[str, str] = {}
    for word in words(text):
        if len(word.form) > 1 and word.form not in little and word.form not in ASKING_WORDS:
            terms.setdefault(word.form, text[word.start : word.end])
    return terms


def content_words(text: str) -> list[str]:
    """The folded words of ``text`` that carry its matter, in order, each once."""
    return list(content_terms(text))


_ENDINGS = regex.compile(r"(?:ings?|edly|ed|ies|es|s|ly|en|er|ern|em|e|n|y)$")


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """A rough stem of a folded English or German word: common endings off, at least four letters left.

    Only good for asking whether two words belong together; it is never shown.
    """
    for _ in range(2):
        shorter = _ENDINGS.sub("", word)
        if len(shorter) < 4:
            break
        word = shorter
    return word


def stems(text: str) -> frozenset[str]:
    """The stems of all words of ``text``."""
    return frozenset(stem(word.form) for word in words(text))


def squeeze(text: str) -> str:
    """``text`` with every run of white space as one space, trimmed."""
    return " ".join(text.split())
