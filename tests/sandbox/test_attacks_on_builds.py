"""Sources that attack when they are built, and what comes out of a build and had better not be kept.

As in `test_attacks.py` for matches: whatever a source does to its compiler, the build ends as a refusal or with plain
files, nothing has got out, and nothing is left. What should not have worked says WORKED in the compiler's words. Most
of these sources are shell scripts, for a language in which the source itself says what its compiler does
(`conftest.SCRIPT_LANGUAGE`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from engine.toolchains.program import missing_tools
from tests.processes import one_at_a_time

if TYPE_CHECKING:
    from tests.sandbox.conftest import Arena, Host

ATTACKS = Path(__file__).with_name("attacks")
UNFIT = "neither a file nor a folder"
FAILED = "does not compile|took more than the"
LATE = "took more than the 1 s"
BOT = "echo 'echo hello' > /out/bot\n"


@dataclass(frozen=True)
class Build:
    """A source, in which TOKEN stands for the test's own word, and the words of its refusal; "" where it gets by.

    `in_folder`: it comes as a folder, whose `ladder.toml` says that it is the command that builds it.
    """

    name: str
    source: str
    refusal: str = FAILED
    language: str = "script"
    in_folder: bool = False


def python(code: str) -> str:
    return f"exec python3 -c '{code}'\n"


def compiled(code: str, argument: str) -> str:
    return f"cat >/tmp/it.c <<'END'\n{code}\nEND\ngcc -o /tmp/it /tmp/it.c && exec /tmp/it {argument}\n"


HAS_COMPILERS = not any(missing_tools((tool,), ()) for tool in ("gcc", "g++"))
OPEN_FILES = (ATTACKS / "open_files.c").read_text()
DAEMON = """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.environ["X"] = "TOKEN"
        os.execvp("sleep", ["TOKEN", "600"])
    os._exit(0)
os.wait()
open("/out/bot", "w").write("echo hello")
"""
BOMB = """
import os, time, sys
started = 0
try:
    while started < 3000:
        if os.fork() == 0:
            os.execvp("sleep", ["TOKEN", "600"])
        started += 1
except BlockingIOError:
    sys.exit("could not start more")
"""
CONNECT = """
import socket
for kind, address in ADDRESSES:
    try:
        family = socket.AF_UNIX if isinstance(address, str) else socket.AF_INET
        socket.socket(family, socket.SocketKind[kind]).connect(address)
        print("WORKED:", address)
    except OSError:
        pass
"""
FILL = """
import os, sys
for number in range(40):
    file = os.open("/out/%d" % number, os.O_CREAT | os.O_WRONLY)
    os.posix_fallocate(file, 0, 100 * 2**20)
sys.exit("WORKED: took 4 GB of the disk")
"""
MANY = """
for number in range(3000):
    open("/out/%d" % number, "w").close()
"""
ENDLESSLY_MANY = """
import sys
number = 0
try:
    while True:
        open("/%s/%d" % (("out", "tmp")[number % 2], number), "w").close()
        number += 1
except OSError:
    sys.exit("WORKED: all that the kernel has room for")
"""
HOARD_TOGETHER = """
import os, sys, time
for _ in range(3):
    if os.fork() == 0:
        filled = b"x" * (40 * 2**20)
        time.sleep(600)
os.wait()
sys.exit(1)
"""
SOCKETS = """
import os, socket, time
def fill():
    while True:
        for end in socket.socketpair(socket.AF_UNIX, socket.KIND):
            kept.append(end)
            end.setblocking(False)
            for size in (200_000, 212_960, 4096):
                try:
                    while end.send(bytes(size)): pass
                except OSError: pass
for _ in range(4):
    if os.fork() == 0:
        kept = []
        try: fill()
        except OSError: time.sleep(600)
