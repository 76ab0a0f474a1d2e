"""Kills an ingestion with SIGKILL at many moments, runs it again, and prints how often the base came out as if undisturbed.

Run it from the project's root: python benchmarks/kill9.py [MOMENTS]. The moments are spread evenly over the run, from a fixed seed.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.crashes import cleared, killed_and_run_again, moments, undisturbed

MOMENTS = 200


def main() -> int:
    """Print one line a failure and the figure at the end; 1 when any run came out otherwise."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else MOMENTS
    with tempfile.TemporaryDirectory() as folder:
        expected, seconds = undisturbed(cleared(Path(folder) / "undisturbed"))
        killed = equal = 0
        for moment in moments(count, within=seconds, seed=9):
            in_time, found = killed_and_run_again(cleared(Path(folder) / "killed"), seconds=moment)
            killed += in_time
            equal += found == expected
            if found != expected:
                print(f"killed after {moment:.4f} s: expected {expected}, found {found}")
    print(f"kill -9: {count} moments over {seconds:.2f} s, {killed} before the end; {equal} of {count} as if undisturbed")
    return int(equal != count)


if __name__ == "__main__":
    sys.exit(main())
