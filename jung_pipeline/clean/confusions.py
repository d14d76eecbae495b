"""How likely a scanner reads one string of letters for another: costs of confusions, learned from the volume.

A cost is minus the common logarithm of a probability. Shapes that look alike are cheap to confuse ("rn" and
"m", "e" and "c"), others dear; what reads like another spelling (a doubled letter, y for i, a lost final e) is
dear too, because it is one. The prior is the same for all books; what a volume's own clear cases show is
counted into it (:meth:`Channel.learn`), so that a clean volume makes every confusion dear and a noisy one
makes its own confusions cheap.
"""

from __future__ import annotations

import math
import unicodedata
from collections import Counter
from collections.abc import Iterable

import numpy as np

from jung_pipeline.clean import tokens

#: Letters that OCR takes for each other, one class a string: likely, both ways.
_ALIKE = (
    "ec", "oc", "hb", "un", "il", "lt", "it", "ij", "ft", "rt", "vy", "gq", "fs", "lj", "tc",
)  # fmt: skip
#: Less alike, but still seen on many a page; both ways.
_SIMILAR = (
    "eo", "ea", "au", "an", "es", "os", "as", "sb", "nr", "hk", "hn", "bo", "vr", "yg", "mn", "wv", "vn", "vu", "pn", "do",
    "tr", "lf", "rf", "ir", "if", "jt", "jf", "kl", "dl", "bl", "hl", "li", "xz", "gy", "pg", "pq", "bp", "xr",
    "ag", "ge", "ei", "ts", "ry", "ws", "zs", "wu", "ls", "hm", "jy", "jp", "st", "iy",
)  # fmt: skip
#: Capitals; the first letters of words.
_CAPITALS = (
    "BR", "EF", "BE", "RK", "CG", "CO", "OQ", "DO", "IJ", "IT", "IL", "HN", "HB", "MN", "PF", "TF", "VY", "UV",
    "NM", "SB", "LI", "KE", "EB", "RH", "RE", "PR", "BD", "GO", "HI", "TI", "WV", "PT",
)  # fmt: skip
#: (read, printed): digits and signs for letters, several letters for one or one for several.
_LIKELY_PAIRS = (
    ("rn", "m"), ("m", "rn"), ("in", "m"), ("ni", "m"), ("iu", "m"), ("ui", "m"), ("tn", "m"), ("nn", "m"),
    ("ii", "n"), ("ii", "u"), ("n", "ii"), ("ri", "n"), ("n", "ri"), ("ti", "n"), ("li", "n"), ("il", "u"),
    ("li", "h"), ("h", "li"), ("ii", "h"), ("lt", "h"), ("ll", "h"), ("lh", "h"), ("tl", "h"), ("ti", "h"),
    ("cl", "d"), ("d", "cl"), ("ol", "d"), ("el", "d"), ("il", "d"), ("lc", "k"), ("ic", "k"),
    ("vv", "w"), ("av", "w"), ("iv", "w"), ("tv", "w"), ("yv", "w"), ("Av", "W"), ("Av", "w"), ("AV", "W"), ("VV", "W"), ("AA", "W"),
    ("tli", "th"), ("tb", "th"), ("ib", "th"), ("ih", "th"), ("lh", "th"), ("fh", "th"), ("ili", "th"), ("di", "th"),
    ("ji", "n"), ("jn", "in"), ("ln", "in"), ("lu", "in"), ("mg", "ing"), ("m", "in"), ("m", "ni"), ("un", "im"),
    ("fs", "ss"), ("fi", "h"), ("fl", "h"), ("ff", "ss"), ("fb", "fo"), ("fi", "si"), ("ft", "st"), ("fh", "sh"), ("fl", "sl"), ("sl", "fl"), ("si", "fi"),
    ("1", "l"), ("1", "i"), ("0", "o"), ("6", "b"), ("5", "s"), ("8", "s"), ("3", "s"), ("9", "g"), ("4", "d"),
    ("1", "I"), ("0", "O"), ("8", "B"), ("6", "o"), ("6", "s"), ("4", "A"), ("7", "T"), ("é", "e"), ("6", "G"),
    ("II", "H"), ("Il", "H"), ("li", "H"), ("Li", "H"), ("ll", "H"), ("il", "H"), ("iI", "H"), ("tl", "H"), ("Tl", "H"), ("l", "I"), ("Ii", "H"), ("il", "M"),
)  # fmt: skip
#: Ligatures that a font's table lost.
_LOST_LIGATURES = (("", "fi"), ("", "fl"), ("", "ff"), ("", "ffi"), ("", "ffl"))
_SEEN_PAIRS = (
    ("fi", "fl"), ("n", "fi"), ("n", "ff"), ("n", "ffi"),
    ("h", "fi"), ("6", "fi"), ("B", "fi"), ("f", "fi"), ("f", "fl"), ("f", "ff"), ("m", "ffi"), ("li", "fi"), ("ti", "fi"), ("h", "fl"), ("d", "fl"),
    ("H", "fi"), ("h", "ll"), ("u", "ll"), ("n", "ll"), ("u", "il"), ("n", "il"), ("n", "li"), ("n", "ti"), ("u", "ti"), ("u", "li"), ("h", "th"),
    ("d", "th"), ("w", "vv"), ("ra", "m"), ("nt", "m"), ("ir", "n"), ("rt", "n"), ("it", "n"), ("lt", "n"), ("ut", "m"), ("nu", "m"),
    ("uu", "nn"), ("nii", "mi"), ("ia", "m"), ("on", "m"), ("oi", "a"), ("ci", "a"), ("ei", "a"), ("oc", "x"), ("ie", "k"), ("ct", "d"),
    ("rl", "d"), ("tl", "d"), ("ril", "d"), ("tb", "d"), ("fr", "h"), ("iy", "ly"), ("j", "s"), ("b", "li"), ("k", "h"), ("lr", "h"), ("lr", "k"),
    ("tv", "u"), ("ty", "w"), ("iy", "w"), ("ry", "w"), ("ro", "w"), ("rv", "w"), ("uv", "w"), ("ll", "u"), ("ll", "n"), ("hi", "m"), ("iii", "m"), ("rii", "m"), ("rri", "m"),
    ("m", "tri"), ("m", "iri"), ("m", "un"), ("m", "nr"), ("i)", "p"), ("jj", "p"), ("jd", "p"), ("rp", "p"), ("ij", "y"), ("j", "y"), ("cj", "g"), ("f", "r"),
    ("1", "t"), ("1", "r"), ("7", "l"), ("2", "z"), ("9", "s"), ("8", "a"), ("8", "e"), ("3", "e"), ("0", "e"), ("0", "c"), ("6", "e"), ("6", "a"),
    ("N", "W"), ("l", "L"), ("J", "y"), ("M", "W"), ("jV", "N"), ("JV", "N"), ("Ji", "M"), ("K", "E"), ("ir", "b"), ("Iv", "K"), ("lv", "K"), ("V", "P"), ("i", "I"), ("Ti", "H"), ("iv", "n"),
    ("ofi", "off"), ("h", "n"), ("hi", "ln"),
)  # fmt: skip
#: German black letter: long s and f, k and t, capitals.
_FRAKTUR_ALIKE = (
    "sf", "kt", "kr", "rt", "rx", "uü", "aä", "oö", "bd", "yh", "vo", "oc", "ni", "nu", "cx", "öd", "DB", "DV", "BV", "NR", "KR", "ZI", "JI", "ZJ",
    "EC", "SG", "CE", "AU", "UI", "OD", "rv", "rn", "wm", "AM", "FK", "FJ", "TX", "ul", "zj", "id", "öb", "st", "lk", "th",
)  # fmt: skip
_FRAKTUR_PAIRS = (
    ("6", "s"), ("e", "s"), ("o", "s"), ("S", "s"), ("h", "tz"), ("si", "st"), ("si", "ß"), ("sz", "ß"), ("fz", "ß"), ("fi", "ß"), ("st", "ß"), ("ss", "ß"), ("ji", "ß"),
    ("tv", "w"), ("iv", "w"), ("ro", "w"), ("rv", "w"), ("zv", "w"), ("w", "zw"), ("ei", "ä"), ("il", "ü"), ("ii", "ü"), ("li", "ü"), ("ti", "ü"), ("n", "ü"), ("it", "ü"), ("ft", "st"), ("st", "ft"), ("ii", "ü"),
    ("eh", "ch"), ("th", "ch"), ("ck", "ch"), ("eb", "ch"), ("cb", "ch"), ("rh", "ch"), ("cl", "ch"), ("d)", "ch"), ("ek", "ck"), ("ck", "ck"), ("nn", "un"), ("un", "nn"), ("nn", "nu"),
    ("å", "ä"), ("å", "u"), ("d", "ö"), ("b", "ö"), ("v", "v"), ("ie", "te"), ("lk", "tz"), ("sk", "st"), ("fk", "ft"), ("jz", "tz"), ("fs", "ff"), ("sf", "ff"), ("ss", "ff"), ("ff", "ss"),
    ("dv", "w"), ("lv", "w"), ("io", "w"), ("ö", "s"), ("ü", "s"), ("j", "z"), ("Zh", "Ih"), ("Zn", "In"), ("c", "e"), ("l", "t"), ("tz", "tz"), ("lt", "tz"), ("it", "tz"), ("hl", "tz"), ("sc", "sch"), ("fch", "sch"), ("ssch", "sch"),
)  # fmt: skip
_NEVER = 99.0
#: Costs of the classes, for a volume about which nothing is known.
LIKELY, SEEN, OTHER = 2.6, 3.3, 5.2
#: A letter that is not there, a letter lost: thin ones cheaper.
_THIN = frozenset("iltjrf1I'")
_EXTRA, _EXTRA_THIN, _LOST, _LOST_THIN = 4.8, 4.0, 4.8, 4.2
_ACCENT, _LIGATURE = 2.6, 2.4
#: Differences that are another spelling of the same word at least as often as a misreading.
_SPELLING = 6.5
#: How speech is written down: "parfect", "niver", "vith"; as often meant as misread.
_DIALECT, _DIALECTS = 4.2, (("o", "a"), ("e", "a"), ("e", "i"), ("w", "v"))
#: How much text (occurrences of the printed letters) the prior weighs as much as.
_WEIGHT = 1200.0
#: Letters that one confusion takes up, at most.
LONGEST = 3
#: Letters up to here are counted all at once.
_COMMON = 0x180


