"""`ladder player`, `token`, `audit` and `deeds`: what they print, what they refuse, and what is written down."""

from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from ladder.bots import bots, versions
from ladder.database.connection import Pool, transaction
from ladder.leagues import leagues
from tests.acceptance.conftest import SERVED, Desk
from tests.ladder.arena import insert_battle, on_the_board
from tests.ladder.rated import History
from tests.throwaway import written

LINK = "https://arena.example/join/"


@pytest.mark.usefixtures("database_url")
def test_somebody_alone_reads_in_one_sentence_that_accounts_are_for_a_served_ladder(desk: Desk) -> None:
    for words in (("player", "invite", "kim"), ("player", "join-code", "--uses", "3"), ("player", "reset", "kim")):
        assert "accounts are for a served ladder" in desk.refused(3, *words)
    assert "tokens are for a served ladder" in desk.refused(3, "token", "create", "--name", "ci", "--scope", "read")
    assert "tokens are for a served ladder" in desk.run("token", "list").stderr
    assert "there are no players yet" in desk.run("player", "list").stderr
    assert "no such line" in desk.run("audit", "--player", "kim").stderr


def test_links_are_printed_alone_on_stdout(served: Desk, pool: Pool) -> None:
    on_the_board(pool, "kraken", "a")
    done = served.run("player", "invite", "kim", "--operator")
    assert done.stdout.startswith(LINK)
    assert done.stdout.count("\n") == 1
    assert "makes kim an account, with all bots that kim has; it is an operator's, once, until" in done.stderr
    made = served.json("player", "invite", "ben")
    assert (made["kind"], made["player"], made["role"], made["uses"]) == ("new", "ben", "player", 1)
    assert served.ok("player", "join-code", "--uses", "30").startswith(LINK)
    served.refused(2, "player", "join-code", "--uses", "0")
    assert "a player's name is" in served.refused(2, "player", "invite", "a b")
    assert "no password yet" in served.refused(3, "player", "reset", "kim")


def test_members_of_a_team_are_invited_and_listed(served: Desk, pool: Pool) -> None:
    on_the_board(pool, "kraken", "a")
    assert "kim has no members" in served.run("player", "members", "kim").stderr
    done = served.run("player", "invite", "anna", "--team", "kim")
    assert (done.stdout.startswith(LINK), done.returncode) == (True, 0)
    served.ok("player", "invite", "ben", "--team", "new-team")
    (row,) = served.json("player", "members", "kim")
    assert (row["name"], row["team"], row["logs_in"]) == ("anna", "kim", False)
    assert "anna" in served.ok("player", "members", "kim")
    assert "kim is a player already" in served.refused(3, "player", "invite", "kim", "--team", "new-team")
    assert "anna is a member of kim already" in served.refused(3, "player", "invite", "anna", "--team", "new-team")
    assert "anna is a member of kim" in served.refused(
        3, "submit", Path(__file__), "--game", "ocean-of-code", "--bot", "eel", "--player", "anna"
    )
    rows = served.json("player", "list")
    teams = [(row["name"], row["team"]) for row in rows]
    assert teams == [("anna", "kim"), ("ben", "new-team"), ("kim", None), ("new-team", None)]


def test_players_are_listed_disabled_and_made_operators(served: Desk, pool: Pool) -> None:
    on_the_board(pool, "kraken", "a")
    on_the_board(pool, "orca", "b", "mia")
    assert "kim is an operator from now on" in served.ok("player", "role", "kim", "operator")
    assert "kim is the last operator" in served.refused(3, "player", "disable", "kim", "--why", "x")
    assert "kim is the last operator" in served.refused(3, "player", "role", "kim", "player")
    shown = served.ok("player", "disable", "mia", "--why", "a copy")
    assert "mia is disabled: 0 sessions and 0 tokens ended, orca left the boards" in shown
    listed = {row["name"]: row for row in served.json("player", "list")}
    assert (listed["kim"]["role"], listed["mia"]["disabled_why"], listed["mia"]["bots"]) == ("operator", "a copy", 1)
    assert "disabled: a copy" in served.ok("player", "list")
    assert "mia can log in again" in served.ok("player", "enable", "mia")
    assert "unknown player 'zoe'" in served.refused(2, "player", "disable", "zoe", "--why", "x")
    assert [row["deed"] for row in served.json("deeds")] == [*("player enable", "player disable", "player role")]


