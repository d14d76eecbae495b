"""Kill -9 at every step of changing and publishing the index, again and again until so many processes were killed.

    python benchmarks/kills.py [--kills 50]

A step is whatever a writer asks the system to do to a folder: making, renaming, linking or removing something. After each
kill a reader must see the old state or the new one, whole, and the same work done again must leave what it would have
left at once (``jung_pipeline_tests/index/test_crashes.py`` has the rules and runs them once).
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from ast import literal_eval
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from jung_pipeline_tests.index.test_crashes import run


def main() -> None:
    """Kill, look and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=50)
    options = parser.parse_args()
    kills = old = new = 0
    while kills < options.kills:
        with tempfile.TemporaryDirectory() as folder:
            killed, saw_old, saw_new = literal_eval(run("kill_at_every_step", Path(folder)))
        kills, old, new = kills + killed, old + saw_old, new + saw_new
    print(
        f"{kills} kills at {killed} steps: readers saw the old state {old} times, the new one {new} times; none torn"
    )


if __name__ == "__main__":
    main()
