from __future__ import annotations

import os
from pathlib import Path

import pymupdf
import pytest

from jung_pipeline import progress
from jung_pipeline.errors import SourceError
from jung_pipeline.extract.extractor import describe_file
from jung_pipeline.extract.pdf_pymupdf import extract_pdf
from jung_pipeline.schemas import RAW_TEXT
from jung_pipeline.tables import check_schema
from jung_pipeline_tests.extract.pdf_maker import lines, show, write_pdf

PROSE = [
    "The ferryman counted his coins at night and",
    "found that one of them always showed a face",
    "which he had never seen on the other shore.",
]


def read(tmp_path: Path, *contents: bytes, **options):
    return extract_pdf(write_pdf(tmp_path / "book.pdf", list(contents), **options), {})


def texts(document) -> list[str]:
    return document.lines["text"].to_pylist()


def marked(document, kind: str) -> list[tuple[str, str]]:
    """(line, marked stretch) for every mark of a kind."""
    return [
        (row["text"], row["text"][m["start"] : m["end"]])
        for row in document.lines.to_pylist()
        for m in row["marks"]
        if m["kind"] == kind
    ]


def test_every_line_has_its_place(tmp_path):
    document = read(tmp_path, lines(60, 560, PROSE) + show(210, 30, "7", 9), lines(60, 560, PROSE))
    check_schema(document.lines, RAW_TEXT)
    rows = document.lines.to_pylist()
    assert [r["line_id"] for r in rows] == list(range(7))
    assert [r["page"] for r in rows] == [1, 1, 1, 1, 2, 2, 2]
    assert len({r["block"] for r in rows}) == 3
    first = rows[0]
    # A line at 560 points from the foot of a page of 648 stands 88 points from its top.
    assert first["y0"] < 88 < first["y1"] and first["x0"] == pytest.approx(60, abs=1)
    assert first["font_size"] == pytest.approx(11, abs=0.1)
    assert first["origin"] == "text_layer" and first["page_label"] is None
    assert document.info.status == "ok" and not document.info.warnings


def test_order_is_by_place_not_by_drawing(tmp_path):
    late, early = lines(60, 300, ["Third comes this."]), lines(60, 560, ["First comes this."])
    document = read(tmp_path, late + early + lines(60, 430, ["Second comes this."]))
    assert [t.split()[0] for t in texts(document)] == ["First", "Second", "Third"]


def test_words_drawn_one_by_one_in_any_order_make_lines(tmp_path):
    words = [(60, 560, "No"), (82, 560, "boat"), (112, 560, "ever"), (60, 545, "came"), (96, 545, "back.")]
    content = b"".join(show(*words[i]) for i in (3, 1, 4, 0, 2))
    assert texts(read(tmp_path, content)) == ["No boat ever", "came back."]


def columns(left, right, y=560.0, size=10.0):
    return b"".join(
        show(40, y - 14 * i, a, size) + show(230, y - 14 * i, b, size)
        for i, (a, b) in enumerate(zip(left, right, strict=True))
    )


LEFT = [
    "On the left the river bends",
    "and nobody has a boat, for",
    "the wood was burned in the",
    "winter of the long eclipse.",
]
RIGHT = [
    "On the right there is a road",
    "that leads past three inns",
    "and a chapel whose bell is",
    "rung by a deaf woman twice.",
]


def test_columns_one_after_the_other_headline_first_number_last(tmp_path):
    content = (
        columns(LEFT, RIGHT)
        + show(60, 600, "A HEADLINE THAT RUNS OVER BOTH COLUMNS", 13)
        + show(213, 30, "81", 10)
    )
    assert texts(read(tmp_path, content)) == ["A HEADLINE THAT RUNS OVER BOTH COLUMNS", *LEFT, *RIGHT, "81"]