def test_a_token_is_shown_once_listed_without_its_secret_and_revoked(served: Desk, pool: Pool) -> None:
    on_the_board(pool, "kraken", "a", "tess")
    words = ("token", "create", "--name", "ci", "--scope", "submit,play")
    done = served.run(*words, "--bot", "eel", "--expires", "30d")
    secret = done.stdout.strip()
    assert secret.startswith("ldr_")
    assert "may play and submit, for eel alone, until" in done.stderr
    listed = served.ok("token", "list")
    assert secret not in listed + served.ok("token", "list", "--json") + served.ok("audit", "--json")
    assert secret[-4:] in listed
    assert "a token of that name already" in served.refused(3, *words)
    for bad, sentence in {
        ("--expires", "soon"): "a number of days",
        ("--expires", "366d"): "1 to 365 days",
        ("--scope", "submit,fly"): "unknown scope 'fly'; known: read, submit, play, operate",
        ("--scope", "operate"): "the scope operate is for operators",
        ("--game", "chess"): "unknown game",
    }.items():
        done = served.run("token", "create", "--name", "x", "--scope", "read", *bad)
        assert sentence in done.stderr
        assert done.returncode in {2, 3}
    assert "unknown player 'zoe'" in served.refused(2, *words, "--player", "zoe")
    usual = served.json("token", "create", "--name", "usual", "--scope", "read")
    until, since = (datetime.fromisoformat(usual[name]) for name in ("expires_at", "created_at"))
    assert (until - since).days == 90
    assert "the token ci of tess is revoked" in served.ok("token", "revoke", "ci")
    assert "unknown token 'ci'" in served.refused(2, "token", "revoke", "ci")


def test_a_link_to_a_match_is_shown_once_listed_and_revoked(desk: Desk, served: Desk, pool: Pool) -> None:
    on_the_board(pool, "kraken", "a", "tess")
    on_the_board(pool, "orca", "b", "mia")
    with transaction(pool) as connection:
        league = leagues.leagues(connection, "ocean-of-code")[0]
        pair = [versions.numbered(connection, bots.find_bot(connection, bot), 1).id for bot in ("kraken", "orca")]
        match_id = str(insert_battle(connection, league.id, (pair[0], pair[1]), seed=5)[0])
    assert "links to matches are for a served ladder" in desk.refused(3, "match", "share", match_id)
    done = served.run("match", "share", match_id, "--expires", "7d")
    assert done.stdout.startswith("https://arena.example/r/")
    assert f"share 1 shows match {match_id} as tess sees it, until" in done.stderr
    (listed,) = served.json("match", "shares")
    assert (listed["match_id"], listed["player"], listed["is_valid"]) == (int(match_id), "tess", True)
    assert match_id in served.ok("match", "shares")
    assert "no bot of zoe plays in match" in served.refused(3, "match", "share", match_id, "--player", "zoe")
    assert "there is no match 999" in served.refused(2, "match", "share", "999")
    assert "mia has no share 99" in served.refused(2, "match", "unshare", "99", "--player", "mia")
    assert f"share 1 no longer shows match {match_id}" in served.ok("match", "unshare", "1")
    assert "tess shares no match" in served.run("match", "shares").stderr


def test_the_audit_has_a_line_for_each_change_and_can_be_narrowed(desk: Desk, pool: Pool, tmp_path: Path) -> None:
    desk.ok("submit", written(tmp_path / "kraken.py", "print(1)"), "--game", "ocean-of-code", "--player", "kim")
    desk.ok("player", "role", "kim", "operator")
    rows = desk.json("audit")
    assert [(row["actor"], row["action"], row["via"]) for row in rows] == [
        ("tess", "player role", "database"),
        ("kim", "submit", "database"),
    ]
    assert [row["target"] for row in desk.json("audit", "--player", "KIM")] == ["kraken@v1 (ocean-of-code)"]
    assert "player role" in desk.ok("audit", "--action", "player role", "--limit", "1")


def test_settings_that_make_no_sense_are_refused(desk: Desk) -> None:
    for variables, sentence in (
        ({"LADDER_WEB_MODE": "public"}, "LADDER_WEB_MODE is 'public'; it must be local or served"),
        ({"LADDER_WEB_MODE": "served"}, "so LADDER_PUBLIC_URL must say where"),
        ({**SERVED, "LADDER_PUBLIC_URL": "http://arena.example"}, "it must begin with https://"),
        ({**SERVED, "LADDER_PUBLIC_URL": "arena.example"}, "it must be a scheme and a host"),
        ({**SERVED, "LADDER_PUBLIC_URL": "https://arena.example/x"}, "it must be a scheme and a host"),
        ({**SERVED, "LADDER_PUBLIC_URL": "https://[::1"}, "it must be a scheme and a host"),
        ({**SERVED, "LADDER_REGISTRATION": "all"}, "LADDER_REGISTRATION is 'all'; it must be invited or open"),
        ({**SERVED, "LADDER_WEB_READ": "all"}, "LADDER_WEB_READ is 'all'; it must be players or everyone"),
        ({**SERVED, "LADDER_TRUSTED_PROXIES": "10.0.0.0/8,nginx"}, "'nginx', which is not an address or network"),
    ):
        assert sentence in desk.refused(2, "status", **variables)


