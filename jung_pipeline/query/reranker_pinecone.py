"""A second look at the ranking by a model that reads question and passage together, hosted by Pinecone.

Off by default (setting ``reranker``): it needs an account and sends the question and the best passages to the service.
Relevance is still judged by the calibration; the reranker only puts what was found in another order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from jung_pipeline.errors import ServiceError
from jung_pipeline.index.pinecone_client import READER_DEADLINE, READER_PATIENCE, call, client
from jung_pipeline.query.passages import Hit
from jung_pipeline.settings import Settings

#: Hits that are looked at again (the service takes 100).
RERANKED = 30
_WITHOUT = "Set reranker to none (JUNG_RERANKER) to search without it."


def rerank(question: str, hits: Sequence[Hit], settings: Settings) -> list[Hit]:
    """``hits`` with the first :data:`RERANKED` in the order of the reranking model, their ``score`` its own.

    Raises:
        ServiceError: there is no key, or the service fails or gives no order.
    """
    first, rest = list(hits[:RERANKED]), list(hits[RERANKED:])
    if len(first) < 2:
        return [*first, *rest]
    service = client(settings.pinecone_host, for_reader=True)
    try:
        result = call(
            "reranking passages",
            lambda: service.inference.rerank(
                model=settings.reranker_model,
                query=question,
                documents=[hit.passage.text for hit in first],
                top_n=len(first),
                return_documents=False,
                parameters={"truncate": "END"},
            ),
            patience=READER_PATIENCE,
            deadline=READER_DEADLINE,
            remedy=_WITHOUT,
        )
    except ServiceError:
        raise
    except Exception as error:  # what `call` leaves to its callers: 404 and 409
        if not type(error).__module__.startswith("pinecone"):
            raise
        raise ServiceError(
            f"Pinecone does not know the reranking model {settings.reranker_model!r}.",
            remedy=f"Set reranker_model to a current one. {_WITHOUT}",
        ) from error
    order = [(int(row.index), float(row.score)) for row in result.data]
    if sorted(index for index, _ in order) != list(range(len(first))):
        raise ServiceError("Pinecone's reranker did not rank every passage.", remedy=_WITHOUT)
    return [*(replace(first[index], score=score) for index, score in order), *rest]