def _both_ways(classes: Iterable[str], cost: float) -> dict[tuple[str, str], float]:
    return {pair: cost for two in classes for pair in ((two[0], two[1]), (two[1], two[0]))}


def _prior(language: str) -> dict[tuple[str, str], float]:
    costs = _both_ways(_SIMILAR, SEEN) | dict.fromkeys(_SEEN_PAIRS, SEEN)
    costs |= _both_ways(_CAPITALS, SEEN) | _both_ways(_ALIKE, LIKELY)
    costs |= dict.fromkeys(_LIKELY_PAIRS, LIKELY) | dict.fromkeys(_LOST_LIGATURES, _LIGATURE)
    # Historical and regional spellings (y for i, s for z, c for k, u for v): seldom a scanner's work.
    for a, b in _DIALECTS:
        costs[a, b] = costs[b, a] = _DIALECT
    for a, b in (("y", "i"), ("s", "z"), ("c", "k"), ("u", "v"), ("i", "j")):
        costs[a, b] = costs[b, a] = _SPELLING - 1.0 if a + b != "ij" else SEEN
    if language == "de":
        costs |= _both_ways(_FRAKTUR_ALIKE, LIKELY) | dict.fromkeys(_FRAKTUR_PAIRS, LIKELY)
    return {pair: cost for pair, cost in costs.items() if pair[0] != pair[1]}


