"""The catalogue: keys, the owner's edits, errors that name the entry."""

from __future__ import annotations

import subprocess
import sys
import unicodedata
from dataclasses import replace

import pytest
import tomlkit
from hypothesis import given, settings
from hypothesis import strategies as st

from jung_pipeline.catalogue import KEY_PATTERN, Catalogue, Volume
from jung_pipeline.catalogue_fields import FIELDS
from jung_pipeline.errors import CatalogueError
from jung_pipeline.text.printable import printable
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


def test_what_is_changed_in_an_entry_leaves_its_comments_and_the_rest_alone(tmp_path):
    path = tmp_path / "catalogue.toml"
    text = (
        "# my books\n[volumes.types]  # Rascher\nfile = 'types.pdf'  # the scan\n# as on the title page\n"
        'title = "Types" # short\nhints = { encoding = "latin-1" }  # old\n\n[volumes.dreams]\n'
        "title = 'Dreams'\nfile = 'd.epub'\n"
    )
    path.write_text(text, encoding="utf-8")
    catalogue = Catalogue(path)
    catalogue.add(replace(catalogue.get("types"), file="Typen.pdf"))
    assert path.read_text(encoding="utf-8") == text.replace("'types.pdf'", '"Typen.pdf"')
    catalogue.add(replace(catalogue.get("types"), hints={}))
    assert "latin-1" not in path.read_text(encoding="utf-8")
    assert "# as on the title page" in path.read_text(encoding="utf-8")


ENTRY = '[volumes.types]\nfile = "t.pdf"\ntitle = "T"\n'


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ('[volumes.types]\nfile = "t.pdf"\n', ["types", "title"]),
        (ENTRY + 'year = "1921"\n', ["types", "year", "1921"]),
        (ENTRY + "year = true\n", ["year"]),
        (ENTRY + "original_year = 19210\n", ["original_year", "19210"]),
        (ENTRY + 'publisherr = "R"\n', ["publisherr", "publisher."]),
        (ENTRY + "author = 5\n", ["author", "5", "quotation marks"]),
        (ENTRY + 'author = ["C. G. Jung"]\n', ["author"]),
        (ENTRY + 'hints = "utf-8"\n', ["hints", "utf-8"]),
        (ENTRY + 'hints = { encodin = "utf-8" }\n', ["hints.encodin", "encoding"]),
        (ENTRY + 'hints = { encoding = "klingon" }\n', ["hints.encoding", "klingon"]),
        (ENTRY + "hints = { password_env = 5 }\n", ["hints.password_env", "5"]),
        (ENTRY + 'language = "Klingonisch"\n', ["language", "Klingonisch", '"de"']),
        (ENTRY + 'language = "jp"\n', ["language", "jp"]),
        (ENTRY + "language = 5\n", ["language", "5"]),
        ('[volumes.x]\nfile = "../../../etc/passwd"\ntitle = "T"\n', ["x", "file", "passwd"]),
        ('[volumes.x]\nfile = "/etc/passwd"\ntitle = "T"\n', ["x", "file", "passwd"]),
        ('[volumes.x]\nfile = ".."\ntitle = "T"\n', ["x", "file"]),
        (f'[volumes.x]\nfile = "{"ü" * 130}.pdf"\ntitle = "T"\n', ["x", "file", "264", "255"]),
        (f'[volumes.{"k" * 300}]\nfile = "t.pdf"\ntitle = "T"\n', ["kkk", "80"]),
        ('[volumes."CW 9/i"]\nfile = "t.pdf"\ntitle = "T"\n', ["CW 9/i", "Rename"]),
        (ENTRY + ENTRY.replace("types", "other"), ["types", "other", "t.pdf"]),
        (ENTRY + ENTRY, ["types", "already"]),
        (ENTRY + 'title = "U"\n', ["title", "already"]),
        ("volumes = 3\n", ["volumes"]),
        ("[volumes]\ntypes = 3\n", ["types", "[volumes.types]"]),
        (ENTRY.replace("volumes", "volume"), ["[volume]", "[volumes."]),
        ('[volumes.types\nfile = "t.pdf"\n', ["line 1"]),
    ],
)
def test_a_wrong_entry_is_refused_by_file_entry_and_field(tmp_path, text, named):
    path = tmp_path / "catalogue.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(CatalogueError) as error:
        Catalogue(path)
    said = str(error.value)
    assert [word for word in [str(path), *named] if word not in said] == []
    assert error.value.remedy and len(said) < 600
    assert path.read_text(encoding="utf-8") == text


