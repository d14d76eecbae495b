"""What kind of answer a question wants, and how well a sentence has that shape."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import regex

from jung_pipeline.text.normalise import FUNCTION_WORDS, fold, squeeze, stem, words

#: What a sentence gains that defines the topic asked for: as its subject, in passing, or by a pronoun for it.
DEFINES, DEFINES_IN_PASSING, DEFINES_BY_PRONOUN = 0.9, 0.55, 0.5
#: What it gains that holds a number where one is asked for, or a reason.
FITS = 0.25

_MOST_TOPIC_WORDS = 4
_TOPIC = regex.compile(
    r"""(?:what|who)(?:\s+exactly)?(?:\ is|\ are|'s|\ was|\ were)\s+(?P<t>.+?)
    |what\s+do(?:es)?\s+(?:\w+\.?\s+){1,4}?(?:mean|understand)s?\s+by\s+(?P<t>.+?)
    |what\s+do(?:es)?\s+(?P<t>.+?)\s+mean
    |what\s+is\s+meant\s+by\s+(?P<t>.+?)
    |(?:define|explain)\s+(?P<t>.+?)
    |was\s+(?:ist|sind|war|bedeutet|bedeuten|heißt|meint)\s+(?P<t>.+?)
    |was\s+(?:versteht|verstand|meint)\s+(?:\w+\.?\s+){1,3}?(?:unter|mit)\s+(?P<t>.+?)
    |was\s+ist\s+mit\s+(?P<t>.+?)\s+gemeint""",
    regex.I | regex.X,
)
_PLAIN_TAIL = regex.compile(
    r"\s+(?:according to|in the sense of|for|to|nach|laut|bei|für|in der|in the)\s+\p{Lu}.*$"
)
_ARTICLES = frozenset(
    [
        "a",
        "an",
        "the",
        "his",
        "her",
        "its",
        "this",
        "that",
        "der",
        "die",
        "das",
        "den",
        "dem",
        "des",
        "ein",
        "eine",
        "einen",
        "einer",
        "eines",
    ]
)

_NUMBER = regex.compile(
    r"""\b(?:\p{N}[\p{N}.,/]*|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|
    seven|eigh|nine)teen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|once|twice|dozen|
    zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|zwanzig|dreißig|vierzig|fünfzig|sechzig|siebzig|
    achtzig|neunzig|hundert|tausend|einmal|zweimal|dutzend)\b""",
    regex.I | regex.X,
)
_REASON = regex.compile(
    r"\b(?:because|since|for the reason|therefore|so that|in order|owing to|lest|weil|denn|da|damit|deshalb|daher)\b",
    regex.I,
)
_WANTS_NUMBER = regex.compile(
    r"\b(?:how (?:many|much|long|old|far|often)|for how long|when|in what year|wie ?viele?n?|wie (?:lange|alt|oft|weit)|wann)\b",
    regex.I,
)
_WANTS_REASON = regex.compile(r"^\W*(?:why|for what reason|warum|weshalb|wieso)\b", regex.I)

#: Verbs of asking and telling whose forms no stem joins.
_FORMS = (
    "tell tells told", "say says said", "see sees saw seen", "give gives gave given", "find finds found",
    "think thinks thought", "write writes wrote written", "speak speaks spoke spoken", "go goes went gone",
    "come comes came", "take takes took taken", "make makes made", "do does did done", "bring brings brought",
    "mean means meant", "become becomes became", "begin begins began begun", "keep keeps kept", "leave left",
    "lose loses lost", "buy buys bought", "teach taught", "draw drew drawn", "eat ate eaten", "fall fell fallen",
    "hold held", "know knew known", "steal stole stolen", "wear wore worn", "build built", "hear heard",
    "sagen sagt sagte sagten gesagt", "sehen sieht sah sahen gesehen", "geben gibt gab gegeben",
    "nennen nennt nannte genannt", "schreiben schreibt schrieb geschrieben", "finden fand gefunden",
    "gehen ging gegangen", "kommen kommt kam gekommen", "nehmen nimmt nahm genommen",
    "sprechen spricht sprach gesprochen", "stehen steht stand gestanden", "tun tut tat getan",
)  # fmt: skip
_SAME_VERB = {
    fold(form): frozenset(stem(fold(other)) for other in forms.split())
    for forms in _FORMS
    for form in forms.split()
}


def forms_of(word: str) -> frozenset[str]:
    """The stems under which a folded word of a question may stand in a sentence."""
    return _SAME_VERB.get(word, frozenset()) | {stem(word)}


def verbs_of_asking(question: str) -> list[str]:
    """Words of ``question`` that say nothing about its subject but name what was done: "tell", "call"."""
    return [word.form for word in words(question) if word.form in _SAME_VERB]


@dataclass(frozen=True)
class Wanted:
    """The shape of the answer that a question wants."""

    question: str

    @cached_property
    def topic(self) -> tuple[str, ...]:
        """Stems of what is to be defined; empty where the question asks for no definition."""
        plain = squeeze(self.question).rstrip(" ?.!")
        match = _TOPIC.fullmatch(plain) or _TOPIC.fullmatch(_PLAIN_TAIL.sub("", plain))
        if match is None:
            return ()
        forms = [word.form for word in words(match["t"])]
        while forms and forms[0] in _ARTICLES:
            forms = forms[1:]
        if not forms or len(forms) > _MOST_TOPIC_WORDS or any(f in _ARTICLES for f in forms):
            return ()
        return tuple(stem(form) for form in forms)

    @cached_property
    def number(self) -> bool:
        """Whether a count, a span or a date is asked for."""
        return bool(_WANTS_NUMBER.search(self.question))

    @cached_property
    def reason(self) -> bool:
        """Whether a reason is asked for."""
        return bool(_WANTS_REASON.search(self.question))

    def names_of_topic(self, others: Sequence[str] = ()) -> list[tuple[str, ...]]:
        """The topic as stems, and its ``others``: names in another language."""
        names = [self.topic, *(tuple(stem(w.form) for w in words(other)) for other in others)]
        return [name for name in dict.fromkeys(names) if name] if self.topic else []

    def fit(self, sentence: str, before: str | None = None, others: Sequence[str] = ()) -> float:
        """What ``sentence`` gains by its shape; ``before`` is the sentence that it leans on, if it does."""
        gain = 0.0
        for topic in self.names_of_topic(others):
            gain = max(gain, _defines(sentence, topic))
            if before is not None and _holds(before, topic) and _PRONOUN_DEFINES.match(sentence):
                gain = max(gain, DEFINES_BY_PRONOUN)
        if self.number and _NUMBER.search(sentence):
            gain += FITS
        if self.reason and _REASON.search(sentence):
            gain += FITS
        return gain


_DETERMINERS = r"(?:an?|the|that|what|nothing|neither|not|only|always|simply|one|everything|whatever|those)"
_BESTIMMER = r"(?:ein|eine|einen|der|die|das|den|dasjenige|diejenige|nichts|nicht|alles|was|jene[rs]?)"
_PRONOUN_DEFINES = regex.compile(
    rf"\W*(?:(?:it|he|she|this|that)\s+(?:is|was)\s+{_DETERMINERS}\b"
    rf"|they\s+are\s+{_DETERMINERS}\b"
    rf"|(?:the\s+)?(?:word|name|term)\s+(?:means|denotes|stands)\b"
    rf"|(?:er|sie|es|dies|das)\s+(?:ist|war)\s+{_BESTIMMER}\b"
    rf"|das\s+wort\s+bedeutet\b)",
    regex.I,
)
_SAYS = {
    "is", "are", "was", "means", "mean", "denotes", "designates", "signifies", "consists", "comprises", "describes",
    "ist", "sind", "war", "bedeutet", "heisst", "bezeichnet", "besteht", "umfasst", "meint",
}  # fmt: skip
_IS = {"is", "are", "was", "ist", "sind", "war"}
_CALLS = {
    "call",
    "calls",
    "called",
    "named",
    "name",
    "names",
    "term",
    "termed",
    "nennt",
    "nennen",
    "nannte",
    "genannt",
}
_BY = {"by", "unter", "mit"}
_UNDERSTANDS = {
    "understand", "understands", "understood", "mean", "means", "meant", "versteht", "verstehe", "verstehen",
    "verstand", "meint", "meine", "gemeint",
}  # fmt: skip
_DETERMINING = frozenset(
    [
        "a",
        "an",
        "the",
        "that",
        "what",
        "nothing",
        "neither",
        "not",
        "only",
        "always",
        "simply",
        "one",
        "everything",
        "whatever",
        "those",
        "ein",
        "eine",
        "einen",
        "der",
        "die",
        "das",
        "den",
        "dasjenige",
        "diejenige",
        "nichts",
        "nicht",
        "alles",
        "was",
    ]
)
_LITTLE = FUNCTION_WORDS["en"] | FUNCTION_WORDS["de"]


def _holds(text: str, topic: tuple[str, ...]) -> bool:
    found = [stem(word.form) for word in words(text)]
    return any(tuple(found[i : i + len(topic)]) == topic for i in range(len(found)))


def _defines(sentence: str, topic: tuple[str, ...]) -> float:
    """How plainly ``sentence`` says what ``topic`` (stems) is."""
    found = words(sentence)
    forms = [word.form for word in found]
    stemmed = [stem(form) for form in forms]
    best = 0.0
    for at in range(len(forms) - len(topic) + 1):
        if tuple(stemmed[at : at + len(topic)]) != topic:
            continue
        end = at + len(topic)
        first = at - 1 if at and forms[at - 1] in _ARTICLES else at  # where the noun phrase begins
        before, after = forms[max(0, first - 6) : first], forms[end : end + 4]
        near = forms[max(0, first - 2) : first]
        is_subject = (
            not first or sentence[found[first - 1].end : found[first].start].strip(" “‘„‚\"'_*") != ""
        )
        if after and after[0] in _SAYS:
            plain = after[0] not in _IS or (len(after) > 1 and after[1] in _DETERMINING)
            if is_subject:
                best = max(best, DEFINES if plain else DEFINES / 3)
            elif plain:
                best = max(best, DEFINES_IN_PASSING / 2)
        if set(before) & _CALLS and not set(before[-1:]) & {"of", "by", "with"}:
            best = max(best, DEFINES_IN_PASSING)
        if (
            set(near[-1:]) & _BY
            and set(forms[end : end + 5] + forms[max(0, first - 4) : first]) & _UNDERSTANDS
        ):
            best = max(best, DEFINES)
    return best
