"""How a match ended, what each turn took, whose fault an overrun was, and what another rule would say."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from engine.bot.clock import Spent
from engine.conversation import Ask, SeatVerdict, Verdict
from engine.match import MatchResult, MatchSpec, converse
from ladder.database.connection import Pool
from ladder.flows.recording import record
from ladder.ids import MatchId
from ladder.matches import failures
from tests.acceptance.conftest import Desk, Shell
from tests.catalogue import GAMES
from tests.fakes import Scripted, surface
from tests.ladder.arena import a_pair, claimed, on_the_board, within
from tests.ladder.rated import change
from tests.throwaway import written

BOTS_FAULT = Spent(wall_us=75_000, cpu_us=61_200, wait_us=13_800)
HOSTS_FAULT = Spent(wall_us=80_000, cpu_us=20_000, wait_us=50_000, late_us=4_000)
QUICK = Spent(wall_us=2_000, cpu_us=1_500, wait_us=250)


def recorded(
    pool: Pool,
    times: Iterable[Spent],
    *,
    silent_after: int = 99,
    policy: str = "codingame",
    clock: str = "fair",
    sandbox: str = "nested",
) -> str:
    """Record a match in which seat 1 takes those times and falls silent after this many answers; return its number."""
    change(pool, "UPDATE leagues SET time_policy = %s, clock = %s", policy, clock)
    match_id, _ = a_pair(pool, on_the_board(pool, "kraken", "a"), on_the_board(pool, "orca", "b"))
    claim = claimed(pool, match_id)
    answers = iter(range(silent_after))

    def surface_for_a_while(ask: Ask) -> str | None:
        return surface(ask) if next(answers, None) is not None else None

    late = SeatVerdict(Verdict.TIMEOUT, "no complete line within 50 ms")
    spec = MatchSpec(GAMES.find(claim.game), claim.rules_level, claim.seed)
    outcome, turns = converse(spec, (Scripted(surface), Scripted(surface_for_a_while, late, times)))
    result = MatchResult(spec, outcome, turns, stderr_dropped_bytes=(12_345, 0), sandbox=sandbox)
    assert within(pool, record, claim, result)
    return str(match_id)


def rejudged(desk: Shell, match: str, *words: str) -> dict[str, Any]:
    told: dict[str, Any] = desk.json("match", "rejudge", match, *words)
    assert told["sentence"] in desk.ok("match", "rejudge", match, *words)
    return told


def test_a_match_shows_its_sandbox_rule_times_and_no_unused_allowance(desk: Shell, pool: Pool) -> None:
    shown = desk.ok("match", "show", recorded(pool, [QUICK, BOTS_FAULT]))
    assert "sandbox nested; time by the fair clock, policy codingame" in shown
    assert "slowest 75.00 ms; charged at most 61.20 ms; 1 overrun\n" in shown
    assert "12,345 bytes of stderr were too many" in shown
    assert "allowance" not in shown


def test_a_match_without_sandbox_says_so_and_none_speaks_of_no_overrun(desk: Shell, pool: Pool) -> None:
    shown = desk.ok("match", "show", recorded(pool, [QUICK], sandbox="none"))
    assert "sandbox NONE: nothing contained these bots" in shown
    assert "overruns of wall time" not in shown


def test_every_overrun_is_shown_with_whose_fault_it_was_by_any_rule(desk: Shell, pool: Pool) -> None:
    match = recorded(pool, [QUICK, HOSTS_FAULT, BOTS_FAULT])
    first, second, *_ = desk.ok("match", "show", match).split("overruns of wall time\n")[1].splitlines()
    times = "wall 80.00 ms, charged 26.00 ms, cpu 20.00 ms, wait 50.00 ms, late 4.00 ms"
    assert first == f"seat 1, its turn 2 (match turn 4): limit 50 ms, {times}: the host's fault"
    did = "the bot's fault: it computed 61.2 ms and slept 0 ms"
    times = "wall 75.00 ms, charged 61.20 ms, cpu 61.20 ms, wait 13.80 ms, late 0.00 ms"
    assert second == f"seat 1, its turn 3 (match turn 6): limit 50 ms, {times}: {did} (forgiven, 1 of 2)"
    everything_is_there_as_json(desk.json("match", "show", match))
    told = rejudged(desk, match, "--policy", "strict")
    assert told["decisive"] == {"seat": 1, "turn": 6, "limit_ms": 50, "counted_us": 61_200, "overruns": 1}
    lost = "seat 1 would have lost by time-out on its turn"
    assert told["sentence"] == f"{lost} 3 (match turn 6): charged 61.2 ms, limit 50 ms"
    told = rejudged(desk, match, "--policy", "strict", "--clock", "wall")
    assert told["sentence"] == f"{lost} 2 (match turn 4): wall time 80.0 ms, limit 50 ms"


def everything_is_there_as_json(shown: dict[str, Any]) -> None:
    rule = (shown["sandbox"], shown["time_policy"], shown["clock"], shown["host_faults"])
    assert rule == ("nested", "codingame", "fair", 0)
    times = {"charged_us": 26_000, "wall_us": 80_000, "cpu_us": 20_000, "wait_us": 50_000, "late_us": 4_000}
    said = {"turn": 4, "seat": 1, "own_turn": 2, "line": "SURFACE", "limit_ms": 50, "runtime_us": 0, "stderr": ""}
    assert shown["said"][3] == {**said, **times, "fault": "host", "ruling": "", "referee": None}
    assert [turn["fault"] for turn in shown["said"][:6]] == ["", "", "", "host", "", "bot"]
    assert shown["said"][5]["ruling"] == "forgiven, 1 of 2"
    assert [seat["overruns"] for seat in shown["seats"]] == [0, 1]
    assert [seat["stderr_dropped_bytes"] for seat in shown["seats"]] == [12_345, 0]


def test_by_the_wall_clock_an_overrun_counts_although_it_was_the_hosts_fault(desk: Shell, pool: Pool) -> None:
    shown = desk.ok("match", "show", recorded(pool, [QUICK, HOSTS_FAULT], clock="wall"))
    assert "the host's fault, but it counts by the wall clock (forgiven, 1 of 2)\n" in shown


def test_under_strict_there_is_nothing_to_forgive(desk: Shell, pool: Pool) -> None:
    match = recorded(pool, [QUICK, HOSTS_FAULT], silent_after=1, policy="strict", clock="wall")
    assert "the host's fault, but it counts by the wall clock\n" in desk.ok("match", "show", match)


def test_what_a_seat_used_of_its_runtimes_allowance_is_said(desk: Shell, pool: Pool) -> None:
    times = [
        QUICK,
        Spent(wall_us=66_000, cpu_us=65_000, runtime_us=14_000),
        Spent(wall_us=60_500, cpu_us=60_500, runtime_us=10_500),
    ]
    match = recorded(pool, times)
    shown = desk.ok("match", "show", match)
    assert "seat 1: 24.50 ms of the allowance for its runtime's own work were used" in shown
    assert "cpu 65.00 ms, wait 0.00 ms, late 0.00 ms, runtime 14.00 ms: the bot's fault" in shown
    assert (
        "charged 50.00 ms, cpu 60.50 ms, wait 0.00 ms, late 0.00 ms, runtime 10.50 ms: the runtime's fault\n" in shown
    )
    assert [seat["runtime_us"] for seat in desk.json("match", "show", match)["seats"]] == [0, 24_500]


def test_each_turn_has_its_times_and_a_rule_that_changes_nothing_says_so(desk: Shell, pool: Pool) -> None:
    match = recorded(pool, [QUICK, HOSTS_FAULT])
    shown = desk.ok("match", "show", match, "--turns")
    assert "wait: of all threads together, and also what a wait that ended in the turn had lasted before it" in shown
    assert "   2    1    1  7 7         1.75   2.00   1.50   0.25  0.00" in shown
    assert "   4    1    2  SURFACE    26.00  80.00  20.00  50.00  4.00" in shown
    told = rejudged(desk, match, "--policy", "strict", "--clock", "fair")
    assert (told["end"], told["decisive"]) == ("same", None)
    assert told["judged_by"] == {"policy": "codingame", "clock": "fair"}
    assert told["sentence"] == "it would have ended the same"


def test_a_third_overrun_is_reported_as_such(desk: Shell, pool: Pool) -> None:
    match = recorded(pool, [QUICK, HOSTS_FAULT, HOSTS_FAULT, HOSTS_FAULT])
    told = rejudged(desk, match, "--policy", "codingame", "--clock", "wall")
    assert told["sentence"].endswith("on its turn 4 (match turn 8): wall time 80.0 ms, limit 50 ms, the third overrun")


def test_a_turn_beyond_the_grace_is_reported_as_such_even_as_the_second_overrun(desk: Shell, pool: Pool) -> None:
    match = recorded(pool, [QUICK, BOTS_FAULT, Spent(wall_us=107_300, cpu_us=90_000, wait_us=17_300)])
    told = rejudged(desk, match, "--policy", "codingame", "--clock", "wall")
    assert told["sentence"].endswith(": wall time 107.3 ms, limit 50 ms, beyond the limit and 50 ms of grace")


def test_a_time_out_that_another_rule_forgives(desk: Shell, pool: Pool) -> None:
    match = recorded(pool, [QUICK, BOTS_FAULT], silent_after=1, policy="strict")
    assert rejudged(desk, match, "--policy", "strict")["end"] == "same"
    told = rejudged(desk, match, "--policy", "codingame")
    assert (told["end"], told["decisive"]["turn"]) == ("open", 4)
    assert told["sentence"] == (
        "it would have gone on after turn 2 (match turn 4) of seat 1; how it would have ended is unknown"
    )


def test_only_a_finished_match_can_be_judged_again(desk: Shell, pool: Pool) -> None:
    match_id, _ = a_pair(pool, on_the_board(pool, "kraken", "a"), on_the_board(pool, "orca", "b"))
    assert f"match {match_id} is queued" in desk.refused(3, "match", "rejudge", str(match_id))
    assert "no match 999" in desk.refused(2, "match", "rejudge", "999")
    assert "kind" in desk.refused(2, "match", "rejudge", str(match_id), "--policy", "kind")
    assert "queued" in desk.ok("match", "show", str(match_id))


def fail(pool: Pool, match: str) -> None:
    within(pool, failures.write_down, MatchId(int(match)), "the disk was full", "sandbox")


def parts(shown: str) -> list[str]:
    return shown.removesuffix("\n").split("\n\n")


def test_all_parts_of_a_finished_match_are_one_line_apart(desk: Desk, pool: Pool) -> None:
    match = recorded(pool, [QUICK, BOTS_FAULT])
    fail(pool, match)
    found = parts(desk.ok("match", "show", match, "--turns"))
    assert [part.partition(" ")[0] for part in found[:3]] == ["match", "seat", "seat"]
    assert found[3].startswith("kraken@v1 lost 0:1; hits taken on its turns 2, 3, 4, 5, 6 (own surfacing), sunk on 7\n")
    assert [part.splitlines()[0] for part in found[4:6]] == ["attempts that failed", "overruns of wall time"]
    assert "turn seat " in found[6]
    assert len(found) == 7


def test_so_are_those_of_a_match_that_is_still_to_be_played(desk: Desk, pool: Pool) -> None:
    first, _ = a_pair(pool, on_the_board(pool, "kraken", "a"), on_the_board(pool, "orca", "b"))
    claimed(pool, first)
    fail(pool, str(first))
    assert parts(desk.ok("match", "show", str(first)))[-1].startswith("attempts that failed")


CRASHES = """
for _ in range(int(input())): input()
for turn in range(1, 9):
    gold, income, enemy_gold, enemy_income = (int(input()) for _ in range(4))
    for _ in range(12): input()
    for _ in range(int(input())): input()
    for _ in range(int(input())): input()
    if turn == 3: raise SystemExit(1)
    print("WAIT", flush=True)
