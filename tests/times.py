"""What the tests cost: seconds by folder, and the slowest. `make test-times` runs them all, or those that are named."""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from pathlib import Path
from xml.etree import ElementTree

SLOWEST = 30


def main(arguments: list[str]) -> int:
    """Run the tests and print what they took. Returns pytest's exit status."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.xml")
        done = subprocess.run([sys.executable, "-m", "pytest", "-q", f"--junitxml={report}", *arguments], check=False)
        if report.exists():
            print_times(report, time.monotonic() - began)
    return done.returncode


def print_times(report: Path, took_s: float) -> None:
    """Print the seconds of each folder, of the slowest tests, and of all processes."""
    seconds: defaultdict[str, float] = defaultdict(float)
    tests: Counter[str] = Counter()
    slowest: list[tuple[float, str]] = []
    for case in ElementTree.parse(report).iter("testcase"):  # noqa: S314 - see above
        module, name, took = case.attrib["classname"], case.attrib["name"], float(case.attrib["time"])
        folder = module.split(".")[1]
        seconds[folder] += took
        tests[folder] += 1
        slowest.append((took, f"{module.removeprefix('tests.')} {name}"))
    say(f"{'folder':14}{'tests':>7}{'seconds':>9}")
    for folder in sorted(seconds, key=seconds.__getitem__, reverse=True):
        say(f"{folder:14}{tests[folder]:7}{seconds[folder]:9.1f}")
    say("the slowest:")
    for took, name in sorted(slowest, reverse=True)[:SLOWEST]:
        say(f"{took:9.1f}  {name[:100]}")
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    say(f"{used.ru_utime + used.ru_stime:.0f} CPU seconds in {took_s:.0f} s, without what ended after its parent")


def say(line: str) -> None:
    """Print a line."""
    sys.stdout.write(f"{line}\n")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