def _letters_apart(a: str, b: str) -> int:
    """How many letters of either string the other lacks, at least."""
    return len(set(a) ^ set(b)) // 2


def bare(char: str) -> str:
    """``char`` without its accent."""
    return unicodedata.normalize("NFD", char)[0]


def bare_word(word: str) -> str:
    """``word`` without accents."""
    return "".join(map(bare, word))


class Channel:
    """The costs of reading one string for another in one volume.

    Attributes:
        shift: how much rarer misreadings are than in a middling scan (log10; negative: more frequent).
        cheapest: what the likeliest confusion costs.
        by_read: what may have been printed, by what was read, in small letters.

    Args:
        language: primary tag; German adds black letter.
        letters: the volume's running text, lower case, for the frequencies of what was printed.
    """

    def __init__(self, language: str, letters: str = "") -> None:
        self._prior = _prior(language)
        self._costs = dict(self._prior)
        self.by_read: dict[str, list[str]] = {}
        for read, printed in self._prior:
            if not any(char.isupper() for char in read + printed):
                self.by_read.setdefault(read, []).append(printed)
        self._letters = letters
        self._memo: dict[tuple[str, str, bool], tuple[float, tuple[tuple[str, str], ...]]] = {}
        self.shift = 0.0
        self.cheapest = min(*self._costs.values(), self._class_cost(_ACCENT))

    def variants(self, word: str) -> list[str]:
        """``word`` with one likely confusion undone, at one place or at every place."""
        found: list[str] = []
        length = len(word)
        if length >= 5:
            found += [
                word[:at] + printed + word[at:]
                for printed in self.by_read.get("", ())
                for at in range(length + 1)
            ]
        for size in (1, 2, 3):
            seen: dict[str, int] = {}
            for at in range(length - size + 1):
                read = word[at : at + size]
                all_printed = self.by_read.get(read)
                if all_printed is None:
                    continue
                head, tail = word[:at], word[at + size :]
                found += [head + printed + tail for printed in all_printed]
                # The same confusion at every place, if it comes again behind itself.
                if at >= seen.get(read, -1) + size and read in seen:
                    found += [word.replace(read, printed) for printed in all_printed]
                seen.setdefault(read, at)
        if not word.isascii():
            found.append("".join(bare(char) if char not in "äöüß" else char for char in word))
        return found

    def cost(self, read: str, printed: str, most: float = 12.0) -> float:
        """Cost of reading ``printed`` as ``read``; a large number if it is ``most`` or more."""
        return self.explain(read, printed, most)[0]

    def explain(
        self, read: str, printed: str, most: float = 12.0
    ) -> tuple[float, tuple[tuple[str, str], ...]]:
        """The cheapest way from ``printed`` to ``read``: its cost and its confusions (read, printed).

        A way that costs ``most`` or more is not looked for.
        """
        start, end = 0, min(len(read), len(printed))
        while start < end and read[start] == printed[start]:
            start += 1
        tail = 0
        while tail < end - start and read[-1 - tail] == printed[-1 - tail]:
            tail += 1
        a, b = read[start : len(read) - tail], printed[start : len(printed) - tail]
        before = read[start - 1] if start else ""
        after = read[len(read) - tail] if tail else ""
        if not a or not b:
            # A letter doubled or undoubled, or an e at the end, is a way of spelling.
            rest = a or b
            if len(rest) == 1 and (
                rest in (before, after) or (rest in "eukh" and not self._costs.get((a, b)))
            ):
                return _SPELLING, ((a, b),)
        key = (a, b, bool(start))
        found = self._memo.get(key)
        if found is None:
            if _letters_apart(a, b) * LIKELY > 2 * most:
                return _NEVER, ()
            found = self._align(a, b, most)
            if found[0] < most:
                self._memo[key] = found
        return found

    def _align(self, a: str, b: str, most: float) -> tuple[float, tuple[tuple[str, str], ...]]:
        if len(a) > 9 or len(b) > 9 or abs(len(a) - len(b)) > 4:
            return _NEVER, ()
        best: dict[tuple[int, int], tuple[float, tuple[tuple[str, str], ...]]] = {(0, 0): (0.0, ())}
        for i in range(len(a) + 1):
            for j in range(len(b) + 1):
                here = best.get((i, j))
                if here is None or here[0] >= most:
                    continue
                for n in range(min(LONGEST, len(a) - i) + 1):
                    for m in range(min(LONGEST, len(b) - j) + 1):
                        if n + m == 0:
                            continue
                        step = self._step(a[i : i + n], b[j : j + m])
                        if step is None:
                            continue
                        total = here[0] + step
                        known = best.get((i + n, j + m))
                        if known is None or total < known[0]:
                            pair = (a[i : i + n], b[j : j + m])
                            trail = here[1] if pair[0] == pair[1] else (*here[1], pair)
                            best[i + n, j + m] = (total, trail)
        return best.get((len(a), len(b)), (_NEVER, ()))

    def _step(self, read: str, printed: str) -> float | None:
        if read == printed:
            return 0.0 if len(read) == 1 else None
        cost = self._costs.get((read, printed))
        if cost is not None:
            return cost
        if len(read) > 1 or len(printed) > 1:
            return None
        if not read:
            return self._class_cost(_LOST_THIN if printed in _THIN else _LOST)
        if not printed:
            return self._class_cost(_EXTRA_THIN if read in _THIN else _EXTRA)
        if not read.isascii() and bare(read) == printed and printed in "aeiouc":
            return self._class_cost(_ACCENT)
        if read.lower() == printed:
            return self._class_cost(SEEN)
        return self._class_cost(OTHER)

    def _class_cost(self, cost: float) -> float:
        return cost + self.shift

    def learn(self, seen: Counter[tuple[str, str]], words: int) -> None:
        """Count the confusions of the volume's clear cases into the prior.

        Args:
            seen: how often each (read, printed) stands in the text.
            words: running words in the volume.
        """
        total = sum(seen.values())
        # Errors a word, beside what the prior expects of a middling scan (one word in a hundred).
        rate = (total + 2.0) / (words + 250.0)
        self.shift = max(-0.9, min(1.5, -math.log10(rate / 0.008)))
        points = tokens.code_points(self._letters)
        singles = np.bincount(points[points < _COMMON], minlength=_COMMON)
        letters = np.minimum(points, _COMMON - 1).astype(np.int32)
        pairs = np.bincount(letters[:-1] * _COMMON + letters[1:], minlength=_COMMON**2)
        counts: dict[str, int] = {"": len(self._letters)}
        for (read, printed), cost in self._prior.items():
            if printed not in counts:
                places = [ord(char) for char in printed]
                if max(places) >= _COMMON - 1 or len(places) > 2 or printed[1:] == printed[0]:
                    counts[printed] = self._letters.count(printed)
                elif len(places) == 1:
                    counts[printed] = int(singles[places[0]])
                else:
                    counts[printed] = int(pairs[places[0] * _COMMON + places[1]])
            here = counts[printed]
            prior = 10.0 ** -(cost + 0.6 * self.shift)
            share = (seen[read, printed] + _WEIGHT * prior) / (here + _WEIGHT)
            self._costs[read, printed] = max(0.7, -math.log10(share))
        for pair in seen.keys() - self._prior.keys():
            if seen[pair] >= 3 and pair[1] and pair[0]:
                here = self._letters.count(pair[1])
                prior = 10.0 ** -(OTHER + self.shift)
                self._costs[pair] = max(0.7, -math.log10((seen[pair] + _WEIGHT * prior) / (here + _WEIGHT)))
        self.cheapest = min(*self._costs.values(), self._class_cost(_ACCENT))
        self._memo.clear()
