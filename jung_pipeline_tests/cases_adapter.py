"""The shared cases, mapped onto the product: a few lines an operation, each calling what the assets call.

``python check.py jung_pipeline_tests/cases_adapter.py`` judges it; ``test_cases.py`` does the same in pytest.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

# Loaded by its path, from anywhere: the stand-ins beside it must be found.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from jung_pipeline import settings as settings_module
from jung_pipeline.catalogue import Volume
from jung_pipeline.errors import JungError, SourceError

CASE = Volume(key="case", file="case.txt", title="Case")


# --------------------------------------------------------------------------------------------------
# text
# --------------------------------------------------------------------------------------------------


def clean(given: dict[str, Any]) -> dict[str, Any]:
    from jung_pipeline.clean.cleaner import clean_volume, volume_text
    from jung_pipeline.extract.plain_text import raw_text_from_pages

    document = raw_text_from_pages(given["pages"])
    return {"text": volume_text(clean_volume(document.lines, document.info, CASE).paragraphs)}


def extract_clean(path: str) -> dict[str, Any]:
    """In a process of its own, so that its memory can be told."""
    command = [sys.executable, "-m", "jung_pipeline_tests.cases_adapter", path]
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, cwd=Path(__file__).parent.parent
    )
    return json.loads(done.stdout)


def _extract_clean_here(path: str) -> dict[str, Any]:
    from jung_pipeline.clean.cleaner import clean_volume, volume_text
    from jung_pipeline.extract.extractor import extract

    try:
        document = extract(Path(path))
    except SourceError as error:
        return {
            "status": "no_text" if error.kind == "no_text" else "error",
            "error_kind": error.kind,
            "text": "",
        }
    info = document.info
    text = (
        volume_text(clean_volume(document.lines, info, CASE).paragraphs) if info.status != "no_text" else ""
    )
    return {
        "status": info.status,
        "text": text,
        "pages_without_text": [page.page for page in info.pages if not page.usable],
        "page_labels": [page.label for page in info.pages],
        "warnings": [warning.message for warning in info.warnings],
        "peak_mb": _peak_mb(),
    }


def _peak_mb() -> float:
    """This process's largest size. Not getrusage: there a new process begins with its parent's."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def sentences(given: dict[str, Any]) -> dict[str, Any]:
    from jung_pipeline.text.sentences import sentence_spans

    return {"sentences": [given["text"][start:end] for start, end in sentence_spans(given["text"])]}


def chapters(given: dict[str, Any]) -> dict[str, Any]:
    from jung_pipeline.clean.structure import chapters_of, paragraphs_from_text

    return {"chapters": chapters_of(paragraphs_from_text(given["text"]))}


# --------------------------------------------------------------------------------------------------
# chunks and embeddings
# --------------------------------------------------------------------------------------------------


def count_tokens(text: str) -> int:
    from jung_pipeline.chunk.tokens_tiktoken import count_tokens as count

    return count(text)


def _chunks(doc_id: str, text: str, limits: dict[str, int] | None = None) -> list[dict[str, Any]]:
    from jung_pipeline.catalogue import new_key
    from jung_pipeline.chunk.chunker import Limits, chunk_volume
    from jung_pipeline.clean.structure import paragraphs_from_text
    from jung_pipeline.embed.registry import local_embedder

    embedder = local_embedder()
    table = chunk_volume(
        paragraphs_from_text(text),
        Volume(key=new_key(doc_id, ()), file=f"{doc_id}.txt", title=doc_id),
        limits=Limits(**(limits or {})),
        count_embedder_tokens=embedder.count_tokens,
        embedder_limit=embedder.spec.max_tokens,
    )
    return table.to_pylist()


def chunk(given: dict[str, Any]) -> dict[str, Any]:
    return {
        "chunks": [
            {
                "id": row["chunk_id"],
                "text": row["text"],
                "token_count": row["cl100k_tokens"],
                "prev_id": row["prev_chunk_id"],
                "next_id": row["next_chunk_id"],
                "tags": row["concepts"],
            }
            for row in _chunks(given["doc_id"], given["text"], given["limits"])
        ]
    }


