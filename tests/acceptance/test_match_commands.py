"""Looking into stored matches: what a seat was sent, where two part, what turns took, whose fault an overrun was."""

import json
import re
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from engine.bot.clock import Spent
from engine.conversation import Ask, SeatVerdict, Verdict
from engine.game import Game
from engine.games.ocean_of_code.board import column_and_row, draw_board
from engine.match import MatchResult, MatchSpec, converse
from engine.sandbox.choice import open_sandbox
from engine.sandbox.run_to_end import run_to_end
from engine.toolchains.build import build
from engine.toolchains.languages import language_of
from ladder.database.connection import Pool
from ladder.flows.recording import record
from ladder.ids import MatchId
from ladder.matches import failures, match_rows
from ladder.matches.record import pack, unpack
from ladder.views.turns.watched_match import replay_schema
from tests.acceptance.conftest import LADDER, Desk, Shell
from tests.catalogue import GAMES
from tests.conftest import Made, once
from tests.fakes import Scripted, surface
from tests.ladder.arena import a_pair, claimed, on_the_board, within
from tests.ladder.rated import change
from tests.patience import patience_s
from tests.terminals import OnTerminal, on_terminal
from tests.throwaway import written


def pairs(game: Game) -> list[tuple[Path, Path]]:
    """All bots that ship with a game, two by two; each of them draws its chances from its input alone."""
    bots = sorted(file for file in game.bots_folder.iterdir() if file.is_file())
    if len(bots) % 2:
        bots.append(bots[0])
    return [pair for number, pair in enumerate(pairwise(bots)) if number % 2 == 0]


PAIRS = [(game, *pair) for game in GAMES.all for pair in pairs(game)]


def answers(bot: Path, sent: str) -> list[str]:
    box = build(bot.read_text("utf-8"), language_of(bot), open_sandbox()).box()
    said = run_to_end(open_sandbox(), box, sent.encode(), wall_limit_s=patience_s(), output_kb=1000)
    return said.stdout.decode().splitlines()


@pytest.mark.parametrize(("game", "zero", "one"), PAIRS, ids=lambda value: getattr(value, "stem", value.name))
def test_fed_with_its_seats_input_a_bot_says_the_recorded_lines(desk: Desk, game: Game, zero: Path, one: Path) -> None:
    desk.ok("play", game.name, zero, one, "--seed", "20", "--no-limit")
    said = desk.json("match", "show", "play:1")["said"]
    for seat, bot in enumerate((zero, one)):
        recorded = [turn["line"] for turn in said if turn["seat"] == seat]
        assert len(recorded) > 3
        assert None not in recorded
        assert answers(bot, desk.ok("match", "input", "play:1", "--seat", str(seat))) == recorded


SCHEMA = Draft202012Validator(json.loads(replay_schema()))


def two_that_part(pool: Pool) -> tuple[list[MatchId], list[Ask]]:
    """Record two matches on one seed: in both both surface, but for the third answer of seat 0 in the second match.

    Return their numbers, and what was asked in them.
    """
    asked: list[Ask] = []
    numbers = a_pair(pool, on_the_board(pool, "kraken", "a"), on_the_board(pool, "orca", "b"))
    for odd, match_id in enumerate(numbers):
        claim = claimed(pool, match_id)
        spec = MatchSpec(GAMES.find(claim.game), claim.rules_level, claim.seed, 1000, 50)
        outcome, turns = converse(
            spec, (Scripted(surfacing(spec.seed, asked, odd)), Scripted(surfacing(spec.seed, asked)))
        )
        noisy = tuple(replace(turn, stderr_chars=6 if index == 4 else 0) for index, turn in enumerate(turns))
        assert within(pool, record, claim, MatchResult(spec, outcome, noisy, ("third\n", ""), sandbox="nested"))
    return numbers, asked


made = once(two_that_part)


@pytest.fixture
def pair(made: Made[tuple[list[MatchId], list[Ask]]], database_url: str) -> list[MatchId]:
    return made.found[0]


def surfacing(seed: int, asked: list[Ask], odd: int = 0) -> Callable[[Ask], str]:
    """Answers that place a submarine and surface; with `odd` another word in the third."""
    x, y = column_and_row(min(draw_board(seed).water))
    count = 0

    def answer(ask: Ask) -> str:
        nonlocal count
        asked.append(ask)
        count += 1
        if count == 1:
            return f"{x} {y}"
        return "SURFACE|MSG hello" if odd and count == 3 else "SURFACE"

    return answer