time.sleep(600)
"""
"""Fills pairs of sockets in several processes: hundreds of megabytes that are in no process."""
TABLES_OF_PAGES = """
import ctypes, os, time
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
libc.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
NO_RESERVE, NO_HUGE_PAGES, SIZE, TABLE = 0x4000, 15, 28 << 30, 2 << 20
for _ in range(3):
    if os.fork() == 0:
        memory = libc.mmap(None, SIZE, 1, 0x22 | NO_RESERVE, -1, 0)
        libc.madvise(memory, SIZE, NO_HUGE_PAGES)
        for at in range(0, SIZE, TABLE):
            ctypes.c_char.from_address(memory + at).value
        time.sleep(600)
time.sleep(600)
"""
"""Reads a byte here and there in huge empty mappings of several processes: 56 MB of tables of pages in each."""
MAPPINGS = """
import ctypes, os, time
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
for _ in range(5):
    if os.fork() == 0:
        memory = libc.mmap(None, 2 * 32000 * 4096, 0, 0x22, -1, 0)
        for number in range(32000):
            libc.mprotect(memory + 2 * number * 4096, 4096, 1)
        time.sleep(600)
time.sleep(600)
"""
"""Makes very many small empty mappings in several processes: 17 MB of the kernel's notes on them in each."""
INCLUDES = """
for path in /etc/shadow /etc/passwd /proc/self/environ /proc/1/environ /bot /dev/stdin; do
    echo "#include \\"$path\\"" > /tmp/it.c
    gcc -E /tmp/it.c >&2
done
exit 1
"""
"""Has the compiler show what it should not be able to read."""
BESIDE = "for path in /bot /usr /usr/bin /dev /etc / /proc; do touch $path/TOKEN && echo WORKED: $path; done\n"


def builds() -> Iterator[Build]:
    yield Build("pipe", "mkfifo /out/bot", f"{UNFIT}|{FAILED}")
    yield Build("device", "mknod /out/bot c 1 1")
    yield Build("socket", python('import socket; socket.socket(1).bind("/out/bot")'))
    yield Build("hard link to the system", "ln /bin/sh /out/bot")
    yield Build("writes beside itself", BESIDE + BOT, "")
    yield Build("connects to servers", python(CONNECT), "nothing that could be run")
    yield Build("daemon", python(DAEMON), "")
    yield Build("fork bomb", python(BOMB))
    yield Build("memory hog", python("b = [bytes(2**24) for _ in range(99)]"), FAILED)
    yield Build("memory hog of many processes", python(HOARD_TOGETHER), "the 64 MB of memory", "patient")
    for kind in ("SOCK_STREAM", "SOCK_SEQPACKET"):
        full = python(SOCKETS.replace("KIND", kind))
        yield Build(f"full sockets of many processes: {kind}", full, "the 64 MB of memory", "patient")
    yield Build("page tables of many processes", python(TABLES_OF_PAGES), "the 64 MB of memory", "patient")
    yield Build("mappings of many processes", python(MAPPINGS), "the 64 MB of memory", "patient")
    yield Build("never ends", "trap '' TERM INT HUP; sleep 600", LATE)
    yield Build("file too large", f"{BOT} truncate -s 1G /out/large", "a file of more than the 256 MB", "patient")
    yield Build("endlessly many files", python(ENDLESSLY_MANY), "made more than the 20,000 files", "patient")
    yield Build("filler of the disk", python(FILL))
    if HAS_COMPILERS:
        for what, argument in (("pipes", "pipes"), ("epolls", "")):
            yield Build(f"{what} of many processes", compiled(OPEN_FILES, argument), "the 64 MB of memory", "patient")
        yield Build("includes of what is private", INCLUDES, "does not compile", "patient")
        put = '__asm__(".incbin \\"/etc/shadow\\"");\nint main(void) {}\n'
        yield Build("file put into the program", put, language="c")


