"""What the tests cost: seconds by folder, and the slowest. `make test-times` runs them all, or those that are named."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from tests.bench.report import say
from workers.embedded.processes import adopt_orphans

SLOWEST = 30


def main(arguments: list[str]) -> int:
    """Run the tests and print what they took. Returns pytest's exit status."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.xml")
        status = run([sys.executable, "-m", "pytest", "-q", f"--junitxml={report}", *arguments])
        if report.exists():
            print_times(report, time.monotonic() - began)
    return status


def run(command: Sequence[str]) -> int:
    """Run a command and return its exit status. What outlives its parent, as servers do, is ours to wait for."""
    adopt_orphans()
    running = subprocess.Popen(command)
    found = 0, 0
    while found[0] != running.pid:
        found = os.wait()
    return os.waitstatus_to_exitcode(found[1])


def print_times(report: Path, took_s: float) -> None:
    """Print what each folder and the slowest tests took: CPU seconds, of what a test waited for, and seconds."""
    tests: defaultdict[str, list[Test]] = defaultdict(list)
    for case in ElementTree.parse(report).iterfind(".//testcase[@classname]"):  # noqa: S314 - pytest has just written it
        found = Test.of(case)
        tests[found.folder].append(found)
    say(f"{'folder':14}{'tests':>7}{'CPU s':>9}{'s':>9}")
    for folder, those in sorted(tests.items(), key=lambda one: -sum(test.cpu_s for test in one[1])):
        say(f"{folder:14}{len(those):7}{sum(test.cpu_s for test in those):9.1f}{sum(test.s for test in those):9.1f}")
    say("the slowest:")
    for test in sorted((test for those in tests.values() for test in those), key=lambda test: -test.s)[:SLOWEST]:
        say(f"{test.cpu_s:30.1f}{test.s:9.1f}  {test.name[:100]}")
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    say(f"{used.ru_utime + used.ru_stime:.0f} CPU seconds in {took_s:.0f} s, servers included")


@dataclass(frozen=True, slots=True)
class Test:
    """A test, and what it took in seconds."""

    folder: str
    name: str
    cpu_s: float
    s: float

    @classmethod
    def of(cls, case: ElementTree.Element) -> Test:
        module = case.attrib["classname"].removeprefix("tests.")
        noted = {one.attrib["name"]: one.attrib["value"] for one in case.iter("property")}
        name = f"{module} {case.attrib['name']}"
        return cls(module.partition(".")[0], name, float(noted.get("cpu_s", 0)), float(case.attrib["time"]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
