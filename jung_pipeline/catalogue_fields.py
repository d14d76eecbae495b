"""What the fields of a catalogue entry may hold: the form they are kept in, and what is wrong with the others.

People write catalogues by hand, so what can be meant only one way is taken (``language = "German"``,
``cw_volume = 7``); everything else is refused with what to write instead.
"""

from __future__ import annotations

import codecs
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

import regex

from jung_pipeline.text.printable import one_line

KEY_PATTERN = regex.compile(r"[a-z0-9_-]{1,80}")

#: Fields that hold words; the first two must be there.
WORDS = ("file", "title", "author", "translator", "editor", "publisher", "language", "cw_volume")
YEARS = ("year", "original_year")
FIELDS = (*WORDS, *YEARS, "hints")

#: What the file systems in use take as one name, in bytes of UTF-8.
MOST_BYTES = 255
#: Years outside are slips of the finger; the oldest works that are printed are older than our era.
_FIRST_YEAR, _LAST_YEAR = -3000, 2999

_TAG = regex.compile(r"[a-z]{2,3}(?:[-_][a-z0-9]{1,8})*", regex.IGNORECASE)
_NOT_KNOWN = ("und", "zxx", "mul", "mis")


@dataclass(frozen=True)
class Problem:
    """What is wrong with one field, and what to write instead."""

    field: str
    says: str
    remedy: str = ""


def tidy(values: Mapping[str, Any]) -> dict[str, Any]:
    """``values`` in the form in which they are kept; what is wrong stays as it is, for :func:`problems` to name.

    Words are one line, composed (NFC), without control characters, and empty ones are no words; a language is
    its BCP 47 primary tag; a volume of the Collected Works is text.
    """
    kept = dict(values)
    for name in WORDS:
        value = kept.get(name)
        if name == "cw_volume" and isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        if isinstance(value, str):
            value = unicodedata.normalize("NFC", value)
            # A file is called what it is called, blanks and all.
            kept[name] = value if name == "file" else one_line(value)
            if not kept[name] and name not in ("file", "title"):
                kept[name] = None
    if isinstance(kept.get("language"), str):
        kept["language"] = _language(kept["language"]) or kept["language"]
    return kept


def problems(key: Any, values: Mapping[str, Any]) -> list[Problem]:
    """What is wrong with the entry ``key`` that has the (tidy) fields ``values``."""
    found = []
    if not isinstance(key, str) or not KEY_PATTERN.fullmatch(key):
        found.append(
            Problem(
                "",
                "a key is 1 to 80 of a-z, 0-9, '-' and '_'",
                "Rename the entry; its title can be anything.",
            )
        )
    for name, value in values.items():
        if name not in FIELDS:
            near = get_close_matches(str(name), FIELDS, n=1)
            remedy = f"Write {near[0]}." if near else f"There are: {', '.join(sorted(FIELDS))}."
            found.append(Problem(_named(name), "there is no such field", remedy))
        elif value is not None or name in ("file", "title"):
            said = _CHECKS[name](name, value)
            found += [said] if said else []
    return found


def _text(name: str, value: Any) -> Problem | None:
    if isinstance(value, str) and value.strip():
        return None
    if value in (None, ""):
        return Problem(name, "it is missing", f'Add {name} = "…".')
    return Problem(name, f"{_shown(value)} is not text", f'Write {name} = "…", in quotation marks.')


def _file(name: str, value: Any) -> Problem | None:
    wrong = _text(name, value)
    if wrong:
        return wrong
    said = name_problem(value)
    return (
        Problem(name, f"{_shown(value)} {said}", "Write the bare name of a file in the library folder.")
        if said
        else None
    )


def name_problem(name: str) -> str:
    """Why ``name`` cannot be the name of a book file; empty if it can."""
    try:
        size = len(unicodedata.normalize("NFC", name).encode("utf-8"))
    except UnicodeEncodeError:
        return "is not UTF-8"
    if "/" in name or "\0" in name or name in (".", ".."):
        return "is a path, not the name of a file"
    return f"has {size} bytes; {MOST_BYTES} is the most that a file name has" if size > MOST_BYTES else ""


def _year(name: str, value: Any) -> Problem | None:
    if not isinstance(value, int) or isinstance(value, bool):
        return Problem(name, f"{_shown(value)} must be a whole number", f"Write {name} = 1921.")
    if not _FIRST_YEAR <= value <= _LAST_YEAR:
        return Problem(name, f"{_shown(value)} is no year", f"Write {name} = 1921, or leave it out.")
    return None


