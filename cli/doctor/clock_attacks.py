"""Whether a bot that sleeps or works far beyond its limit, and hides that, is charged for it here.

How this works. A bot in its box is asked twice, as in a match. Its second answer comes when it has computed for ten
times its limit, or slept for longer than any match bears, or never; meanwhile it does what could look like waiting for
a busy host. A clock that holds calls it late. Each bot spends that time whatever else runs here, so a busy host alone
lets none of them be in time; where it is so busy that the bot is not blamed, nothing is known.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from cli.doctor.clock import GROUP
from cli.doctor.finding import Finding
from engine.bot.conditions import OFFICIAL
from engine.bot.process import Bot
from engine.conversation import Ask
from engine.cores import core_for_a_match
from engine.errors import ArenaError, HostBusy, SandboxFault
from engine.sandbox.box import Box, Sandbox

FIRST_LIMIT_MS, LIMIT_MS = 5000, 50
TRIALS = 3
REMEDY = "LADDER_SANDBOX=bubblewrap ladder doctor --all  # whether another tier holds; and please report this kernel"

ATTACKS = {
    "sleep behind threads that end": """
for _ in range(1000):
    thread = threading.Thread(target=int)
    thread.start()
    thread.join()
    time.sleep(0.003)
""",
    "stderr one byte at a time": """
while time.process_time() < 0.5:
    os.write(2, b".")
""",
    "threads that feign to wait for each other": """
def wait_with_the_others():
    while True:
        now = time.monotonic()
        time.sleep(0.01 - now % 0.01)
for _ in range(40):
    threading.Thread(target=wait_with_the_others, daemon=True).start()
time.sleep(600)
""",
}
"""What each bot does before its second answer, in Python."""
BOT = """
import os, threading, time
input()
print("ready", flush=True)
input()
{attack}
print("late", flush=True)
time.sleep(600)
"""


def clock_attacks(sandbox: Sandbox | None) -> Iterator[Finding]:
    """Try each attack and say whether the clock charges for it."""
    for name, attack in ATTACKS.items():
        yield tried(name, attack, sandbox) if sandbox else Finding(GROUP, name, ok=None, detail="not tried: no sandbox")


def tried(name: str, attack: str, sandbox: Sandbox) -> Finding:
    """Try one attack, again where it seems to succeed."""
    try:
        for _ in range(TRIALS):
            if is_charged(attack, sandbox):
                return Finding(GROUP, name, ok=True, detail="is charged to the bot that tries it")
    except HostBusy as fault:
        return Finding(GROUP, name, ok=None, detail=f"nothing is known of it: {fault}")
    except ArenaError as fault:
        return Finding(GROUP, name, ok=None, detail=f"not tried: {fault}")
    return Finding(GROUP, name, ok=False, detail="lets a bot think far beyond its limit unseen", remedy=REMEDY)


def is_charged(attack: str, sandbox: Sandbox) -> bool:
    """Ask a bot twice and say whether its second answer loses. Raises HostBusy, SandboxFault where it is unknown."""
    code = BOT.format(attack=attack)
    box = Box(command=("python3", "-I", "-S", "-c", code), folder=Path("/usr"), limits=OFFICIAL.limits)
    with core_for_a_match(), Bot(sandbox, box, OFFICIAL) as bot:
        first = bot.ask(Ask(0, ("begin",), FIRST_LIMIT_MS))
        if first.fault:
            raise SandboxFault(f"no bot in Python starts here: {first.fault.message}")
        return bot.ask(Ask(0, ("go on",), LIMIT_MS)).fault is not None