def test_notes_at_the_foot_of_columns_come_after_both(tmp_path):
    notes = columns(
        ["1 A note that belongs to the left", "column and has two lines."],
        ["2 A note that belongs to the right", "column and has two as well."],
        y=120,
        size=7,
    )
    found = texts(read(tmp_path, columns(LEFT, RIGHT) + notes))
    assert found[:8] == [*LEFT, *RIGHT]
    assert found[8].startswith("1 A note") and found[10].startswith("2 A note")


def test_contents_and_tables_are_not_columns(tmp_path):
    pairs = [
        ("Preface to the second edition", "vii"),
        ("On boats and their owners", "1"),
        ("The bell and the deaf woman", "37"),
        ("A list of all inns on the road", "58"),
    ]
    content = b"".join(
        show(60, 560 - 16 * i, a) + show(360, 560 - 16 * i, b) for i, (a, b) in enumerate(pairs)
    )
    assert texts(read(tmp_path, content)) == [part for pair in pairs for part in pair]


@pytest.mark.parametrize(
    ("rotate", "turn"), [(270, (0, -1, 1, 0)), (90, (0, 1, -1, 0)), (180, (-1, 0, 0, -1))]
)
def test_turned_pages_are_read_as_the_reader_holds_them(tmp_path, rotate, turn):
    places = {270: (300, 560, -1, 0), 90: (100, 60, 1, 0), 180: (400, 100, 0, 1)}[rotate]
    x, y, dx, dy = places
    content = b"".join(show(x + 20 * i * dx, y + 20 * i * dy, PROSE[i], turn=turn) for i in (2, 0, 1))
    document = read(tmp_path, content, rotate=rotate)
    assert texts(document) == PROSE
    for row in document.lines.to_pylist():
        assert row["x1"] - row["x0"] > row["y1"] - row["y0"], "boxes are those of the page as it is read"


def test_text_set_sideways_on_an_upright_page_keeps_its_order(tmp_path):
    content = b"".join(show(100 + 20 * i, 60, PROSE[i], turn=(0, 1, -1, 0)) for i in (1, 2, 0))
    document = read(tmp_path, content)
    assert texts(document) == PROSE
    assert not marked(document, "rotated")


def test_a_slanted_stamp_is_marked_and_out_of_the_way(tmp_path):
    page = show(80, 150, "SAMPLE COPY", 60, turn=(0.7, 0.7, -0.7, 0.7)) + lines(60, 560, PROSE)
    document = read(tmp_path, page, page)
    assert texts(document) == [*PROSE, "SAMPLE COPY"] * 2
    assert marked(document, "rotated") == [("SAMPLE COPY", "SAMPLE COPY")] * 2


def test_text_outside_the_crop_box_is_not_on_the_page(tmp_path):
    path = write_pdf(tmp_path / "a.pdf", [lines(60, 560, PROSE) + show(60, 632, "proof 3, cut here", 8)])
    with pymupdf.open(path) as pdf:
        pdf[0].set_cropbox(pymupdf.Rect(40, 60, 400, 600))
        pdf.save(tmp_path / "cropped.pdf")
    document = extract_pdf(tmp_path / "cropped.pdf", {})
    assert texts(document) == PROSE
    assert document.lines["x0"][0].as_py() == pytest.approx(20, abs=1)


def test_raised_numbers_keep_their_place_and_are_marked(tmp_path):
    content = (
        lines(60, 560, ["There was a bell", "of glass on it."])
        + show(140.4, 564, "12", 6)
        + lines(60, 80, ["12 So in the older version."], 8)
    )
    document = read(tmp_path, content)
    assert texts(document) == ["There was a bell12", "of glass on it.", "12 So in the older version."]
    assert marked(document, "superscript") == [("There was a bell12", "12")]


def test_raised_number_inside_one_string_of_text(tmp_path):
    content = b"BT /Sans 11 Tf 60 560 Td (one thing) Tj /Sans 7 Tf 4 Ts (3) Tj 0 Ts /Sans 11 Tf ( or the other) Tj ET\n"
    assert marked(read(tmp_path, content), "superscript") == [("one thing3 or the other", "3")]


