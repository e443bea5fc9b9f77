"""How programs in the box start, talk, end and are ended."""

import os
import signal
from contextlib import suppress
from pathlib import Path

import pytest

from engine.boxes import BOT_UIDS, bot_uid, bot_uids, obstacle
from engine.errors import MissingTool, SandboxFault, UsageFault
from engine.sandbox.box import Box, readable
from engine.sandbox.choice import CONTAINING, offered, open_sandbox, strongest
from tests.patience import wait_until
from tests.processes import open_descriptors, runs_of, state_of
from tests.sandbox.conftest import Arena

DAEMON = """
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.execvp("sleep", ["sleep", sys.argv[1]])
    os._exit(0)
for line in sys.stdin:
    print(line, end="", flush=True)
"""


def running(mark: str) -> list[str]:
    found: list[str] = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if mark.encode() in (folder / "cmdline").read_bytes().split(b"\0"):
                found.append(folder.name)
    return found


@pytest.fixture
def mark(request: pytest.FixtureRequest) -> str:
    """A number of seconds to sleep that no other process of this machine sleeps."""
    return f"9{os.getpid()}.{abs(hash(request.node.name)) % 10**9}"


def test_a_sandbox_that_contains_works_here() -> None:
    assert open_sandbox("auto").name in CONTAINING


def test_no_sandbox_at_all_is_used_only_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "none" not in offered()
    assert open_sandbox("none").name == "none"
    monkeypatch.setenv("PATH", "/nowhere")
    strongest.cache_clear()
    try:
        for name in (None, "auto"):
            with pytest.raises(MissingTool):
                open_sandbox(name)
    finally:
        strongest.cache_clear()


def test_what_goes_in_comes_out(arena: Arena) -> None:
    text = "".join(f"line {number}\n" for number in range(200_000))
    result = arena.run("cat", stdin=text, output_kb=4096)
    assert (result.exit_code, result.stderr, result.truncated, result.timed_out) == (0, b"", False, False)
    assert result.stdout == text.encode()


def test_a_program_that_never_reads_does_not_block_its_parent(arena: Arena) -> None:
    assert arena.run("true", stdin="x" * 1_000_000).exit_code == 0


def test_both_outputs_are_kept_apart_and_a_program_that_closes_them_is_still_seen_to_end(arena: Arena) -> None:
    result = arena.run("sh", "-c", "echo out; echo err >&2; exec >&- 2>&- <&-; exit 5")
    assert (result.exit_code, result.stdout, result.stderr) == (5, b"out\n", b"err\n")


def test_a_conversation_goes_back_and_forth(arena: Arena) -> None:
    held = arena.hold("cat", count=2)
    for _ in range(3):
        assert held.order("ask") == {"answers": ["ping\n", "ping\n"]}


@pytest.mark.parametrize("code", [0, 1, 42, 127])
def test_the_exit_code_is_the_programs_own(arena: Arena, code: int) -> None:
    """... even where bwrap itself would use the same number for its own failures, and however soon it ends."""
    assert arena.run("sh", "-c", f"exit {code}", times=10).exit_code == code


def test_the_message_about_a_crash_names_its_signal(arena: Arena) -> None:
    assert arena.python("import ctypes; ctypes.string_at(0)").exit_code == -signal.SIGSEGV


def test_a_command_that_is_not_there_or_cannot_be_run_is_the_programs_failure_as_in_a_shell(arena: Arena) -> None:
    assert arena.run("/bot/nothing").exit_code == 127
    (arena.folder / "note.txt").write_text("no program")
    assert arena.run("/bot/note.txt").exit_code in {126, 127}


def test_a_program_that_takes_too_long_is_killed(arena: Arena, mark: str) -> None:
    result = arena.run("sleep", mark, wall_limit_s=0.5)
    assert (result.timed_out, result.exit_code) == (True, -signal.SIGKILL)
    assert running(mark) == []


def test_endless_output_is_cut_and_does_not_fill_our_memory(arena: Arena) -> None:
    result = arena.run("yes", wall_limit_s=0.3, output_kb=8)
    assert (len(result.stdout), result.truncated, result.timed_out) == (8192, True, True)


def test_ignoring_every_signal_does_not_help(arena: Arena, mark: str) -> None:
    code = f"""
import signal, sys, time
for number in set(signal.Signals) - {{signal.SIGKILL, signal.SIGSTOP}}:
    signal.signal(number, signal.SIG_IGN)
time.sleep({mark})
"""
    result = arena.python(code, wall_limit_s=0.4)
    assert (result.timed_out, result.exit_code) == (True, -signal.SIGKILL)


def test_killing_a_program_leaves_none_of_its_children_behind(arena: Arena, mark: str) -> None:
    held = arena.hold("/usr/bin/python3", "-I", "-c", DAEMON, mark, compiles=True)
    assert held.order("ask") == {"answers": ["ping\n"]}
    wait_until(lambda: any(Path(f"/proc/{pid}/comm").read_text() == "sleep\n" for pid in running(mark)))
    assert held.order("kill") == {"exit_codes": [-signal.SIGKILL]}
    assert running(mark) == []


def test_a_program_that_ends_leaves_none_of_its_children_behind(arena: Arena, mark: str) -> None:
    assert arena.run("/usr/bin/python3", "-I", "-c", DAEMON, mark, compiles=True).exit_code == 0
    assert running(mark) == []


def test_ctrl_c_in_the_terminal_of_the_parent_does_not_end_its_bots(arena: Arena) -> None:
    held = arena.hold("cat")
    monitor = arena.monitor(held.pids[0])
    assert held.driver.process.pid not in {os.getpgid(monitor), os.getpgid(held.pids[0])}
    os.killpg(held.driver.process.pid, signal.SIGINT)
    assert held.order("ask") == {"answers": ["ping\n"]}