def count_offline(given: dict[str, Any]) -> dict[str, Any]:
    """In a process without a network (no proxy answers) and with the tokenizer's own cache empty or damaged."""
    with tempfile.TemporaryDirectory() as cache:
        if given.get("cache") == "damaged":
            (Path(cache) / "9b5ad71b2ce5302211f9c61530b329a4922fc6a4").write_bytes(b"not the ranks")
        environment = {
            **os.environ,
            "TIKTOKEN_CACHE_DIR": cache,
            "DATA_GYM_CACHE_DIR": cache,
            "HTTPS_PROXY": "http://127.0.0.1:9",
            "HTTP_PROXY": "http://127.0.0.1:9",
        }
        program = "import sys; from jung_pipeline.chunk.tokens_tiktoken import count_tokens as c; print(c(sys.argv[1]))"
        done = subprocess.run(
            [sys.executable, "-c", program, given["text"]],
            capture_output=True,
            text=True,
            env=environment,
            check=False,
        )
    return {"counted": done.returncode == 0 and int(done.stdout) > 0, "raised": done.stderr[-500:]}


def embed_input(given: dict[str, Any]) -> dict[str, Any]:
    from jung_pipeline.embed.inputs import passage_input, query_input
    from jung_pipeline.embed.registry import embedder_spec

    spec = embedder_spec(settings_module.load(Path(tempfile.gettempdir())))
    return {
        "passages": [passage_input(spec, text) for text in given["passages"]],
        "queries": [query_input(spec, text) for text in given["queries"]],
    }


def embed(given: dict[str, Any]) -> dict[str, Any]:
    from jung_pipeline.embed.registry import local_embedder

    embedder = local_embedder()

    def vectors(text: str) -> np.ndarray:
        return embedder.embed_passages([row["text"] for row in _chunks("case", text)])

    if "texts" in given:
        return {"vectors": embedder.embed_passages(given["texts"]).tolist(), "warnings": []}
    before, after = given["change_last_word"]
    head, _, tail = given["text"].rpartition(before)
    one, other = vectors(given["text"]), vectors(head + after + tail)
    return {
        "vector_changes": one.shape != other.shape or not np.allclose(one, other, atol=1e-4),
        "warnings": [],
    }


# --------------------------------------------------------------------------------------------------
# index
# --------------------------------------------------------------------------------------------------


def index(given: dict[str, Any]) -> dict[str, Any]:
    """Every step against Pinecone's SDK and the stand-in that enforces the service's limits."""
    from jung_pipeline_tests.standins.pinecone_server import PineconeServer

    with PineconeServer() as server, _environment(PINECONE_API_KEY="test", JUNG_PINECONE_HOST=server.url):
        run = _IndexRun(given.get("dim", 8))
        try:
            for step in given["steps"]:
                run.step(step)
        except JungError as error:
            run.raised = str(error)
        return run.result(server)


class _IndexRun:
    """The steps of an index case against one store."""

    def __init__(self, dim: int) -> None:
        self.dim = dim
        self.raised: str | None = None
        self.keys: dict[str, str] = {}
        self.index = self._open()

    def _open(self) -> Any:
        from jung_pipeline.index.pinecone_index import PineconeIndex
        from jung_pipeline_tests.index.passages import spec

        return PineconeIndex(settings_module.load(Path(tempfile.gettempdir())), spec(self.dim))

    def _key(self, doc: str) -> str:
        from jung_pipeline.volumes import keys_for

        if doc not in self.keys:
            self.keys.update(keys_for([doc], set(self.keys.values())))
        return self.keys[doc]

    def step(self, step: dict[str, Any]) -> None:
        from jung_pipeline_tests.index.passages import chunk_table

        key = self._key(step["doc"]) if "doc" in step else ""
        if step["do"] == "ingest":
            texts = step.get("texts") or [step["text"].replace("{i}", str(i)) for i in range(step["n"])]
            table = chunk_table(key, texts, part=(step.get("meta") or {}).get("part"))
            vectors = np.random.default_rng(7).normal(size=(len(texts), self.dim)).astype(np.float32)
            self.index.replace_volume(key, table, vectors)
        elif step["do"] == "ingest_vectors":
            vectors = np.array([[float(x) for x in row] for row in step["vectors"]], dtype=np.float32)
            self.index.replace_volume(
                key, chunk_table(key, [f"Passage {i}." for i in range(len(vectors))]), vectors
            )
        elif step["do"] == "delete":
            self.index.remove_volume(key)
        elif step["do"] == "set_dim":
            self.dim = step["dim"]
            self.index = self._open()
        elif step["do"] == "query":
            self.index.query(np.ones(self.dim, dtype=np.float32), top_k=3)
        self.index.settle()

    def result(self, server: Any) -> dict[str, Any]:
        stored = {
            doc: self.index.fetch(self.index.list_ids(key)) if self.raised is None else {}
            for doc, key in self.keys.items()
        }
        vectors = [vector for records in stored.values() for vector in records.values()]
        return {
            "count": {doc: len(records) for doc, records in stored.items()},
            "requests": [
                {"bytes": r.size, "vectors": r.vectors, "metadata": r.metadata}
                for r in server.requests_to("/vectors/upsert")
            ],
            "read_back": [vector.metadata["text"] for vector in vectors],
            "texts": {doc: [v.metadata["text"] for v in records.values()] for doc, records in stored.items()},
            "all_ids": [vector.chunk_id for vector in vectors],
            "dims": [len(vector.vector) for vector in vectors],
            "raised": self.raised,
        }