def test_lowered_digit_is_a_subscript(tmp_path):
    content = (
        b"BT /Sans 11 Tf 60 560 Td (some H) Tj /Sans 7 Tf -2 Ts (2) Tj 0 Ts /Sans 11 Tf (O in it) Tj ET\n"
    )
    document = read(tmp_path, content)
    assert marked(document, "subscript") == [("some H2O in it", "2")]
    assert not marked(document, "superscript")


def test_italic_within_a_line_and_of_a_line(tmp_path):
    mixed = b"BT /Serif 11 Tf 60 560 Td (He called it ) Tj /Italic 11 Tf (the lesser key) Tj /Serif 11 Tf ( and left.) Tj ET\n"
    document = read(tmp_path, mixed + show(60, 540, "All of this is slanted.", font="Italic"))
    assert marked(document, "italic") == [("He called it the lesser key and left.", "the lesser key")]
    assert document.lines["italic"].to_pylist() == [False, True]


@pytest.mark.parametrize(
    ("initial", "rest", "joined"),
    [
        ("W", "hen the miller came home, the wheel", "When the miller came home, the wheel"),
        ("A", "man may forget what he has been told", "A man may forget what he has been told"),
        ("I", "n the house by the weir nobody spoke", "In the house by the weir nobody spoke"),
        ("T", "HE OLD MILLER came home to find them", "THE OLD MILLER came home to find them"),
    ],
)
def test_drop_caps_begin_their_paragraph(tmp_path, initial, rest, joined):
    content = show(60, 530, initial, 46, "Serif") + lines(
        {"I": 80, "A": 98, "T": 92}.get(initial, 108),
        560,
        [rest, "had stopped, and the stream stood", "still like a horse that sleeps."],
    )
    assert texts(read(tmp_path, content)) == [
        joined,
        "had stopped, and the stream stood",
        "still like a horse that sleeps.",
    ]


def test_letter_spacing_leaves_word_gaps_wider_than_letter_gaps(tmp_path):
    document = read(
        tmp_path, show(60, 590, "BOAT AND SHORE", 14, "Serif", tracking=4.5) + lines(60, 550, PROSE)
    )
    assert texts(document)[0] == "B O A T   A N D   S H O R E"


def test_letter_spacing_for_emphasis_inside_a_line(tmp_path):
    content = (
        show(60, 560, "Das ")
        + show(84, 560, "kollektive Unbewusste", tracking=2.5)
        + show(255, 560, "ist gemeint.")
    )
    found = texts(read(tmp_path, content))[0]
    assert "k o l l e k t i v e   U n b e w u s s t e" in found and found.startswith("Das ")


def test_a_second_text_layer_is_left_out(tmp_path):
    layer = lines(60, 500, PROSE, mode=3)
    shifted = lines(60.4, 500.3, PROSE, mode=3)
    document = read(tmp_path, layer + shifted, scans=(0,))
    assert texts(document) == PROSE
    assert set(document.lines["origin"].to_pylist()) == {"ocr"}


def test_repeated_words_on_different_lines_stay(tmp_path):
    verse = ["Over the water, over the water,", "over the water she sang."]
    assert texts(read(tmp_path, lines(60, 500, [*verse, *verse], leading=12))) == [*verse, *verse]


def test_bold_by_printing_twice_is_one_letter_each(tmp_path):
    title = "TOLL AND FERRY"
    content = b"".join(
        show(60 + 9.6 * i + k, 580, c, 16, "Mono") for i, c in enumerate(title) for k in (0, 1, 2)
    )
    assert texts(read(tmp_path, content + lines(60, 540, PROSE))) == [title, *PROSE]


def test_origin_tells_ocr_from_print_on_a_picture(tmp_path):
    document = read(
        tmp_path, lines(60, 500, PROSE, mode=3), lines(60, 500, PROSE), lines(60, 500, PROSE), scans=(0, 1)
    )
    assert document.lines["origin"].to_pylist() == ["ocr"] * 3 + ["text_layer"] * 6
    assert [p.image_share for p in document.info.pages] == [1.0, 1.0, None]


