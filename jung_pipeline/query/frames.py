"""The words round an answer, in the language of the question: lead, quotation marks, refusal, footer."""

from __future__ import annotations

from dataclasses import dataclass

from jung_pipeline.text.normalise import language_of


@dataclass(frozen=True)
class Frame:
    """The fixed words and marks of one language."""

    lead: str  # before sentences that are quoted
    marks: tuple[str, str]  # of a quotation
    inner_marks: tuple[str, str]  # of a quotation within
    not_found: str
    nobody_asked: str  # under a refusal
    quoted: str  # under sentences that are quoted
    written: str  # under a model's answer; {model}
    tokens: str  # {tokens_in}, {tokens_out}
    dollars: str  # {dollars}, {date}
    nearest: str  # above passages that do not answer
    follow_up: str  # a question about a concept; {label}
    go_on: str  # above the follow-ups
    not_here: str  # above the nearest passages of a search


ENGLISH = Frame(
    lead="In the books' own words: ",
    marks=("“", "”"),
    inner_marks=("‘", "’"),
    not_found="The books in this library do not answer that question.",
    nobody_asked="No language model was asked.",
    quoted="Sentences quoted from the passages; no language model was asked.",
    written="Written by {model} from the passages above; quotations and numbers checked by machine",
    tokens="{tokens_in} tokens in, {tokens_out} out",
    dollars="about ${dollars:.4f} at the prices of {date}",
    nearest="Nearest passages, none of them an answer:",
    follow_up="What is meant by “{label}”?",
    go_on="Ask on:",
    not_here="Not in these books, as far as can be told.",
)
GERMAN = Frame(
    lead="Mit den Worten der Bücher: ",
    marks=("„", "“"),
    inner_marks=("‚", "‘"),
    not_found="Die Bücher dieser Bibliothek beantworten diese Frage nicht.",
    nobody_asked="Es wurde kein Sprachmodell gefragt.",
    quoted="Sätze aus den Stellen zitiert; es wurde kein Sprachmodell gefragt.",
    written="Geschrieben von {model} nach den Stellen oben; Zitate und Nummern maschinell geprüft",
    tokens="{tokens_in} Token hinein, {tokens_out} heraus",
    dollars="etwa {dollars:.4f} US-Dollar nach den Preisen vom {date}",
    nearest="Die nächsten Stellen, keine davon eine Antwort:",
    follow_up="Was ist mit „{label}“ gemeint?",
    go_on="Weiterfragen:",
    not_here="Nicht in diesen Büchern, soweit sich das sagen lässt.",
)


def frame_of(question: str) -> Frame:
    """The frame for an answer to ``question``; English where its language cannot be told."""
    return GERMAN if language_of(question) == "de" else ENGLISH
