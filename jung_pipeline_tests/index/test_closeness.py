"""How near passages come to a question: the whole passage and its nearest window, read out of segments."""

from __future__ import annotations

import numpy as np
import pytest

from jung_pipeline.errors import VectorIndexError
from jung_pipeline.index import segments
from jung_pipeline.index.closeness import Closeness
from jung_pipeline.index.embedded_index import EmbeddedIndex
from jung_pipeline.index.segments import Segment
from jung_pipeline_tests.index.passages import chunk_table, spec

TEXTS = ["Of bells and herons.", "Of snow.", " ", "Of lamps, then of ferries."]


def _unit(*values: float) -> np.ndarray:
    vector = np.zeros(8, dtype=np.float32)
    vector[: len(values)] = values
    return vector / np.linalg.norm(vector)


WHOLE = np.array([_unit(1, 1), _unit(0, 0, 1), np.zeros(8), _unit(0, 0, 0, 1, 1)], dtype=np.float32)
NONE = np.empty((0, 8), dtype=np.float32)
WINDOWS = [np.array([_unit(1), _unit(0, 1)]), NONE, NONE, np.array([_unit(0, 0, 0, 1), _unit(0, 0, 0, 0, 1)])]


def _segment(folder, windows) -> Segment:
    index = EmbeddedIndex(folder, spec())
    index.replace_volume("lake", chunk_table("lake", TEXTS), WHOLE, windows)
    return index.segments["lake"]


def test_closeness_is_the_mean_of_the_passage_and_its_nearest_window(tmp_path):
    segment = _segment(tmp_path, WINDOWS)
    bells, snow, lamps = segment.ids
    found = Closeness({"lake": segment}).of([lamps, snow, bells, "lake#nowhere", "pond#1"], 3 * _unit(0, 1))
    assert found.keys() == {bells, snow, lamps}
    assert found[bells] == pytest.approx((1 + 2**-0.5) / 2, abs=1e-3)
    assert found[snow] == found[lamps] == pytest.approx(0, abs=1e-6)
    # A passage without windows is judged by the whole alone.
    assert Closeness({"lake": segment}).of([snow], _unit(0, 0, 1))[snow] == pytest.approx(1)


def test_without_windows_the_whole_passage_decides(tmp_path):
    segment = _segment(tmp_path, None)
    assert segment.windows is None
    assert Closeness({"lake": segment}).of(segment.ids[:1], _unit(0, 1)) == {
        segment.ids[0]: pytest.approx(2**-0.5)
    }
    assert Closeness({"lake": segment}).of([], _unit(1)) == {}


def test_windows_are_no_column_of_a_passage_and_a_damaged_one_is_noticed(tmp_path):
    segment = _segment(tmp_path, WINDOWS)
    assert not {"vector", "windows"} & segment.row(0).keys()
    segment.verify(segment.path.stem)
    data = bytearray(segment.path.read_bytes())
    place = data.index(segment.windows[1][:2].tobytes())
    data[place] ^= 1
    damaged = tmp_path / "damaged.arrow"
    damaged.write_bytes(data)
    with pytest.raises(VectorIndexError, match="does not hold what was written"):
        Segment(damaged).verify(segment.path.stem)


@pytest.mark.parametrize("windows", [WINDOWS[:2], [np.full((1, 8), np.nan), NONE, NONE, NONE]])
def test_windows_that_cannot_be_indexed_are_refused(windows):
    with pytest.raises(VectorIndexError):
        segments.with_vectors("lake", chunk_table("lake", TEXTS), WHOLE, spec(), windows)