@contextmanager
def _environment(**values: str) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


# --------------------------------------------------------------------------------------------------
# retrieval and answers
# --------------------------------------------------------------------------------------------------


class _Given:
    """An answerer that says what the case says, and counts how often it was asked."""

    def __init__(self, reply: str) -> None:
        self.reply, self.calls = reply, 0

    def answer(self, question: str, sources: Any) -> Any:
        from jung_pipeline.query.answer import Reply, Segment

        self.calls += 1
        return Reply((Segment(self.reply),), model="given")


def retrieve(given: dict[str, Any]) -> dict[str, Any]:
    from jung_pipeline.index.vector_index import Match
    from jung_pipeline.query.answer import compose, number_sources
    from jung_pipeline.query.fusion import seed_policy
    from jung_pipeline.query.passages import Passage

    matches = [Match(chunk_id, float(score)) for chunk_id, score in given["hits"]]
    kept = seed_policy(matches, top_k=given["top_k"], min_score=given["min_score"], keep=given["keep"])
    model = _Given("An answer.")
    if not kept:
        compose("What?", number_sources([Passage.from_text("") for _ in kept]), model)
    return {"ids": [match.chunk_id for match in kept], "llm_calls": model.calls}


def _sources(contexts: list[str]) -> Any:
    from jung_pipeline.query.answer import number_sources
    from jung_pipeline.query.passages import Passage

    return number_sources([Passage.from_text(text, number=n) for n, text in enumerate(contexts, 1)])


def answer(given: dict[str, Any]) -> dict[str, Any]:
    """Checked, not renumbered: the case speaks of the numbers in the reply."""
    from jung_pipeline.query.answer import checked, compose

    sources, model = _sources(given["contexts"]), _Given(given["reply"])
    found = checked(given["question"], sources, model.answer(given["question"], sources)) if sources else None
    found = found or compose(given["question"], sources, model)
    return {
        "status": found.status,
        "valid_citations": list(found.cited),
        "flagged_citations": list(found.flagged_citations),
        "ok_quotes": [quote.text for quote in found.quotes if quote.ok],
        "flagged_quotes": [quote.text for quote in found.quotes if not quote.ok],
        "flags": [flag.kind for flag in found.flags],
        "llm_calls": model.calls,
    }


def prompt(given: dict[str, Any]) -> dict[str, Any]:
    from jung_pipeline.query.prompt import build_request, frames, user_text

    request = build_request(
        given["question"], _sources(given["contexts"]), settings_module.load(Path(tempfile.gettempdir()))
    )
    return {"system": request["system"], "user": user_text(request), "frames": frames(request)}


def render(given: dict[str, Any]) -> dict[str, Any]:
    from jung_pipeline.query.render import render_html

    return {"html": render_html(given["title"], given["passage"], given["reply"])}


# --------------------------------------------------------------------------------------------------
# the library and the pipeline
# --------------------------------------------------------------------------------------------------


def partition_key(given: dict[str, Any]) -> dict[str, Any]:
    import unicodedata

    from jung_pipeline.library import Home
    from jung_pipeline.volumes import keys_for

    keys = keys_for(given["names"])
    found = [keys[unicodedata.normalize("NFC", name)] for name in given["names"]]
    return {"keys": found, "outputs": [str(Home(Path("home")).table("chunks", key)) for key in found]}


