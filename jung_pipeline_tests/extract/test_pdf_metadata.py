from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jung_pipeline.extract.metadata import clean_metadata


@pytest.mark.parametrize(
    "junk",
    [
        "untitled",
        "Untitled-3",
        "Microsoft Word - chapter 2.doc",
        "scan0001.tif",
        "Binder1.pdf",
        "calibre",
        "1234-56",
        "",
        " ",
    ],
)
def test_titles_that_programs_make_up(junk):
    assert clean_metadata({"title": junk}) == {}


@pytest.mark.parametrize(
    "junk", ["Administrator", "user", "calibre (5.12)", "Adobe Acrobat", "DSI", "x@example.org", "Unknown"]
)
def test_authors_that_programs_make_up(junk):
    assert clean_metadata({"author": junk}) == {}


@pytest.mark.parametrize(
    "title",
    [
        "Symbols of Transformation",
        "The Undiscovered Self",
        "Aion",
        "Documents of Faith",
        "Scanning the Soul",
        "Untitled Letters of a Monk",
    ],
)
def test_titles_that_only_resemble_junk_stay(title):
    assert clean_metadata({"title": f"  {title} "}) == {"title": title}


def test_gutenberg_prefix_goes():
    assert clean_metadata({"title": "The Project Gutenberg eBook #5740: On Ferries"}) == {
        "title": "On Ferries"
    }


@pytest.mark.parametrize(
    ("stated", "year"),
    [
        ("1931", 1931),
        ("1931-05-01T00:00:00Z", 1931),
        ("c1916, 1931", None),
        ("9999", None),
        ("0101-01-01", None),
        (None, None),
        (1917, 1917),
    ],
)
def test_year_only_if_there_is_one(stated, year):
    assert clean_metadata({"year": stated}).get("year") == year


@pytest.mark.parametrize(
    ("stated", "tag"),
    [("en-US", "en"), ("ger", "de"), ("German", "de"), ("und", None), ("", None), ("DE_ch", "de")],
)
def test_language_as_primary_tag(stated, tag):
    assert clean_metadata({"language": stated}).get("language") == tag


@given(
    st.dictionaries(
        st.sampled_from(["title", "author", "publisher", "year", "language"]), st.text(max_size=60)
    )
)
def test_cleaning_twice_changes_nothing_more(stated):
    once = clean_metadata(stated)
    again = clean_metadata(once)
    assert set(again) <= set(once)
    assert all(str(v).strip() for v in once.values())
