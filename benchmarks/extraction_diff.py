"""Does extraction still give the same? Keeps what it gave for some files, and compares later.

python benchmarks/extraction_diff.py save FOLDER FILE...
python benchmarks/extraction_diff.py compare FOLDER FILE...

For changes that must not alter a result, such as those for speed. ``compare`` prints every column that
differs with its first rows and ends with 1 if there is any difference.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from jung_pipeline.errors import SourceError
from jung_pipeline.extract.extractor import extract

#: So many differing rows of a column are shown.
_SHOWN = 3


def outcome(path: Path) -> tuple[pa.Table | None, dict[str, Any]]:
    """The raw lines of a file and the facts about it, or the error it ends in."""
    try:
        document = extract(path)
    except SourceError as error:
        return None, {"error": str(error), "kind": error.kind}
    return document.lines, json.loads(json.dumps(document.info.to_dict()))


def _stem(folder: Path, path: Path) -> Path:
    """Where the outcome of a file is kept; files of one name in two folders are told apart."""
    where = hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:8]
    return folder / f"{path.stem}-{where}"


def save(folder: Path, path: Path) -> None:
    """Keep the outcome of a file."""
    lines, info = outcome(path)
    stem = _stem(folder, path)
    stem.with_name(stem.name + ".json").write_text(json.dumps(info), encoding="utf-8")
    if lines is not None:
        pq.write_table(lines, stem.with_name(stem.name + ".parquet"))


def compare(folder: Path, path: Path) -> list[str]:
    """How the outcome of a file differs from the one kept; empty if it does not."""
    stem = _stem(folder, path)
    try:
        before = json.loads(stem.with_name(stem.name + ".json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return ["nothing was kept of it"]
    lines, info = outcome(path)
    found = [
        f"info.{key}: {_first(before.get(key), info.get(key))}"
        for key in sorted(before.keys() | info.keys())
        if before.get(key) != info.get(key)
    ]
    if lines is None or "error" in before:
        return found
    kept = pq.read_table(stem.with_name(stem.name + ".parquet"))
    if len(kept) != len(lines):
        found.append(f"{len(kept)} lines before, {len(lines)} now")
    for name in lines.column_names:
        old, new = kept.column(name).to_pylist(), lines.column(name).to_pylist()
        different = [i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b]
        if different:
            shown = "; ".join(f"line {i}: {old[i]!r} -> {new[i]!r}" for i in different[:_SHOWN])
            found.append(f"{name}: {len(different)} lines differ: {shown}")
    return found


def _first(old: Any, new: Any) -> str:
    """Where two values begin to differ."""
    if isinstance(old, list) and isinstance(new, list):
        for index, (a, b) in enumerate(zip(old, new, strict=False)):
            if a != b:
                return f"[{index}] {a} -> {b}"
        return f"{len(old)} entries before, {len(new)} now"
    return f"{old!r} -> {new!r}"[:300]


def main() -> None:
    """Keep or compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("save", "compare"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("files", type=Path, nargs="+")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    failed = 0
    for path in options.files:
        if options.what == "save":
            save(options.folder, path)
            continue
        found = compare(options.folder, path)
        failed += bool(found)
        print(f"{'DIFFERS' if found else 'same'}  {path.name}")
        for line in found:
            print(f"    {line}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