def _language(stated: str) -> str | None:
    """The primary tag of what an owner states; ``None`` if that is no language."""
    from jung_pipeline.text.languages import language_tag

    first = regex.split(r"[\s,;/(]", stated.strip())[0]
    if not (_TAG.fullmatch(stated.strip()) or len(first) > 3):
        return None
    return language_tag(stated)


def _is_language(name: str, value: Any) -> Problem | None:
    wrong = _text(name, value)
    if wrong:
        return wrong
    import langcodes  # the registry of language subtags; a twelfth of a second, so only where one is to be looked up

    if value in _COMMON or (
        _TAG.fullmatch(value) and value not in _NOT_KNOWN and langcodes.tag_is_valid(value)
    ):
        return None
    return Problem(
        name, f"{_shown(value)} is not a language", 'Write its tag, such as "de" or "en", or leave it out.'
    )


_COMMON = frozenset({"en", "de", "fr", "la", "it", "es"})


def _hints(name: str, value: Any) -> Problem | None:
    if not isinstance(value, Mapping):
        return Problem(name, f"{_shown(value)} is not a table", 'Write hints = { encoding = "…" }.')
    for hint, stated in value.items():
        if hint not in HINTS:
            return Problem(
                f"{name}.{_named(hint)}", "there is no such hint", f"There are: {', '.join(sorted(HINTS))}."
            )
        said = HINTS[hint](stated)
        if said:
            return Problem(f"{name}.{_named(hint)}", f"{_shown(stated)} {said[0]}", said[1])
    return None


def _encoding(value: Any) -> tuple[str, str] | None:
    try:
        codecs.lookup(value.strip().replace(" ", "-"))
    except (LookupError, AttributeError, ValueError):
        return "is no encoding", 'Write its name, such as "windows-1252" or "utf-8".'
    return None


def _password_env(value: Any) -> tuple[str, str] | None:
    if isinstance(value, str) and value.strip() and not any(c in value for c in "=\0"):
        return None
    return (
        "is no name of an environment variable",
        'Write the name, not the password: password_env = "MY_PW".',
    )


def _keep(value: Any) -> tuple[str, str] | None:
    items = [value] if isinstance(value, str) else value
    if isinstance(items, list | tuple) and all(isinstance(item, str) and _is_kept(item) for item in items):
        return None
    return (
        "is no list of rules",
        'Write keep = ["running_head", "stamp@45", "front_matter@1-7"], pages by position.',
    )


#: A rule of cleaning, everywhere or on a page or pages. Which rules there are is for cleaning to say.
_KEPT = regex.compile(r"[a-z_]+(?:@(\d+)(?:-(\d+))?)?")


def _is_kept(item: str) -> bool:
    match = _KEPT.fullmatch(item.replace(" ", ""))
    return match is not None and (match[1] is None or 1 <= int(match[1]) <= int(match[2] or match[1]))


def _ocr(value: Any) -> tuple[str, str] | None:
    if value in ("auto", "off", "force"):
        return None
    return "is no way of OCR", 'Write ocr = "auto", "off" or "force".'


def _ocr_languages(value: Any) -> tuple[str, str] | None:
    names = regex.split(r"[+,]", value) if isinstance(value, str) else value
    listed = names if isinstance(names, list | tuple) else []
    if listed and all(isinstance(name, str) and _OCR_LANGUAGE.fullmatch(name.strip()) for name in listed):
        return None
    return "are no languages of Tesseract", 'Write their names joined: ocr_languages = "deu+lat".'


_OCR_LANGUAGE = regex.compile(r"[A-Za-z][A-Za-z0-9_]*(?:/[A-Za-z][A-Za-z0-9_]*)?")


def _fraktur(value: Any) -> tuple[str, str] | None:
    return None if isinstance(value, bool) else ("is neither true nor false", "Write fraktur = true.")


#: Every hint that a stage understands: why a value is wrong and what to write instead, or ``None``.
HINTS: dict[str, Callable[[Any], tuple[str, str] | None]] = {
    "encoding": _encoding,
    "password_env": _password_env,
    "keep": _keep,
    "ocr": _ocr,
    "ocr_languages": _ocr_languages,
    "fraktur": _fraktur,
}

_CHECKS: dict[str, Callable[[str, Any], Problem | None]] = {
    **dict.fromkeys(WORDS, _text),
    "file": _file,
    "language": _is_language,
    **dict.fromkeys(YEARS, _year),
    "hints": _hints,
}


def _named(name: Any) -> str:
    """The name of a field in a message: in one line, and no longer than names are."""
    return one_line(str(name))[:60]


def _shown(value: Any) -> str:
    """A value in a message: short, in one line."""
    text = one_line(f'"{value}"' if isinstance(value, str) else str(value))
    return text if len(text) <= 60 else text[:57] + "…"
