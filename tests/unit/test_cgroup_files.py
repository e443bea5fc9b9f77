"""What the kernel's files about cgroups say, and which group is taken for ours."""

import subprocess
from pathlib import Path

import pytest

from engine.sandbox.cgroups import WORKERS_GROUP, CgroupMeter, CpuTime, group_for_us, is_handed_over, number_after
from tests.processes import open_descriptors

MEMORY_EVENTS = "low 0\nhigh 3\nmax 17\noom 2\noom_kill 1\noom_group_kill 0\n"
CPU_STAT = "usage_usec 1500\nuser_usec 1000\nsystem_usec 500\n"


@pytest.mark.parametrize(
    ("word", "number"), [("oom", 2), ("oom_kill", 1), ("oom_group_kill", 0), ("max", 17), ("kill", 0)]
)
def test_a_number_is_found_by_its_whole_word(word: str, number: int) -> None:
    assert number_after(word, MEMORY_EVENTS) == number


def test_without_a_word_it_is_the_first_number() -> None:
    assert number_after("", "12345\n") == 12345


def test_cpu_time_is_in_nanoseconds_and_stays_when_the_group_is_gone(tmp_path: Path) -> None:
    file = tmp_path / "cpu.stat"
    file.write_text(CPU_STAT)
    time = CpuTime(file, unit_ns=1000, word="usage_usec")
    assert time.read_ns() == 1_500_000
    file.unlink()
    assert time.read_ns() == 1_500_000


def test_where_we_have_moved_aside_the_group_above_is_ours(tmp_path: Path) -> None:
    assert group_for_us(tmp_path / "unit" / WORKERS_GROUP) == tmp_path / "unit"
    assert group_for_us(tmp_path / "unit") == tmp_path / "unit"


def test_a_group_is_ours_where_the_tree_begins_with_it_and_not_for_being_there(tmp_path: Path) -> None:
    assert is_handed_over(Path("/proc"))
    assert not is_handed_over(tmp_path)


def test_of_processes_that_have_ended_the_waits_are_kept_and_nothing_is_open(tmp_path: Path) -> None:
    """A bot may start thousands of them."""
    members, usage = tmp_path / "cgroup.procs", tmp_path / "cpuacct.usage"
    usage.write_text("0")
    meter = CgroupMeter(CpuTime(usage, unit_ns=1), members, tmp_path / "memory")
    before = open_descriptors()
    waited_ns = 0
    for _ in range(5):
        with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as process:
            members.write_text(f"{process.pid}\n")
            assert meter.waited_ns() >= waited_ns
            waited_ns = meter.waited_ns()
            process.communicate()
        members.write_text("")
        assert meter.waited_ns() >= waited_ns
        assert open_descriptors() == before
    meter.close()
