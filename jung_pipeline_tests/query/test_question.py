"""How long a question may be: as long as the model reads, in whatever script."""

from __future__ import annotations

import numpy as np
import pytest

from jung_pipeline import settings
from jung_pipeline.embed.registry import make_embedder
from jung_pipeline.errors import EmbeddingError, UsageError
from jung_pipeline.index.vector_index import Where
from jung_pipeline.query.filters import Known, resolved
from jung_pipeline.query.question import clean_question, fitting_question


@pytest.fixture(scope="module")
def embedder(tmp_path_factory):
    return make_embedder(settings.load(tmp_path_factory.mktemp("home")))


@pytest.mark.parametrize(
    "piece",
    ["影子是什么意思", "อะไรคือเงาในจิตวิทยา", "🔥 and 🜁 ", "ᚠᚢᚦ ", "Pneumonoultramicroscopic", "§¶†‡ X "],
)
def test_a_question_too_long_for_the_model_is_told_how_long_it_may_be(embedder, piece):
    question = clean_question((piece * 400)[:1999])
    with pytest.raises(UsageError) as error:
        fitting_question(question, embedder)
    fits = int(error.value.message.split("reads ")[1].split(" of")[0].replace(",", ""))
    assert 250 < fits < len(question) and f"{len(question):,}" in error.value.message
    assert "Ask" in error.value.remedy
    longest = question[:fits]
    assert fitting_question(longest, embedder) == longest
    assert np.isfinite(embedder.embed_query(longest)).all()  # the model itself reads as much
    with pytest.raises(EmbeddingError):
        embedder.embed_query(question)


def test_an_english_question_may_fill_a_page(embedder):
    question = "What does the keeper of the tower say about the dream of the three doors? " * 26
    assert len(question) > 1900
    assert fitting_question(clean_question(question), embedder) == question.strip()


KNOWN = Known.of([])


@pytest.mark.parametrize(
    ("asked", "passes"),
    [
        ((0, 2**64), (0, 2**31 - 1)),
        ((-5, 3), (0, 3)),
        ((2**70, 2**71), (2**31 - 1, 2**31 - 1)),
        ((2, 2), (2, 2)),
    ],
)
def test_pages_of_any_size_are_numbers_that_an_index_can_compare(asked, passes):
    assert resolved(Where(pages=asked), KNOWN, None).pages == passes


@pytest.mark.parametrize("asked", [(9, 3), (1, 2, 3), ("1", "2"), (1.5, 2), (True, 2)])
def test_pages_that_make_no_sense_are_refused(asked):
    with pytest.raises(UsageError, match=r"[Pp]ages"):
        resolved(Where(pages=asked), KNOWN, None)
