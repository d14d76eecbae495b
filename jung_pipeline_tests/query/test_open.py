"""Opening a library cold, from the finished index alone: the real store, the real embedder."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from jung_pipeline import schemas
from jung_pipeline import settings as settings_module
from jung_pipeline.embed.registry import make_embedder
from jung_pipeline.errors import ModelMismatchError, VectorIndexError
from jung_pipeline.index import versions
from jung_pipeline.index.embedded_index import EmbeddedIndex
from jung_pipeline.index.registry import index_spec
from jung_pipeline.query.calibration import calibrate
from jung_pipeline.query.library import Library
from jung_pipeline.query.probes import ProbeVectors
from jung_pipeline.tables import from_rows, write_table
from jung_pipeline_tests.query.fixtures_library import rows


def chunk_table(of_volume):
    """Rows of the small library with every column that the chunk table has."""
    filled = []
    for position, r in enumerate(of_volume):
        full = dict.fromkeys(schemas.CHUNKS.names) | r
        full |= {
            "position": position,
            "section": "body",
            "chapter_index": 0,
            "cl100k_tokens": len(r["text"].split()),
            "embedder_tokens": len(r["text"].split()) + 4,
            "paragraph_first": position,
            "paragraph_last": position,
            "char_start": 0,
            "char_end": len(r["text"]),
            "spans": [],
        }
        filled.append(full)
    return from_rows(filled, schemas.CHUNKS)


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    home = tmp_path_factory.mktemp("home")
    settings = settings_module.load(home)
    embedder = make_embedder(settings)
    spec = index_spec(embedder.spec, "1")
    index = EmbeddedIndex(settings.paths.index, spec)
    paths = {}
    for volume in dict.fromkeys(r["volume"] for r in rows()):
        table = chunk_table([r for r in rows() if r["volume"] == volume])
        index.replace_volume(volume, table, embedder.embed_passages(table.column("text").to_pylist()))
        paths[volume] = settings.paths.table("chunks", volume)
        write_table(paths[volume], table)
    vectors = ProbeVectors.beside(settings.paths.index, spec.model)
    versions.publish(
        settings.paths,
        spec,
        paths,
        calibrate=lambda version: calibrate(version, embedder, vectors=vectors),
        settings=settings,
    )
    return home


@pytest.mark.slow
def test_a_finished_index_answers_alone_and_cold(home):
    """A process that knows only the folder; the tables and the catalogue are not needed."""
    code = (
        "import json, sys\n"
        "from pathlib import Path\n"
        "from jung_pipeline import settings\n"
        "from jung_pipeline.query.library import Library\n"
        "library = Library.open(settings.load(Path(sys.argv[1])))\n"
        "found = library.ask('Why does an empty mirror frighten the dreamer?', use_model=False)\n"
        "missed = library.ask('How do I change the oil filter of a motorbike?', use_model=False)\n"
        "verdicts = library.verify('“Broken mirrors in dreams are omens.”')\n"
        "print(json.dumps([found.to_dict(), missed.to_dict(), [v.to_dict() for v in verdicts]]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(home)], capture_output=True, text=True, check=True, encoding="utf-8"
    )
    found, missed, verdicts = json.loads(done.stdout)
    assert found["status"] == "ok" and found["grounded"]
    assert "grants his secret wish" in found["text"] or "frightens the dreamer" in found["text"]
    assert missed["status"] == "not_found" and missed["search"]["hits"]
    assert verdicts[0]["verdict"] == "altered"


def test_no_index_yet(tmp_path):
    with pytest.raises(VectorIndexError, match="no index") as caught:
        Library.open(settings_module.load(tmp_path))
    assert "jung ingest" in caught.value.remedy


@pytest.mark.slow
def test_settings_of_another_model_are_refused(home, monkeypatch):
    monkeypatch.setenv("PINECONE_API_KEY", "pk-test")
    other = settings_module.load(home, embedder="pinecone-multilingual-e5-large")
    with pytest.raises(ModelMismatchError, match=r"multilingual-e5-small.*multilingual-e5-large"):
        Library.open(other)