def test_the_input_of_a_seat_is_exactly_what_it_was_sent(
    desk: Desk, pair: list[MatchId], made: Made[tuple[list[MatchId], list[Ask]]], tmp_path: Path
) -> None:
    asked = made.found[1]
    first = asked[: len(asked) // 2]
    sent = [line for ask in first if ask.seat == 1 for line in ask.lines]
    whole = desk.ok("match", "input", str(pair[0]), "--seat", "1")
    assert whole.splitlines() == sent
    to_the_fourth = desk.ok("match", "input", str(pair[0]), "--seat", "1", "--to", "4")
    assert to_the_fourth.splitlines() == [line for ask in first[:4] if ask.seat == 1 for line in ask.lines]
    file = tmp_path / "in.txt"
    written = desk.run("match", "input", str(pair[0]), "--seat", "1", "-o", file)
    assert written.stderr == f"{file} holds {len(sent)} lines that seat 1 was sent\n"
    assert file.read_text() == whole
    assert "exists already" in desk.refused(3, "match", "input", str(pair[0]), "--seat", "0", "-o", file)
    assert file.read_text() == whole
    desk.ok("match", "input", str(pair[0]), "--seat", "0", "-o", file, "--force")
    assert file.read_text() == desk.ok("match", "input", str(pair[0]), "--seat", "0")


def test_transitions_of_stored_matches_are_those_of_named_or_picked_ones(desk: Desk, pair: list[MatchId]) -> None:
    by_number = {number: transitions_of(desk, str(number)) for number in pair}
    for number, found in by_number.items():
        turns = desk.json("match", "view", str(number))["turns"]
        assert [(one["match"], one["turn"], one["orders"]) for one in found] == [
            (number, turn["number"], turn["line"]) for turn in turns
        ]
        assert [one["after"] for one in found] == [turn["state"] for turn in turns]
    both = [*by_number[pair[1]], *by_number[pair[0]]]
    assert transitions_of(desk, "--bot", "kraken") == both, "the latest first"
    assert transitions_of(desk, "--where", "opponent = orca and bot = kraken", "--limit", "1") == by_number[pair[1]]
    nothing = desk.refused(3, "match", "transitions", "--bot", "kraken", "--fault", "any")
    assert "no match fits that has states" in nothing
    assert "there is no match 99" in desk.refused(2, "match", "transitions", "99")
    done = desk.run("game", "simcheck", "sed s/.*/null/", "--bot", "kraken", "--json")
    assert (done.returncode, json.loads(done.stdout)["unanswered"]) == (1, len(both))


def transitions_of(desk: Desk, *words: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in desk.ok("match", "transitions", *words).splitlines()]


def test_two_matches_on_one_seed_are_compared_up_to_where_they_part(desk: Desk, pair: list[MatchId]) -> None:
    shown = desk.ok("match", "compare", str(pair[0]), str(pair[1]))
    assert "turn 5 is the first that differs; seat 0 said (its turn 3)" in shown
    assert "SURFACE|MSG hello" in shown
    found = desk.json("match", "compare", str(pair[0]), str(pair[1]))
    assert found["parting"] == {"turn": 5, "seat": 0, "lines": ["SURFACE", "SURFACE|MSG hello"]}
    assert "both went the same way" in desk.ok("match", "compare", str(pair[0]), str(pair[0]))


def test_a_stored_match_is_compared_with_one_that_was_played_here(desk: Desk, pair: list[MatchId], bot: Path) -> None:
    stored = desk.json("match", "show", str(pair[0]))
    desk.ok("play", stored["game"], bot, "boss-wood-2", "--league", "wood-2", "--seed", str(stored["seed"]))
    shown = desk.ok("match", "compare", str(pair[0]), "play:1")
    assert shown.startswith(f"match {pair[0]}: kraken@v1 - orca@v1  ")
    assert "\nlocal:1: surfacer.py - boss-wood-2  0:6 (dead, " in shown
    assert "is the first that differs; seat " in shown
    assert desk.json("match", "compare", "local:1", str(pair[0]))["matches"] == ["local:1", pair[0]]


def test_one_match_or_two_are_written_as_pages(desk: Desk, pool: Pool, pair: list[MatchId], tmp_path: Path) -> None:
    page = tmp_path / "one.html"
    done = desk.run("match", "view", str(pair[0]), "--html", page)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == f"{page} shows match {pair[0]}: open it in a browser\n"
    text = page.read_text("utf-8")
    assert text.startswith("<!DOCTYPE html>")
    assert "default-src 'none'" in text
    assert f"ladder match view {pair[0]}" in text

    page.write_text("my work")
    assert "add --force to write over it" in desk.refused(3, "match", "view", str(pair[0]), "--html", page)
    both = ("match", "compare", str(pair[0]), str(pair[1]), "--html", page)
    assert "add --force to write over it" in desk.refused(3, *both)
    assert page.read_text() == "my work"
    assert "turn 5 is the first that differs" in desk.ok(*both, "--force")
    assert f"ladder match view {pair[1]}" in page.read_text("utf-8")
    assert [file.name for file in tmp_path.iterdir() if file.is_file()] == ["one.html"]

    queued, _ = a_pair(pool, on_the_board(pool, "eel", "c"), on_the_board(pool, "ray", "d"))
    desk.ok("match", "view", str(queued), "--html", page, "--force")
    assert "; queued; " in page.read_text("utf-8")


def test_stderr_stands_at_its_turn_plainly_where_no_terminal_is(desk: Desk, pair: list[MatchId]) -> None:
    said = desk.json("match", "show", str(pair[0]))["said"]
    assert [(turn["turn"], turn["stderr"]) for turn in said if turn["stderr"]] == [(5, "third\n")]
    lines = desk.ok("match", "show", str(pair[0]), "--turns").splitlines()
    assert lines[next(index for index, line in enumerate(lines) if line.startswith("   5 ")) + 1].strip() == "third"
    shown = desk.ok("match", "view", str(pair[1]), "--turn", "5")
    assert f"match {pair[1]}: kraken@v1 - orca@v1" in shown or f"match {pair[1]}: orca@v1 - kraken@v1" in shown
    assert "SURFACE|MSG hello" in shown
    assert "third" in shown
    whole = desk.ok("match", "view", str(pair[1]))
    assert "   5  seat 0" in whole
    assert "third" not in whole


def test_a_match_is_shown_with_the_turns_that_lost_it(desk: Desk, pair: list[MatchId]) -> None:
    shown = desk.ok("match", "show", str(pair[0]))
    assert "kraken@v1 lost 0:1; hits taken on its turns 2, 3, 4, 5, 6 (own surfacing), sunk on 7\n" in shown
    rows = [line for line in shown.splitlines() if "Loses 1 life by surfacing." in line]
    assert [row.split()[1] for row in rows] == ["2", "3", "4", "5", "6", "7"], "a row for each life, none for a turn"
    loss = desk.json("match", "show", str(pair[0]))["loss"]
    assert (loss["seat"], len(loss["blows"]), loss["blows"][-1]["kind"]) == (0, 7, "sunk")
    first = {"turn": 3, "own_turn": 2, "kind": "hit", "amount": 1, "cause": "own surfacing"}
    assert loss["blows"][0] == {**first, "text": "Loses 1 life by surfacing."}


def viewer(desk: Desk, match: MatchId, size: tuple[int, int], **environment: str) -> AbstractContextManager[OnTerminal]:
    plain = {name: value for name, value in desk.full_environment().items() if name != "NO_COLOR"}
    return on_terminal([LADDER, "match", "view", str(match)], size, {**plain, "TERM": "xterm-256color", **environment})


RIGHT, END, CTRL_C = "\x1b[C", "\x1b[F", "\x03"
COLOURS = re.compile(rb"\x1b\[(?:[0-9]+;)*(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])(?:;[0-9]+)*m")


def test_a_match_is_looked_at_by_keys_and_stderr_in_the_pager(desk: Desk, pair: list[MatchId], tmp_path: Path) -> None:
    paged = tmp_path / "paged.txt"
    with viewer(desk, pair[1], (80, 24), PAGER=f"tee {paged}") as terminal:
        terminal.wait_for("e pager q")
        assert "the start, before turn 1 of" in terminal.text
        assert " 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4" in terminal.text
        assert COLOURS.search(terminal.written)
        terminal.press(RIGHT, "turn 1 of")
        terminal.press(4 * RIGHT, "turn 5 of")
        terminal.wait_for("SURFACE|MSG hello")
        terminal.press("d", "Loses 1 life by surfacing.")
        terminal.press("/thi", "/thi")
        terminal.press("\r", "third")
        terminal.press("e", "e pager q")
        assert paged.read_text() == "── seat 0, its turn 3 (match turn 5)\nthird\n"
        terminal.press(END, "seat")
        assert terminal.end("q") == 0
        assert "Traceback" not in terminal.text


def test_a_large_view_has_no_colours_if_told_and_ends_at_ctrl_c(desk: Desk, pair: list[MatchId]) -> None:
    with viewer(desk, pair[1], (140, 50), NO_COLOR="1") as terminal:
        terminal.wait_for("q quit")
        terminal.press(5 * RIGHT, "turn 5 of")
        terminal.wait_for("Lives, ")
        terminal.wait_for("stderr of seat 0")
        assert COLOURS.search(terminal.written) is None
        assert terminal.end(CTRL_C) == 130
        assert terminal.text.endswith("ladder: interrupted\r\n")


def test_a_tiny_view_shows_what_fits_and_closes_in_order(desk: Desk, pair: list[MatchId]) -> None:
    with viewer(desk, pair[1], (20, 5)) as terminal:
        terminal.wait_for("q quit")
        terminal.press(RIGHT, "turn 1 of")
        terminal.process.terminate()
        assert terminal.end() == 143
        assert "Traceback" not in terminal.text


def test_what_cannot_be_looked_at_is_refused_in_one_sentence(desk: Desk, pool: Pool, pair: list[MatchId]) -> None:
    queued, other = a_pair(pool, on_the_board(pool, "eel", "c"), on_the_board(pool, "ray", "d"))
    change(pool, "UPDATE matches SET seed = seed + 1 WHERE id = %s", other)
    claim = claimed(pool, other)
    spec = MatchSpec(GAMES.find(claim.game), claim.rules_level, claim.seed, 1000, 50)
    outcome, turns = converse(spec, (Scripted(surfacing(spec.seed, [])), Scripted(surfacing(spec.seed, []))))
    assert within(pool, record, claim, MatchResult(spec, outcome, turns))
    on_the_board(pool, "new", "e")
    numbers = {"queued": queued, "other": other}
    for words, status, sentence in (
        (("view", "{0}", "--turn", "4000"), 2, "and no turn 4000"),
        (("view", "{0}", "--turn", "0"), 2, "it should be at least 1"),
        (("view", "{queued}", "--turn", "1"), 2, "has no turn 1: it is queued; nothing of it was recorded"),
        (("view", "{0}", "--turn", "3", "--json"), 2, "cannot be used together"),
        (("view", "{0}", "--turn", "3", "--html", "/nowhere/x.html"), 2, "cannot be used together: the page has all"),
        (("view", "{0}", "--json", "--html", "/nowhere/x.html"), 2, "cannot be used together: the page has all turns"),
        (("view", "{0}", "--html", "/nowhere/x.html"), 2, "cannot write /nowhere/x.html: there is no folder /nowhere"),
        (("view", "{0}", "--html", "/proc/x.html"), 2, "cannot write /proc/x.html"),
        (("view", "{0}", "--html", "/proc"), 2, "cannot write /proc: it is a folder"),
        (("view", "999999", "--html", "x.html"), 2, "there is no match 999999"),
        (("view", "{0}", "--lost"), 2, "need --last"),
        (("view", "{0}", "--last", "kraken"), 2, "cannot be used together"),
        (("view",), 2, "name a match, or a bot"),
        (("view", "--last", "squid"), 2, "unknown bot"),
        (
            ("view", "--last", "eel", "--lost", "--against", "kraken"),
            3,
            "no match that fits; `ladder match list --bot eel`",
        ),
        (("view", "--last", "new"), 3, "no match that is over"),
        (("view", "--last", "kraken", "--where", "colour = red"), 2, "colour"),
        (("view", "play"), 2, "not a match number"),
        (("show", "999999"), 2, "there is no match 999999"),
        (("show", "0"), 2, "0 cannot be a match number"),
        (("compare", "{0}", "999999"), 2, "there is no match 999999"),
        (("view", "999999"), 2, "there is no match 999999"),
        (("input", "{0}", "--seat", "2"), 2, "the seats 0 to 1, and no seat 2"),
        (("input", "{0}", "--seat", "0", "--to", "4000"), 2, "and no turn 4000"),
        (("input", "{0}", "--seat", "0", "--to", "0"), 2, "it should be at least 1"),
        (("input", "999999", "--seat", "0"), 2, "there is no match 999999"),
        (("input", "{queued}", "--seat", "0"), 3, "nothing of it was recorded"),
        (("compare", "{0}", "{other}"), 2, "only matches on one seed compare"),
        (("compare", "{0}", "{queued}"), 3, "nothing of it was recorded"),
    ):
        typed = [word.format(*pair, **numbers) for word in words]
        assert sentence in desk.refused(status, "match", *typed)


def test_of_a_match_that_is_queued_or_void_what_there_is_is_shown(desk: Desk, pool: Pool, pair: list[MatchId]) -> None:
    queued, unplayed = a_pair(pool, on_the_board(pool, "eel", "c"), on_the_board(pool, "ray", "d"))
    change(pool, "UPDATE matches SET state = 'void', reason = 'it failed three times' WHERE id = %s", unplayed)
    for match_id, state in ((queued, "queued"), (unplayed, "void")):
        for shown in (desk.ok("match", "show", str(match_id), "--turns"), desk.ok("match", "view", str(match_id))):
            assert "eel@v1" in shown
            assert state in shown
        data = desk.json("match", "view", str(match_id))
        assert SCHEMA.is_valid(data)
        assert (data["match"]["state"], data["turns"]) == (state, [])
        assert data["fault"] == f"it is {state}; nothing of it was recorded"
    desk.ok("match", "void", str(pair[0]), "--why", "a cable was loose", LADDER_PLAYER="op")
    data = desk.json("match", "view", str(pair[0]))
    assert (data["match"]["state"], data["fault"], len(data["turns"])) == ("void", "", 13)
    assert "void" in desk.ok("match", "view", str(pair[0]), "--turn", "3")
    assert "third" in desk.ok("match", "show", str(pair[0]), "--turns")
    assert desk.ok("match", "input", str(pair[0]), "--seat", "1").count("\n") > 15
    assert "turn 5 is the first that differs" in desk.ok("match", "compare", str(pair[0]), str(pair[1]))


def test_of_a_match_by_other_rules_lines_and_times_are_shown(desk: Desk, pool: Pool, pair: list[MatchId]) -> None:
    record = within(pool, match_rows.match_record, pair[0])
    assert record is not None
    other = pack(replace(unpack(record), rules_version=2))
    change(pool, "UPDATE matches SET record = %s WHERE id = %s", other, pair[0])
    why = "it was played by rules 2; these are 1"
    shown = desk.ok("match", "show", str(pair[0]), "--turns")
    assert "   3    0    2  SURFACE" in shown
    assert "hits taken" not in shown
    assert why in desk.ok("match", "view", str(pair[0]))
    assert "SURFACE" in desk.ok("match", "view", str(pair[0]), "--turn", "3")
    data = desk.json("match", "view", str(pair[0]))
    assert SCHEMA.is_valid(data)
    assert (data["fault"], data["turns"][2]["line"], data["turns"][2]["state"]) == (why, "SURFACE", None)
    assert why in desk.refused(3, "match", "input", str(pair[0]), "--seat", "0")
    assert "turn 5 is the first that differs" in desk.ok("match", "compare", str(pair[0]), str(pair[1]))


def test_the_latest_match_that_a_bot_lost_is_found(desk: Desk, pool: Pool, pair: list[MatchId]) -> None:
    (lost,) = [row["id"] for row in desk.json("match", "list", "--bot", "kraken", "--lost")]
    for words in (["--lost"], ["--where", "result = lost"], ["--lost", "--against", "orca", "--game", "ocean-of-code"]):
        found = desk.json("match", "view", "--last", "kraken", *words)
        assert SCHEMA.is_valid(found)
        assert found["match"]["id"] == lost
    assert desk.json("match", "view", "--last", "kraken@v1")["match"]["id"] == max(pair)
    assert f"match {lost}: " in desk.ok("match", "view", "--last", "kraken", "--lost")
    assert "hello" in desk.ok("match", "view", "--last", "kraken", "--turn", "5")


def test_the_form_of_the_json_is_printed(desk: Desk) -> None:
    assert json.loads(desk.ok("match", "schema"))["$id"] == "urn:ladder:replay:1"


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
    text = desk.ok("match", "show", match)
    assert "seat 1: 24.50 ms of the allowance for its runtime's own work were used" in text
    assert "cpu 65.00 ms, wait 0.00 ms, late 0.00 ms, runtime 14.00 ms: the bot's fault" in text
    assert "charged 50.00 ms, cpu 60.50 ms, wait 0.00 ms, late 0.00 ms, runtime 10.50 ms: the runtime's fault\n" in text
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