def builds_of_the_engine() -> Iterator[Build]:
    """Those that no box has to do with: what is kept of what came out. And folders, built in boxes like the others."""
    yield Build("symbolic link", "ln -s /etc/shadow /out/bot", UNFIT)
    yield Build("symbolic link to a folder", f"ln -s / /out/all; {BOT}", UNFIT)
    yield Build("hard link to itself", f"{BOT} ln /out/bot /out/again", "")
    yield Build("setuid file", f"{BOT} chmod 6777 /out/bot", "")
    yield Build("file that cannot be read", f"{BOT} chmod 0 /out/bot", ".*")
    yield Build("folder that cannot be entered", f"{BOT} mkdir /out/a; : > /out/a/b; chmod 0 /out/a", ".*")
    yield Build("file with a name of control characters", f"{BOT} : > \"/out/$(printf '\\033[2J\\n')\"", "")
    yield Build("endless output", "yes", LATE)
    yield Build("very many files", python(MANY), f"in 3000 files|{LATE}")
    yield Build("hollow file", f"{BOT} truncate -s 100M /out/large", "the limit is 64 MB", "patient")
    yield from folders()
    if HAS_COMPILERS:
        yield from compilers()


def folders() -> Iterator[Build]:
    yield Build("folder: symbolic link", "ln -s /etc/shadow bot", UNFIT, in_folder=True)
    yield Build("folder: link in the place of a file", "rm ladder.toml; ln -s / ladder.toml", UNFIT, in_folder=True)
    yield Build("folder: link in the place of all", "rm -r /out/*; ln -s /usr /out/all", UNFIT, in_folder=True)
    yield Build("folder: writes beside itself", f"{BESIDE} exit 1", in_folder=True)
    yield Build("folder: connects to servers", python(CONNECT), "", in_folder=True)
    yield Build("folder: daemon", python(DAEMON), "", in_folder=True)
    yield Build("folder: fork bomb", python(BOMB), in_folder=True)
    yield Build("folder: never ends", "trap '' TERM INT HUP; sleep 600", LATE, in_folder=True)
    yield Build("folder: hollow file", "truncate -s 100M large", "the limit is 64 MB", "patient", in_folder=True)
    yield Build("folder: file that cannot be read", f"{BOT} chmod 0 bot ladder.toml", ".*", in_folder=True)


def compilers() -> Iterator[Build]:
    yield Build("include of /etc/shadow", '#include "/etc/shadow"\nint main(void) { return x; }\n', language="c")
    twice = "#include __FILE__\n#include __FILE__\n"
    yield Build("includes itself", twice, f"{LATE}|{FAILED}", "cpp")
    huge = '__asm__(".data; .fill 80000000, 1, 7");\nint main() {}\n'
    yield Build("huge program", huge, "the limit is 64 MB", "c")
    yield Build("very many errors", "#define A x; x; x; x;\n" + "A A A A\n" * 100, language="c")
    endless = "template<int N, int M> struct F { F<N - 1, 2 * M> a; F<N - 1, 2 * M + 1> b; };\n"
    endless += "template<int M> struct F<0, M> {};\nF<30, 0> f;\nint main() {}\n"
    yield Build("endless template", endless, f"{LATE}|{FAILED}", "cpp")


BUILDS = [
    *(pytest.param(row, id=row.name) for row in builds()),
    *(pytest.param(row, id=row.name, marks=pytest.mark.one_place) for row in builds_of_the_engine()),
]


@pytest.mark.parametrize("row", BUILDS)
def test_a_build_that_attacks_is_refused_or_does_no_harm(row: Build, arena: Arena, host: Host, token: str) -> None:
    source = row.source.replace("TOKEN", token).replace("ADDRESSES", repr(host.addresses).replace("'", '"'))
    with one_at_a_time("account") if row.name.startswith("pipes") else nullcontext():
        built = arena.order(
            "build", source=source + comment(row), language=row.language, token=token, in_folder=row.in_folder
        )
    words = built["refused"] + built["words"]
    assert "WORKED" not in words
    assert not re.search(r"root:|xyzzy", words + str(built["files"]))
    assert bool(built["refused"]) == bool(row.refusal) or row.refusal == ".*"
    assert re.search(row.refusal, built["refused"])
    assert "a link" not in built["files"].values()
    assert len(words) < 40_000
    assert "\x1b" not in words
    assert host.visitors() == []
    assert built["left"] == []


def comment(row: Build) -> str:
    return f"\n// {row.name}" if row.language not in {"script", "patient"} else ""