"""
"""A bot of Ice and Fire that ends on its third turn."""
THINKS = "import time\ninput()\nwhile time.process_time() < 0.4: pass\nprint('1 1', flush=True)\ntime.sleep(9)\n"


@pytest.mark.smoke
def test_a_crash_in_ice_and_fire_is_shown_as_a_crash_on_the_bots_own_turn(desk: Desk, tmp_path: Path) -> None:
    crashing = written(tmp_path / "crashing.py", CRASHES)
    words = ("play", "ice-and-fire", crashing, "boss-wood-3", "--seed", "5", "--league", "wood-1")
    assert desk.ok(*words).splitlines()[:2] == [
        "boss-wood-3 beats crashing.py (crash, 5 turns, seed 5)",
        "  player 0  crashing.py  -1  crash on its turn 3 (match turn 5): the program ended with exit code 1",
    ]
    assert "crash on its turn 3 (match turn 6)" in desk.ok(*words, "--swap")
    assert '"reason": "crashed"' in desk.ok(*words, "--json"), "records have the old words"


def test_a_time_out_says_what_the_bot_did_in_that_time_and_is_never_called_disabled(desk: Desk, tmp_path: Path) -> None:
    thinking = written(tmp_path / "thinking.py", THINKS)
    shown = desk.ok("play", "ocean-of-code", thinking, "boss-wood-2", "--seed", "5", "--first-limit", "300")
    assert shown.startswith("boss-wood-2 beats thinking.py (time-out, 2 turns, seed 5)\n")
    assert re.search(
        r"time-out on its first turn \(match turn 1\): "
        r"(answered after [1-9][0-9.]* m?s|no complete line within 300 ms)[:,] "
        r"it computed [0-9.]+ m?s and slept [0-9.]+ m?s",
        shown,
    )
    assert "disabled" not in shown
    assert "disabled" not in desk.ok("match", "show", "play:1", "--json")
    assert desk.json("match", "view", "play:1")["match"]["reason"] == "timeout"
