"""Languages of books: the tag that a statement means, and the language that a text's small words tell.

A book's language decides how it is stemmed, divided into sentences and cited, so a text either tells it
beyond doubt or not at all: :func:`told_language` says ``None`` rather than guess.
"""

from __future__ import annotations

from collections import Counter
from functools import cache

import regex

from jung_pipeline.text.normalise import STOP_WORDS, fold

# --------------------------------------------------------------------------------------------------
# tags
# --------------------------------------------------------------------------------------------------

_NAMES = {
    "english": "en",
    "german": "de",
    "deutsch": "de",
    "french": "fr",
    "français": "fr",
    "latin": "la",
    "italian": "it",
    "spanish": "es",
    "dutch": "nl",
    "greek": "el",
    "russian": "ru",
    "danish": "da",
    "swedish": "sv",
    "portuguese": "pt",
    "finnish": "fi",
    "hungarian": "hu",
    "polish": "pl",
    "chinese": "zh",
}

#: ISO 639-2 codes that e-books use where BCP 47 wants the two letters of ISO 639-1.
_THREE_LETTERS = {
    "eng": "en",
    "ger": "de",
    "deu": "de",
    "fre": "fr",
    "fra": "fr",
    "ita": "it",
    "spa": "es",
    "lat": "la",
    "dut": "nl",
    "nld": "nl",
    "gre": "el",
    "ell": "el",
    "rus": "ru",
    "dan": "da",
    "swe": "sv",
    "por": "pt",
    "fin": "fi",
    "hun": "hu",
    "pol": "pl",
    "chi": "zh",
    "zho": "zh",
}

#: Codes that say "undetermined", "no language" and "several".
_NO_LANGUAGE = ("und", "zxx", "mul", "mis")


def language_tag(stated: str | None) -> str | None:
    """The BCP 47 primary tag of "en-US", "deu" or "German"; ``None`` for "und" and what is no language."""
    word = regex.split(r"[-_,;/ (]", (stated or "").strip().lower())[0]
    if word in _NAMES:
        return _NAMES[word]
    if word in _THREE_LETTERS:
        return _THREE_LETTERS[word]
    return word if regex.fullmatch(r"[a-z]{2,3}", word) and word not in _NO_LANGUAGE else None


# --------------------------------------------------------------------------------------------------
# texts
# --------------------------------------------------------------------------------------------------

#: Words that carry grammar, folded, in the languages that books in European libraries are written in. English
#: and German: those of :mod:`jung_pipeline.text.normalise`.
_OTHERS = {
    "fr": """a ai ainsi ait alors au aucun aucune aussi autre autres aux avait avec avoir bien c car ce cela celle
        celui ces cet cette ceux chaque chez comme d dans de depuis des dont du elle elles en encore entre est et
        etaient etait etant ete etre eu eut fait faut fut il ils j je jusqu l la le les leur leurs lorsque lui m
        ma mais me meme mes moi moins mon n ne ni non nos notre nous on ont ou par parce pas peu peut plus point
        pour pourquoi puis qu quand que quel quelle quelque qui quoi rien s sa sans se sera ses si soit son sont
        sous sur t ta te tel telle tes toi ton tous tout toute toutes tres tu un une va vers vos votre vous y""",
    "la": """a ab ac ad adeo aliqua aliquid an ante apud at atque aut autem causa cui cuius cujus cum de dum e ea
        eam earum ego ei eius ejus enim eo eorum eos ergo erat erit esse esset est et etiam etsi eum ex fuit haec
        hanc has hic hinc his hoc hos huic huius hujus iam id idem igitur illa ille illi illud in inter ipsa ipse
        ipsum ita itaque jam licet magis me mihi modo nam ne nec neque nihil nisi nobis non nos nunc ob omnes
        omnia omnis per post potest pro propter qua quae quam quamvis quare quasi quem qui quia quibus quid
        quidem quo quod quoque quorum quos re se secundum sed semper si sibi sic sicut simul sine sit sive sub
        sunt suo super suum tamen tamquam tantum te tibi tu tum tunc ubi unde ut vel vero vos""",
    "it": """a ad ai al alla alle allo anche ancora avere aveva c che chi ci ciascuno ciò col come con così cui d da
        dai dal dalla dalle degli dei del della delle dello di dopo dove e ed egli era erano essa essere essi
        esso fa fatto fra fu gli ha hanno ho i il in io l la le lei li lo loro lui ma me mentre mi mia mio molto
        ne negli nei nel nella nelle nello noi non nostra nostro o ogni ora per perché però piu più poco poi può
        qual quale quali quando quanto quella quelle quello questa queste questi questo qui quindi se sempre
        senza si sia sono sopra sotto sta stata stato su sua sue sugli sul sulla suo suoi tra tu tutta tutte
        tutti tutto un una uno""",
    "es": """a al algo algunas algunos ante antes asi aun aunque cada como con contra cual cuando de del desde donde
        durante e el ella ellas ellos en entre era eran es esa ese eso esta estaba estan estas este esto estos
        fue fueron ha habia han hasta hay la las le les lo los mas me mi mientras mis misma mismo muy nada ni no
        nos nosotros nuestra nuestro o os otra otras otro otros para pero poco por porque pues que quien quienes
        se sea segun ser si sido sin sino sobre solo son su sus tal tambien tan tanto te tiene tienen toda todas
        todo todos tu un una uno y ya yo""",
    "pt": """a ainda ao aos aquela aquele aquilo as assim até cada com como da das de dela dele deles depois do dos
        e ela elas ele eles em entre era eram essa esse esta este eu foi foram ha isso isto ja lhe lhes mais mas
        me mesmo meu minha muito na não nas nem no nos nossa nosso num numa o onde os ou outra outro para pela
        pelas pelo pelos por porque quais qual quando que quem se seja sem ser seu seus sido so sobre são sua
        suas também tem tinha toda todas todo todos tudo um uma você""",
    "nl": """aan al alle als andere ben bij daar dan dat de den der deze die dit doch doen door dus een en er ge geen
        had haar hadden heb hebben heeft hem het hier hij hoe hun ik in is ja je kan kon maar me meer men met mij
        mijn moet na naar niet niets nog nu of om omdat onder ons ook op over reeds te tegen toch toen tot u uit
        uw van veel voor want waren was wat we wel werd wezen wie wij wil worden zal ze zei zelf zich zij zijn zo
        zonder zou""",
}

