"""What the API takes, and the names of what it gives."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from jung_pipeline.index.vector_index import Where

#: Characters of one value of a filter; titles of works are as long as that.
_Value = Field(min_length=1, max_length=400)


class Filters(BaseModel):
    """Only passages that match one of the values of every list that is not empty."""

    model_config = ConfigDict(extra="forbid")

    works: list[str] = Field(default_factory=list, max_length=50, description="volume keys or titles")
    authors: list[str] = Field(default_factory=list, max_length=50, description="surnames are enough")
    languages: list[str] = Field(default_factory=list, max_length=20, description="en, de, …")
    concepts: list[str] = Field(default_factory=list, max_length=20, description="by any of their names")

    def where(self) -> Where | None:
        """As the library takes it."""
        where = Where(
            volumes=tuple(self.works),
            authors=tuple(self.authors),
            languages=tuple(self.languages),
            concepts=tuple(self.concepts),
        )
        return where or None


class Query(BaseModel):
    """A question to the library."""

    model_config = ConfigDict(extra="forbid")

    question: str = Field(max_length=2000, description="in any words, English or German")
    filters: Filters = Field(default_factory=Filters)
    model: bool = Field(
        default=True, description="false: no language model is asked, also where one is set up"
    )


class Problem(BaseModel):
    """What went wrong and what helps."""

    kind: str
    message: str
    remedy: str = ""


class ErrorBody(BaseModel):
    """The body of every answer that is an error."""

    error: Problem


ReferenceForm = Literal["text", "csl-json", "bibtex", "ris"]