def test_quotas_are_shown_changed_and_reset(served: Desk, pool: Pool) -> None:
    on_the_board(pool, "kraken", "a")
    assert "everybody's quotas, by default" in served.ok("player", "quota")
    changed = served.ok("player", "quota", "kim", "--cpu-s-per-day", "50000", "--tokens", "none")
    assert "kim has quotas of its own" in changed
    assert "50,000" in changed
    assert "no limit" in changed
    found = served.json("player", "quota", "kim")
    of_hour = {"quota": "versions_per_hour", "limit": 20, "used": 1, "again_at": None, "words": "versions an hour"}
    assert found["lines"][0] == of_hour
    assert "kim has the same quotas as everybody" in served.ok("player", "quota", "kim", "--reset")
    assert "'many' is not a number of tokens" in served.refused(2, "player", "quota", "kim", "--tokens", "many")
    assert "leave the others out" in served.refused(2, "player", "quota", "kim", "--tokens", "1", "--reset")
    assert "unknown player 'zoe'" in served.refused(2, "player", "quota", "zoe")


def test_a_game_is_locked_and_unlocked(served: Desk, pool: Pool) -> None:
    on_the_board(pool, "kraken", "a", "tess")
    assert "is locked" in served.ok("game", "lock", "ocean-of-code", "--why", "final until Sunday")
    assert "(final until Sunday)" in served.refused(3, "bot", "activate", "kraken@v1")
    assert "locked now: final until Sunday" in served.ok("season", "show", "ocean-of-code")
    assert "takes versions again" in served.ok("game", "unlock", "ocean-of-code")
    served.ok("bot", "activate", "kraken@v1")


GAME = "ocean-of-code"


def deeds(desk: Desk) -> list[tuple[str, str, str]]:
    rows: list[dict[str, Any]] = desk.json("deeds")
    return [(row["done_by"], row["deed"], row["about"]) for row in rows]


def test_a_match_taken_back_is_written_down_and_people_see_a_table(desk: Desk, history: History) -> None:
    assert "no operator has done anything yet" in desk.run("deeds").stderr
    first, second, third = (str(match) for match in history.matches[:3])
    desk.ok("match", "void", first, "--why", "the map was wrong")
    desk.ok("match", "void", second, "--why", "that too", "--player", "olga")
    assert "--player is empty" in desk.refused(2, "match", "void", third, "--why", "no", "--player", "")
    desk.refused(3, "match", "void", first, "--why", "again")
    assert deeds(desk) == [
        ("olga", "match void", f"match {second} of Wood 2: that too"),
        ("tess", "match void", f"match {first} of Wood 2: the map was wrong"),
    ]
    assert "taken back by olga" in desk.ok("match", "show", second)
    desk.ok("match", "void", third, "--why", "the map was wrong")
    shown = desk.ok("deeds", "--limit", "2")
    assert (shown.count("the map was wrong"), shown.count("that too"), "tess" in shown) == (1, 1, True)


def test_only_who_began_a_gauntlet_stops_or_resumes_it_unless_an_operator_says_so(desk: Desk, pool: Pool) -> None:
    for number in (1, 2):
        on_the_board(pool, "kraken", f"print({number})", "tess")
    gauntlet = str(desk.json("gauntlet", "run", "kraken", "--detach")["gauntlet"])
    for act in ("stop", "resume"):
        told = desk.refused(3, "gauntlet", act, gauntlet, LADDER_PLAYER="ben")
        assert f"gauntlet {gauntlet} belongs to tess, and only its player can do that, or an operator" in told
    assert "is stopped" in desk.ok("gauntlet", "stop", gauntlet, "--player", "Tess", LADDER_PLAYER="ben")
    assert "goes on" in desk.ok("gauntlet", "resume", gauntlet)
    assert deeds(desk) == [], "they were her own"
    assert "is stopped" in desk.ok("gauntlet", "stop", gauntlet, "--operator", LADDER_PLAYER="ben")
    assert deeds(desk) == [("ben", "gauntlet stop", f"gauntlet {gauntlet} of tess for kraken@v2")]


@pytest.mark.usefixtures("database_url")
def test_changing_leagues_is_written_down_where_something_changes(desk: Desk, tmp_path: Path) -> None:
    file = written(tmp_path / "leagues.toml", f'game = "{GAME}"\n[leagues.gold]\nclock = "wall"\n')
    desk.ok("league", "apply", file, "--dry-run")
    assert deeds(desk) == []
    desk.ok("league", "apply", file, "--player", "olga")
    desk.ok("league", "apply", file)
    assert deeds(desk) == [("olga", "league apply", f'{GAME}: gold: clock "fair" -> "wall"')]


def test_closing_a_season_and_rating_again_are_written_down(desk: Desk, history: History) -> None:
    desk.ok("season", "close", GAME, "--yes", "--now", "--player", "olga")
    desk.refused(3, "season", "close", GAME, "--yes")
    desk.ok("rating", "recompute", "--game", GAME, "--league", "wood-2")
    (recomputed, closed) = deeds(desk)
    assert recomputed == ("tess", "rating recompute", "Wood 2: 0 ledger lines changed")
    assert closed[:2] == ("olga", "season close")
    assert closed[2].startswith(f"season 1 of {GAME} is closed")
