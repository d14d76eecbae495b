"""Numbers as books write them: digits, roman numerals (misread ones too), words in English and German, ordinals in French and Latin."""

from __future__ import annotations

import regex

_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100, "d": 500, "m": 1000}
_WELL_FORMED = regex.compile(r"m{0,3}(cm|cd|d?c{0,4})(xc|xl|l?x{0,4})(ix|iv|v?i{0,4})")
_STEPS = [
    (1000, "M"),
    (900, "CM"),
    (500, "D"),
    (400, "CD"),
    (100, "C"),
    (90, "XC"),
    (50, "L"),
    (40, "XL"),
    (10, "X"),
    (9, "IX"),
    (5, "V"),
    (4, "IV"),
    (1, "I"),
]

_UNITS = [
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS = {
    "twenty": 20,
    "thirty": 30,
    "forty": 40,
    "fifty": 50,
    "sixty": 60,
    "seventy": 70,
    "eighty": 80,
    "ninety": 90,
}
_ORDINALS = [
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
    "thirteenth",
    "fourteenth",
    "fifteenth",
    "sixteenth",
    "seventeenth",
    "eighteenth",
    "nineteenth",
]
_ORDINAL_TENS = {"twentieth": 20, "thirtieth": 30, "fortieth": 40, "fiftieth": 50}
_GERMAN = ["eins", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn", "elf", "zwölf"]
_GERMAN_ORDINALS = [
    "erst",
    "zweit",
    "dritt",
    "viert",
    "fünft",
    "sechst",
    "siebent",
    "acht",
    "neunt",
    "zehnt",
    "elft",
    "zwölft",
    "dreizehnt",
    "vierzehnt",
    "fünfzehnt",
    "sechzehnt",
    "siebzehnt",
    "achtzehnt",
    "neunzehnt",
    "zwanzigst",
]

_FRENCH_ORDINALS = {
    "premier": 1, "première": 1, "second": 2, "seconde": 2, "deuxième": 2, "troisième": 3, "quatrième": 4,
    "cinquième": 5, "sixième": 6, "septième": 7, "huitième": 8, "neuvième": 9, "dixième": 10, "onzième": 11,
    "douzième": 12,
}  # fmt: skip
#: "Caput primum", "Pars secunda": the stems take -us, -a, -um.
_LATIN_ORDINALS = ("prim", "secund", "terti", "quart", "quint", "sext", "septim", "octav", "non", "decim")

_CARDINAL = (
    {word: n for n, word in enumerate(_UNITS, 1)}
    | _TENS
    | {word: n for n, word in enumerate(_GERMAN, 1)}
    | {"ein": 1, "eine": 1}
)
_ORDINAL = (
    {word: n for n, word in enumerate(_ORDINALS, 1)}
    | _ORDINAL_TENS
    | {stem + ending: n for n, stem in enumerate(_GERMAN_ORDINALS, 1) for ending in ("e", "er", "es", "en")}
    | {"siebte": 7, "siebter": 7, "siebtes": 7}
    | {stem + ending: n for n, stem in enumerate(_LATIN_ORDINALS, 1) for ending in ("us", "a", "um")}
    | _FRENCH_ORDINALS
)
_GERMAN_TENS = ("zwanzig", "dreißig", "vierzig", "fünfzig", "sechzig", "siebzig", "achtzig", "neunzig")
for _tens, _ten in enumerate(_GERMAN_TENS, 2):
    for _n, _unit in enumerate(("", "ein", *_GERMAN[1:9])):
        _word = f"{_unit}und{_ten}" if _unit else _ten
        _CARDINAL[_word] = 10 * _tens + _n
        _ORDINAL.update({f"{_word}st{_ending}": 10 * _tens + _n for _ending in ("e", "er", "es", "en")})
for _ten, _value in _TENS.items():
    for _n, (_unit, _ordinal) in enumerate(zip(_UNITS[:9], _ORDINALS[:9], strict=True), 1):
        for _join in ("-", " ", ""):
            _CARDINAL[f"{_ten}{_join}{_unit}"] = _value + _n
            _ORDINAL[f"{_ten}{_join}{_ordinal}"] = _value + _n


def roman_value(text: str) -> int | None:
    """The value of a well-formed roman numeral (either case), or ``None``."""
    lower = text.lower()
    if not lower or not _WELL_FORMED.fullmatch(lower):
        return None
    values = [_ROMAN[char] for char in lower]
    return sum(-v if v < n else v for v, n in zip(values, [*values[1:], 0], strict=True)) or None


def misread_roman_value(text: str) -> int | None:
    """The same, also for numerals whose I was read as l, 1, ! or |: "lll", "X1", "XlV", "Vlll".

    A real L is a capital; so a small l beside capitals is an I.
    """
    if regex.fullmatch(r"\d+", text):
        return None
    value = roman_value(text) if "l" not in text or (text.islower() and text.strip("l")) else None
    if value is not None:
        return value
    return roman_value(regex.sub(r"[l1!|]", "I", text).replace("i", "I"))


def roman_numeral(value: int) -> str:
    """``value`` (1 to 3999) as a roman numeral in capitals."""
    written = []
    for step, numeral in _STEPS:
        count, value = divmod(value, step)
        written.append(numeral * count)
    return "".join(written)


def number_value(text: str) -> int | None:
    """The value of a number in digits, roman numerals or words, or ``None``."""
    text = text.strip().rstrip(".").strip()
    if regex.fullmatch(r"\d{1,4}", text):
        return int(text)
    return word_value(text) or misread_roman_value(text)


def word_value(text: str) -> int | None:
    """The value of a cardinal number written out, or ``None``."""
    return _CARDINAL.get(regex.sub(r"\s+", " ", text.strip().lower()))


def ordinal_value(text: str) -> int | None:
    """The value of an ordinal number written out ("twenty-first", "Erster") or as "3rd", "3.", or ``None``."""
    text = regex.sub(r"\s+", " ", text.strip().lower())
    digits = regex.fullmatch(r"(\d{1,3})(?:st|nd|rd|th|\.)", text)
    return int(digits.group(1)) if digits else _ORDINAL.get(text)
