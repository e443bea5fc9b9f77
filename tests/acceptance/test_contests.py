"""`ladder contest`: opened in one command, looked at, all or nothing; questions, answers and announcements."""

import csv
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from cli.context import Context
from cli.submit import follow
from engine.game import Games
from engine.text import zoned_words
from ladder.access import Actor, Role
from ladder.actions import games, seasons
from ladder.bots import versions
from ladder.database.connection import Pool, one
from ladder.ids import VersionId
from ladder.settings import settings_from
from ladder.views.bots import OnePlayer
from ladder.web.pages.bots import player_file
from ladder.web.rendering import InFolder
from tests.acceptance.conftest import Desk
from tests.ladder.arena import moved_to, on_the_board, submitted, within
from tests.ladder.rated import History, a_history, change

GAME = "ocean-of-code"
UNTIL = ("--until", "2126-12-18 18:00")
OLGA = Actor("olga", Role.OPERATOR)


@pytest.fixture
def players(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "class.csv").write_text("class,name\n7b,kim\n7b,mia\n7a,tom\n", "utf-8")
    return tmp_path / "class.csv"


def test_one_command_makes_links_leagues_and_the_plan(served: Desk, pool: Pool, players: Path) -> None:
    on_the_board(pool, "kraken", "a")
    words = ("contest", "open", GAME, "--leagues", "3", *UNTIL, "--series", "50", "--players", str(players))
    shown = served.ok(*words)
    assert "links.csv has the 3 links of players who have no password yet" in shown
    assert "versions are submitted until 2126-12-18 18:00" in shown
    assert "a series of 50 battles for each of the first 10" in shown
    links = Path("links.csv")
    assert links.stat().st_mode & 0o777 == 0o600
    rows = list(csv.DictReader(links.read_text("utf-8").splitlines()))
    assert [row["player"] for row in rows] == ["kim", "mia", "tom"]
    assert all(row["link"].startswith("https://arena.example/join/") for row in rows)
    opens = {row["league"]: row["opens_at"] for row in served.json("league", "list", "--game", GAME)}
    assert [opens[name] for name in ("wood-2", "wood-1", "bronze")] == [None] * 3
    assert opens["silver"].startswith("2127-01-17")
    assert served.refused(3, *words).endswith("links.csv exists already, and may be your work: name a new file\n")
    found = {row["player"]: row for row in served.json("contest", "status", GAME)["players"]}
    assert (found["kim"]["version"], found["kim"]["versions"], found["kim"]["league"]) == ("kraken@v1", 1, "Wood 2")
    assert (found["mia"]["bot"], found["mia"]["versions"], found["mia"]["logs_in"]) == (None, 0, False)
    assert [row["deed"] for row in served.json("deeds")] == ["contest open"]


def test_what_cannot_be_changes_nothing_and_a_wrong_line_is_named(served: Desk, players: Path) -> None:
    address = "line 2: kim@school.example is an e-mail address, which belongs in a column"
    for status, lines, words, sentence in (
        (2, "name\nkim\na b\n", UNTIL, "a player's name is"),
        (2, "name\nkim\nKIM\n", UNTIL, "KIM is in the list twice"),
        (2, "name\nhouse\n", UNTIL, "house has the bots that come with Ladder; house-2 would do"),
        (2, "name\n", UNTIL, "names no player"),
        (2, "kim\n", ("--until", "2020-01-01"), "is over"),
        (2, "kim\n", (*UNTIL, "--leagues", "50"), "say 1 to"),
        (2, "kim\n", (*UNTIL, "--top", "5"), "say --series too"),
        (2, "name,group\nkim,7b\nkim,7a\n", UNTIL, "line 3: kim is in the list twice, first in line 2"),
        (2, "name\nkim@school.example\n", UNTIL, address),
        (2, "name,group\nkim,7b\ntom,7c\n", (*UNTIL, "--groups", "7a,7b"), "line 3: there is no group 7c: --groups"),
    ):
        players.write_text(lines, "utf-8")
        said = served.refused(status, "contest", "open", GAME, *words, "--players", str(players))
        assert sentence in " ".join(said.split())
        assert not Path("links.csv").exists()
        assert served.json("player", "list") == []
        assert "its end is not planned" in served.ok("season", "show", GAME)


