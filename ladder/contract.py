"""What can be read of a ladder and done to it: one row for each, which all interfaces follow.

How this works. A command calls a function of `ladder`; beside the database that is all. From another machine it asks a
server for the row by its name: the server's routes, who is let in, what it keeps under a write's key and what a command
says after a lost answer come from here. A row names its function by place, as a function brings its part of the ladder
with it: it is imported when it is asked for.
"""

from collections.abc import Callable, Mapping
from dataclasses import field
from importlib import import_module
from typing import Any, TypeVar

from engine.errors import UnknownName
from engine.immutable import immutable
from ladder.access import Deed


@immutable
class Read:
    """A view. `place`: module of `ladder` and function; `deed`: None where all may; `owner`: a parameter."""

    place: str
    deed: Deed | None = None
    owner: str | None = None


@immutable
class PublicRead:
    """How everybody's programs ask for a view.

    `address`: below `/api/v1`, by GET; `about`, `what`: describe view and body; `asked`: the query. Of a list,
    `of`: what cursors name; `key`: its order's fields, "" for places.
    """

    place: str
    address: str
    about: str
    what: str = "As the command's `--json` prints it"
    asked: Mapping[str, str] = field(default_factory=dict)
    of: str = ""
    key: str = ""


@immutable
class Public:
    """How all may ask for an action. `address`: below `/api/v1`; `command`: does the same; `deed`: in words alone."""

    address: str
    deed: Deed
    command: str
    status: int = 200


@immutable
class Write:
    """An action; it checks who may. `shows`: the command that shows whether it arrived; `is_secret`: never kept."""

    place: str
    shows: str = "audit --limit 5"
    is_secret: bool = False


Row = TypeVar("Row", Read, Write)

