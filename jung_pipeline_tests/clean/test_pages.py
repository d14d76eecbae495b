"""What belongs to the page and not to the text."""

from __future__ import annotations

from .helpers import checked, clean_pages, pdf_info, pdf_lines, raw_table, text_of, texts


def test_running_heads_alternate_and_are_misread() -> None:
    assert (
        text_of(
            "102 THE GLASS HARBOUR\nThe boats came in while the",
            "THE GLA5S HARB0UR 103\ngulls were asleep. Nobody",
            "104 THE GLASS HARBOUB\nsaw them land.",
        )
        == "The boats came in while the gulls were asleep. Nobody saw them land."
    )


def test_a_chapter_title_is_kept_once() -> None:
    text = text_of(
        "THE WIDE FIELD\n\nNobody ploughed it.",
        "THE WIDE FIELD 8\nThe stones lay open.",
        "9 THE WIDE FIELD\nA fox crossed it.",
    )
    assert text.startswith("THE WIDE FIELD Nobody ploughed it.")
    assert text.count("THE WIDE FIELD") == 1


def test_printed_page_numbers_become_labels() -> None:
    cleaned = clean_pages(
        "The first page ends\n- 41 -", "here. The second goes\n- 42 -", "on to the third.\n- 43 -"
    )
    row = cleaned.paragraphs.to_pylist()[0]
    assert (row["label_first"], row["label_last"]) == ("41", "43")
    assert [(start["page"], start["label"]) for start in row["page_starts"]] == [(2, "42"), (3, "43")]
    assert row["text"][row["page_starts"][0]["offset"] :].startswith("here.")


def test_a_number_inside_the_text_is_text() -> None:
    assert text_of("He counted to\n99\nand slept.\n- 7 -", "- 8 -\nThen he woke.") == (
        "He counted to 99 and slept. Then he woke."
    )


def test_chapter_headings_at_the_top_of_pages_are_no_running_heads() -> None:
    text = text_of(
        "CHAPTER I\n\nThe first day was long.",
        "CHAPTER II\n\nThe second was longer.",
        "CHAPTER III\n\nThe third was lost.",
    )
    assert all(f"CHAPTER {number}" in text for number in ("I", "II", "III"))


def test_stamps_go_and_sentences_stay() -> None:
    text = text_of(
        "Copyrighted Material\nShe never showed copyrighted material\nto a stranger.",
        "The door closed.\nDownloaded from www.example.org on 3 May 2011",
    )
    assert text == "She never showed copyrighted material to a stranger. The door closed."


def test_notes_in_small_type_leave_the_flow_and_are_linked() -> None:
    rows = [
        *pdf_lines(
            1,
            60,
            [
                "The keeper wrote a letter every evening and burned",
                "it at dawn, so that the book1 of his life was never",
            ],
        ),
        *pdf_lines(1, 500, ["1 Lost in the fire of that winter."], font_size=7.5),
        *pdf_lines(2, 60, ["finished. His daughter kept the ashes in a jar on the", "window sill."]),
    ]
    at = rows[1]["text"].index("1 of")
    rows[1]["marks"] = [{"start": at, "end": at + 1, "kind": "superscript", "target": None}]
    cleaned = checked(raw_table(rows), pdf_info(2))
    body, note = cleaned.paragraphs.to_pylist()
    assert "so that the book of his life was never finished." in body["text"]
    assert (note["kind"], note["note_mark"], note["text"]) == (
        "footnote",
        "1",
        "Lost in the fire of that winter.",
    )
    link = body["note_links"][0]
    assert (link["mark"], link["paragraph"]) == ("1", note["paragraph"])
    assert body["text"][: link["offset"]].endswith("the book")


def test_powers_units_and_ordinals_are_no_note_marks() -> None:
    raw = "The 19th room measured 30 m² at 20° and held 10³ books."
    assert text_of(raw) == raw


def test_a_superscript_after_a_word_is_a_note_mark() -> None:
    cleaned = clean_pages("The legend¹² is old.³")
    assert texts(cleaned) == ["The legend is old."]
    assert [link["mark"] for link in cleaned.paragraphs.to_pylist()[0]["note_links"]] == ["12", "3"]


def test_indented_lines_begin_paragraphs_in_a_pdf_and_sentences_run_over_pages() -> None:
    full = "The rain had fallen for nine days and the river was"
    rows = [
        *pdf_lines(1, 60, [full, full, "at the door."]),
        *pdf_lines(1, 102, [full], x0=75.0),
        *pdf_lines(1, 116, [full, full]),
        *pdf_lines(2, 60, ["still rising when the bell began to ring."]),
        *pdf_lines(2, 74, ["Nobody came."], x0=75.0),
        *pdf_lines(2, 88, ["Nobody left."], x0=75.0),
    ]
    assert [len(text.split()) for text in texts(checked(raw_table(rows), pdf_info(2)))] == [25, 41, 2, 2]


def test_page_numbers_that_fell_into_the_text_become_labels() -> None:
    sentence = "The night was long and the road was longer than the night had been. "
    body = "".join(f"{sentence * 14}Then [{number}] came the morning. " for number in range(165, 173))
    half = len(body) // 2
    cleaned = clean_pages(body[:half], body[half:])
    text = " ".join(" ".join(texts(cleaned)).split())
    assert "[" not in text
    assert "Then came the morning." in text
    assert cleaned.report["labels"] == 8
