"""Plots are well-formed pictures of their numbers, whatever these are called."""

from __future__ import annotations

from xml.etree import ElementTree

from jung_pipeline.quality import svg
from jung_pipeline.quality.card import PageQuality

SPACE = {"svg": "http://www.w3.org/2000/svg"}


def test_a_curve_has_its_points_and_a_name_that_commands_nothing():
    drawn = svg.lines("a < b & c", {"<script>": [(0, 0.0), (1, 1.0)]}, across="threshold")
    root = ElementTree.fromstring(drawn)
    (line,) = root.findall("svg:polyline", SPACE)
    first, last = (tuple(map(float, point.split(","))) for point in line.get("points").split())
    assert first[0] < last[0] and first[1] > last[1], "from the lower left to the upper right"
    assert "<script>" not in drawn and "a < b & c" in "".join(root.itertext())
    assert not ElementTree.fromstring(svg.lines("none", {}, across="x")).findall("svg:polyline", SPACE)


def test_a_bar_for_every_value_and_for_every_page():
    bars = ElementTree.fromstring(svg.bars("tokens", [("north", 10.0), ("south", 5.0)], across="run"))
    heights = [float(bar.get("height")) for bar in bars.findall("svg:rect", SPACE)[1:]]
    assert heights[0] == 2 * heights[1]
    pages = [PageQuality(n, None, 0.5 if n != 2 else None, 10, n != 2) for n in range(1, 4)]
    drawn = ElementTree.fromstring(svg.page_quality(pages)).findall("svg:rect", SPACE)[1:]
    assert len(drawn) == 3
    assert drawn[1].get("fill") != drawn[0].get("fill"), "a page without text has another colour"
    assert ElementTree.fromstring(svg.page_quality([])) is not None
