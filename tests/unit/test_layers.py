"""The direction of dependencies."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_no_layer_imports_from_above() -> None:
    """cli -> workers -> ladder -> engine, and the engine knows no database, queue or terminal."""
    command = (Path(sys.executable).with_name("lint-imports"), "--no-cache")
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
