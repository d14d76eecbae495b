"""What grows with what: a library of very many volumes through the real planning, partition, manifest and plan code.

    python benchmarks/scale.py                      # 1,000 and 10,000 volumes through everything
    python benchmarks/scale.py --volumes 100000     # catalogue, partitions, manifest and composition at full size

The volumes are fake, their sizes are not: 1,400 passages of 400 tokens each, as in the library of 34 that this was made
for (47,576 passages). What a volume's own work costs is not measured here (see whole_line.py): it does not grow.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from jung_pipeline import settings as settings_module
from jung_pipeline.catalogue import Catalogue
from jung_pipeline.index.embedded_index import EmbeddedIndex
from jung_pipeline.index.manifest import Manifest, VolumeEntry
from jung_pipeline.index.sources import chosen, composition
from jung_pipeline.index.vector_index import IndexSpec
from jung_pipeline.volumes import keys_for, plan_partitions, present_volumes

PASSAGES, TOKENS, BYTES_OF_TEXT = 1_400, 400, 2_100
SPEC = IndexSpec("multilingual-e5-small", 384, 512, "passage: ", "query: ", "1")


def timed(name: str, volumes: int, work: Callable[[], Any]) -> Any:
    """Run ``work`` and print what it took."""
    started = time.process_time()
    made = work()
    seconds = time.process_time() - started
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{name:<52} {volumes:>8,} {seconds:>9.2f} s {1e6 * seconds / volumes:>9.1f} µs {memory:>7,.0f} MB",
        flush=True,
    )
    return made


def files_of(volumes: int) -> list[str]:
    """File names; every hundredth title comes twice."""
    names = [f"{number:06d} On the Nature of Things, Volume {number}.epub" for number in range(volumes)]
    return [*names[: volumes - volumes // 100], *(f"{name[:-5]}.pdf" for name in names[: volumes // 100])]


def catalogue_text(keys: dict[str, str]) -> str:
    """A catalogue as the program writes it."""
    return "".join(
        f'[volumes.{key}]\nfile = "{name}"\ntitle = "On the Nature of Things {number}"\nauthor = "C. G. Jung"\nyear = 1950\n\n'
        for number, (name, key) in enumerate(keys.items())
    )


def partitions(folder: Path, keys: list[str]) -> None:
    """Dynamic partitions in an instance of its own."""
    import dagster as dg

    folder.mkdir()
    with dg.DagsterInstance.local_temp(str(folder)) as instance:
        n = len(keys)
        timed("Dagster: partitions added, 1,000 at a time (SQLite)", n, lambda: [
            instance.add_dynamic_partitions("volumes", keys[start : start + 1000]) for start in range(0, n, 1000)
        ])  # fmt: skip
        there = timed("Dagster: all partitions read", n, lambda: instance.get_dynamic_partitions("volumes"))
        timed("partitions planned: nothing to do", n, lambda: plan_partitions(keys, there))
        timed("partitions planned: half of them new", n, lambda: plan_partitions(keys, there[: n // 2]))


def manifest_of(keys: list[str]) -> Manifest:
    """A manifest of volumes of real size."""
    entries = {key: VolumeEntry("0" * 24, PASSAGES, PASSAGES * TOKENS, "1" * 64, True) for key in keys}
    audits = [{"volume": key, "vectors": PASSAGES, "problems": [], "problem_count": 0} for key in keys]
    return Manifest(
        "v", "c", "2026-12-01T00:00:00+00:00", SPEC, entries, [], {"passed": True, "volumes": audits}, {"kind": "embedded"}, {}
    )  # fmt: skip


def index(home: settings_module.Settings, keys: list[str]) -> None:
    """Pointers of all volumes, their sources, and the composition of a version."""
    folder = home.paths.index / "segments"
    suffix = EmbeddedIndex(home.paths.index, SPEC)._suffix
    pointer = {
        "digest": "0" * 24, "spec": dataclasses.asdict(SPEC), "chunks": PASSAGES, "tokens": PASSAGES * TOKENS,
        "chunks_digest": "2" * 24, "data_version": "1" * 64,
    }  # fmt: skip
    for key in keys:
        (folder / key).mkdir(parents=True)
        (folder / key / suffix).write_text(json.dumps(pointer))
    tables = {key: home.paths.table("chunks", key) for key in keys}
    timed("pointers of the index read", len(keys), lambda: EmbeddedIndex(home.paths.index, SPEC).pointers())
    sources, missing = timed(
        "sources of a version looked for, segments lost", len(keys), lambda: chosen(home.paths, SPEC, tables)
    )
    timed("composition of a version", len(keys), lambda: composition(SPEC, sources, missing, {}, "1"))


def run(volumes: int, *, catalogue: bool, files: bool) -> None:
    """All of it at one size."""
    names = files_of(volumes)
    keys_by_name = timed("keys for file names", volumes, lambda: keys_for(names))
    keys = list(keys_by_name.values())
    assert len(set(keys)) == volumes
    with tempfile.TemporaryDirectory() as folder:
        settings = settings_module.load(Path(folder))
        home = settings.paths
        if catalogue:
            home.catalogue_path.write_text(catalogue_text(keys_by_name), encoding="utf-8")
            read = timed("catalogue read", volumes, lambda: Catalogue(home.catalogue_path))
            timed(
                "every file looked up in the catalogue",
                volumes,
                lambda: [read.by_file(name) for name in names],
            )
            if files:
                home.library.mkdir()
                for name in names:
                    (home.library / name).touch()
                timed("volumes present", volumes, lambda: present_volumes(home, read))
        partitions(Path(folder) / "dagster", keys)
        made = manifest_of(keys)
        timed("manifest written", volumes, lambda: made.write(home.path / "manifest.json"))
        print(f"{'':<52} {(home.path / 'manifest.json').stat().st_size / 1e6:>17.1f} MB of JSON")
        timed("manifest read", volumes, lambda: Manifest.read(home.path / "manifest.json"))
        if files:
            index(settings, keys)


def extrapolated(volumes: int) -> None:
    """What the data of so many volumes amounts to, and its price as far as the settings have one."""
    settings = settings_module.load(Path(tempfile.gettempdir()))
    passages = volumes * PASSAGES
    prices = settings.prices
    record = (
        4 * 1024 + BYTES_OF_TEXT + 600
    )  # the hosted model has 1,024 numbers; text and columns beside them
    gigabytes = passages * record / 1e9
    tokens = passages * TOKENS * 1.25  # e5 counts more than cl100k does
    rows = {
        "passages": f"{passages:,}",
        "float32 vectors, 384 numbers": f"{passages * 384 * 4 / 1e9:,.1f} GB",
        "an exact query, at 4 CPU-ms for 47,576 passages": f"{4 * passages / 47_576 / 1000:,.2f} s",
        "stored in Pinecone, 1,024 numbers": f"{gigabytes:,.1f} GB",
        f"embedding once (prices of {prices.of})": f"${tokens / 1e6 * prices.embedding_tokens_per_million:,.0f}",
        "written by requests": f"${passages * -(-record // 1024) / 1e6 * prices.write_units_per_million:,.0f}",
        "written by import": f"${gigabytes * prices.import_per_gb:,.0f}",
        "kept, a month": f"${gigabytes * prices.storage_per_gb_month:,.0f}",
    }
    print(f"\n{volumes:,} volumes")
    for name, value in rows.items():
        print(f"  {name:<52} {value:>16}")


def main() -> None:
    """From the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--volumes", type=int, nargs="+", default=[1_000, 10_000])
    chosen_sizes = parser.parse_args().volumes
    print(f"{'':<52} {'volumes':>8} {'CPU':>11} {'a volume':>12} {'peak':>10}")
    for volumes in chosen_sizes:
        run(volumes, catalogue=volumes <= 10_000, files=volumes <= 10_000)
    for volumes in chosen_sizes:
        extrapolated(volumes)


if __name__ == "__main__":
    main()
