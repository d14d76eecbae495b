"""Is a word of a book the misread form of the word that is quoted? What OCR leaves behind is no change of words.

Tolerated is only what a scanner does: the printed form is no word of the language, the quoted one is, and the two look
alike letter by letter ("tbe" for "the", "modem" is a word and never excused). Whoever quotes a scan corrects such
letters without a thought.
"""

from __future__ import annotations

from collections.abc import Iterable

from jung_pipeline.text.normalise import words

#: Groups of letters that scanners take for one another; longer ones first. After Kukich's survey of OCR errors
#: (ACM Computing Surveys 24, 1992) and the misreadings that cleaning knows.
_ALIKE = (("rn", "m"), ("nn", "m"), ("vv", "w"), ("cl", "d"), ("li", "h"), ("ii", "n"))
_LETTERS = str.maketrans(dict(zip("1ljt0oeu5f6b8", "iiiicccnsscbb", strict=True)) | {"h": "b"})
#: One word in so many may be misread, and one more.
_ONE_IN = 8
#: Zipf frequency from which a form is a word (lists of words hold misprints too, below it), and by how much the quoted
#: word must be commoner: a hundred times.
_WORD_FROM, _COMMONER_BY = 2.7, 2.0


def only_misread(changes: Iterable[tuple[str, str]], length: int, language: str | None) -> bool:
    """Whether all ``changes`` (quoted, printed) of a quotation of ``length`` words are misreadings, and few."""
    pairs = list(changes)
    return 0 < len(pairs) <= 1 + length // _ONE_IN and all(
        is_misreading(quoted, printed, language) for quoted, printed in pairs
    )


def is_misreading(quoted: str, printed: str, language: str | None) -> bool:
    """Whether ``printed`` is no word and looks like ``quoted``, which is one."""
    from wordfreq import zipf_frequency

    said, read = [w.form for w in words(quoted)], [w.form for w in words(printed)]
    if len(said) != 1 or len(read) != 1 or _outline(said[0]) != _outline(read[0]):
        return False
    tongue = language or "en"
    frequency = zipf_frequency(read[0], tongue)
    return frequency < _WORD_FROM and zipf_frequency(said[0], tongue) - frequency >= _COMMONER_BY


def _outline(word: str) -> str:
    """The shape of a folded word, equal for words that a scanner confuses."""
    for several, one in _ALIKE:
        word = word.replace(several, one)
    return word.translate(_LETTERS)