def test_options_that_do_not_go_together_are_refused(served: Desk, players: Path) -> None:
    for typed, sentence in (
        (("contest", "open", GAME, *UNTIL, "--groups", "7a"), "say --players too"),
        (("contest", "results", GAME), "say either --to, with a folder for the files, or --grades"),
        (("contest", "results", GAME, "--grades", "--to", "x"), "say either --to"),
        (("contest", "results", GAME, "--csv", "--to", "x"), "say --grades in place of --to"),
    ):
        assert sentence in " ".join(served.refused(2, *typed).split())
    assert "no season of ocean-of-code is closed yet" in served.refused(3, "contest", "results", GAME, "--grades")


def test_all_wrong_lines_of_a_list_are_printed_at_once_up_to_twenty(served: Desk, players: Path) -> None:
    players.write_text("name;class\n" + "".join(f"Zoë {number};7b\n" for number in range(23)), "utf-8")
    said = served.refused(2, "contest", "open", GAME, *UNTIL, "--players", str(players)).splitlines()
    assert said[0].endswith(
        "is not a list of players: a player's name is 1 to 39 of A-Z a-z 0-9 _ . - and starts with a "
        "letter or digit, and each is in the list once"
    )
    assert said[1] == "  line 2: Zoë 0; Zoe-0 would do"
    assert len(said) == 22
    assert said[-1] == "  and 3 more lines"


@pytest.mark.usefixtures("database_url")
def test_without_players_a_ladder_of_ones_own_has_contests_too(desk: Desk, players: Path) -> None:
    words = ("contest", "open", GAME, *UNTIL)
    assert "accounts are for a served ladder" in desk.refused(3, *words, "--players", str(players))
    assert "versions are submitted until" in desk.ok(*words)


def test_the_status_says_what_is_left_to_play_and_names_the_players_of_this_contest(
    served: Desk, pool: Pool, history: History, players: Path
) -> None:
    del history
    on_the_board(pool, "hydra", "not of this class", player="lee")
    served.ok("contest", "open", "ice-and-fire", *UNTIL)
    served.ok("contest", "open", GAME, *UNTIL, "--players", str(players), "--frozen-from", "2126-12-18 17:00")
    shown = " ".join(served.ok("contest", "status", GAME).split())
    until = zoned_words(datetime(2126, 12, 18, 18))  # noqa: DTZ001 - by this machine's clock
    assert f"season 1 of ocean-of-code: versions are submitted until {until}; when all is played (now" in shown
    (lacking,) = re.findall(r"[(]now ([0-9]+) battles lack[)], then it is closed", shown)
    assert int(lacking) > 0
    assert "are frozen from 2126-12-18 17:00" in shown
    players.write_text("name\nben\n", "utf-8")
    served.ok("contest", "open", GAME, *UNTIL, "--players", str(players), "--links", "late.csv")

    def listed(game: str) -> list[str]:
        found = served.json("contest", "status", game)["players"]
        return sorted({row["player"] for row in found})

    assert listed(GAME) == ["ben", "kim", "mia", "tom"]
    assert listed("ice-and-fire") == ["ben", "kim", "lee", "mia", "tom"]


