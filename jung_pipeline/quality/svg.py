"""Small plots as SVG, written by hand: a few hundred bytes a curve, no library, the same bytes for the same numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from jung_pipeline.quality.card import PageQuality
from jung_pipeline.quality.plots import binned

_WIDTH, _HEIGHT = 540, 220
_LEFT, _RIGHT, _TOP, _BOTTOM = 48, 124, 28, 34
_COLOURS = ("#3b6fb6", "#c8553d", "#4f9d69", "#8a6bbe", "#b58900", "#5f6b76")

Points = Sequence[tuple[float, float]]


def lines(title: str, series: Mapping[str, Points], *, across: str, up: str = "", top: float = 1.0) -> str:
    """Curves over one axis; the vertical axis runs from 0 to ``top``."""
    xs = [x for points in series.values() for x, _ in points] or [0.0]
    low, high = min(xs), max(xs)
    span = (high - low) or 1.0

    def place(x: float, y: float) -> str:
        return f"{_x((x - low) / span):.1f},{_y(y / top):.1f}"

    parts = []
    for number, (name, points) in enumerate(series.items()):
        colour = _COLOURS[number % len(_COLOURS)]
        path = " ".join(place(x, y) for x, y in points)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        if len(points) <= 40:
            parts += [
                f'<circle cx="{place(x, y).split(",")[0]}" cy="{place(x, y).split(",")[1]}" r="3" fill="{colour}"/>'
                for x, y in points
            ]
        parts.append(_text(_WIDTH - _RIGHT + 10, _TOP + 14 + 18 * number, name, fill=colour))
    marks = [_text(_LEFT, _HEIGHT - 14, f"{low:g}"), _text(_WIDTH - _RIGHT - 24, _HEIGHT - 14, f"{high:g}")]
    return _frame(title, [*_grid(top), *parts, *marks], across, up)


def bars(title: str, values: Sequence[tuple[str, float]], *, across: str, up: str = "") -> str:
    """A bar for each value, named where there is room."""
    top = max((value for _, value in values), default=0.0) or 1.0
    width = (_WIDTH - _LEFT - _RIGHT) / max(1, len(values))
    parts = []
    for number, (name, value) in enumerate(values):
        y = _y(value / top)
        parts.append(
            f'<rect x="{_LEFT + number * width + width * 0.1:.1f}" y="{y:.1f}" width="{width * 0.8:.1f}" '
            f'height="{_y(0) - y:.1f}" fill="{_COLOURS[0]}"><title>{escape(name)}: {value:g}</title></rect>'
        )
        if len(values) <= 8:
            parts.append(_text(_LEFT + number * width + 2, _HEIGHT - 18, name[: int(width / 7)]))
    return _frame(title, [*_grid(top), *parts], across, up)


def page_quality(pages: Sequence[PageQuality]) -> str:
    """The quality of the pages of a volume, the lowest of each group; red where a page has no text."""
    groups = binned(pages, 240)
    width = (_WIDTH - _LEFT - 20) / max(1, len(groups))
    parts = []
    for number, (first, last, quality, no_text) in enumerate(groups):
        value = 1.0 if no_text else (quality if quality is not None else 0.0)
        colour = _COLOURS[1] if no_text else ("#d8dde2" if quality is None else _COLOURS[0])
        height = _y(0) - _y(max(value, 0.02))
        parts.append(
            f'<rect x="{_LEFT + number * width:.1f}" y="{_y(0) - height:.1f}" width="{max(width - 0.4, 0.6):.1f}" '
            f'height="{height:.1f}" fill="{colour}"><title>pages {first}-{last}</title></rect>'
        )
    if groups:
        parts.append(_text(_LEFT, _HEIGHT - 18, str(groups[0][0])))
        parts.append(_text(_WIDTH - 20, _HEIGHT - 18, str(groups[-1][1]), anchor="end"))
    return _frame("Quality by page (red: no text)", [*_grid(1.0), *parts], "page", "")


def _x(share: float) -> float:
    return _LEFT + share * (_WIDTH - _LEFT - _RIGHT)


def _y(share: float) -> float:
    return _HEIGHT - _BOTTOM - share * (_HEIGHT - _TOP - _BOTTOM)


def _grid(top: float) -> list[str]:
    parts = []
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        y = _y(share)
        parts.append(f'<line x1="{_LEFT}" x2="{_WIDTH - 20}" y1="{y:.1f}" y2="{y:.1f}" stroke="#e3e6ea"/>')
        parts.append(_text(_LEFT - 6, y + 4, f"{share * top:.3g}", anchor="end"))
    return parts


def _text(x: float, y: float, text: str, *, fill: str = "#444", anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" fill="{fill}" text-anchor="{anchor}">{escape(text)}</text>'


def _frame(title: str, parts: Sequence[str], across: str, up: str) -> str:
    heading = title + (f" ({up})" if up else "")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{_HEIGHT}" '
        f'viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="sans-serif" font-size="12">'
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="white"/>'
        f"{_text(_LEFT, 18, heading, fill='#111')}{''.join(parts)}"
        f"{_text((_LEFT + _WIDTH - _RIGHT) / 2, _HEIGHT - 4, across)}</svg>"
    )