def discover(given: dict[str, Any]) -> dict[str, Any]:
    from jung_pipeline.library import discover as books_among

    return {"books": books_among(given["names"])}


def pipeline(given: dict[str, Any]) -> dict[str, Any]:
    with (
        tempfile.TemporaryDirectory() as folder,
        _environment(JUNG_HOME=folder, DAGSTER_HOME=f"{folder}/dagster"),
    ):
        run = _PipelineRun(Path(folder))
        for step in given["steps"]:
            run.step(step)
        return run.result()


class _PipelineRun:
    """A library in a folder, changed and ingested step by step."""

    def __init__(self, folder: Path) -> None:
        self.settings = settings_module.load(folder)
        self.settings.paths.library.mkdir()
        self.results: list[Any] = []
        self.snapshot: dict[str, Any] | None = None
        self.after: list[dict[str, Any]] = []

    def step(self, step: Any) -> None:
        library = self.settings.paths.library
        if step == "run":
            from jung_pipeline.defs.running import Ingestion

            self.results = list(Ingestion(self.settings).run())
            if self.snapshot is not None:
                self.after.append(self._state())
        elif step == "snapshot":
            self.snapshot = self._state()
        for name in step.get("add", []) if isinstance(step, dict) else []:
            _small_epub(library / name)
        for name in step.get("remove", []) if isinstance(step, dict) else []:
            (library / name).unlink()
        for name in step.get("touch", []) if isinstance(step, dict) else []:
            os.utime(library / name)
        for old, new in _renames(step):
            shutil.move(library / old, library / new)

    def _files(self) -> dict[str, str]:
        return {volume.key: volume.file for volume in self.settings.paths.catalogue()}

    def _keys_with(self, stage: str) -> list[str]:
        return [path.stem for path in self.settings.paths.table(stage, "x").parent.glob("*.parquet")]

    def _state(self) -> dict[str, Any]:
        from jung_pipeline import publishing, tables

        texts = {
            key: self.settings.paths.table("cleaned_text", key) for key in self._keys_with("cleaned_text")
        }
        return {
            "clean_text": {key: path.read_bytes().hex() for key, path in texts.items()},
            "chunk_ids": [
                tables.read_table(self.settings.paths.table("chunks", key)).column("chunk_id").to_pylist()
                for key in sorted(self._keys_with("chunks"))
            ],
            "vector_count": publishing.current(self.settings).manifest.passages,
        }

    def result(self) -> dict[str, Any]:
        import dagster as dg

        from jung_pipeline.index.versions import open_current

        files = self._files()
        with dg.DagsterInstance.get() as instance:
            partitions = instance.get_dynamic_partitions("volumes")
        return {
            "partitions": [files[key] for key in partitions],
            "vectors_only_of": [
                files[key] for key in open_current(self.settings.paths.index).vectors.volumes()
            ],
            "chunk_rows_only_of": [files[key] for key in self._keys_with("chunks")],
            "processed": [files[row.volume] for row in self.results if row.status == "done"],
            "reported_failed": [files[row.volume] for row in self.results if row.status == "failed"],
            "snapshot": self.snapshot,
            "after": self.after,
        }


def _renames(step: Any) -> list[tuple[str, str]]:
    """The pairs of a rename step, however the case writes them."""
    pairs = step.get("rename", []) if isinstance(step, dict) else []
    if isinstance(pairs, dict):
        return list(pairs.items())
    return [tuple(pairs)] if pairs and isinstance(pairs[0], str) else [tuple(pair) for pair in pairs]


def _small_epub(path: Path) -> None:
    from jung_pipeline.demo.book import Book, Chapter, Paragraph, Run
    from jung_pipeline.demo.builder import build_epub

    text = f"The keeper of {path.stem} counted the stones every night and wrote their number on the wall. "
    paragraphs = tuple(Paragraph("body", (Run(text + f"That was night {n}."),)) for n in range(1, 8))
    chapter = Chapter("chapter", 1, "Chapter I", "The Wall", paragraphs=paragraphs)
    build_epub(
        path, Book(key=path.stem, title=f"The Book of {path.stem}", author="A. Keeper", chapters=(chapter,))
    )


if __name__ == "__main__":
    print(json.dumps(_extract_clean_here(sys.argv[1])))