def test_no_deadline_becomes_earlier_unasked(served: Desk, players: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    del players
    served.ok("contest", "open", GAME, *UNTIL)
    served.ok("contest", "open", GAME, "--until", "2126-12-19 18:00")
    words = "versions of ocean-of-code are submitted until 2126-12-19 18:00 "
    for again in (("contest", "open", GAME, *UNTIL), ("season", "plan", GAME, "--submit-until", "2126-12-18")):
        said = served.refused(2, *again)
        assert (said.count("\n"), words in said, "add --yes to end that earlier" in said) == (1, True, True), said
    assert "until 2126-12-19 18:00" in served.ok("season", "show", GAME)
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    for answers, status in ((False, 3), (True, 0)):
        asked: list[str] = []

        def confirm(question: str, *, err: bool, answer: bool = answers, asked: list[str] = asked) -> bool:
            asked.append(question)
            return err and answer

        monkeypatch.setattr("typer.confirm", confirm)
        assert served.run("contest", "open", GAME, *UNTIL).returncode == status
        assert [question.startswith(words) for question in asked] == [True]
    served.ok("contest", "open", GAME, "--until", "2126-12-17", "--yes")
    assert "until 2126-12-17 00:00" in served.ok("season", "show", GAME)


@pytest.fixture
def closed(pool: Pool, history: History) -> History:
    """A contest that is over: a history, a version that was rejected, and a closed season."""
    change(pool, "UPDATE players SET name = 'Kim' WHERE name = 'kim'")
    on_the_board(pool, "hydra", "late", player="lee")
    on_the_board(pool, "eel", "a newer one")
    submitted(pool, "hydra", "no program", "lee")
    change(pool, "UPDATE versions SET state = 'rejected', message = 'zqxbad' WHERE state = 'building' AND number = 2")
    seasons.close(OLGA, pool, GAME)
    return history


def test_results_are_files_that_lead_to_each_other(served: Desk, pool: Pool, closed: History, tmp_path: Path) -> None:
    folder = tmp_path / "results"
    games.freeze_boards(OLGA, pool, GAME, datetime(2020, 1, 1, tzinfo=UTC))
    shown = served.run("contest", "results", GAME, "--to", str(folder))
    assert (shown.returncode, shown.stdout) == (0, "")
    assert "boards.html shows season 1 of ocean-of-code, with pages of 2 players" in " ".join(shown.stderr.split())
    files = {str(path.relative_to(folder)): path.read_text("utf-8") for path in folder.rglob("*") if path.is_file()}
    assert sorted(files) == ["boards.csv", "boards.html", "players/kim.html", "players/lee.html"]
    assert files["boards.csv"] == served.ok("season", "show", GAME, "1", "--csv")
    assert '<a href="players/kim.html"><bdi>Kim</bdi></a>' in files["boards.html"]
    assert '<a href="../boards.html">Final boards</a>' in files["players/kim.html"]
    for name in ("kraken@v1", "orca@v1", "eel@v1", "eel@v2"):
        assert f"<bdi>{name}</bdi>" in files["players/kim.html"]
    assert all(f">{match_id}</th>" in files["players/kim.html"] for match_id in closed.matches)
    assert "<bdi>hydra@v1</bdi>" in files["players/lee.html"]
    assert not [name for name, text in files.items() if "zqxbad" in text or "hydra@v2" in text]


def test_results_are_written_over_files_only_when_asked_for(served: Desk, closed: History, tmp_path: Path) -> None:
    del closed
    words = ("contest", "results", GAME, "--to")
    folder = tmp_path / "results"
    folder.mkdir()
    served.ok(*words, str(folder))
    (folder / "boards.csv").write_text("mine", "utf-8")
    assert "has files in it already" in served.refused(3, *words, str(folder))
    assert (folder / "boards.csv").read_text("utf-8") == "mine"
    served.ok(*words, str(folder), "--season", "1", "--force")
    assert (folder / "boards.csv").read_text("utf-8") != "mine"
    for place, status, sentence in (
        (folder / "boards.csv", 2, "it is a file"),
        (tmp_path / "no" / "where", 2, "there is no folder"),
    ):
        assert sentence in " ".join(served.refused(status, *words, str(place)).split())
    assert "is not closed yet" in served.refused(3, *words, str(tmp_path / "new"), "--season", "2")
    assert "no season of ice-and-fire is closed yet" in served.refused(
        3, "contest", "results", "ice-and-fire", "--to", str(tmp_path / "new")
    )
    assert not (tmp_path / "new").exists()


def test_results_that_end_early_leave_nothing(
    served: Desk, closed: History, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither in a new folder nor in one that holds somebody's file, at Ctrl-C or after a fault."""
    del closed
    folder, shown = tmp_path / "results", list[str]()
    faults: list[BaseException] = [KeyboardInterrupt(), RuntimeError("no page")]

    def failing(one: OnePlayer, games: Games, folder: InFolder) -> str:
        shown.append(one.player)
        if len(shown) == 2:
            raise faults[0]
        return player_file(one, games, folder)

    def contents() -> dict[Path, bytes]:
        return {path: path.read_bytes() if path.is_file() else b"" for path in tmp_path.rglob("*")}

    monkeypatch.setattr("ladder.web.pages.bots.player_file", failing)
    for is_there, status in ((False, 130), (False, 1), (True, 130), (True, 1)):
        if is_there:
            folder.mkdir(exist_ok=True)
            (folder / "boards.csv").write_text("mine", "utf-8")
        before = contents()
        assert served.run("contest", "results", GAME, "--to", folder, "--force").returncode == status
        assert len(shown) == 2
        assert contents() == before
        shown.clear()
        faults.reverse()


def test_the_status_of_a_closed_contest_names_its_own_players_until_another_is_opened(
    served: Desk, pool: Pool, history: History, players: Path
) -> None:
    del history
    on_the_board(pool, "hydra", "not of this class", player="lee")
    served.ok("contest", "open", GAME, *UNTIL, "--players", str(players))
    seasons.close(OLGA, pool, GAME)

    def found() -> tuple[int, list[str]]:
        answer = served.json("contest", "status", GAME)
        return answer["contest"], sorted({row["player"] for row in answer["players"]})

    assert found() == (1, ["kim", "mia", "tom"])
    shown = " ".join(served.ok("contest", "status", GAME).split())
    assert "the contest was season 1, which is closed; these are its players" in shown
    served.ok("contest", "open", GAME, *UNTIL)
    assert found() == (2, ["kim", "lee", "mia", "tom"])


CLASS = """class,real name,name,e-mail,student id
7b,Kim Lee,kim,kim@school.example,00123
7a,Ada,student10,,7
7a,Bo Ek,student2,bo@school.example,8
7b,Lea,lea,,9
"""


def test_grades_say_what_every_name_of_the_class_list_reached(served: Desk, pool: Pool, players: Path) -> None:
    """kim is ranked, lea was late, student2 was rejected, student10 did nothing."""
    players.write_text(CLASS, "utf-8")
    served.ok("contest", "open", GAME, *UNTIL, "--players", str(players), "--groups", "7a, 7b")
    a_history(pool)
    on_the_board(pool, "guest", "not of this class", player="guest")
    submitted(pool, "hydra", "no program", "student2")
    change(pool, "UPDATE versions SET state = 'rejected' WHERE state = 'building'")
    seasons.close(OLGA, pool, GAME)
    for bot, player in (("gnat", "lea"), ("orca", "kim")):
        submitted(pool, bot, f"late {bot}", player)
    words = ("contest", "results", GAME, "--grades")
    rows = list(csv.DictReader(served.ok(*words, "--csv").splitlines()))
    personal = ("real_name", "group", "email", "external_id")
    assert [(row["player"], *(row[name] for name in personal)) for row in rows] == [
        ("kim", "Kim Lee", "7b", "kim@school.example", "00123"),
        ("lea", "Lea", "7b", "", "9"),
        ("student2", "Bo Ek", "7a", "bo@school.example", "8"),
        ("student10", "Ada", "7a", "", "7"),
    ]
    assert [tuple(row[name] for name in ("rank", "points", "handed_in", "late")) for row in rows] == [
        ("1", "100.0", "in time", "1"),
        ("", "0.0", "late", "1"),
        ("", "0.0", "in time, but not ranked", "0"),
        ("", "0.0", "nothing", "0"),
    ]
    best = served.json("season", "show", GAME, "1")
    own = [row["version"] for row in best if row["player"] == "kim"]
    assert [(row["version"], row["league"]) for row in rows[:2]] == [(own[0], "Wood 2"), ("", "")]
    assert [row["points"] for row in served.json(*words)] == [100.0, 0.0, 0.0, 0.0]
    shown = served.ok(*words, "--season", "1")
    assert "student id" not in shown
    assert re.search("kim .*Kim Lee.*7b.* 1 .*100.0.*in time", shown)
    change(pool, "UPDATE players SET disabled_at = now(), disabled_why = 'left' WHERE name = 'kim'")
    assert "Kim Lee" in served.ok(*words, "--csv"), "a row for every name on the list"


def test_players_are_ranked_by_their_best_version_by_league(served: Desk, pool: Pool, history: History) -> None:
    """Without a list these are all players but those who were shut out."""
    del history
    on_the_board(pool, "hydra", "without a match", player="lee")
    moved_to(pool, on_the_board(pool, "gnat", "in a higher league", player="mia"), "wood-1")
    on_the_board(pool, "wasp", "of somebody who left", player="tom")
    change(pool, "UPDATE players SET disabled_at = now(), disabled_why = 'left' WHERE name = 'tom'")
    seasons.close(OLGA, pool, GAME)
    rows = served.json("contest", "results", GAME, "--grades")
    assert [(row["player"], row["league"], row["rank"], row["points"], row["handed_in"]) for row in rows] == [
        ("kim", "Wood 2", 2, 66.7, "in time"),
        ("lee", "Wood 2", 3, 33.3, "in time"),
        ("mia", "Wood 1", 1, 100.0, "in time"),
    ]


def test_members_of_a_team_share_its_bots_and_its_rank(served: Desk, pool: Pool, players: Path) -> None:
    players.write_text("name,team\nanna,krakens\nben,krakens\nlee,\n", "utf-8")
    served.ok("contest", "open", GAME, *UNTIL, "--players", str(players))
    assert [row["player"] for row in csv.DictReader(Path("links.csv").read_text("utf-8").splitlines())] == [
        *("anna", "ben", "lee")
    ]
    a_history(pool)
    on_the_board(pool, "ray", "of the team", player="krakens")
    on_the_board(pool, "gnat", "alone", player="lee")
    assert len(re.findall("(?:anna|ben) .*krakens.*ray@v1", served.ok("contest", "status", GAME))) == 2
    players.write_text("name,team\nanna,hydras\n", "utf-8")
    said = served.refused(3, "contest", "open", GAME, *UNTIL, "--players", str(players), "--links", "again.csv")
    assert "anna is a member of krakens already" in said
    seasons.close(OLGA, pool, GAME)
    rows = served.json("contest", "results", GAME, "--grades")
    assert [(row["player"], row["team"], row["version"], row["points"]) for row in rows] == [
        ("anna", "krakens", "ray@v1", 100.0),
        ("ben", "krakens", "ray@v1", 100.0),
        ("lee", None, "gnat@v1", 50.0),
    ], "a team counts once"


def test_a_later_list_changes_what_it_has_a_column_for(served: Desk, pool: Pool, players: Path) -> None:
    def told() -> list[tuple[str, str | None, str | None]]:
        found = served.json("contest", "status", GAME)["players"]
        return [(row["player"], row["real_name"], row["group"]) for row in found]

    players.write_text("name,real name,group\nstudent10,Ada,7a\nstudent2,Bo,7a\n", "utf-8")
    served.ok("contest", "open", GAME, *UNTIL, "--players", str(players))
    players.write_text("name,group\nSTUDENT2,\n", "utf-8")
    served.ok("contest", "open", GAME, *UNTIL, "--players", str(players), "--links", "again.csv")
    assert told() == [("student2", "Bo", ""), ("student10", "Ada", "7a")]
    assert [row["player"] for row in csv.DictReader(Path("links.csv").read_text("utf-8").splitlines())] == [
        "student10",
        "student2",
    ], "links stand in the order of the list"
    assert [row["name"] for row in served.json("player", "list")] == ["student2", "student10"]


def test_a_contest_says_from_when_and_by_which_terms(
    served: Desk, pool: Pool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rules = tmp_path / "rules.txt"
    rules.write_text("Be kind.\nAsk first.\n", "utf-8")
    begins = ("--from", "2126-12-01", "--one-bot", "--title", "Winter cup", "--rules", str(rules))
    shown = served.ok("contest", "open", GAME, *UNTIL, *begins)
    assert shown == served.ok("contest", "status", GAME)
    since, until = (zoned_words(datetime(2126, 12, day, hour)) for day, hour in ((1, 0), (18, 18)))  # noqa: DTZ001 - by this clock
    assert f"versions are submitted from {since} until {until}" in " ".join(shown.split())
    for line in ("it is called Winter cup", "a player has one bot at most", "    Be kind.", "    Ask first."):
        assert line in shown.splitlines()
    plan = served.json("contest", "status", GAME)["plan"]
    assert (plan["title"], plan["rules"], plan["one_bot"]) == ("Winter cup", "Be kind.\nAsk first.", True)
    assert plan["submit_from"].startswith("2126-1")
    for words, sentence in (
        (("--from", "2126-12-19"), "before it begins"),
        (("--frozen-from", "2126-11-30"), "name an earlier beginning, or freeze them later"),
        (("--rules", str(tmp_path / "missing")), "cannot read"),
        (("--title", "x" * 101), "100 characters at most"),
    ):
        assert sentence in " ".join(served.refused(2, "contest", "open", GAME, *UNTIL, *words).split())
    (tmp_path / "kraken.py").write_text("print(1)")
    assert "begins" in served.refused(3, "submit", str(tmp_path / "kraken.py"), "--game", GAME)
    change(pool, "UPDATE season_plans SET submit_from = NULL")
    submitted(pool)
    change(pool, "UPDATE versions SET state = 'rejected' WHERE bot_id IN (SELECT id FROM bots WHERE name = 'kraken')")
    for name, value in served.environment.items():
        monkeypatch.setenv(name, value)
    newest = VersionId(within(pool, one, "SELECT max(id) FROM versions", {})[0])
    follow(Context(settings_from()), within(pool, versions.find_version, newest))
    assert capsys.readouterr().err.startswith(f"contest: until {until} (")


FREEZE = ("board", "--game", GAME, "--frozen-from")


def test_boards_are_frozen_from_a_time_until_they_are_thawed(served: Desk, pool: Pool, players: Path) -> None:
    on_the_board(pool, "kraken", "a")
    opened = served.ok("contest", "open", GAME, *UNTIL, "--players", str(players), "--frozen-from", "2126-12-18 17:00")
    begins, since = (zoned_words(datetime(year, 12, 18, 17)) for year in (2126, 2020))  # noqa: DTZ001 - by this clock
    says = f"the boards of ocean-of-code are frozen from {begins}: all but operators see them as of then until"
    assert f"{says} `ladder board --game {GAME} --thaw`" in opened
    assert "frozen" not in served.ok("board", "--game", GAME)
    assert f"are frozen since {since}" in served.ok(*FREEZE, "2020-12-18 17:00", "--player", "olga")
    for words in (("board", "--game", GAME), ("bot", "show", "kraken")):
        assert f"frozen since {since}: this is how it stands now" in " ".join(served.ok(*words).split())
    assert f"are frozen since {since} already" in served.refused(3, *FREEZE, "2020-01-01")
    assert "everybody sees the boards" in served.ok("board", "--game", GAME, "--thaw")
    assert "are not frozen" in served.refused(3, "board", "--game", GAME, "--thaw")
    assert "frozen" not in served.ok("board", "--game", GAME)
    deeds = served.json("deeds")
    assert [row["deed"] for row in deeds] == ["board thaw", "board freeze", "contest open"]
    assert deeds[1]["done_by"] == "olga"
    zoned = served.json("board", "--game", GAME, "--frozen-from", "2126-12-18T17:00+05:00")
    assert datetime.fromisoformat(zoned["frozen_from"]) == datetime(2126, 12, 18, 12, tzinfo=UTC)
    assert served.json("board", "--game", GAME, "--thaw") == {"thawed": GAME}


def test_a_freeze_that_makes_no_sense_is_refused(served: Desk) -> None:
    for words, sentence in (
        (("--frozen-from", "2026-12-18"), "say with --game which game's boards are meant"),
        (("--thaw",), "say with --game which game's boards are meant"),
        (("--thaw", "--frozen-from", "2026-12-18", "--game", GAME), "cannot be used together: choose one"),
        (("--thaw", "--csv", "--game", GAME), "cannot be used together: choose one"),
        (
            ("--frozen-from", "tomorrow", "--game", GAME),
            "--frozen-from is 'tomorrow'; it must be a day or time such as",
        ),
    ):
        assert sentence in " ".join(served.refused(2, "board", *words).split())


def test_a_question_is_asked_answered_and_withdrawn(desk: Desk, pool: Pool) -> None:
    assert "nothing was asked yet" in desk.run("contest", "questions").stderr
    assert "question 1 is asked" in desk.ok("contest", "ask", "Does the torpedo\npass islands?", "--player", "kim")
    desk.ok("contest", "ask", "And the mine?", "--game", GAME, "--player", "mia")
    assert "question 1 is answered, to all" in desk.ok("contest", "answer", "1", "It does not.", "--all")
    assert "question 2 is answered, to mia" in desk.ok("contest", "answer", "2", "Neither.")
    assert "announcement 3 is made" in desk.ok("contest", "announce", "The sea is closed.", "--game", GAME)
    rows = desk.json("contest", "questions")
    assert [(row["id"], row["asked_by"], row["answer"], row["to_all"]) for row in rows] == [
        (2, "mia", "Neither.", False),
        (1, "kim", "It does not.", True),
    ]
    assert [row["id"] for row in desk.json("contest", "questions", "--player", "kim")] == [1]
    shown = desk.ok("contest", "announcements")
    assert ("The sea is closed." in shown, "It does not." in shown, "Neither." in shown) == (True, True, False)
    assert "announcement 3 is withdrawn" in desk.ok("contest", "withdraw", "3")
    assert "The sea is closed." not in desk.ok("contest", "announcements")
    deeds = {row["deed"] for row in desk.json("deeds")}
    assert deeds == {"contest answer", "contest announce", "contest withdraw"}


def test_what_cannot_be_is_refused_in_a_sentence(desk: Desk, pool: Pool) -> None:
    for status, words, sentence in (
        (2, ("ask", ""), "the question is empty"),
        (2, ("ask", "x" * 2001), "the question has 2,001 characters; it can have 2,000"),
        (2, ("ask", "Why?", "--game", "chess"), "unknown game"),
        (2, ("answer", "7", "So."), "there is no question or announcement 7"),
        (2, ("withdraw", "7"), "there is no question or announcement 7"),
        (2, ("withdraw", "x"), "'x' is not a question number; `ladder contest questions` lists them"),
    ):
        assert sentence in desk.refused(status, "contest", *words)
