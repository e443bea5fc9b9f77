"""Files: writing where one must not, and reading what is other people's."""

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

from tests.sandbox.attacks.seat import Seat

MOST_FOLDERS = 120
TOP_FOLDERS = ("/", "/bot", "/out", "/tmp", "/var/tmp", "/dev", "/dev/shm", "/dev/mqueue", "/dev/pts", "/run", "/home")  # noqa: S108
PRIVATE = (
    "/etc/shadow",
    "/etc/passwd",
    "/etc/hostname",
    "/root",
    "/home",
    "/var",
    "/run",
    "/srv",
    "/sys",
    "/proc/kcore",
)
MOUNTS, SETTINGS = Path("/proc/self/mountinfo"), Path("/proc/sys")
PYTHON_OF_ROOT = "/bot/python-of-root"


def fill(seat: Seat) -> None:
    """Make a file, a folder, a link and a device in every folder that can be found."""
    folders = list(dict.fromkeys(find_folders()))[:MOST_FOLDERS]
    for what, deed in MAKERS.items():
        seat.attempt_all(f"make {what}", {folder: partial(deed, f"{folder}/{seat.token}") for folder in folders})


def find_folders() -> Iterator[str]:
    """Yield the folders where something might be writable, the likely ones first."""
    yield from TOP_FOLDERS
    yield os.getcwd()  # noqa: PTH109
    if MOUNTS.exists():
        yield from (line.split()[4] for line in MOUNTS.read_text().splitlines())
    for top in ("/", "/dev", "/usr", "/bot", "/usr/lib", "/usr/share"):
        yield from (entry.path for entry in os.scandir(top) if entry.is_dir(follow_symlinks=False))


def make_file(path: str) -> None:
    """Make a file of some size."""
    with open(path, "wb") as file:  # noqa: PTH123 - in less time
        file.write(bytes(2**20))


MAKERS: dict[str, Callable[[str], object]] = {
    "a file": make_file,
    "a folder": os.mkdir,
    "a link": partial(os.symlink, "/etc/shadow"),
    "a second name": partial(os.link, "/bin/sh"),
    "a pipe": os.mkfifo,
    "a device": partial(os.mknod, mode=stat.S_IFCHR | 0o666, device=os.makedev(1, 1)),
    "a nameless file": lambda path: os.open(os.path.dirname(path), os.O_TMPFILE | os.O_RDWR),  # noqa: PTH120
}


def change(seat: Seat) -> None:
    """Change files that are there: one's own program and those of the system."""
    own, shell = str(Path(__file__)), "/bin/sh"
    deeds: dict[str, Callable[[], object]] = {}
    for path in (own, shell, "/etc/ld.so.cache"):
        deeds |= {
            f"write {path}": partial(os.open, path, os.O_WRONLY),
            f"append to {path}": partial(os.open, path, os.O_RDWR | os.O_APPEND),
            f"cut {path}": partial(os.truncate, path, 0),
            f"remove {path}": partial(os.remove, path),
            f"rename {path}": partial(os.rename, path, f"{path}-{seat.token}"),
            f"change the mode of {path}": partial(os.chmod, path, 0o4777),
            f"change the owner of {path}": partial(os.chown, path, os.getuid(), os.getgid()),
            f"change the time of {path}": partial(os.utime, path),
        }
    seat.attempt_all("", deeds)


def change_settings(seat: Seat) -> None:
    """Write every setting of the kernel, with what is in it."""
    files = [Path(folder) / name for folder, _, names in os.walk(SETTINGS) for name in names]
    files += [Path("/proc/sysrq-trigger"), Path("/sys/power/state"), Path("/dev/mem"), Path("/dev/kmsg")]
    seat.attempt_all("write", {str(file): partial(write_again, file) for file in files})


def write_again(path: Path) -> None:
    """Open a file for writing, and write what is in it already."""
    file = os.open(path, os.O_RDWR if os.access(path, os.R_OK) else os.O_WRONLY)
    try:
        os.write(file, os.pread(file, 4096, 0) or b"0")
    finally:
        os.close(file)


def read_private(seat: Seat) -> None:
    """Read what belongs to the machine, to the opponent and to the process that is our parent."""
    seen = [path.name for path in Path("/proc").iterdir()] if Path("/proc").exists() else []
    pids = {name for name in seen if name.isdecimal()}
    places = [*seat.known["private"], *PRIVATE]
    places += [f"/proc/{pid}/root{place}" for pid in ("self", *pids) for place in PRIVATE]
    others = {str(os.getppid()), str(seat.known["parent"])} | pids - {str(os.getpid())}
    places += [f"/proc/{pid}/{part}" for pid in others for part in ("environ", "mem", "maps", "fd", "cwd", "root")]
    seat.attempt_all("open", {place: partial(os.open, place, os.O_RDONLY) for place in places})
    for pid in pids:
        with suppress(OSError):
            if seat.known["secret"] in Path(f"/proc/{pid}/environ").read_text():
                seat.could(f"find a secret in the environment of {pid}")
    if any(seat.known["secret"] in text for text in os.environ.values()):
        seat.could("find a secret in its environment")


def become_root(seat: Seat) -> None:
    """Run a program that runs as its owner, and be that."""
    own = f"from {seat.MODULE} import {type(seat).__name__} as Own"
    go_on = f"{own}; from {__name__} import stay; stay(Own({{}}, 1), {os.getuid()})"
    os.execv(PYTHON_OF_ROOT, [PYTHON_OF_ROOT, "-u", "-c", go_on])  # noqa: S606


def stay(seat: Seat, uid: int) -> None:
    """Report whether we are somebody else than `uid`, or can be; then play on."""
    if {*os.getresuid()} != {uid}:
        seat.could(f"be {os.getresuid()}")
    seat.attempt("have another uid", partial(os.setuid, 0))
    seat.attempt("have another gid", partial(os.setgid, 0))
    seat.attempt("have other groups", partial(os.setgroups, [0]))
    seat.play_on()
