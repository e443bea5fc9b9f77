"""All commands: where each is found. What lists of commands say of one is the first paragraph of its docstring.

How this works. To import the modules of all commands takes longer than most commands run, so a list reads their text.

Most commands mean whichever ladder is meant, this machine's or one behind a server; some are about this machine, and
say so where others mean another. Of the group `game` only `lock` and `unlock` are about a ladder, so the group asks for
its commands when it knows which one was typed.
"""

import re
from collections.abc import Mapping
from pathlib import Path

from engine.immutable import immutable

CHECKOUT = Path(__file__).parents[2]


@immutable
class CommandGroup:
    """A group of commands. `leads`: the one meant where none is named, "" for none; `stands_alone`: by its name too."""

    help: str
    example: str
    commands: Mapping[str, str]
    leads: str = ""
    stands_alone: bool = False


def help_of(entry: str | CommandGroup) -> str:
    """Return what lists say of a group, or of a command: the first paragraph of its docstring."""
    if isinstance(entry, CommandGroup):
        return entry.help
    module, _, function = entry.partition(":")
    text = CHECKOUT.joinpath(*module.split(".")).with_suffix(".py").read_text("utf-8")
    docstring = re.search(rf'^def {function}\(.*?^    """(.+?)(?:\n\n|""")', text, re.DOTALL | re.MULTILINE)
    return " ".join(docstring[1].split()) if docstring else ""


