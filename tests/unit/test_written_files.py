"""Writing a file that somebody names: whole or not at all, and over another only where that is asked for."""

import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from cli.options.files import check_free, new_file, write_file
from engine.errors import Refused, UsageFault


def test_a_file_that_exists_is_written_over_only_where_that_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "match.html"
    write_file(path, b"one", over=False)
    with pytest.raises(Refused, match="exists already, and may be your work: name a new file, or add --force"):
        write_file(path, b"two", over=False)
    assert path.read_text() == "one"
    write_file(path, b"two", over=True)
    assert path.read_text() == "two"
    link = tmp_path / "link"
    link.symlink_to("match.html")
    write_file(link, b"three", over=True)
    assert link.is_symlink()
    assert path.read_text() == "three"
    assert sorted(file.name for file in tmp_path.iterdir()) == ["link", "match.html"]


def test_where_no_file_can_be_is_said_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(UsageFault, match="it is a folder"):
        check_free(tmp_path, over=True)
    with pytest.raises(UsageFault, match="there is no folder"):
        check_free(tmp_path / "none" / "match.html", over=False)
    write_file(Path("/dev/null"), b"nothing is left", over=True)
    assert Path("/dev/null").is_char_device()


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    """Let no file grow beyond that many bytes, as on a disk that is full then."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, ignored)


def test_a_disk_that_fills_up_leaves_no_half_file_and_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "match.html"
    path.write_text("before")
    with files_of_at_most(1000), pytest.raises(UsageFault, match=r"^cannot write .*match\.html: File too large$"):
        write_file(path, b"x" * 100_000, over=True)
    assert path.read_text() == "before"
    path.unlink()
    with files_of_at_most(1000), pytest.raises(UsageFault):
        write_file(path, b"x" * 100_000, over=False)
    assert list(tmp_path.iterdir()) == []


INTERRUPTED = """
import os, signal, sys
from pathlib import Path
from cli.options.files import write_file
os.fsync = lambda _: signal.raise_signal(signal.SIGINT)
write_file(Path(sys.argv[1]), b"x" * 100_000, over=False)
"""


def test_ctrl_c_leaves_no_half_file(tmp_path: Path) -> None:
    path = tmp_path / "match.html"
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, str(path)], stderr=subprocess.PIPE, text=True, check=False
    )
    assert (done.returncode, done.stderr.splitlines()[-1]) == (-signal.SIGINT, "KeyboardInterrupt")
    assert list(tmp_path.iterdir()) == []


def test_ctrl_c_while_a_file_is_written_leaves_none_and_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "kraken.ndjson"
    for before in ((), (b"before",)):
        for content in before:
            path.write_bytes(content)
        with pytest.raises(KeyboardInterrupt), new_file(path, over=True) as place:
            place.write_text("half")
            raise KeyboardInterrupt
        assert [file.read_bytes() for file in tmp_path.iterdir()] == list(before)
