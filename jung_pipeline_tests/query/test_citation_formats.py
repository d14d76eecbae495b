"""References as the programs read them that people import them into."""

from __future__ import annotations

import io
import json
import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jung_pipeline.catalogue import Volume
from jung_pipeline.query.citation_formats import FORMATS, csl_items, references
from jung_pipeline.query.citations import Source
from jung_pipeline.query.names import names
from jung_pipeline.query.passages import Passage

bibtexparser = pytest.importorskip("bibtexparser", reason="the extra `dev` is not installed")
rispy = pytest.importorskip("rispy", reason="the extra `dev` is not installed")

VOLUME = Volume(
    "works9",
    "works9.pdf",
    "The Lamp & the Well",
    author="C. G. Example",
    translator="Rita Hill and Otto von der Aue",
    editor="Hill, Rita; Jones, P. Q., Jr.",
    publisher="North & Sons",
    year=1959,
    original_year=1934,
    cw_volume="9i",
    language="en",
)
PASSAGE = Passage(
    "works9#1",
    "works9",
    "The Lamp & the Well",
    "A text.",
    author="C. G. Example",
    language="en",
    chapter="Chapter VI: The Boat",
    page_first=57,
    page_last=58,
    label_first="42",
    label_last="43",
    numbered_first="513",
    numbered_last="515",
)
LATER = Passage(
    "works9#2", "works9", "The Lamp & the Well", "Another.", author="C. G. Example", label_first="xii"
)
BARE = Passage("bare#1", "bare", "Loose Leaves", "No more is known.")

EVIL = 'A {brace \\ back~slash_ "50 %" #1 $x^2 } & Ümläut — ER  - \n TY  - BOOK @book{x,'


def bib(text):
    """What a BibTeX reader finds, as a dictionary of fields for every key; it finds fault with nothing."""
    library = bibtexparser.parse_string(text)
    assert library.failed_blocks == []
    return {entry.key: {field.key: field.value for field in entry.fields} for entry in library.entries}


def test_an_edition_is_one_entry_with_its_people_years_and_places():
    sources = [Source(1, PASSAGE, VOLUME), Source(2, LATER, VOLUME), Source(3, BARE)]
    entries = bib(references(sources, "bibtex"))
    assert list(entries) == ["works9", "bare"]
    assert entries["works9"] == {
        "author": "Example, C. G.",
        "title": r"The Lamp \& the Well",
        "translator": "Hill, Rita and von der Aue, Otto",
        "editor": "Hill, Rita and Jones, Jr., P. Q.",
        "publisher": r"North \& Sons",
        "year": "1959",
        "origdate": "1934",
        "series": "Collected Works",
        "volume": "9i",
        "language": "en",
        "pages": "42--43, xii",
        "note": entries["works9"]["note"],
    }
    assert "§§ 513–515, pp. 42–43 (file pages 57–58)" in entries["works9"]["note"]
    assert entries["bare"] == {"title": "Loose Leaves", "note": "[3] Loose Leaves"}


def test_ris_names_everybody_under_their_own_tag():
    text = references([Source(1, PASSAGE, VOLUME), Source(3, BARE)], "ris")
    first, second = rispy.load(io.StringIO(text))
    assert first["type_of_reference"] == "BOOK" and first["id"] == "works9"
    assert first["authors"] == ["Example, C. G."]
    assert first["tertiary_authors"] == ["Hill, Rita", "Jones, P. Q., Jr."]
    assert first["subsidiary_authors"] == ["Hill, Rita", "von der Aue, Otto"]
    assert (first["year"], first["publisher"], first["volume"]) == ("1959", "North & Sons", "9i")
    assert first["section"] == "42–43" and "§§ 513–515" in first["notes"][0]
    assert set(second) == {"type_of_reference", "id", "title", "notes"} and second["title"] == "Loose Leaves"


