"""What a program in the box can see, reach and use."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.sandbox.conftest import Arena

MOUNTS = """
import json, os
report = {}
mounts = [line.split()[4] for line in open("/proc/self/mountinfo")] if os.path.exists("/proc/self") else []
for place in ["/" + name for name in os.listdir("/")] + ["/"] + mounts:
    if not os.path.isdir(place):
        continue
    try:
        with open(os.path.join(place, "intruder"), "w"):
            report[place] = "writable"
    except OSError as error:
        report[place] = error.strerror
print(json.dumps(report))
"""


OWN_SETTINGS = """
import json, os
opened, tried = [], 0
for folder, folders, files in os.walk("/proc/self"):
    folders[:] = [name for name in folders if name not in ("fd", "map_files", "root", "cwd", "net")]
    for name in files:
        tried += 1
        try:
            os.close(os.open(f"{folder}/{name}", os.O_WRONLY))
            opened.append(name)
        except OSError:
            pass
print(json.dumps([tried, opened]))
"""


def test_the_environment_is_what_the_box_says_and_nothing_else(arena: Arena) -> None:
    result = arena.run("env", environment={"DEPTH": "7"})
    names = {line.split("=")[0] for line in result.stdout.decode().splitlines()}
    assert names == {"PATH", "HOME", "LANG", "PWD", "DEPTH"}
    assert b"PATH=/usr/local/bin:/usr/bin:/bin\n" in result.stdout


def test_not_even_the_monitor_has_the_parents_environment(arena: Arena) -> None:
    held = arena.hold("cat")
    monitor = arena.monitor(held.pids[0])
    assert b"xyzzy" in Path(f"/proc/{held.driver.process.pid}/environ").read_bytes()
    assert b"xyzzy" not in Path(f"/proc/{monitor}/environ").read_bytes()


def test_the_root_folder_shows_the_system_the_bot_and_no_people(arena: Arena) -> None:
    result = arena.run("ls", "-1", "/")
    shown = set(result.stdout.decode().split())
    assert shown >= {"bot", "usr", "dev", "etc", "bin"}
    assert ("proc" in shown) == arena.shows_proc
    assert not shown & {"home", "root", "tmp", "var", "run", "srv", "opt", "mnt", "sys", "work", "out"}


def test_what_belongs_to_the_machine_is_not_there(arena: Arena) -> None:
    paths = ("/etc/passwd", "/etc/shadow", "/etc/hostname", "/home", "/root", "/var")
    result = arena.run("ls", "-d", *paths)
    assert result.stdout == b""
    assert result.stderr.count(b"No such file") == len(paths)


def test_nothing_can_be_written_anywhere(arena: Arena) -> None:
    report = json.loads(arena.python(MOUNTS).stdout)
    assert {"/", "/usr", "/bot", "/dev"} <= set(report)
    assert ("/proc" in report) == arena.shows_proc
    assert "writable" not in report.values()


def test_what_the_kernel_would_let_a_program_change_about_itself_cannot_be_opened_for_writing(arena: Arena) -> None:
    """How important it is, say (`autogroup`), or how soon it is ended where memory is short."""
    tried, opened = json.loads(arena.python(OWN_SETTINGS).stdout)
    assert (tried > 40) == arena.shows_proc
    assert opened == []


def test_no_two_boxes_learn_from_boot_id_that_they_are_on_the_same_machine(arena: Arena) -> None:
    path = "/proc/sys/kernel/random/boot_id"
    told = [arena.run("cat", path).stdout.decode().strip() for _ in range(2)]
    if not arena.shows_proc:
        assert told == ["", ""]
        return
    assert len({*told, Path(path).read_text().strip()}) == 3
    assert all(re.fullmatch("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", boot_id) for boot_id in told)


def test_the_bot_is_an_ordinary_user_to_the_kernel_and_holds_no_powers(arena: Arena) -> None:
    held = arena.hold("cat")
    assert held.order("ask") == {"answers": ["ping\n"]}
    lines = Path(f"/proc/{held.pids[0]}/status").read_text().splitlines()
    status = dict(line.split(":\t", 1) for line in lines if ":\t" in line)
    (uid,) = set(map(int, status["Uid"].split()))
    assert uid in arena.kernel_uids
    assert "0" not in status["Gid"].split()
    kept = set() if os.geteuid() == 0 else {str(group) for group in os.getgroups()}  # only root can take groups away
    assert set(status["Groups"].split()) <= {"65534"} | kept
    assert {status[name] for name in ("CapInh", "CapPrm", "CapEff", "CapAmb")} == {"0" * 16}
    assert status["NoNewPrivs"] == "1"
    assert status["NSpid"].split()[-1] == "1"


def test_no_process_but_its_own_is_visible(arena: Arena) -> None:
    if arena.shows_proc:
        result = arena.python("import os; print([name for name in os.listdir('/proc') if name.isdigit()])")
        assert result.stdout == b"['1']\n"
    result = arena.python("import os; os.kill(-1, 0)")
    assert b"ProcessLookupError" in result.stderr


def test_no_new_user_namespace_can_be_made(arena: Arena) -> None:
    assert arena.run("unshare", "--user", "true").exit_code == 1


def test_bots_hold_their_three_pipes_and_no_descriptor_of_anybody_else(arena: Arena) -> None:
    held = arena.hold("cat", count=3)
    assert held.order("ask") == {"answers": ["ping\n"] * 3}
    pipes: list[str] = []
    for pid in held.pids:
        descriptors = {path.name: str(path.readlink()) for path in Path(f"/proc/{pid}/fd").iterdir()}
        assert set(descriptors) == {"0", "1", "2"}
        pipes += descriptors.values()
    assert len(set(pipes)) == 9


def test_a_bot_may_open_its_pipes_by_name(arena: Arena) -> None:
    """As in `echo hello > /dev/stderr`, whoever has started it."""
    result = arena.run("sh", "-c", "read a < /dev/stdin; echo out > /dev/stdout; echo err > /dev/stderr")
    if arena.shows_proc:
        assert (result.stdout, result.stderr) == (b"out\n", b"err\n")
    else:
        assert b"/dev/stdin: No such file" in result.stderr


def test_there_is_no_network_but_an_own_loopback(arena: Arena) -> None:
    if arena.shows_proc:
        assert arena.run("cut", "-d:", "-f1", "-s", "/proc/net/dev").stdout.split() == [b"lo"]


def test_there_is_no_socket_for_a_network(arena: Arena) -> None:
    result = arena.python("import socket; print(socket.if_nameindex())")
    assert b"Address family not supported" in result.stderr


def test_an_allocation_beyond_the_memory_limit_of_the_box_fails(arena: Arena) -> None:
    result = arena.python("small = bytearray(300 * 2**20); print(len(small)); bytearray(1500 * 2**20)")
    assert result.stdout == b"314572800\n"
    assert b"MemoryError" in result.stderr
    assert b"MemoryError" in arena.python("bytearray(300 * 2**20)", limits={"memory_mb": 200}).stderr


def test_threads_and_processes_are_limited_per_box(arena: Arena) -> None:
    """Held boxes use up most of what one box may have; another one still gets its own share."""
    code = """