def test_scanned_page_without_text_is_named_a_blank_one_is_not(tmp_path):
    document = read(tmp_path, lines(60, 500, PROSE), b"", b"", scans=(1,))
    assert document.info.status == "partial"
    assert [(w.code, w.page) for w in document.info.warnings] == [("page_without_text", 2)]
    assert [p.usable for p in document.info.pages] == [True, False, True]
    only_scans = extract_pdf(write_pdf(tmp_path / "s.pdf", [b"", b""], scans=(0, 1)), {})
    assert only_scans.info.status == "no_text" and only_scans.lines.num_rows == 0


def test_shifted_alphabet_is_no_text(tmp_path):
    nonsense = ["".join(chr(ord(c) - 29) if c > "=" else c for c in line) for line in PROSE]
    document = read(tmp_path, lines(60, 560, nonsense), lines(60, 560, nonsense))
    assert document.info.status == "no_text" and document.lines.num_rows == 0
    assert [w.page for w in document.info.warnings if w.code == "page_without_text"] == [1, 2]


def test_fonts_without_a_character_map_are_no_text(tmp_path):
    font = (
        "<< /Type /Font /Subtype /Type0 /BaseFont /AAAAAA+Gone /Encoding /Identity-H /DescendantFonts [ << /Type /Font "
        "/Subtype /CIDFontType2 /BaseFont /AAAAAA+Gone /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) "
        "/Supplement 0 >> /DW 600 /FontDescriptor << /Type /FontDescriptor /FontName /AAAAAA+Gone /Flags 4 /FontBBox "
        "[0 -200 1000 800] /ItalicAngle 0 /Ascent 800 /Descent -200 /CapHeight 700 /StemV 80 >> >> ] >>"
    )
    codes = "".join(f"{700 + ord(c):04x}" for c in "The lamp burned all night and nobody saw it")
    page = f"BT /Extra 11 Tf 60 560 Td <{codes}> Tj ET\n".encode()
    document = read(tmp_path, page, lines(60, 560, PROSE), page + lines(60, 500, PROSE * 3), extra_font=font)
    assert document.info.status == "partial"
    assert [p.usable for p in document.info.pages] == [False, True, True]
    assert texts(document) == PROSE * 4, "a junk line on a good page is left out too"
    assert [w.page for w in document.info.warnings if w.code == "unreadable_lines"] == [3]


def test_page_labels_outline_and_metadata(tmp_path):
    path = write_pdf(
        tmp_path / "a.pdf",
        [lines(60, 560, PROSE)] * 4,
        catalog="/PageLabels << /Nums [0 << /S /r >> 2 << /S /D /St 17 >>] >> /Lang (de-CH)",
        info="/Title (On Ferries) /Author (A. N. Other) /CreationDate (D:20140101000000Z)",
    )
    with pymupdf.open(path) as pdf:
        pdf.set_toc([[1, "One", 1], [2, "One and a half", 2], [1, "Two", 4]])
        pdf.save(tmp_path / "toc.pdf")
    document = extract_pdf(tmp_path / "toc.pdf", {})
    assert [p.label for p in document.info.pages] == ["i", "ii", "17", "18"]
    assert document.lines["page_label"].to_pylist()[::3] == ["i", "ii", "17", "18"]
    assert [(e.level, e.title, e.page) for e in document.info.outline] == [
        (1, "One", 1),
        (2, "One and a half", 2),
        (1, "Two", 4),
    ]
    expected = {"title": "On Ferries", "author": "A. N. Other", "language": "de"}
    assert document.info.metadata == expected == describe_file(tmp_path / "toc.pdf")


def encrypted(tmp_path: Path, **passwords: str) -> Path:
    path = write_pdf(tmp_path / "plain.pdf", [lines(60, 560, PROSE)])
    with pymupdf.open(path) as pdf:
        pdf.save(tmp_path / "locked.pdf", encryption=pymupdf.PDF_ENCRYPT_AES_256, **passwords)
    return tmp_path / "locked.pdf"


