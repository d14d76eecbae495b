"""The catalogue: keys, the owner's edits, errors that name the entry."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jung_pipeline.catalogue import KEY_PATTERN, Catalogue, Volume
from jung_pipeline.errors import CatalogueError
from jung_pipeline.volumes import keys_for


def test_the_owners_comments_and_order_survive_our_writes(tmp_path):
    path = tmp_path / "catalogue.toml"
    path.write_text(
        '# my books\n[volumes.types]\ntitle = "Types"  # the 1921 one\nfile = "types.pdf"\n', encoding="utf-8"
    )
    Catalogue(path).add(Volume(key="dreams", file="dreams.epub", title="Dreams", year=1920))
    text = path.read_text(encoding="utf-8")
    assert "# my books" in text and "# the 1921 one" in text
    again = Catalogue(path)
    assert [volume.key for volume in again] == ["types", "dreams"]
    assert again.get("dreams") == Volume(key="dreams", file="dreams.epub", title="Dreams", year=1920)


def test_an_entry_that_is_replaced_keeps_its_key_and_a_removed_one_is_gone(tmp_path):
    catalogue = Catalogue(tmp_path / "catalogue.toml")
    catalogue.add(Volume(key="a", file="a.pdf", title="A"))
    catalogue.add(Volume(key="a", file="a2.pdf", title="A, second scan"))
    assert Catalogue(catalogue.path).get("a").file == "a2.pdf"
    catalogue.remove("a")
    assert len(Catalogue(catalogue.path)) == 0


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ('[volumes.types]\nfile = "t.pdf"\n', "title"),
        ('[volumes.types]\nfile = "t.pdf"\ntitle = "T"\nyear = "1921"\n', "year"),
        ('[volumes.types]\nfile = "t.pdf"\ntitle = "T"\npublisherr = "R"\n', "publisherr"),
        ('[volumes."CW 9/i"]\nfile = "t.pdf"\ntitle = "T"\n', "CW 9/i"),
        ('[volumes.types\nfile = "t.pdf"\n', "catalogue.toml"),
    ],
)
def test_a_wrong_entry_is_refused_by_name(tmp_path, text, named):
    path = tmp_path / "catalogue.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(CatalogueError) as error:
        Catalogue(path)
    assert named in str(error.value)
    assert path.read_text(encoding="utf-8") == text


@given(st.lists(st.text(min_size=1, max_size=40).map(lambda s: s + ".pdf"), max_size=30))
def test_keys_are_valid_and_never_collide(names):
    keys = keys_for(names)
    assert len(set(keys.values())) == len(keys)
    assert all(KEY_PATTERN.fullmatch(key) for key in keys.values())
    assert keys_for(names) == keys


def test_titles_that_differ_only_behind_a_dot_or_in_type_get_keys_of_their_own():
    names = [
        "CW Vol. 9.i.pdf",
        "CW Vol. 9.ii.pdf",
        "Man and Symbol.pdf",
        "Man and Symbol.epub",
        "a/b.pdf",
        "a,b.pdf",
    ]
    assert len(set(keys_for(names).values())) == len(names)


def test_composed_and_decomposed_names_are_one_book():
    composed = "Zürich.pdf"
    decomposed = unicodedata.normalize("NFD", composed)
    assert composed != decomposed
    assert keys_for([composed, decomposed]) == {composed: "zuerich"}