import threading
stop = threading.Event()
started = 0
try:
    for _ in range(40):
        threading.Thread(target=stop.wait).start()
        started += 1
except RuntimeError:
    pass
print(started, flush=True)
stop.set()
"""
    arena.hold("cat", count=12, limits={"threads": 20})
    result = arena.python(code, limits={"threads": 20})
    assert result.stdout == b"19\n"


def test_open_files_are_limited(arena: Arena) -> None:
    result = arena.python("files = [open('/dev/null') for _ in range(100)]", limits={"open_files": 50})
    assert b"Too many open files" in result.stderr


def test_a_file_cannot_grow_beyond_its_limit(arena: Arena) -> None:
    code = "open('/out/large', 'wb').write(bytes(3 * 2**20))"
    assert b"File too large" in arena.python(code, writable=True, limits={"file_size_mb": 2}).stderr


def test_no_core_file_is_written(arena: Arena) -> None:
    result = arena.python("import resource; print(resource.getrlimit(resource.RLIMIT_CORE))")
    assert result.stdout == b"(0, 0)\n"


def test_a_box_that_can_be_written_to_has_small_folders_in_memory(arena: Arena) -> None:
    code = "import os\nfor path in '/tmp', '/out': s = os.statvfs(path); print(s.f_blocks * s.f_frsize // 2**20)\n"
    result = arena.python(f"{code}open('/tmp/made', 'w').write('a'); open('/out/made', 'w').write('b')", writable=True)
    assert (result.exit_code, result.stdout) == (0, b"512\n256\n")


def test_a_box_that_can_be_written_to_has_nothing_of_the_disk(arena: Arena) -> None:
    report = json.loads(arena.python(MOUNTS, writable=True).stdout)
    assert {place for place, access in report.items() if access == "writable"} == {"/tmp", "/out"}  # noqa: S108


def test_extra_folders_are_shown_where_they_are_and_read_only_and_not_hidden_by_the_boxs_own_tmp(arena: Arena) -> None:
    extra = arena.folder / "extra"
    extra.mkdir()
    extra.chmod(0o777)
    (extra / "tool").write_text("here")
    result = arena.run("sh", "-c", f"cat {extra}/tool; touch {extra}/new", extra_paths=[str(extra)], compiles=True)
    assert result.stdout == b"here"
    assert b"Read-only" in result.stderr
    assert arena.run("cat", f"{extra}/tool", extra_paths=[str(extra)], writable=True).stdout == b"here"


def test_nothing_below_proc_says_where_the_bots_folder_is_on_the_host(arena: Arena) -> None:
    (arena.folder / "bot.sh").write_text("cat /proc/self/mountinfo /proc/1/maps; cat /bot/sub/data; exec /bot/tool\n")
    (arena.folder / "tool").write_text("#!/bin/sh\necho ran; cat /proc/self/maps\n")
    (arena.folder / "tool").chmod(0o755)
    (arena.folder / "sub").mkdir()
    (arena.folder / "sub" / "data").write_text("data\n")
    for path in (arena.folder, *arena.folder.rglob("*")):
        path.chmod(0o755 if path.is_dir() or path.name == "tool" else 0o644)
    shown = arena.run("sh", "/bot/bot.sh", compiles=True).stdout.decode()
    assert "data\nran\n" in shown
    assert arena.folder.name not in shown


def test_a_copied_folder_is_as_it_was_and_cannot_be_changed(arena: Arena) -> None:
    (arena.folder / "data").write_text("as it was")
    (arena.folder / "data").chmod(0o644)
    script = "cat data; stat -c %a data; echo more >> data || rm -f data; chmod 777 /bot"
    result = arena.run("sh", "-c", script, compiles=True)
    assert result.stdout == b"as it was444\n"
    assert result.stderr.count(b"Read-only file system") + result.stderr.count(b"not permitted") >= 2
