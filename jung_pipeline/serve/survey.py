"""What a version of the library holds, counted once: its works with their chapters, its concepts and where they meet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from jung_pipeline.catalogue import Volume
from jung_pipeline.query.frames import ENGLISH
from jung_pipeline.query.library import Library

#: Concepts on the map: more cannot be told apart on a screen.
_MOST_NODES = 60
#: Threads of the map a node, on average; the strongest are drawn.
_EDGES_PER_NODE = 3
_COLUMNS = ["chunk_id", "volume", "kind", "chapter", "concepts", "position"]


def question_about(concept: str) -> str:
    """The question that asks for a concept, as follow-ups ask it; the page speaks English."""
    return ENGLISH.follow_up.format(label=concept)


@dataclass
class _Work:
    """One volume while it is counted."""

    passages: int = 0
    chapters: dict[str, dict[str, Any]] = field(default_factory=dict)
    concepts: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True)
class Survey:
    """Counts over one version of the library."""

    works: Mapping[str, _Work]
    concepts: Counter[str]  # passages that speak of each
    together: Counter[tuple[str, str]]  # passages that speak of both; each pair in both orders

    @classmethod
    def of(cls, library: Library) -> Survey:
        """Read the passages of ``library`` once."""
        works: dict[str, _Work] = {}
        for row in library.version.passages.iterate(columns=_COLUMNS):
            work = works.setdefault(row["volume"], _Work())
            work.passages += 1
            chapter = row["chapter"]
            if chapter and row["kind"] == "body":
                entry = work.chapters.setdefault(
                    chapter, {"title": chapter, "chunk_id": row["chunk_id"], "passages": 0}
                )
                entry["passages"] += 1
            work.concepts.update(row["concepts"] or ())
        return cls(works, library.cooccurrence.alone, library.cooccurrence.together)

    def concept_map(self) -> dict[str, Any]:
        """Nodes sized by use and threads between those that meet in passages.

        A thread is as strong as the two meet more often than their frequencies would have it (the cosine of their
        occurrence), so that two that are everywhere are not joined for that alone.
        """
        kept = [name for name, _ in self.concepts.most_common(_MOST_NODES)]
        chosen = set(kept)
        edges = [
            {
                "a": a,
                "b": b,
                "passages": count,
                "strength": round(count / (self.concepts[a] * self.concepts[b]) ** 0.5, 4),
            }
            for (a, b), count in self.together.items()
            if a < b and a in chosen and b in chosen
        ]
        edges.sort(key=lambda edge: (-edge["strength"], edge["a"], edge["b"]))
        return {
            "nodes": [
                {
                    "name": name,
                    "passages": self.concepts[name],
                    "works": sum(name in work.concepts for work in self.works.values()),
                }
                for name in kept
            ],
            "edges": edges[: _EDGES_PER_NODE * len(kept)],
        }

    def concept(self, name: str, volumes: Mapping[str, Volume], titles: Mapping[str, str]) -> dict[str, Any]:
        """Where ``name`` lives: passages by work in the order of years, and what it meets most."""
        rows = []
        for volume, work in self.works.items():
            if work.concepts[name]:
                entry = volumes.get(volume)
                rows.append(
                    {
                        "volume": volume,
                        "title": titles[volume],
                        "year": (entry.original_year or entry.year) if entry else None,
                        "passages": work.concepts[name],
                        "share": round(work.concepts[name] / work.passages, 4),
                    }
                )
        rows.sort(key=lambda row: (row["year"] is None, row["year"] or 0, row["title"]))
        near = Counter({b: count for (a, b), count in self.together.items() if a == name})
        return {
            "name": name,
            "question": question_about(name),
            "passages": self.concepts[name],
            "works": rows,
            "meets": [{"name": other, "passages": count} for other, count in near.most_common(12)],
        }

    def examples(self, count: int = 8) -> list[str]:
        """Concepts to begin with: those at home in several works first, then the most used."""
        spread = {name: sum(name in work.concepts for work in self.works.values()) for name in self.concepts}
        best = sorted(
            self.concepts, key=lambda name: (-(spread[name] > 1), -self.concepts[name] * spread[name], name)
        )
        return best[:count]