def test_every_wrong_entry_is_named_at_once(tmp_path):
    path = tmp_path / "catalogue.toml"
    path.write_text(ENTRY + "year = 1.5\n[volumes.b]\ntitle = 3\nfile = 'b.pdf'\n", encoding="utf-8")
    with pytest.raises(CatalogueError, match=r"year.*b title"):
        Catalogue(path)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (
            lambda path: path.write_bytes('[volumes.a]\n# für\ntitle = "Märchen"\n'.encode("latin-1")),
            "line 2",
        ),
        (lambda path: path.mkdir(), "folder"),
        (lambda path: path.symlink_to(path), "cannot be read"),
    ],
)
def test_a_catalogue_that_cannot_be_read_says_why(tmp_path, make, says):
    path = tmp_path / "catalogue.toml"
    make(path)
    with pytest.raises(CatalogueError, match=says) as error:
        Catalogue(path)
    assert str(path) in str(error.value) and error.value.remedy


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("German", "de"), ("deutsch", "de"), ("ger", "de"), ("de-CH", "de"), ("EN", "en"), ("English (US)", "en"),
        ("gsw", "gsw"), ("ja", "ja"), ("", None),
    ],
)  # fmt: skip
def test_a_language_is_kept_as_its_tag_however_it_is_written(tmp_path, written, kept):
    path = tmp_path / "catalogue.toml"
    path.write_text(ENTRY + f'language = "{written}"\n', encoding="utf-8")
    assert Catalogue(path).get("types").language == kept


def test_what_can_be_meant_one_way_only_is_taken(tmp_path):
    path = tmp_path / "catalogue.toml"
    path.write_bytes(b"\xef\xbb\xbf" + ENTRY.replace("\n", "\r\n").encode() + b"cw_volume = 7\r\n")
    assert Catalogue(path).get("types").cw_volume == "7"


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=60))
def test_no_title_reaches_a_terminal_with_commands_in_it(title):
    try:
        kept = Volume(key="a", file="a.pdf", title=f"\x1b[31m{title}\x1b]0;owned\x07").title
    except CatalogueError:
        assert not printable(title).strip()
        return
    assert not any(unicodedata.category(c) == "Cc" for c in kept)
    assert ("owned" not in kept and "[31m" not in kept) or "[31m" in title


WORDS = st.text(alphabet=st.characters(codec="utf-8"), max_size=8)
VALUES = st.recursive(
    st.one_of(WORDS, st.integers(-(2**63), 2**63 - 1), st.floats(), st.booleans(), st.dates()),
    lambda inner: st.one_of(st.lists(inner, max_size=2), st.dictionaries(WORDS, inner, max_size=2)),
    max_leaves=3,
)


@given(
    st.dictionaries(WORDS, VALUES, max_size=2), st.dictionaries(st.sampled_from(FIELDS), VALUES, max_size=3)
)
@settings(max_examples=200, deadline=None)
def test_whatever_stands_in_a_catalogue_it_is_read_or_refused_in_one_line(tmp_path_factory, others, fields):
    path = tmp_path_factory.mktemp("home") / "catalogue.toml"
    document = {"volumes": {**others, "a": {"file": "a.pdf", "title": "A", **fields}}}
    path.write_text(tomlkit.dumps(document), encoding="utf-8")
    try:
        catalogue = Catalogue(path)
    except CatalogueError as error:
        assert error.remedy and len(str(error).splitlines()) == 1
        return
    for volume in list(catalogue):
        catalogue.add(volume)
    assert Catalogue(path).volumes == catalogue.volumes


ADD = """
import sys
from jung_pipeline.catalogue import Catalogue, Volume
from pathlib import Path
catalogue = Catalogue(Path(sys.argv[1]))
print("ready", flush=True)
sys.stdin.readline()
for number in range(10):
    key = f"{sys.argv[2]}-{number}"
    catalogue.add(Volume(key=key, file=f"{key}.pdf", title=key))
"""


def test_processes_that_add_at_once_lose_no_entry(tmp_path):
    path = tmp_path / "catalogue.toml"
    command = [sys.executable, "-c", ADD, str(path)]
    pipe = subprocess.PIPE
    running = [subprocess.Popen([*command, name], stdin=pipe, stdout=pipe, text=True) for name in "abc"]
    for process in running:  # all of them have read the empty catalogue before the first one writes
        assert process.stdout.readline() == "ready\n"
    for process in running:
        process.stdin.write("\n")
        process.stdin.flush()
    assert [process.wait(60) for process in running] == [0, 0, 0]
    for process in running:
        process.communicate()
    assert sorted(Catalogue(path).volumes) == [f"{name}-{number}" for name in "abc" for number in range(10)]


def test_two_volumes_cannot_share_a_file(tmp_path):
    catalogue = Catalogue(tmp_path / "catalogue.toml")
    catalogue.add(Volume(key="a", file="a.pdf", title="A"))
    with pytest.raises(CatalogueError, match=r"a\.pdf"):
        catalogue.add(Volume(key="b", file="a.pdf", title="B"))
    assert list(Catalogue(catalogue.path).volumes) == ["a"]


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


@pytest.mark.parametrize("item", ["running_head@9-3", "running_head@", "running_head@0", "", "Stamp 4"])
def test_a_rule_to_keep_on_pages_that_cannot_be_is_refused(item):
    with pytest.raises(CatalogueError, match=r"hints\.keep"):
        Volume(key="a", file="a.pdf", title="A", hints={"keep": [item]})


def test_rules_to_keep_everywhere_and_on_pages_are_taken():
    Volume(key="a", file="a.pdf", title="A", hints={"keep": ["running_head", "stamp@45", "front_matter@1-7"]})
