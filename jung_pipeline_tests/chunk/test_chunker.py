from __future__ import annotations

import re
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jung_pipeline.catalogue import Volume
from jung_pipeline.chunk.chunker import Limits, chunk_volume
from jung_pipeline.chunk.tokens_tiktoken import count_tokens
from jung_pipeline.errors import SettingsError
from jung_pipeline.quality.chunk_rules import CHUNK_PROMISES, check_chunks
from jung_pipeline.schemas import CLEANED_TEXT
from jung_pipeline_tests.chunk.paragraphs import from_text, paragraph_table

VOLUME = Volume("tower", "tower.txt", "The Tower", author="A. Keeper", language="en")
LIMITS = Limits()


def by_letters(texts: list[str]) -> list[int]:
    """A stand-in for an embedder's tokenizer: prefix and specials take 4, every four letters of a word one."""
    return [4 + sum(1 + len(word) // 4 for word in text.split()) for text in texts]


def chunk(
    paragraphs: pa.Table,
    limits: Limits = LIMITS,
    embedder_limit: int = 512,
    volume: Volume = VOLUME,
    count=by_letters,
) -> list[dict[str, Any]]:
    made = chunk_volume(
        paragraphs, volume, limits=limits, count_embedder_tokens=count, embedder_limit=embedder_limit
    )
    outcomes = check_chunks(made, paragraphs, limits, embedder_limit)
    assert [o.name for o in outcomes] == list(CHUNK_PROMISES)
    broken = [o for o in outcomes if not o.passed and o.severity == "error"]
    assert not broken, broken
    return made.to_pylist()


def prose(sentences: int, word: str = "stone") -> str:
    return " ".join(
        f"On day {i} the keeper counted every {word} again and found that one of them was missing."
        for i in range(sentences)
    )


def test_prose_is_divided_evenly_at_sentence_ends() -> None:
    rows = chunk(from_text(f"CHAPTER I\n\n{prose(40)}\n\n{prose(33, 'step')}\n\n{prose(25, 'bell')}"))
    sizes = [row["cl100k_tokens"] for row in rows]
    assert len(rows) > 3
    assert all(300 <= size <= 500 for size in sizes)
    assert all(row["text"].endswith(".") for row in rows)


def test_a_paragraph_end_is_preferred_to_a_sentence_end() -> None:
    paragraphs = [prose(18, "stone"), prose(18, "step"), prose(17, "bell")]
    rows = chunk(from_text("\n\n".join(paragraphs)))
    assert [row["text"] for row in rows] == paragraphs


def test_chapters_are_not_mixed_and_short_ones_stay_alone() -> None:
    rows = chunk(from_text(f"LECTURE ONE\n\nA greeting was given.\n\nLECTURE TWO\n\n{prose(12)}"))
    assert [row["text"].split("\n\n")[0] for row in rows] == ["LECTURE ONE", "LECTURE TWO"]
    assert rows[0]["cl100k_tokens"] < LIMITS.min


def test_a_heading_stays_with_what_follows() -> None:
    sections = [{"text": "The Book", "kind": "heading"}, {"text": "I", "kind": "heading"}]
    for i in range(12):
        sections += [{"text": prose(9 + i, f"brick{i}")}, {"text": f"Of the {i}th Stair", "kind": "heading"}]
    rows = chunk(paragraph_table([*sections, {"text": prose(3)}]))
    assert len(rows) > 6
    assert not any(re.search(r"Stair\Z", row["text"]) for row in rows)


def test_a_sentence_longer_than_the_limit_is_cut_at_its_best_places() -> None:
    clauses = [f"the {i}th box held {i} shells, a rope, and some sand" for i in range(120)]
    rows = chunk(from_text("He listed it all: " + "; ".join(clauses) + "."))
    assert len(rows) > 3
    assert all(row["text"].endswith(";") for row in rows[:-1])
    assert all(row["cl100k_tokens"] >= LIMITS.min for row in rows)


def test_words_without_a_sentence_end_and_a_word_without_an_end() -> None:
    spaced = chunk(from_text("lapis " * 3000))
    assert all(row["text"].endswith("lapis") for row in spaced)
    endless = chunk(from_text("lapisphilosophorum" * 700))
    assert "".join(row["text"] for row in endless) == "lapisphilosophorum" * 700


def test_a_hard_cut_divides_no_grapheme() -> None:
    family = "👩\u200d👩\u200d👧"  # one grapheme of five characters
    rows = chunk(from_text(family * 400))
    assert len(rows) > 1
    assert all(len(row["text"]) % len(family) == 0 for row in rows)


def test_verse_is_cut_between_lines_and_keeps_them() -> None:
    verse = "\n".join(f"and over the {i}th hill the keeper went with lamp and bell" for i in range(120))
    rows = chunk(paragraph_table([{"text": verse, "kind": "verse"}]))
    assert len(rows) > 2
    assert "\n".join(row["text"] for row in rows) == verse


def test_the_embedder_has_the_last_word() -> None:
    def harsh(texts: list[str]) -> list[int]:
        # Counts whole passages dearer than their sentences: sums are no use here.
        return [4 + int((len(text) // 4) * (1.5 if len(text) > 400 else 1)) for text in texts]

    rows = chunk(from_text(prose(80)), embedder_limit=300, count=harsh)
    assert max(row["embedder_tokens"] for row in rows) <= 300
    assert [row["embedder_tokens"] for row in rows] == harsh([row["text"] for row in rows])


def test_notes_are_passages_of_their_own_behind_the_body() -> None:
    rows = chunk(
        paragraph_table(
            [
                {"text": prose(18), "chapter_index": 0},
                {"text": "See the tower book.", "kind": "footnote", "note_mark": "1", "chapter_index": 0},
                {"text": prose(18, "step"), "chapter_index": 0},
                {"text": "So says the mason.", "kind": "footnote", "note_mark": "2", "chapter_index": 0},
                {"text": prose(3, "bell"), "chapter_index": 1},
                {"text": "A note of chapter two.", "kind": "footnote", "note_mark": "1", "chapter_index": 1},
            ]
        )
    )
    assert [row["kind"] for row in rows] == ["body"] * (len(rows) - 2) + ["note", "note"]
    assert rows[-2]["text"] == "See the tower book.\n\nSo says the mason."
    assert rows[-1]["text"] == "A note of chapter two."
    assert not any("mason" in row["text"] for row in rows[:-2])


def test_ids_come_from_content_alone() -> None:
    chapters = [f"CHAPTER {n}\n\n{prose(25, word)}" for n, word in ((1, "stone"), (2, "step"), (3, "bell"))]
    before = chunk(from_text("\n\n".join(chapters)))
    edited = chapters[1].replace("missing", "gone", 1)
    after = chunk(from_text("\n\n".join([chapters[0], edited, chapters[2]])))
    changed = {row["chunk_id"] for row in before} - {row["chunk_id"] for row in after}
    assert {row["chunk_id"] for row in before if row["chapter_index"] != 1}.isdisjoint(changed)
    assert len(changed) == 1
    assert all(re.fullmatch(r"tower#[0-9a-f]{12}", row["chunk_id"]) for row in before)


def test_the_same_text_twice_has_two_ids() -> None:
    rows = chunk(paragraph_table([{"text": "It rained.", "chapter_index": i} for i in range(3)]))
    assert [row["chunk_id"].removeprefix(rows[0]["chunk_id"]) for row in rows] == ["", "-2", "-3"]


def test_pages_labels_and_numbers_are_those_of_the_passage() -> None:
    first, second = prose(17), prose(17, "step")
    half = first.index("On day 10")
    rows = chunk(
        paragraph_table(
            [
                {
                    "text": "Of Stones", "kind": "heading", "page_first": 7, "page_last": 7, "label_first": "v",
                    "label_last": "v", "part": "PART ONE", "chapter": "Of Stones", "chapter_number": 2,
                },
                {
                    "text": first, "page_first": 7, "page_last": 8, "label_first": "v", "label_last": "vi",
                    "page_starts": [{"offset": half, "page": 8, "label": "vi"}], "numbered_paragraph": "513",
                    "part": "PART ONE", "chapter": "Of Stones", "chapter_number": 2,
                },
                {
                    "text": second, "page_first": 8, "page_last": 9, "label_first": "vi", "label_last": None,
                    "page_starts": [{"offset": 60, "page": 9, "label": None}],
                    "part": "PART ONE", "chapter": "Of Stones", "chapter_number": 2,
                },
            ]
        )
    )  # fmt: skip
    assert [(r["page_first"], r["page_last"], r["label_first"], r["label_last"]) for r in rows] == [
        (7, 8, "v", "vi"),
        (8, 9, "vi", None),
    ]
    # The second paragraph has no number of its own: it still belongs to 513.
    assert [(r["numbered_first"], r["numbered_last"]) for r in rows] == [("513", "513")] * 2
    assert {(r["part"], r["chapter"], r["chapter_number"]) for r in rows} == {("PART ONE", "Of Stones", 2)}
    assert (rows[0]["paragraph_first"], rows[0]["paragraph_last"]) == (0, 1)


def test_spans_lead_back_to_the_raw_lines() -> None:
    sentence = "The keeper counted the stones of the tower again. "
    lines = [f"{sentence}{i} of them were gone. " for i in range(60)]
    text = "".join(lines).strip()
    spans, at = [], 0
    for i, line in enumerate(lines):
        length = min(len(line), len(text) - at)
        spans.append({"start": at, "end": at + length, "line_id": i, "raw_start": 5, "raw_end": 5 + length})
        at += length
    rows = chunk(paragraph_table([{"text": "Of Stones", "kind": "heading"}, {"text": text, "spans": spans}]))
    assert len(rows) > 1
    for row in rows:
        for span in row["spans"]:
            if span["line_id"] == 0 and span["raw_start"] == 3:
                continue  # the heading's own line
            raw = " " * 5 + lines[span["line_id"]]
            assert row["text"][span["start"] : span["end"]] == raw[span["raw_start"] : span["raw_end"]]
        covered = sum(span["end"] - span["start"] for span in row["spans"])
        assert covered >= len(row["text"]) - 2  # the blank line between heading and text has no line


def test_facts_of_the_volume_and_concepts_are_on_every_passage() -> None:
    rows = chunk(from_text("The shadow and the Self. " * 60))
    assert {(r["volume"], r["work_title"], r["author"], r["language"]) for r in rows} == {
        ("tower", "The Tower", "A. Keeper", "en")
    }
    assert all(set(r["concepts"]) == {"shadow", "self"} for r in rows)


@pytest.mark.parametrize("table", [CLEANED_TEXT.empty_table(), paragraph_table([{"text": " \n\t "}])])
def test_a_volume_without_text_has_no_passages(table: pa.Table) -> None:
    assert chunk(table) == []


def test_limits_that_contradict_each_other_are_refused() -> None:
    with pytest.raises(SettingsError, match="must rise"):
        Limits(target=700)
    with pytest.raises(SettingsError, match="no room"):
        chunk(from_text("Text."), embedder_limit=4)


# --------------------------------------------------------------------------------------------------
# whatever the text
# --------------------------------------------------------------------------------------------------

SENTENCE = st.sampled_from(
    [
        "The keeper of the tower counted every stone again.",
        "Why?",
        "“So it is,” said Dr. Moor.",
        "Cf. par. 12, i.e. the note.",
        "He listed a rope; a bell, a lamp — and sand, " * 9 + "no more.",
        "ψυχή, naïve … end.",
        "12. 34. 56.",
        "lapisphilosophorum" * 12,
        "....................... 12",
        "Der Traum, z. B. der vom Turm, war kurz.",
        "<|endoftext|>",
        "🜍👩\u200d👩\u200d👧 " * 8,
        "a\nb c d\ne " * 20,
    ]
)
ROW = st.fixed_dictionaries(
    {
        "text": st.lists(SENTENCE, min_size=1, max_size=8).map(lambda parts: " ".join(parts).strip()),
        "kind": st.sampled_from(["body", "body", "heading", "verse", "footnote"]),
        "chapter_index": st.sampled_from([0, 0, 0, 1]),
    }
)


@given(
    st.lists(ROW, max_size=10),
    st.sampled_from([Limits(), Limits(40, 60, 10), Limits(20, 30, 20)]),
    st.sampled_from([512, 60, 30]),
)
@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_promises_hold_for_any_text(rows: list[dict[str, Any]], limits: Limits, embedder_limit: int) -> None:
    chapter = 0
    for row in rows:  # chapters only ever rise
        chapter += row["chapter_index"]
        row["chapter_index"] = chapter
    paragraphs = paragraph_table(rows)
    made = chunk(paragraphs, limits, embedder_limit)  # checks every promise
    assert all(row["cl100k_tokens"] == count_tokens(row["text"]) <= limits.max for row in made)
    assert [r["chunk_id"] for r in chunk(paragraphs, limits, embedder_limit)] == [r["chunk_id"] for r in made]
