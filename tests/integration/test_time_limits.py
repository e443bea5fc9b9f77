"""A league's limits of time, in real matches: who may take how long, and what is known of it afterwards."""

import json
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

from engine.conversation import Referee, TimeLimits
from engine.game import Games
from ladder.actions.installation import bring_up_to_date
from ladder.bots import versions
from ladder.bots.builds import BUILD_LEASE_S
from ladder.database.connection import Pool
from tests.acceptance.conftest import Shell
from tests.catalogue import GAMES
from tests.ladder.arena import GAME, a_pair, league_named, on_the_board, submitted, within
from tests.ladder.rated import change
from tests.throwaway import written
from workers.jobs import build_version, play_match
from workers.worker_process import SPARE_S, WorkerProcess

SLOW = """
import time
for _ in range(16): input()
print("7 7", flush=True)
end = time.process_time() + 0.08
while True:
    for _ in range(3): input()
    while time.process_time() < end: pass
    print("SURFACE", flush=True)
"""
"""It computes 80 ms for its second answer: computing is charged whatever else the host does."""
GIVES_UP = """
for _ in range(16): input()
print("7 7", flush=True)
for line in ("SURFACE", "I give up"):
    for _ in range(3): input()
    print(line, flush=True)
"""
"""It loses by an illegal line on its second turn, unless the other one has lost by then."""


def set_limit(desk: Shell, tmp_path: Path, value: str, *words: str) -> str:
    file = written(tmp_path / "leagues.toml", f'game = "{GAME}"\n[leagues.wood-2]\nturn_limit_ms = {value}\n')
    return desk.ok("league", "apply", file, *words)


def shown(desk: Shell, match: int) -> dict[str, Any]:
    told: dict[str, Any] = desk.json("match", "show", str(match))
    return told


def test_a_bot_that_needs_80_ms_wins_within_200_loses_within_50_and_each_match_is_judged_by_its_own_limit(
    process: WorkerProcess, pool: Pool, desk: Shell, tmp_path: Path
) -> None:
    slow, other = on_the_board(pool, "slow", SLOW), on_the_board(pool, "other", GIVES_UP)
    patient, brisk = a_pair(pool, slow, other)[0], a_pair(pool, slow, other)[0]
    set_limit(desk, tmp_path, "200")
    play_match(process, patient)
    set_limit(desk, tmp_path, '""')
    play_match(process, brisk)
    won, lost = shown(desk, patient), shown(desk, brisk)
    assert [seat["result"] for seat in won["seats"]] == ["win", "loss"]
    assert [seat["verdict"] for seat in won["seats"]] == ["ok", "illegal"]
    assert [seat["overruns"] for seat in won["seats"]] == [0, 0]
    assert {turn["limit_ms"] for turn in won["said"]} == {1000, 200}
    assert [seat["verdict"] for seat in lost["seats"]] == ["timeout", "ok"]
    assert " 50 ms" in lost["seats"][0]["message"]  # what it computed and slept may follow
    assert {turn["limit_ms"] for turn in lost["said"]} == {1000, 50}
    assert "policy strict, 1000 ms for the first answer and 200 ms for each later one" in desk.ok(
        "match", "show", str(patient)
    )
    for match in (patient, brisk):
        assert desk.json("match", "rejudge", str(match))["end"] == "same"
    again = desk.json("match", "rematch", str(patient))
    assert again["replayed"]["outcome"] == again["stored"]["outcome"]


def test_a_match_of_before_leagues_had_limits_is_judged_by_its_games(
    process: WorkerProcess, pool: Pool, desk: Shell, tmp_path: Path
) -> None:
    match, _ = a_pair(pool, on_the_board(pool, "slow", SLOW), on_the_board(pool, "other", GIVES_UP))
    play_match(process, match)
    change(pool, "UPDATE matches SET first_limit_ms = NULL, turn_limit_ms = NULL")
    set_limit(desk, tmp_path, "200")
    assert {turn["limit_ms"] for turn in shown(desk, match)["said"]} == {1000, 50}
    assert desk.json("match", "rejudge", str(match))["end"] == "same"
    assert "for the first answer" not in desk.ok("match", "show", str(match))


def test_a_slow_bot_passes_its_trial_match_where_its_league_has_time_for_it(
    process: WorkerProcess, pool: Pool, desk: Shell, tmp_path: Path
) -> None:
    too_slow = submitted(pool, "late", SLOW)
    build_version(process, too_slow)
    set_limit(desk, tmp_path, "200")
    in_time = submitted(pool, "patient", SLOW)
    build_version(process, in_time)
    late, patient = (within(pool, versions.find_version, version_id) for version_id in (too_slow, in_time))
    assert (late.state, patient.state) == ("rejected", "accepted"), patient.message
    assert " 50 ms" in late.message


def test_a_limit_is_applied_tried_and_shown_like_any_setting(desk: Shell, tmp_path: Path, database_url: str) -> None:
    tried = set_limit(desk, tmp_path, "200", "--dry-run")
    assert tried.startswith('wood-2: turn_limit_ms "" -> 200\n')
    assert "nothing is changed" in tried
    assert 'turn_limit_ms = ""' in desk.ok("league", "show", GAME).split("[leagues.wood-1]")[0]
    assert "1000, 200 ms" not in desk.ok("league", "list", "--game", GAME)
    set_limit(desk, tmp_path, "200")
    bring_up_to_date(database_url)
    assert "turn_limit_ms = 200\n" in desk.ok("league", "show", GAME).split("[leagues.wood-1]")[0]
    assert "nothing to do" in set_limit(desk, tmp_path, "200")
    rows = {row["league"]: row for row in desk.json("league", "list", "--game", GAME)}
    assert (rows["wood-2"]["first_limit_ms"], rows["wood-2"]["turn_limit_ms"]) == (None, 200)
    assert (rows["gold"]["first_limit_ms"], rows["gold"]["turn_limit_ms"]) == (None, None)


def test_a_local_gauntlet_has_the_limits_of_its_league(pool: Pool, desk: Shell, tmp_path: Path) -> None:
    on_the_board(pool, "other", GIVES_UP)
    (tmp_path / "slow.py").write_text(SLOW)
    with_water = ("--seeds", "-5")  # at 7 7, as in all matches of this file
    words = ("gauntlet", "run", tmp_path / "slow.py", "--against", "other@v1", *with_water, "--local", "--json")
    within_50 = json.loads(desk.run(*words, "--jobs", "1").stdout)
    set_limit(desk, tmp_path, "200")
    within_200 = json.loads(desk.run(*words, "--jobs", "1").stdout)
    assert within_50["counts"] == [1, 0, 0, 0, 0], within_50["faults"]
    assert within_200["counts"] == [0, 0, 0, 0, 1], within_200["faults"]


def test_what_hangs_in_a_match_or_build_is_ended_by_an_alarm_after_a_lease(process: WorkerProcess, pool: Pool) -> None:
    game, left_s = GAMES.find(GAME), list[float]()

    def referee(seed: int, rules_level: int, limits: TimeLimits) -> Referee:
        left_s.append(signal.getitimer(signal.ITIMER_REAL)[0])
        return game.referee(seed, rules_level, limits)

    process.games = Games((replace(game, referee=referee),), {})
    longest_s = league_named(pool, "wood-2").longest_s
    play_match(process, a_pair(pool, on_the_board(pool, "slow", SLOW), on_the_board(pool, "other", GIVES_UP))[0])
    assert longest_s < left_s[0] <= longest_s + SPARE_S
    build_version(process, submitted(pool, "third", GIVES_UP))
    assert left_s[-1] > longest_s + BUILD_LEASE_S
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0
