"""What the kernel's files about cgroups say, and what counts as memory of a build beyond its processes'."""

import mmap
import os
import select
import socket
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from engine.sandbox.budget import Sockets, count_mappings, most_in_one, most_mappings, parse_held, parse_sockets
from engine.sandbox.cgroups import WORKERS_GROUP, CgroupMeter, group_for_us, is_handed_over, number_after
from engine.sandbox.meter import FEW_FILES, WATCH_BYTES, most_watched_bytes, room_for_files, watched_bytes
from tests.processes import open_descriptors

MEGABYTE = 2**20
MAP_NORESERVE = 0x4000
STATUS = "Name:\tcc1\nFDSize:\t%d\nVmRSS:\t  9000 kB\nRssAnon:\t  2048 kB\nRssFile:\t  6952 kB\nVmPTE:\t  1024 kB\n"


def test_page_tables_count_and_pages_of_files_do_not() -> None:
    assert 3 * MEGABYTE < parse_held((STATUS % 64).encode()) < 4 * MEGABYTE


def test_a_process_with_room_for_more_open_files_counts_for_more() -> None:
    few, many = (parse_held((STATUS % room).encode()) for room in (64, 512))
    assert many - few > 512 * 4096


def test_a_program_that_reserves_much_memory_has_few_mappings_and_one_of_many_is_taken_to_have_all_it_can() -> None:
    """The tests' own process stands for the former; the kernel allows 65,530 where nobody has changed it."""
    own = Path("/proc/thread-self")
    reserved = mmap.mmap(-1, 8 << 30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_NORESERVE)
    most = most_mappings((own / "status").read_bytes())
    assert most >= (8 << 30) // 4096
    listed = len((own / "maps").read_text().splitlines())
    assert abs(count_mappings(own, most) - listed) < 10, "reading a list may take a mapping itself"
    assert count_mappings(own, 100) == 100, "so few are not worth a look"
    reserved.close()
    pages = [mmap.mmap(-1, 4096, prot=mmap.PROT_READ << number % 2) for number in range(20_000)]
    assert count_mappings(own, most) == int(Path("/proc/sys/vm/max_map_count").read_text())
    for page in pages:
        page.close()


def test_a_process_that_does_not_show_its_mappings_is_taken_to_have_all_that_have_room(tmp_path: Path) -> None:
    assert count_mappings(tmp_path, 5000) == 5000


@pytest.fixture
def watched_once_for_each_number() -> Iterator[None]:
    """The tests' own process watches one file by twelve epolls, at 700 numbers: most may have 1,024 files open."""
    reading, writing = os.pipe()
    polls = [select.epoll() for _ in range(12)]
    numbers = [os.dup(reading) for _ in range(700)]
    for number in numbers:
        for poll in polls:
            poll.register(number, select.EPOLLIN)
    for number in numbers:
        os.close(number)
    yield
    for poll in polls:
        poll.close()
    os.close(reading)
    os.close(writing)


class TestEpolls:
    def test_a_watched_file_counts_for_each_epoll_and_for_each_number_that_it_has(self) -> None:
        own = Path("/proc/thread-self")
        before = watched_bytes(own, (own / "status").read_bytes())
        reading, writing = os.pipe()
        numbers = [reading, *(os.dup(reading) for _ in range(9))]
        polls = [select.epoll() for _ in range(3)]
        for poll in polls:
            for number in numbers:
                poll.register(number, select.EPOLLIN)
        assert watched_bytes(own, (own / "status").read_bytes()) - before == 3 * 10 * WATCH_BYTES
        for poll in polls:
            poll.close()
        for number in (*numbers, writing):
            os.close(number)

    @pytest.mark.usefixtures("watched_once_for_each_number")
    def test_a_process_that_watches_very_much_is_taken_to_watch_all_that_it_can(self) -> None:
        own = Path("/proc/thread-self")
        status = (own / "status").read_bytes()
        assert watched_bytes(own, status) == most_watched_bytes(room_for_files(status))
        assert watched_bytes(own, status, room_for_files(status)) == 0, "one with room for few files needs no look"

    def test_one_that_hides_its_files_is_taken_to_watch_all_that_it_can(self, tmp_path: Path) -> None:
        """The first process of the machine hides its own from ordinary users."""
        child = os.fork()
        if child == 0:
            with suppress(PermissionError):
                os.setuid(65534)
            found = watched_bytes(Path("/proc/1"), b"FDSize:\t256\n")
            os._exit(0 if found == most_watched_bytes(256) else 1)
        assert os.waitpid(child, 0)[1] == 0
        with pytest.raises(FileNotFoundError):
            watched_bytes(tmp_path, b"FDSize:\t256\n")

    def test_room_for_few_files_is_room_for_few_megabytes(self) -> None:
        assert most_watched_bytes(FEW_FILES) < 14 * MEGABYTE
        assert room_for_files(b"Name:\tx\nFDSize:\t128\n") == 128
        assert room_for_files(b"Name:\tx\n") == 0


def test_a_thread_that_has_ended_says_nothing_of_its_process() -> None:
    with pytest.raises(ValueError, match="without memory"):
        parse_held(b"Name:\tcc1\nState:\tZ (zombie)\nFDSize:\t0\n")


def test_the_number_of_sockets_is_the_first_in_the_kernels_count() -> None:
    assert parse_sockets(b"sockets: used 41\nTCP: inuse 7 orphan 0\n") == 41
    assert parse_sockets(b"") == 0


def test_a_pair_of_sockets_holds_no_more_than_is_taken_for_two() -> None:
    """Large messages after one that leaves a little room: as much as there can be."""
    held = 0
    pair = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    for end in pair:
        end.settimeout(0)
        for size in (200_000, 212_960, 1):
            while sent(end, size):
                held += size
    for end in pair:
        end.close()
    assert most_in_one() < held <= 2 * most_in_one()


def sent(end: socket.socket, size: int) -> bool:
    try:
        return end.send(bytes(size)) == size
    except OSError:
        return False


def test_sockets_of_this_machine_are_not_those_of_a_box() -> None:
    """A program in the tier `none` shares our network."""
    with subprocess.Popen(["sleep", "600"]) as program:
        sockets = Sockets(program.pid)
        assert sockets.most_bytes() == 0
        sockets.close()
        program.kill()


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
    meter = CgroupMeter(tmp_path / "cgroup.procs", tmp_path / "memory", file, 1000, "usage_usec")
    assert meter.cpu_ns() == 1_500_000
    file.unlink()
    assert meter.cpu_ns() == 1_500_000


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
    meter = CgroupMeter(members, tmp_path / "memory", usage, 1, "")
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