READS: Mapping[str, Read] = {
    "boards": Read("views.boards:read_pages"),
    "whole-boards": Read("views.boards:live_boards"),
    "bots": Read("views.bots:listed"),
    "bot": Read("views.bots:read_bot"),
    "bot-explained": Read("views.bots:explained"),
    "source": Read("views.bots:read_source"),
    "source-compared": Read("views.bots:compared"),
    "similar-sources": Read("bots.similar:similar_sources", Deed.COMPARE_SOURCES),
    "bot-league": Read("views.bots:league_of_bot"),
    "opponents": Read("views.bots:opponents_of"),
    "version-progress": Read("views.progress:version_progress"),
    "matches": Read("views.matches:latest"),
    "latest-match": Read("views.matches:latest_of_bot"),
    "watched-match": Read("views.turns.match:watch_match"),
    "watched-matches": Read("views.turns.match:watch_matches"),
    "match": Read("views.turns.match:read_match"),
    "match-to-play-again": Read("views.turns.match:read_stored"),
    "match-as-runner-file": Read("views.turns.match:runner_file"),
    "match-rejudged": Read("views.turns.match:rejudged"),
    "requests": Read("views.requests:latest"),
    "request": Read("matchmaking.requests:find"),
    "request-matches": Read("views.requests:matches_of"),
    "gauntlets": Read("views.gauntlets:latest"),
    "gauntlet": Read("views.gauntlets:read_report"),
    "gauntlet-held": Read("views.gauntlets:held_back"),
    "tunes": Read("views.tunes:latest"),
    "tune": Read("views.tunes:read_report"),
    "automatic-gauntlets": Read("views.gauntlets:all_automatic"),
    "automatic-gauntlet-of-bot": Read("views.gauntlets:automatic_of_bot"),
    "automatic-gauntlet-of-league": Read("views.gauntlets:automatic_of_league"),
    "leagues-by-game": Read("games.games:leagues_by_game"),
    "leagues": Read("views.leagues:listed"),
    "league-file": Read("views.leagues:as_file"),
    "seasons": Read("views.seasons:listed"),
    "season": Read("views.seasons:read_season"),
    "season-on": Read("views.seasons:the_one_on"),
    "season-planned": Read("views.seasons:planned"),
    "season-unplayed": Read("seasons.ending:unplayed"),
    "final-boards": Read("views.seasons:final_boards"),
    "ratings-verified": Read("views.ratings:verified"),
    "filtered-boards": Read("views.ratings:filtered_boards"),
    "settled-boards": Read("views.ratings:settled_boards"),
    "state": Read("views.fleet:ladder_state"),
    "contest": Read("views.contests:contest"),
    "contest-timetables": Read("views.contests:timetables"),
    "contest-results": Read("views.contests:contest_results", Deed.READ_GRADES),
    "contest-grades": Read("views.contests:grades", Deed.READ_GRADES),
    "announcements": Read("seasons.clarifications:announcements"),
    "questions": Read("seasons.clarifications:questions", Deed.READ_ACCOUNT, "player"),
    "players": Read("accounts.accounts:players", Deed.CHANGE_PLAYERS),
    "members": Read("accounts.accounts:members", Deed.READ_ACCOUNT, "player"),
    "tokens": Read("accounts.tokens:of_player", Deed.LIST_TOKENS, "player"),
    "sessions": Read("accounts.sessions:of_player", Deed.READ_ACCOUNT, "player"),
    "hooks": Read("notices.hooks:of_player", Deed.READ_ACCOUNT, "player"),
    "ladder-hooks": Read("notices.hooks:of_ladder", Deed.CHANGE_LADDER_HOOKS),
    "shares": Read("accounts.links:shares_of_player", Deed.READ_ACCOUNT, "player"),
    "quotas": Read("quotas.quotas:of_player", Deed.READ_ACCOUNT, "name"),
    "quotas-of-all": Read("quotas.quotas:everybodys"),
    "audit": Read("audit:latest", Deed.READ_AUDIT, "actor"),
    "deeds": Read("audit:concerning_others", Deed.READ_AUDIT),
    "final-season": Read("views.seasons:final_season"),
}
"""By the name that our own commands ask by."""
IN_LEAGUE = {"league": "Only this league."}
PUBLIC_READS: Mapping[str, PublicRead] = {
    "one_game": PublicRead(
        "views.leagues:read_game",
        "/games/{game}",
        "One game: its leagues, and as `settings` the rows of `ladder league list --game GAME --json`.",
        "A game",
    ),
    "seasons": PublicRead(
        "views.seasons:listed",
        "/games/{game}/seasons",
        "The seasons of a game, the one that is on last: the rows of `ladder season list --game GAME --json`.",
        of="seasons of {game}",
        key="number",
    ),
    "one_season": PublicRead(
        "views.seasons:final_boards",
        "/games/{game}/seasons/{number}",
        "The final boards of a closed season, the highest league first: "
        "the rows of `ladder season show GAME N --json`.",
        asked=IN_LEAGUE,
        of="boards of season {number} of {game}, {league}",
    ),
    "contest": PublicRead(
        "views.contests:contest",
        "/games/{game}/contest",
        "The contest of a game, how it is to end, and its players: the body of `ladder contest status GAME --json`.\n\n"
        "Where there is none `plan` is null. What a class list says of players is for operators and for themselves.",
        "A contest with its players",
    ),
    "one_bot": PublicRead(
        "views.bots:read_bot",
        "/games/{game}/bots/{bot}",
        "A bot, or one version of it: the body of `ladder bot show BOT --json`.",
    ),
    "why": PublicRead(
        "views.bots:explained",
        "/games/{game}/bots/{bot}/why",
        "Why a bot ranks where it does: the body of `ladder bot why BOT --json`.\n\n"
        "Of a version with a hundred thousand matches that takes a second; `latest` asks for less.",
        asked=IN_LEAGUE | {"latest": "Only by this many of its latest matches."},
    ),
    "ratings": PublicRead(
        "views.ratings:rating_history",
        "/games/{game}/bots/{bot}/ratings",
        "How the rating of a bot, or of one version, has moved: up to 500 points, and its moves between leagues.",
        "Points of the ledger, and moves",
    ),
    "timing": PublicRead(
        "views.timing:read_timing",
        "/games/{game}/bots/{bot}/timing",
        "What the turns of a version took in its latest 100 matches: how often which time, and the slowest of them.",
        "Times, and the slowest turns",
    ),
    "versus": PublicRead(
        "views.bots:opponents_of",
        "/games/{game}/versus",
        "How a bot did against each opponent, or each of its versions against another's.\n\n"
        "The rows of `ladder bot versus A [B] --json`, the opponent that was met most first. "
        "`b` can be one version too.",
        asked={
            "a": "A bot, or a version of it, as in kraken@v3.",
            "b": "Another one, to see each version against each.",
        },
        of="opponents of {a} of {game}, {b}",
        key="-matches opponent version",
    ),
    "one_players_bots": PublicRead(
        "views.bots:one_player",
        "/players/{player}",
        "A player: each version of each bot with how it did, and the latest matches of each bot.",
        "A player with the bots of all games",
    ),
    "announcements": PublicRead(
        "seasons.clarifications:announcements",
        "/announcements",
        "What operators told all, and answered so that all read it, the latest first: "
        "the rows of `ladder contest announcements --json`.",
        asked={"game": "Only what is about this game or the whole ladder."},
        of="announcements of {game}",
        key="-id",
    ),
    "questions": PublicRead(
        "seasons.clarifications:questions",
        "/questions",
        "Your own questions with their answers, an operator's all, the latest first: "
        "the rows of `ladder contest questions --json`. The scope `read`; everybody's takes `operate`.",
        of="questions",
        key="-id",
    ),
    "one_gauntlet": PublicRead(
        "views.gauntlets:read_in_full",
        "/gauntlets/{number}",
        "One gauntlet: the body of `ladder gauntlet show GAUNTLET --json`.",
    ),
    "one_tune": PublicRead(
        "views.tunes:read_report", "/tunes/{number}", "One tune: the body of `ladder tune show TUNE --json`."
    ),
    "one_match": PublicRead(
        "views.turns.match:read_match",
        "/matches/{number}",
        "One match with its turns: the body of `ladder match show MATCH --json`.",
    ),
}
"""By the name of the route."""
WRITES: Mapping[str, Write] = {
    "submit": Write("actions.bots:submit", "bot show {submission.bot}"),
    "activate": Write("actions.bots:activate", "bot show {bot}"),
    "rewind": Write("actions.bots:rewind", "bot show {bot}"),
    "retire": Write("actions.bots:retire", "bot show {bot}"),
    "rename": Write("actions.bots:rename", "bot show {bot}"),
    "disqualify": Write("actions.bots:disqualify", "bot show {bot}"),
    "reinstate": Write("actions.bots:reinstate", "bot show {bot}"),
    "request": Write("actions.matches:request", "match requests --all"),
    "cancel": Write("actions.matches:cancel", "match requests --all"),
    "begin-gauntlet": Write("actions.gauntlets:begin", "gauntlet list"),
    "stop-gauntlet": Write("actions.gauntlets:stop", "gauntlet show {gauntlet_id}"),
    "resume-gauntlet": Write("actions.gauntlets:resume", "gauntlet show {gauntlet_id}"),
    "purge-gauntlet": Write("actions.gauntlets:purge", "gauntlet show {gauntlet_id}"),
    "begin-tune": Write("actions.tunes:begin", "tune list"),
    "stop-tune": Write("actions.tunes:stop", "tune show {gauntlet_id}"),
    "resume-tune": Write("actions.tunes:resume", "tune show {gauntlet_id}"),
    "automate": Write("actions.gauntlets:automate", "gauntlet auto"),
    "end-automatic": Write("actions.gauntlets:end_automatic", "gauntlet auto"),
    "void-match": Write("actions.matches:void", "match show {match_id}"),
    "share-match": Write("actions.matches:share", "match shares", is_secret=True),
    "revoke-share": Write("actions.matches:revoke_share", "match shares"),
    "lock-game": Write("actions.games:lock"),
    "unlock-game": Write("actions.games:unlock"),
    "open-contest": Write("actions.seasons:open_contest", is_secret=True),
    "announce": Write("actions.clarifications:announce", "contest announcements"),
    "ask": Write("actions.clarifications:ask_question", "contest questions"),
    "answer": Write("actions.clarifications:answer", "contest questions"),
    "withdraw-clarification": Write("actions.clarifications:withdraw", "contest questions"),
    "close-season": Write("actions.seasons:close", "season show {game}"),
    "plan-season": Write("actions.seasons:plan", "season show {game}"),
    "drop-plan": Write("actions.seasons:drop_plan", "season show {game}"),
    "freeze-boards": Write("actions.games:freeze_boards"),
    "thaw-boards": Write("actions.games:thaw_boards"),
    "apply-leagues": Write("actions.games:apply", "league show {file.game}"),
    "recompute": Write("actions.games:recompute"),
    "create-token": Write("actions.tokens:create", is_secret=True),
    "revoke-token": Write("actions.tokens:revoke", "token list"),
    "add-hook": Write("actions.hooks:add", "hooks list", is_secret=True),
    "test-hook": Write("actions.hooks:test", "hooks list"),
    "remove-hook": Write("actions.hooks:remove", "hooks list"),
    "invite": Write("actions.accounts:invite", is_secret=True),
    "reset": Write("actions.accounts:reset", is_secret=True),
    "join-code": Write("actions.accounts:join_code", is_secret=True),
    "disable": Write("actions.accounts:disable"),
    "enable": Write("actions.accounts:enable"),
    "set-role": Write("actions.accounts:set_role"),
    "change-quotas": Write("actions.accounts:change_quotas"),
    "reset-quotas": Write("actions.accounts:reset_quotas"),
}
"""Likewise."""
PUBLIC_WRITES: Mapping[str, Public] = {
    "activate": Public("POST /games/{game}/bots/{bot}/activate", Deed.ACTIVATE, "bot activate"),
    "cancel": Public("DELETE /requests/{number}", Deed.CANCEL_REQUEST, "match cancel"),
    "stop-gauntlet": Public("POST /gauntlets/{number}/stop", Deed.STOP_GAUNTLET, "gauntlet stop"),
    "resume-gauntlet": Public("POST /gauntlets/{number}/resume", Deed.RESUME_GAUNTLET, "gauntlet resume"),
    "purge-gauntlet": Public("POST /gauntlets/{number}/purge", Deed.PURGE_GAUNTLET, "gauntlet purge"),
    "void-match": Public("POST /matches/{number}/void", Deed.VOID_MATCH, "match void"),
    "share-match": Public("POST /matches/{number}/shares", Deed.SHARE_MATCH, "match share", 201),
    "revoke-share": Public("DELETE /shares/{number}", Deed.REVOKE_SHARE, "match unshare"),
    "lock-game": Public("PUT /games/{game}/lock", Deed.LOCK_GAME, "game lock"),
    "unlock-game": Public("DELETE /games/{game}/lock", Deed.LOCK_GAME, "game unlock"),
    "ask": Public("POST /questions", Deed.ASK, "contest ask", 201),
    "add-hook": Public("POST /hooks", Deed.CHANGE_HOOKS, "hooks add", 201),
    "test-hook": Public("POST /hooks/{number}/test", Deed.CHANGE_HOOKS, "hooks test"),
    "remove-hook": Public("DELETE /hooks/{number}", Deed.CHANGE_HOOKS, "hooks remove"),
}
"""By the name of the action; what has another route is written by hand."""


def row_of(rows: Mapping[str, Row], name: str) -> Row:
    if name not in rows:
        raise UnknownName.of("view" if rows is READS else "action", name, rows)
    return rows[name]


def function_of(row: Read | PublicRead | Write) -> Callable[..., Any]:
    module, _, function = row.place.partition(":")
    loaded: Callable[..., Any] = getattr(import_module(f"ladder.{module}"), function)
    return loaded


def name_of(rows: Mapping[str, Read] | Mapping[str, Write], function: Callable[..., Any]) -> str | None:
    """Return the name by which another machine asks for a function; None where it cannot."""
    place = f"{function.__module__.removeprefix('ladder.')}:{function.__qualname__}"
    return next((name for name, row in rows.items() if row.place == place), None)
