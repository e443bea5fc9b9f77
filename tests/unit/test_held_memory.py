"""What counts as memory of a build beyond what its processes have filled."""

from __future__ import annotations

import socket
import subprocess

import pytest

from engine.sandbox.usage.family import parse_held
from engine.sandbox.usage.sockets import Sockets, most_in_one, parse_sockets

MEGABYTE = 2**20
STATUS = "Name:\tcc1\nFDSize:\t%d\nVmRSS:\t  9000 kB\nRssAnon:\t  2048 kB\nRssFile:\t  6952 kB\nVmPTE:\t  1024 kB\n"


def test_page_tables_count_and_pages_of_files_do_not() -> None:
    assert 3 * MEGABYTE < parse_held((STATUS % 64).encode()) < 4 * MEGABYTE


def test_a_process_with_room_for_more_open_files_counts_for_more() -> None:
    few, many = (parse_held((STATUS % room).encode()) for room in (64, 512))
    assert many - few > 512 * 4096


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
    """Send a message if there is room for it."""
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
