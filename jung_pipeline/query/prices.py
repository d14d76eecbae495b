"""What an answer cost, from list prices that carry their date."""

from __future__ import annotations

#: When the prices below were read from the vendor's price list.
AS_OF = "2026-11-30"

#: US dollars for a million tokens: input, output. Models not listed have no known price.
DOLLARS_PER_MILLION = {"claude-sonnet-5-5": (2.0, 10.0)}


def price(model: str, input_tokens: int, output_tokens: int) -> float | None:
    """US dollars at the list prices of :data:`AS_OF`; ``None`` for a model without a known price."""
    prices = DOLLARS_PER_MILLION.get(model)
    if prices is None:
        return None
    return round((input_tokens * prices[0] + output_tokens * prices[1]) / 1_000_000, 6)