def test_a_program_that_is_frozen_and_let_go_does_not_wake_its_monitor(arena: Arena) -> None:
    held = arena.hold("cat")
    monitor = arena.monitor(held.pids[0])
    wait_until(lambda: state_of(monitor) == "T")
    runs = runs_of(monitor)
    for _ in range(20):
        held.order("freeze")
        held.order("thaw")
    assert runs_of(monitor) == runs


def test_a_folder_that_is_not_there_is_our_fault_and_not_the_programs(arena: Arena) -> None:
    with pytest.raises(SandboxFault, match="nowhere: No such file"):
        arena.run("true", folder=str(arena.folder / "nowhere"))


def test_a_file_in_the_place_of_the_folder_is_our_fault_too(arena: Arena) -> None:
    (arena.folder / "file").touch()
    with pytest.raises(SandboxFault, match="file: Not a directory"):
        arena.run("true", folder=str(arena.folder / "file"))


@pytest.mark.parametrize("closed", ["outer", "outer/bot"])
def test_a_folder_that_bots_may_not_enter_is_our_fault_and_not_the_programs(arena: Arena, closed: str) -> None:
    bot = arena.folder / "outer" / "bot"
    bot.mkdir(parents=True)
    (arena.folder / closed).chmod(0o000)
    try:
        with pytest.raises(SandboxFault, match=f"{bot}: Permission denied"):
            arena.run("true", folder=str(bot))
    finally:
        (arena.folder / closed).chmod(0o755)


def test_a_monitor_that_somebody_kills_is_our_fault_and_not_the_programs(public_folder: Path) -> None:
    process = open_sandbox().start(Box(command=("cat",), folder=public_folder))
    process.ready()
    process.release()
    try:
        os.write(process.stdin, b"ping\n")
        wait_until(lambda: readable(0, process.stdout), "its answer: it has begun, and so is bound to its monitor")
        os.kill(Arena.monitor(process.pid), signal.SIGKILL)
        wait_until(lambda: readable(0, process.pidfd), "the program's end")
        with pytest.raises(SandboxFault, match="ended with -9"):
            process.exit_code()
    finally:
        process.kill()


def test_a_program_killed_before_it_was_let_go_has_not_run(public_folder: Path) -> None:
    process = open_sandbox().start(Box(command=("true",), folder=public_folder))
    process.ready()
    process.kill()
    assert process.exit_code() == -signal.SIGKILL


def test_a_running_program_has_no_exit_code(public_folder: Path) -> None:
    process = open_sandbox().start(Box(command=("cat",), folder=public_folder))
    process.ready()
    process.release()
    assert process.exit_code() is None
    process.kill()


def test_of_a_box_that_is_thrown_away_before_it_is_built_nothing_is_left(public_folder: Path, mark: str) -> None:
    def throw_one_away() -> None:
        process = open_sandbox().start(Box(command=("sleep", mark), folder=public_folder))
        process.kill()
        process.kill()

    throw_one_away()
    before = open_descriptors()
    for _ in range(9):
        throw_one_away()
    assert open_descriptors() == before
    wait_until(lambda: not running(mark))


def test_a_frozen_program_goes_on_where_it_was(arena: Arena) -> None:
    held = arena.hold("cat", count=2)
    held.order("freeze")
    assert held.order("ask frozen") == {"answers": ["", ""]}
    held.order("thaw")
    assert set(held.order("ask")["answers"]) <= {"ping\n", "ping\nping\n"}


def test_without_bubblewrap_we_say_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(MissingTool, match="apt install bubblewrap"):
        open_sandbox().probe()


class TestTheBotsAccount:
    @pytest.fixture(autouse=True)
    def _we_are_root(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(os, "getresuid", lambda: (0, 0, 0))

    def test_root_drops_to_accounts_of_their_own(self) -> None:
        assert bot_uids() == BOT_UIDS
        assert bot_uid() == BOT_UIDS[0]

    @pytest.mark.parametrize(("text", "uids"), [("5151", range(5151, 5152)), ("5151-5160", range(5151, 5161))])
    def test_other_accounts_can_be_chosen(self, text: str, uids: range, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("LADDER_BOT_UID", text)
        assert bot_uids() == uids
        assert bot_uid() == 5151

    def test_root_and_what_is_no_uid_are_refused(self, monkeypatch: pytest.MonkeyPatch) -> None:
        others = ("bots", "-1", "2147483648", "4294967295", "4294967296", "٣", "1.5", "9-8", "1-2-3", "5-")
        for text in ("0", "0-9", *others):
            monkeypatch.setenv("LADDER_BOT_UID", text)
            with pytest.raises(UsageFault, match="LADDER_BOT_UID" if text in others else "never run as root"):
                bot_uid()

    def test_an_ordinary_user_runs_bots_under_its_own_account(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(os, "getresuid", lambda: (1000, 1000, 1000))
        assert bot_uid() is None

    def test_the_first_folder_that_bars_the_way_is_named(self, public_folder: Path) -> None:
        inner = public_folder / "closed" / "open"
        inner.mkdir(parents=True)
        assert obstacle(inner) is None
        inner.parent.chmod(0o700)
        assert obstacle(inner) == public_folder / "closed"
        inner.parent.chmod(0o755)
        inner.chmod(0o711)
        assert obstacle(inner) == inner


def test_as_root_the_chosen_account_is_the_one_the_kernel_sees(arena: Arena) -> None:
    arena.variables["LADDER_BOT_UID"] = "5151"
    held = arena.held_by(arena.own_driver(), "cat")
    uid = Path(f"/proc/{held.pids[0]}").stat().st_uid
    assert uid == (arena.kernel_uids[0] if arena.user == "user" else 5151)
