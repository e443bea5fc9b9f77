"""The last matches of `ladder play`: kept without services, listed, looked at, compared."""

import json
from pathlib import Path

import pytest

from engine.games.golden import MatchRecord
from tests.acceptance.conftest import LADDER, SURFACER, Desk, completed
from tests.processes import finished
from tests.throwaway import written
from tests.unit.test_official_files import ONE, records, saved

GAME = "ocean-of-code"
PLAY = ("play", "--jobs", "1", GAME)

COPYING = """
import sys
read = input
def input():
    line = read()
    print(line, file=sys.stderr)
    return line
"""


@pytest.fixture
def chatty(tmp_path: Path) -> Path:
    return written(tmp_path / "chatty.py", COPYING + SURFACER)


def test_matches_that_were_played_here_are_listed_shown_fed_to_a_debugger_viewed_and_compared(
    desk: Desk, chatty: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert "has played no match here yet" in desk.run("match", "list", "--local").stderr
    assert "has played none here yet" in desk.refused(2, "match", "show", "play:1")
    rows = desk.json(*PLAY, chatty, "boss-wood-2", "--matches", "2", "--seed", "7")
    assert [row["kept_as"] for row in rows] == ["local:1", "local:2"]

    listed = desk.json("match", "list", "--local")
    assert [(row["id"], row["place"], row["players"][0]) for row in listed] == [
        ("local:2", "play:1", "boss-wood-2"),
        ("local:1", "play:2", "chatty.py"),
    ]
    assert [row["own_result"] for row in listed] == ["lost", "lost"]
    table = desk.ok("match", "list", "--local", "--limit", "1")
    assert "local:2" in table
    assert "local:1 " not in table

    shown = desk.json("match", "show", "play:2")
    assert shown["id"] == "local:1"
    for key in ("reason", "sandbox"):
        assert shown[key] == rows[0].get(key, rows[0].get("outcome", {}).get(key))
    assert [seat["result"] for seat in shown["seats"]] == ["loss", "win"]
    assert [seat["stderr"] for seat in shown["seats"]] == rows[0]["stderr"]
    assert [(turn["seat"], turn["line"], turn["wall_us"]) for turn in shown["said"]] == [
        (turn["seat"], turn["line"], turn["wall_us"]) for turn in rows[0]["turns"]
    ]
    text = desk.ok("match", "show", "play:2", "--turns")
    assert text.startswith(f"local:1: {GAME}, Wood 2, seed 7, finished (dead)\n")
    assert "seat 0: chatty.py  loss, score 0, verdict ok" in text

    assert desk.ok("match", "input", "play:2", "--seat", "0") == rows[0]["stderr"][0], "it copied what it was sent"
    compared = desk.ok("match", "compare", "play:2", "local:2")
    assert compared.startswith("local:1: chatty.py - boss-wood-2  0:6 (dead, ")
    assert "turn 1 is the first that differs" in compared
    assert "both went the same way" in desk.ok("match", "compare", "play:1", "local:2")
    assert desk.ok("match", "view", "play:2", "--turn", "1") == desk.ok("match", "view", "local:1", "--turn", "1")

    for words, sentence in (
        (("show", "abc"), "'abc' is not a match number; `ladder match list` lists them, and play:1 is the latest"),
        (("show", "play:0"), "play:0 cannot be a match: play:1 is the latest"),
        (("view", "play:9999"), "there is no match play:9999: there are play:1 to play:2, and"),
        (("list", "--local", "--won", "--lost"), "no match is both won and lost"),
        (("list", "--official", "--longer-than", "x"), "--longer-than is x; it must be a number of turns"),
        (("list", "--local", "--bot", "x"), "with --local go only --game, --league, --against"),
    ):
        assert sentence in desk.refused(2, "match", *words)
    assert completed(desk, capfd, "match", "show", "") == {"play:1", "play:2", "local:1", "local:2"}
    (desk.home / "played" / "2.match").write_bytes(b"cut")
    assert "match play:1 cannot be read" in desk.refused(3, "match", "show", "play:1")
    done = desk.run("match", "list", "--local")
    assert "local:1" in done.stdout
    assert "played were left out: local:2\n" in done.stderr


def test_each_lost_match_comes_with_the_command_that_views_it(desk: Desk, nonsense: Path, chatty: Path) -> None:
    words = (*PLAY, nonsense, "boss-wood-2", "--seed", "7")
    one = desk.run(*words).stderr
    command = "  ladder match view local:1  (seed 7 as player 0, -1:6, 2 turns)\n"
    assert one.endswith(f"the match that nonsense.py lost:\n{command}")
    at_once = desk.ok(*words, "--matches", "2", "--view")
    assert at_once.endswith(desk.ok("match", "view", "local:2")), "the one that was lost worst, and first"
    last = desk.ok(*PLAY, "boss-wood-2", nonsense, "--matches", "2", "--view")
    assert last.endswith(desk.ok("match", "view", "play:1")), "none was lost"
    assert "leave one of them out" in desk.refused(2, *words, "--view", "--json")
    assert "match view" not in desk.run(*PLAY, "boss-wood-2", nonsense, "--seed", "7").stderr, "it won"
    before = len(desk.json("match", "list", "--local"))
    many = desk.run(*words, "--matches", "8").stderr.splitlines()
    assert [line.split()[3] for line in many[-6:-1]] == [f"local:{before + number}" for number in range(1, 6)]
    assert many[-1] == "  and 3 more: ladder match list --local"
    found = desk.run(*PLAY, nonsense, chatty, "--against", "boss-wood-2", "--worse-only", "--seeds", "7")
    assert "lost" not in found.stderr, "the old one lost these too"
    found = desk.run(*PLAY, nonsense, chatty, "--worse-only", "--seeds", "7")
    assert "the matches that nonsense.py lost, the worst first:\n  ladder match view local:" in found.stderr


def test_a_log_has_all_that_each_seat_was_sent_said_and_wrote_and_the_worst_losses_leave_their_input(
    desk: Desk, nonsense: Path, chatty: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = (*PLAY, chatty, nonsense, "--matches", "2", "--seed", "7")
    desk.ok(*words, "--log", "log")
    seats = sorted(str(path.relative_to("log")) for path in Path("log").glob("*/*"))
    assert seats == [
        "1-seed-7/seat-0-chatty.py",
        "1-seed-7/seat-1-nonsense.py",
        "2-seed-7/seat-0-nonsense.py",
        "2-seed-7/seat-1-chatty.py",
    ]
    own = tmp_path / "log" / "1-seed-7" / "seat-0-chatty.py"
    assert (own / "in.txt").read_text() == desk.ok("match", "input", "play:2", "--seat", "0")
    said = desk.json("match", "show", "play:2")["said"]
    assert (own / "out.txt").read_text() == "".join(f"{turn['line']}\n" for turn in said if turn["seat"] == 0)
    assert (own / "err.txt").read_text() == f"--- first turn (match turn 1)\n{said[0]['stderr']}"
    other = tmp_path / "log" / "1-seed-7" / "seat-1-nonsense.py"
    assert (other / "err.txt").read_text() == "--- first turn (match turn 2)\nwhat is this?\n"

    assert "log has files already: name a new folder, or add --force" in desk.refused(3, *words, "--log", "log")
    assert "cannot write a log into" in desk.refused(2, *words, "--log", chatty)
    (own / "in.txt").write_text("")
    desk.ok(*words, "--log", "log", "--force", "--jobs", "1")
    assert (own / "in.txt").read_text().startswith("15 15 0\n")

    lost = desk.run(*PLAY, chatty, "boss-wood-2", "--matches", "3", "--seed", "7", "--keep-worst", "2").stderr
    assert lost.split("what chatty.py was sent where it lost worst:\n")[1].splitlines() == [
        f"  worst/1-seed-7-seat-0.txt  (seed 7 as player 0, 0:6, {turns_of(desk, 'play:3')} turns)",
        f"  worst/2-seed-8-seat-0.txt  (seed 8 as player 0, 0:6, {turns_of(desk, 'play:1')} turns)",
    ]
    assert Path("worst/1-seed-7-seat-0.txt").read_text() == desk.ok("match", "input", "play:3", "--seat", "0")
    again = desk.run(*PLAY, nonsense, "boss-wood-2", "--keep-worst", "1").stderr
    assert "  worst-2/1-seed-" in again
    none = desk.run(*PLAY, "boss-wood-2", nonsense, "--keep-worst", "1").stderr
    assert "boss-wood-2 lost no match, so no input is kept" in none
    assert sorted(path.name for path in tmp_path.glob("worst*")) == ["worst", "worst-2"]


def turns_of(desk: Desk, match: str) -> int:
    turns: int = desk.json("match", "show", match)["turns"]
    return turns


def test_a_home_that_cannot_be_written_costs_one_line_and_no_match(desk: Desk, nonsense: Path) -> None:
    desk.home.write_text("a file")
    done = desk.run(*PLAY, nonsense, "boss-wood-2", "--matches", "4", "--jobs", "2")
    assert done.returncode == 0
    assert "0 won, 0 drawn, 4 lost" in done.stdout
    assert done.stderr.count("is not kept for a later look: ") == 1
    assert "ladder match view" not in done.stderr


def test_a_match_is_written_as_a_page_when_it_is_played_and_of_several_the_one_that_was_lost_worst(
    desk: Desk, nonsense: Path, tmp_path: Path
) -> None:
    """Where the page cannot be written nothing is played."""
    page = tmp_path / "match.html"
    done = desk.run(*PLAY, nonsense, "boss-wood-2", "--seed", "7", "--html", page)
    assert done.returncode == 0
    assert f"{page} shows local:1: open it in a browser" in done.stderr
    assert "ladder match view local:1" in page.read_text("utf-8")
    assert "add --force" in desk.refused(3, *PLAY, nonsense, "boss-wood-2", "--html", page)
    assert "there is no folder" in desk.refused(2, *PLAY, nonsense, nonsense, "--html", tmp_path / "no" / "x.html")
    assert "play:2" not in desk.ok("match", "list", "--local")

    words = (*PLAY, nonsense, "boss-wood-2", "--seeds", "7,8", "--html", page, "--force")
    worst = desk.run(*words).stderr.partition("ladder match view ")[2].partition(" ")[0]
    assert f"ladder match view {worst}</code>" in page.read_text("utf-8")
    last = tmp_path / "last.html"
    desk.ok(*PLAY, "boss-wood-2", nonsense, "--seeds", "7", "--html", last)
    latest = desk.json("match", "list", "--local")[0]["id"]
    assert f"ladder match view {latest}</code>" in last.read_text("utf-8")


def test_a_page_for_which_the_disk_has_no_room_is_refused_and_no_part_is_left(tmp_path: Path, nonsense: Path) -> None:
    """The disk is a real one of 32 kB; a page takes more. Also what stood there before is still there, whole."""
    desk, small = Desk(tmp_path / "home"), tmp_path / "small"
    small.mkdir()
    desk.run(*PLAY, nonsense, "boss-wood-2", "--seed", "7")
    story = (
        f'cd {small}; {LADDER} match view play:1 --html new.html; echo "status $?"; ls -A; echo before >old.html; '
        f'{LADDER} match view play:1 --html old.html --force; echo "status $?"; ls -A; cat old.html'
    )
    small_disk = ("bwrap", "--dev-bind", "/", "/", "--size", "32768", "--tmpfs", small)
    done = finished([*small_disk, "sh", "-c", story], env=desk.full_environment())
    assert done.stdout == "status 2\nstatus 2\nold.html\nbefore\n"
    assert done.stderr == "".join(
        f"ladder: cannot write {name}: No space left on device\n" for name in ("new.html", "old.html")
    )


def test_matches_of_the_official_site_are_brought_in_listed_and_looked_at(desk: Desk, tmp_path: Path) -> None:
    folder = tmp_path / "saved"
    folder.mkdir()
    mine = ONE | {"frames": [*ONE["frames"][:1], ONE["frames"][1] | {"stderr": "hello\n"}, *ONE["frames"][2:]]}
    (folder / "one.json").write_text(json.dumps(mine))
    (folder / "two.json").write_text(json.dumps([saved(one) | {"gameId": 7} for one in records("ice-and-fire", 2)]))
    (folder / "notes.txt").write_text("none")
    assert "no match of the official site is here yet" in desk.run("match", "list", "--official").stderr
    found = [json.loads(line) for line in desk.ok("match", "import", folder, "--json").splitlines()]
    assert [(one["match"], one["game"], one["agrees"]) for one in found] == [
        ("official:1", GAME, True),
        ("official:2", "ice-and-fire", True),
        ("official:3", "ice-and-fire", True),
    ]
    again = desk.run("match", "import", folder / "one.json")
    assert (again.returncode, "official:1" in again.stdout) == (0, True), "it was there before"

    listed = desk.json("match", "list", "--official")
    assert [one["id"] for one in listed] == ["official:3", "official:2", "official:1"]
    assert [one["own_seat"] for one in listed] == [None, None, mine["frames"][1]["agentId"]]
    other = f"player{1 - mine['frames'][1]['agentId']}"
    (own,) = desk.json("match", "list", "--official", "--against", other, "--game", GAME)
    assert own["id"] == "official:1"
    shown = desk.ok("match", "show", "official:1", "--turns")
    assert "played on the official site; no times are known" in shown
    assert "answers: median" not in shown
    assert "hello" in shown
    sent = desk.ok("match", "input", "official:1", "--seat", "0")
    assert sent == "".join(f"{line}\n" for ask in records(GAME, 1)[0].asks if ask.seat == 0 for line in ask.lines)
    assert "official:1: player0 - player1" in desk.ok("match", "view", "official:1", "--turn", "3")


def test_what_cannot_be_brought_in_is_said_and_the_rest_is_kept(desk: Desk, tmp_path: Path) -> None:
    wrong = ONE | {"scores": [91.0, 92.0], "gameId": 8}
    (tmp_path / "some.json").write_text(json.dumps([wrong, ONE, {"hello": 1}]))
    done = desk.run("match", "import", tmp_path / "some.json", tmp_path / "missing.json", "--json")
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert (done.returncode, [one["match"] for one in found]) == (1, [None, "official:1", None, None])
    faults = ("scores: expected (91, 92)", "", "frames: Field required", "No such file")
    (tmp_path / "tron.json").write_text(json.dumps({"questionTitle": "Tron Battle - Level 3", "gameResult": wrong}))
    (tron,) = json.loads(f"[{desk.run('match', 'import', tmp_path / 'tron.json', '--json').stdout}]")
    assert (tron["game"], tron["agrees"]) == (None, False)
    assert tron["fault"] == "Tron Battle - Level 3 is not a game that is here, and goes by no other's rules"
    for one, why in zip(found, faults, strict=True):
        assert why in one["fault"]
    (tmp_path / "empty").mkdir()
    assert "without any file" in desk.refused(2, "match", "import", tmp_path / "empty")
    assert "no game here has a league 'tin'" in desk.refused(2, "match", "import", "x.json", "--league", "tin")


PARROT = """
import sys
LINES, READS = {lines!r}, {reads!r}
for lines in READS:
    for _ in range(lines):
        if not sys.stdin.readline():
            sys.exit()
    print(LINES.pop(0), flush=True)
while sys.stdin.readline():
    for _ in range(2):
        sys.stdin.readline()
    print("SURFACE", flush=True)
"""


def parrot(path: Path, record: MatchRecord, seat: int, turns: int) -> Path:
    """Write a bot that says what a seat said on its first turns, and then SURFACE."""
    asks = [ask for ask in record.asks if ask.seat == seat][:turns]
    lines, reads = [ask.answer for ask in asks], [len(ask.lines) for ask in asks]
    return written(path, PARROT.format(lines=lines, reads=reads))


def test_a_file_enters_an_official_match_and_goes_on_from_a_turn(desk: Desk, tmp_path: Path) -> None:
    """The match: seat 1 sinks seat 0 with the last of 22 answers."""
    record = records(GAME, 16)[15]
    recorded = [(ask.seat, ask.answer) for ask in record.asks]
    assert (recorded[-1][0], len(recorded), record.scores) == (1, 22, (0, 2))
    (tmp_path / "one.json").write_text(json.dumps(saved(record)))
    desk.ok("match", "import", tmp_path / "one.json")
    words = ("match", "rematch", "official:1", "--with")
    same, other = parrot(tmp_path / "same.py", record, 1, 11), parrot(tmp_path / "other.py", record, 1, 10)
    assert "say with --seat whose place" in desk.refused(2, *words, same)
    assert "on all 11 turns of seat 1" in desk.ok(*words, same, "--seat", "1")

    found = desk.json(*words, other, "--seat", "1")
    assert (found["turns"], found["parting"]["turn"]) == (10, 22)
    assert found["parting"]["lines"] == [recorded[-1][1], "SURFACE"]
    text = desk.ok(*words, other, "--seat", "1")
    assert text.startswith("official:1: other.py answers otherwise on turn 22, turn 11 of its seat\n")
    assert text.endswith("  other.py: SURFACE\n--from-turn 22 lets it play on from there\n")

    whole = desk.ok(*words, same, "--seat", "1", "--from-turn", "22")
    assert "official:1 had ended 0:2, player1 won" in whole
    assert "it goes the same way now" in whole
    assert "`ladder match view local:1` shows it" in whole

    on = (*words, other, "--seat", "1", "--from-turn", "22")
    open_end = desk.ok(*on)
    assert "now turn 22 is the first that differs" in open_end
    assert "player0 (recorded): fault of unknown kind on its turn 12" in open_end
    assert "its end says nothing; `--then boss-gold` lets somebody play on" in open_end
    found = desk.json(*on, "--then", "boss-wood-2")
    assert found["take_overs"] == [{"seat": 0, "turn": 23, "bot": "boss-wood-2"}]
    assert found["parting_turn"] == 22
    assert found["replayed"]["bots"] == ["player0 (recorded) then boss-wood-2", "other.py"]
    lines = [(turn["seat"], turn["line"]) for turn in found["replayed"]["turns"]]
    assert lines[:22] == [*recorded[:21], (1, "SURFACE")]
    assert len(lines) > 23
    assert desk.ok("match", "view", "play:1", "--turn", "22").startswith("local:3: player0 (recorded) then boss-wood-2")

    for more, status, sentence in (
        (("--then", "boss-wood-2"), 2, "--then says who plays on, so it goes with --from-turn"),
        (("--from-turn", "9999"), 2, "official:1 has 22 turns, and seat 1 was last asked on turn 22"),
        (("--recorded",), 2, "--recorded is for matches of the ladder"),
        (("--from-turn", "2", "--then", "boss-tin"), 4, "boss-tin is not a file, nor one of the bosses"),
    ):
        assert sentence in desk.refused(status, *words, other, "--seat", "1", *more)
    assert "the seats 0 to 1, and no seat 5" in desk.refused(2, *words, other, "--seat", "5")
    assert "name with --with the file" in desk.refused(2, "match", "rematch", "official:1")


def test_what_a_bot_dies_of_is_counted_over_its_matches_here_and_on_the_site(
    desk: Desk, chatty: Path, tmp_path: Path
) -> None:
    assert "`ladder play` has played none here yet" in desk.refused(3, "losses", "--local")
    desk.ok(*PLAY, chatty, "boss-wood-2", "--matches", "3", "--seed", "7")
    found = desk.json("losses", "--local", "--by", "kind,map")
    assert [one["match"] for one in found["matches"]] == ["local:3", "local:2", "local:1"]
    assert {one["opponent"] for one in found["matches"]} == {"boss-wood-2"}
    groups = [(one["by"], one["value"], one["losses"]) for one in found["groups"]]
    assert groups == [("kind", "own surfacing", 3), ("map", "7", 2), ("map", "8", 1)]
    table = desk.ok("losses", "--local", "--by", "kind,seat", COLUMNS="80")
    example = found["groups"][0]["examples"][0]
    row = next(row for row in table.splitlines() if "own surfacing" in row)
    assert f" {example['match']} --turn {example['turn']}" in row, "a match to look at has room in 80 columns"
    assert f"`ladder match view {example['match']} --turn {example['turn']}` opens one" in table
    desk.ok("match", "view", example["match"], "--turn", str(example["turn"]))

    (tmp_path / "some.json").write_text(json.dumps([saved(one) for one in records(GAME, 16)[14:]]))
    desk.ok("match", "import", tmp_path / "some.json", "--bot", "player0")
    (own,) = desk.json("losses", "--official")["matches"]
    assert (own["opponent"], own["seat"], own["kind"], own["last_turn"]) == ("player1", 0, "torpedo", 11)
    assert "no lost match fits" in desk.run("losses", "player1", "--official").stderr
    for words, sentence in (
        (("--local", "--by", "colour"), "--by is 'colour': lost matches are counted by kind, opponent"),
        (("--local", "--official"), "cannot be used together"),
        (("x", "--local", "--since", "1d"), "with --local go only --game, --league, --against, --limit and --json"),
        ((), "name a bot; only in a bot's folder"),
    ):
        assert sentence in desk.refused(2, "losses", *words)