def test_password_from_the_environment(tmp_path, monkeypatch):
    path = encrypted(tmp_path, user_pw="heron", owner_pw="crane")
    with pytest.raises(SourceError, match="password") as caught:
        extract_pdf(path, {})
    assert caught.value.kind == "encrypted" and "password_env" in caught.value.remedy
    monkeypatch.delenv("FERRY_PASSWORD", raising=False)
    with pytest.raises(SourceError, match="FERRY_PASSWORD"):
        extract_pdf(path, {"password_env": "FERRY_PASSWORD"})
    monkeypatch.setenv("FERRY_PASSWORD", "stork")
    with pytest.raises(SourceError, match="does not open"):
        extract_pdf(path, {"password_env": "FERRY_PASSWORD"})
    monkeypatch.setenv("FERRY_PASSWORD", "heron")
    assert texts(extract_pdf(path, {"password_env": "FERRY_PASSWORD"})) == PROSE
    assert describe_file(path) == {}


def test_owner_password_alone_is_no_obstacle(tmp_path):
    document = extract_pdf(encrypted(tmp_path, owner_pw="crane"), {})
    assert texts(document) == PROSE and document.info.status == "ok"
    assert [w.code for w in document.info.warnings] == ["owner_password"]


def test_damage_is_repaired_or_refused_and_never_printed(tmp_path, capfd):
    whole = write_pdf(tmp_path / "a.pdf", [lines(60, 560, PROSE)] * 3).read_bytes()
    cut = tmp_path / "cut.pdf"
    cut.write_bytes(whole[: whole.index(b"xref\n0 ")])
    document = extract_pdf(cut, {})
    assert texts(document) == PROSE * 3
    assert "repaired" in [w.code for w in document.info.warnings]
    for name, data in (("header.pdf", b"%PDF-1.4\n"), ("stump.pdf", whole[:40])):
        (tmp_path / name).write_bytes(data)
        with pytest.raises(SourceError) as caught:
            extract_pdf(tmp_path / name, {})
        assert caught.value.kind == "damaged" and name in str(caught.value)
    assert capfd.readouterr() == ("", "")


def test_enormous_page(tmp_path):
    content = show(200, 14100, "A small voice.", 12) + show(13000, 300, "An answer.", 12)
    document = read(tmp_path, content, size=(14400, 14400))
    assert texts(document) == ["A small voice.", "An answer."]


def test_progress_is_told(tmp_path):
    seen = []
    with progress.reporting_to(lambda *step: seen.append(step)):
        read(tmp_path, *[lines(60, 560, PROSE)] * 45)
    assert seen == [("raw_text", 20, 45), ("raw_text", 40, 45), ("raw_text", 45, 45)]


CORPUS = Path(os.environ.get("JUNG_CORPUS_DIR", Path(__file__).parents[3] / "shared" / "corpus")) / "pdf"


@pytest.mark.corpus
@pytest.mark.skipif(not CORPUS.is_dir(), reason="needs the books under JUNG_CORPUS_DIR")
@pytest.mark.parametrize(
    "name", ["multicolumn-latex", "gray-zones-scribus-softhyphen", "tractatus-bilingual-pg5740"]
)
def test_no_letter_of_a_real_book_is_lost_or_doubled(name):
    path = CORPUS / f"{name}.pdf"
    if not path.exists():
        pytest.skip(f"{path.name} is not there")
    ours = "".join("".join(texts(extract_pdf(path, {}))).split())
    with pymupdf.open(path) as pdf:
        # Glyphs without a character are U+FFFD in raw lines, not the numbers that get_text gives by default.
        flags = pymupdf.TEXTFLAGS_TEXT & ~pymupdf.TEXT_USE_CID_FOR_UNKNOWN_UNICODE
        theirs = "".join("".join(page.get_text(flags=flags) for page in pdf).split())
    assert sorted(ours) == sorted(theirs)