def test_csl_json_is_taken_in_by_a_citation_processor():
    citeproc = pytest.importorskip("citeproc.source.json", reason="the extra `dev` is not installed")
    items = json.loads(references([Source(1, PASSAGE, VOLUME), Source(2, LATER, VOLUME)], "csl-json"))
    (item,) = items
    assert item["translator"] == [
        {"family": "Hill", "given": "Rita"},
        {"family": "von der Aue", "given": "Otto"},
    ]
    assert item["editor"][1] == {"family": "Jones", "given": "P. Q.", "suffix": "Jr."}
    assert item["issued"] == {"date-parts": [[1959]]} and item["original-date"] == {"date-parts": [[1934]]}
    assert (item["collection-title"], item["volume"]) == ("Collected Works", "9i")
    first, second = item["custom"]["places"]
    assert (first["label"], first["locator"], first["page"]) == ("paragraph", "513–515", "42–43")
    assert (second["label"], second["locator"]) == ("page", "xii")
    known = {name: value for name, value in item.items() if name != "custom"}
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # of fields that CSL does not have
        read = citeproc.CiteProcJSON([known])["works9"]
    assert str(read.title) == "The Lamp & the Well" and read.issued.year == 1959


def test_what_the_catalogue_does_not_say_is_left_out():
    (item,) = csl_items([Source(1, BARE)])
    assert set(item) == {"id", "type", "title", "note", "custom"}
    assert references([Source(1, BARE)], "text") == "[1] Loose Leaves\n"
    assert {form: references([], form) for form in FORMATS} == {
        "text": "",
        "csl-json": "[]\n",
        "bibtex": "",
        "ris": "",
    }


@settings(deadline=None)
@given(st.one_of(st.just(EVIL), st.text(min_size=1, max_size=40)))
def test_no_title_can_leave_its_field(title):
    passage = Passage("odd#1", "odd", title, "x", author=title, chapter=title, label_first=title)
    sources = [Source(1, passage), Source(2, BARE)]
    assert list(bib(references(sources, "bibtex"))) == ["odd", "bare"]
    records = rispy.load(io.StringIO(references(sources, "ris")))
    assert [record["id"] for record in records] == ["odd", "bare"]
    assert [item["id"] for item in json.loads(references(sources, "csl-json"))] == ["odd", "bare"]


def test_what_tex_gives_a_meaning_to_is_written_out():
    passage = Passage("odd#1", "odd", EVIL, "x")
    title = bib(references([Source(1, passage)], "bibtex"))["odd"]["title"]
    assert title.startswith(r"A \textbraceleft{}brace \textbackslash{} back\textasciitilde{}slash\_")
    assert r"\#1 \$x\textasciicircum{}2 \textbraceright{} \&" in title and "Ümläut" in title


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ("C. G. Jung", ["Jung, C. G."]),
        ("Jung, C. G.", ["Jung, C. G."]),
        ("C. G. Jung, M.D., LL.D.", ["Jung, C. G."]),
        ("Prof. Dr. Sigmund Freud", ["Freud, Sigmund"]),
        ("Marie-Louise von Franz", ["von Franz, Marie-Louise"]),
        ("von Franz, Marie-Louise", ["von Franz, Marie-Louise"]),
        ("C. G. Jung and Karl Kerényi", ["Jung, C. G.", "Kerényi, Karl"]),
        ("C. G. Jung, Karl Kerényi und Paul Radin", ["Jung, C. G.", "Kerényi, Karl", "Radin, Paul"]),
        ("Jung, C. G.; Pauli, W.", ["Jung, C. G.", "Pauli, W."]),
        ("Gerhard Adler & R. F. C. Hull", ["Adler, Gerhard", "Hull, R. F. C."]),
        ("John Smith, Jr.", ["Smith, Jr., John"]),
        # Not persons: left whole.
        ("Paracelsus", ["Paracelsus"]),
        ("jung_pipeline contributors", ["jung_pipeline contributors"]),
        ("Society for Research and the common good", ["Society for Research and the common good"]),
        ("Unknown, circa 1900", ["Unknown, circa 1900"]),
        ("  ", []),
        (None, []),
    ],
)
def test_people_are_told_apart_and_what_is_no_name_stays_whole(text, people):
    assert [name.inverted for name in names(text)] == people


@settings(deadline=None)
@given(st.text(max_size=60))
def test_any_text_is_a_name_or_a_literal(text):
    for name in names(text):
        assert bool(name.literal) != bool(name.family)