#: Fewest words that can tell a book's language: about half a printed page.
_LEAST_WORDS = 200

#: The share of all words that the small words of a language must make up. By wordfreq's frequencies they make up
#: 0.49 to 0.57 of each listed language, and of 16 languages without a list here at most 0.22, Catalan
#: aside (0.34 Spanish, which the next rule refuses). Lists, tables and noisy OCR fall below it too.
_LEAST_SHARE = 0.25
#: Latin has no articles and fewer particles.
_LEAST_SHARE_LATIN = 0.2

#: How much of the evidence another language may have: of the words that only one of the two has, a fifth.
#: By wordfreq's frequencies it is at most 0.05 for a listed language and at least 0.3 for one without a list;
#: a book with its translation beside it is near one half.
_MOST_OTHER = 0.2

_WORD = regex.compile(r"\p{L}+")


@cache
def _small_words() -> dict[str, frozenset[str]]:
    """The folded small words of each language."""
    others = {tag: frozenset(fold(word) for word in listed.split()) for tag, listed in _OTHERS.items()}
    return {**STOP_WORDS, **others}


def told_language(text: str) -> str | None:
    """The language of ``text`` by its small words, as a BCP 47 primary tag; ``None`` where it is not clear.

    Knows English, German, French, Latin, Italian, Spanish, Portuguese and Dutch. Not clear are: fewer than 200
    words, few small words (another language, lists, noise), and a text in two languages unless one of
    them clearly prevails.
    """
    counts: Counter[str] = Counter()
    for word, count in Counter(_WORD.findall(text)).items():
        counts[fold(word)] += count
    total = sum(counts.values())
    if total < _LEAST_WORDS:
        return None
    small = _small_words()
    every = frozenset().union(*small.values())
    known = [(word, count) for word, count in counts.items() if word in every]
    score = {tag: sum(count for word, count in known if word in listed) for tag, listed in small.items()}
    best = max(score, key=lambda tag: score[tag])
    if score[best] < total * (_LEAST_SHARE_LATIN if best == "la" else _LEAST_SHARE):
        return None
    for other, listed in small.items():
        if other != best:
            for_best = sum(count for word, count in known if word in small[best] and word not in listed)
            for_other = sum(count for word, count in known if word in listed and word not in small[best])
            if for_other > _MOST_OTHER * (for_best + for_other):
                return None
    return best


#: A sample of a book: so many stretches of so many characters each, evenly spread.
_STRETCHES, _STRETCH = 20, 4000


def spread(count: int, most: int = _STRETCHES) -> list[int]:
    """At most ``most`` of the numbers 0 to ``count`` - 1, evenly spread; neither end is favoured."""
    if count <= most:
        return list(range(count))
    return [(2 * index + 1) * count // (2 * most) for index in range(most)]


def sample(text: str) -> str:
    """``text``, or stretches evenly spread over it where it is long: enough to tell its language."""
    if len(text) <= _STRETCHES * _STRETCH:
        return text
    width = len(text) // _STRETCHES
    return "\n".join(text[index * width : index * width + _STRETCH] for index in range(_STRETCHES))