COMMANDS: Mapping[str, str | CommandGroup] = {
    "up": "cli.services:up",
    "down": "cli.services:down",
    "new": "cli.game.commands:new_bot",
    "submit": "cli.submit:submit",
    "board": "cli.board:board",
    "play": "cli.play.command:play",
    "dev": "cli.play.practice:dev",
    "losses": "cli.match.losses:losses",
    "simulate": "cli.simulate:simulate",
    "status": "cli.services:status",
    "web": "cli.web.command:web",
    "doctor": "cli.doctor.command:doctor",
    "scheduler": "cli.services:scheduler",
    "metrics": "cli.services:metrics",
    "health": "cli.services:health",
    "demo": "cli.services:demo",
    "deeds": "cli.account.players:show_deeds",
    "audit": "cli.account.players:show_audit",
    "login": "cli.account.login:login",
    "logout": "cli.account.login:logout",
    "whoami": "cli.account.login:whoami",
    "export": "cli.transfer:export_ladder",
    "backup": "cli.transfer:back_up",
    "restore": "cli.transfer:restore",
    "prune": "cli.transfer:prune",
    "worker": CommandGroup(
        "Workers: run one more here, or let them end.",
        "ladder worker run --concurrency 4",
        {"run": "cli.services:worker", "drain": "cli.services:drain"},
        leads="run",
        stands_alone=True,
    ),
    "import": CommandGroup(
        "Move in: from an export, or from psyleague or cgarena.",
        "ladder import ./ladder-november",
        {
            "export": "cli.transfer:import_ladder",
            "psyleague": "cli.imports:import_psyleague",
            "cgarena": "cli.imports:import_cgarena",
        },
        leads="export",
    ),
    "bot": CommandGroup(
        "Bots and their versions.",
        "ladder bot show kraken",
        {
            "list": "cli.bot:list_bots",
            "show": "cli.bot:show_bot",
            "source": "cli.bot:show_source",
            "diff": "cli.bot:show_diff",
            "similar": "cli.bot:show_similar",
            "versus": "cli.bot:show_opponents",
            "activate": "cli.bot:activate_version",
            "rewind": "cli.bot:rewind_bot",
            "why": "cli.bot:explain_bot",
            "retire": "cli.bot:retire_bot",
            "rename": "cli.bot:rename_bot",
            "disqualify": "cli.bot:disqualify_bot",
            "reinstate": "cli.bot:reinstate_bot",
        },
    ),
    "match": CommandGroup(
        "Matches: list them, look at one, or ask for some.",
        "ladder match list --bot kraken",
        {
            "list": "cli.match.listing:list_matches",
            "view": "cli.match.view.command:view_match",
            "schema": "cli.match.view.command:print_schema",
            "input": "cli.match.show:print_input",
            "compare": "cli.match.show:compare_matches",
            "transitions": "cli.match.transitions:write_transitions",
            "import": "cli.match.official:import_matches",
            "request": "cli.match.request:request_matches",
            "requests": "cli.match.request:list_requests",
            "cancel": "cli.match.request:cancel_request",
            "share": "cli.account.players:share_match",
            "shares": "cli.account.players:list_shares",
            "unshare": "cli.account.players:revoke_share",
            "show": "cli.match.show:show_match",
            "rejudge": "cli.match.show:rejudge_match",
            "rematch": "cli.play.practice:rematch",
            "void": "cli.match.show:void_match",
        },
    ),
    "game": CommandGroup(
        "The games: rules, maps, recorded matches, games of your own.",
        "ladder game show ocean-of-code",
        {
            "list": "cli.game.commands:list_games",
            "show": "cli.game.commands:show_game",
            "map": "cli.game.commands:show_map",
            "starter": "cli.game.commands:print_starter",
            "add": "cli.game.referee:add_game",
            "update": "cli.game.referee:update_game",
            "remove": "cli.game.referee:remove_game",
            "lock": "cli.game.commands:lock_game",
            "unlock": "cli.game.commands:unlock_game",
            "new": "cli.game.referee:new_game",
            "check": "cli.game.referee:check_game",
            "record": "cli.game.records:record_matches",
            "verify": "cli.game.records:verify",
            "simcheck": "cli.game.simcheck:check_simulation",
        },
    ),
    "league": CommandGroup(
        "Leagues and their settings, as files.",
        "ladder league list",
        {"list": "cli.league:list_leagues", "show": "cli.league:show_leagues", "apply": "cli.league:apply"},
    ),
    "rating": CommandGroup(
        "Ratings: check the ledger, or rate again.",
        "ladder rating verify",
        {"verify": "cli.rating:verify", "recompute": "cli.rating:recompute", "settle": "cli.rating:settle"},
    ),
    "case": CommandGroup(
        "Positions that must not be lost again: keep them, and ask a bot in them.",
        "ladder case run kraken.py",
        {
            "add": "cli.play.practice:add_case",
            "list": "cli.play.practice:list_cases",
            "run": "cli.play.practice:run_cases",
        },
    ),
    "season": CommandGroup(
        "Seasons: close one, or look at a closed one's boards.",
        "ladder season list",
        {
            "list": "cli.season:list_seasons",
            "close": "cli.season:close_season",
            "plan": "cli.season:plan_season",
            "show": "cli.season:show_season",
        },
    ),
    "contest": CommandGroup(
        "A class or a contest: open one, see how it goes, questions, results and grades.",
        "ladder contest status ocean-of-code",
        {
            "open": "cli.contest:open_contest",
            "status": "cli.contest:show_status",
            "results": "cli.contest:results",
            "announce": "cli.contest:announce",
            "announcements": "cli.contest:list_announcements",
            "ask": "cli.contest:ask",
            "questions": "cli.contest:list_questions",
            "answer": "cli.contest:answer",
            "withdraw": "cli.contest:withdraw",
        },
    ),
    "gauntlet": CommandGroup(
        "Is this version better than the ones before it?",
        "ladder gauntlet run kraken@v8 --against kraken@v7",
        {
            "run": "cli.gauntlet.run:run_gauntlet",
            "show": "cli.gauntlet.commands:show_gauntlet",
            "list": "cli.gauntlet.commands:list_gauntlets",
            "stop": "cli.gauntlet.commands:stop_gauntlet",
            "resume": "cli.gauntlet.commands:resume_gauntlet",
            "stats": "cli.gauntlet.commands:show_statistics",
            "auto": "cli.gauntlet.run:auto",
            "purge": "cli.gauntlet.commands:purge",
        },
    ),
    "tune": CommandGroup(
        "Which numbers should a bot play with?",
        "ladder tune run kraken.cpp --param SURE=1..20 --param K=0.5..4.0",
        {
            "run": "cli.tune.commands:run_tune",
            "show": "cli.tune.commands:show_tune",
            "list": "cli.tune.commands:list_tunes",
            "stop": "cli.tune.commands:stop_tune",
            "resume": "cli.tune.commands:resume_tune",
        },
        leads="run",
    ),
    "player": CommandGroup(
        "Players: let them in, shut accounts, make operators.",
        "ladder player list",
        {
            "list": "cli.account.players:list_players",
            "invite": "cli.account.players:invite_player",
            "members": "cli.account.players:list_members",
            "join-code": "cli.account.players:make_join_code",
            "reset": "cli.account.players:reset_password",
            "disable": "cli.account.players:disable_player",
            "enable": "cli.account.players:enable_player",
            "role": "cli.account.players:change_role",
            "quota": "cli.account.players:player_quota",
            "sessions": "cli.account.players:player_sessions",
        },
    ),
    "token": CommandGroup(
        "Tokens: what programs show in your place.",
        "ladder token list",
        {
            "create": "cli.account.players:create_token",
            "list": "cli.account.players:list_tokens",
            "revoke": "cli.account.players:revoke_token",
        },
    ),
    "hooks": CommandGroup(
        "Notices by webhooks: what goes where, and whether it arrives.",
        "ladder hooks list",
        {
            "add": "cli.hooks:add_hook",
            "list": "cli.hooks:list_hooks",
            "test": "cli.hooks:try_hook",
            "remove": "cli.hooks:remove_hook",
        },
    ),
    "db": CommandGroup("The database.", "ladder db migrate", {"migrate": "cli.services:migrate"}),
}
"""Module and function of each command, or a group of commands."""
SECTIONS: Mapping[str, tuple[str, ...]] = {
    "Play": ("demo", "new", "submit", "play", "dev", "case"),
    "Look": ("board", "bot", "match", "losses", "game", "web"),
    "Compare": ("gauntlet", "tune", "simulate"),
    "You": ("login", "logout", "whoami", "token", "hooks"),
    "Run a ladder": (
        *("up", "down", "status", "doctor", "league", "season", "contest", "player", "rating", "deeds", "audit"),
        *("import", "export", "backup", "restore", "prune", "db", "worker", "scheduler", "metrics", "health"),
    ),
}
"""All of them as help lists them: by what they are for."""
TAKE_DASHES = frozenset({"cli.gauntlet.commands:show_statistics"})
"""Commands of which what begins with a dash and is not an option is an argument, as -30."""
LOCAL_BY_NATURE = frozenset(
    {"up", "down", "play", "simulate", "web", "doctor", "worker", "scheduler", "demo", "game", "db"}
)
"""Commands that are about this machine, whichever ladder others speak to."""
OF_A_LADDER = frozenset({"game lock", "game unlock"})
"""Those of their groups that are not."""
WITH_NO_LADDER = frozenset({"new", "login", "logout"})
"""Commands that speak to none, or to the one that they name."""


def is_local(command: str) -> bool:
    return command.partition(" ")[0] in LOCAL_BY_NATURE and command not in OF_A_LADDER
