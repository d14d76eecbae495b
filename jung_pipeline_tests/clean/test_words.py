"""Words put together again, and words left apart."""

from __future__ import annotations

import pytest

from jung_pipeline.catalogue import Volume

from .helpers import clean_pages, text_of, texts

GERMAN = Volume(key="de", file="de.txt", title="Ein Buch", language="de")


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("The ex-\nperience was a sur-\nprise.", "The experience was a surprise."),
        ("A one-\neyed cat and self-\nknowledge.", "A one-eyed cat and self-knowledge."),
        ("A Franco-\nPrussian war.", "A Franco-Prussian war."),
        ("PSY-\nCHOLOGY of dreams", "PSYCHOLOGY of dreams"),
        ("From 1875-\n76 on, room C-\n4.", "From 1875-76 on, room C-4."),
        ("One word—\nand silence.", "One word—and silence."),
        ("See pp. 12–\n14 there.", "See pp. 12–14 there."),
        ("Both over-\nand under-fed men.", "Both over- and under-fed men."),
        (
            "The pa- tient spoke of pre- and post-natal life.",
            "The patient spoke of pre- and post-natal life.",
        ),
    ],
)
def test_broken_words(raw: str, clean: str) -> None:
    assert text_of(raw) == clean


def test_german_compounds_close_up() -> None:
    assert (
        text_of("Die Traum-\ndeutung der See-\nlenforscher.", volume=GERMAN)
        == "Die Traumdeutung der Seelenforscher."
    )


def test_the_volume_itself_is_the_best_evidence() -> None:
    spelled = "His co-operation was asked. No co-operation came. "
    assert text_of(spelled + "The co-\noperation ended.").endswith("The co-operation ended.")


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("So j u n g taught in Basel.", "So Jung taught in Basel."),
        ("T H E   O L D   W E L L", "THE OLD WELL"),
        ("T H E S T R A N G E R", "THE STRANGER"),
        ("P SYCHOLOGY AND THE M YTH", "PSYCHOLOGY AND THE MYTH"),
        ("Points A B C D E lie on M. L. Franz's line.", "Points A B C D E lie on M. L. Franz's line."),
        ("VITAMIN C AND PLAN B", "VITAMIN C AND PLAN B"),
        ("A MAN I KNOW", "A MAN I KNOW"),
    ],
)
def test_letter_spacing(raw: str, clean: str) -> None:
    assert text_of(raw) == clean


def test_german_emphasis_closes_up_and_jung_is_an_adjective_there() -> None:
    assert text_of("Das p e r s ö n l i c h e Unbewusste ist j u n g.", volume=GERMAN) == (
        "Das persönliche Unbewusste ist jung."
    )


def test_misreadings_are_corrected_on_evidence_only() -> None:
    raw = "He told tbe doctor wbat 1 had seen. The mana of the anima and the animus; Lamarck and Bleuler agreed."
    assert text_of(raw) == (
        "He told the doctor what I had seen. The mana of the anima and the animus; Lamarck and Bleuler agreed."
    )


def test_verse_keeps_its_lines() -> None:
    poem = "    The sea has lost its silver ring\n    And calls at every shore\n    The sailor hears it but he sleeps\n    And does not hear it more"
    cleaned = clean_pages(
        f"He sang, and everybody in the long low room fell silent at once:\n\n{poem}\n\nThen he left."
    )
    assert texts(cleaned, "verse") == ["\n".join(line.strip() for line in poem.split("\n"))]
