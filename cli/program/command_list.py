"""All commands: where each is found, and what lists of commands say of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Command:
    """Module and function of a command, and the first paragraph of its help.

    `takes_dashes`: what begins with a dash and is no option is an argument, as -30.
    """

    place: str
    help: str
    takes_dashes: bool = False


@dataclass(frozen=True, slots=True)
class Group:
    """A group of commands. `leads`: the one that is meant where the line names none of them; "": that is an error.

    `stands_alone`: it is meant by the group's name alone, too; else that asks for help.
    """

    help: str
    example: str
    commands: Mapping[str, Command]
    leads: str = ""
    stands_alone: bool = False


COMMANDS: Mapping[str, Command | Group] = {
    "up": Command("cli.services:up", "Start the embedded services and workers."),
    "down": Command("cli.services:down", "Stop what `ladder up` started."),
    "new": Command("cli.new_bot:new_bot", "Make a folder for a new bot."),
    "submit": Command("cli.submit:submit", "Submit the next version of a bot."),
    "board": Command("cli.board:board", "Show the leaderboards."),
    "play": Command(
        "cli.play.command:play",
        "Play bots against each other here: two, or as many as the game has seats.",
    ),
    "dev": Command(
        "cli.play.dev:dev",
        "Watch a bot's file: at each save build it, ask it in its cases, and play some seeds.",
    ),
    "losses": Command(
        "cli.match.losses:losses",
        "Say of what a bot dies: its latest lost matches, counted in the game's own words.",
    ),
    "simulate": Command("cli.simulate:simulate", "Simulate ladders to choose their settings."),
    "status": Command("cli.services:status", "Show what runs and what waits."),
    "web": Command("cli.web.command:web", "Show the ladder in a browser, until Ctrl-C."),
    "doctor": Command("cli.doctor.command:doctor", "Check what this machine can do."),
    "scheduler": Command("cli.services:scheduler", "Run the scheduler here, until Ctrl-C."),
    "metrics": Command("cli.services:metrics", "Answer Prometheus with what this ladder measures, until Ctrl-C."),
    "health": Command(
        "cli.services:health", "Say whether a process that runs here is well, for those that restart it."
    ),
    "demo": Command("cli.services:demo", "Show the whole thing once, in a minute."),
    "deeds": Command("cli.account.players:show_deeds", "Show what was done that concerns others: who, when and what."),
    "audit": Command("cli.account.players:show_audit", "Show every change that was made: who, when, what, from where."),
    "login": Command(
        "cli.account.login:login",
        "Log in to a ladder on another machine; afterwards commands mean that one.",
    ),
    "logout": Command("cli.account.login:logout", "Log out: the token is forgotten here and no longer valid."),
    "whoami": Command("cli.account.login:whoami", "Say which ladder commands mean, and whom it knows you as."),
    "export": Command(
        "cli.transfer:export_ladder",
        "Write the whole ladder into a folder or a tar file, or all turns of its matches as a table.",
    ),
    "backup": Command("cli.transfer:back_up", "Write the whole database into one file, in PostgreSQL's custom format."),
    "restore": Command(
        "cli.transfer:restore", "Make a ladder of a file that `ladder backup` has written, in an empty database."
    ),
    "prune": Command(
        "cli.transfer:prune",
        "Let go of what bots wrote to stderr in old matches, and of old matches' turns.",
    ),
    "worker": Group(
        "Workers: run one more here, or let them end.",
        "ladder worker run --concurrency 4",
        {
            "run": Command("cli.services:worker", "Run one more worker here, until Ctrl-C."),
            "drain": Command("cli.services:drain", "Let workers finish their matches and end, wherever they run."),
        },
        leads="run",
        stands_alone=True,
    ),
    "import": Group(
        "Move in: from an export, or from psyleague or cgarena.",
        "ladder import ./ladder-november",
        {
            "export": Command("cli.transfer:import_ladder", "Make this ladder the one that an export holds."),
            "psyleague": Command(
                "cli.imports:import_psyleague",
                "Move a league of psyleague in: its bots, sources and matches.",
            ),
            "cgarena": Command(
                "cli.imports:import_cgarena",
                "Move a league of cgarena in: its bots, sources and matches.",
            ),
        },
        leads="export",
    ),
    "bot": Group(
        "Bots and their versions.",
        "ladder bot show kraken",
        {
            "list": Command("cli.bot:list_bots", "List the bots, but for retired ones."),
            "show": Command("cli.bot:show_bot", "Show a bot, or one version of it, in detail."),
            "source": Command("cli.bot:show_source", "Print a version's source, or get it back into a file."),
            "diff": Command("cli.bot:show_diff", "Show what differs between the sources of two versions."),
            "versus": Command("cli.bot:show_opponents", "Show how a bot did against each opponent, by seat."),
            "activate": Command(
                "cli.bot:activate_version",
                "Put another version on the board, in place of the present one.",
            ),
            "rewind": Command("cli.bot:rewind_bot", "Send your bot back a league."),
            "why": Command("cli.bot:explain_bot", "Explain in ten lines why a bot ranks where it does."),
            "retire": Command("cli.bot:retire_bot", "Take your bot off the boards, until its next version."),
            "rename": Command("cli.bot:rename_bot", "Give your bot another name."),
            "disqualify": Command(
                "cli.bot:disqualify_bot",
                "Take a bot off the boards, so that its matches no longer count.",
            ),
            "reinstate": Command("cli.bot:reinstate_bot", "Undo that a bot was disqualified."),
        },
    ),
    "match": Group(
        "Matches: list them, look at one, or ask for some.",
        "ladder match list --bot kraken",
        {
            "list": Command(
                "cli.match.listing:list_matches",
                "List the latest matches that are over, or those that you look for.",
            ),
            "view": Command("cli.match.view.command:view_match", "Look at a match turn by turn."),
            "schema": Command(
                "cli.match.view.command:print_schema",
                "Print the JSON Schema of what `ladder match view --json` prints.",
            ),
            "input": Command(
                "cli.match.looking:print_input",
                "Print exactly what a seat was sent, so that a bot sees it again under a debugger.",
            ),
            "compare": Command(
                "cli.match.looking:compare_matches",
                "Say where two matches on one seed part: the first turn in which something else was said.",
            ),
            "transitions": Command(
                "cli.match.transitions:write_transitions",
                "Print each turn of matches as a line of JSON: the state before, the orders, and the state after.",
            ),
            "import": Command(
                "cli.match.official:import_matches",
                "Bring in matches of the official site, from files as players save them.",
            ),
            "request": Command(
                "cli.match.request:request_matches",
                "Ask for battles between versions that stand on one board, as many as a match has players.",
            ),
            "requests": Command(
                "cli.match.request:list_requests",
                "List the battles that were asked for and are not all played yet.",
            ),
            "cancel": Command("cli.match.request:cancel_request", "Take back a `ladder match request`."),
            "share": Command(
                "cli.account.tokens:share_match",
                "Make a link with which others see a match as you do, and show it: once, as only its hash is kept.",
            ),
            "shares": Command("cli.account.tokens:list_shares", "List your links to matches that are still valid."),
            "unshare": Command(
                "cli.account.tokens:revoke_share",
                "Let a link to a match lead to nothing, from this moment on.",
            ),
            "show": Command("cli.match.showing:show_match", "Show one match in detail."),
            "rejudge": Command(
                "cli.match.showing:rejudge_match",
                "Say how a match would have ended under another rule for time.",
            ),
            "rematch": Command(
                "cli.play.rematch:rematch",
                "Play a finished match again here, with your file in place of a version.",
            ),
            "void": Command("cli.match.showing:void_match", "Take back a finished match."),
        },
    ),
    "game": Group(
        "The games: rules, maps, recorded matches, games of your own.",
        "ladder game show ocean-of-code",
        {
            "list": Command("cli.game.commands:list_games", "List the games and their leagues."),
            "show": Command(
                "cli.game.commands:show_game", "Show a game's rules, as the players of a league need them."
            ),
            "map": Command("cli.game.commands:show_map", "Show the map that a seed gives."),
            "starter": Command(
                "cli.game.commands:print_starter",
                "Print a starter: a small bot that plays by the rules.",
            ),
            "add": Command("cli.game.referee:add_game", "Add a game whose referee is a program, in any language."),
            "update": Command("cli.game.referee:update_game", "Change the files of a game, or what is said of it."),
            "remove": Command("cli.game.referee:remove_game", "Remove a game whose referee is a program."),
            "lock": Command(
                "cli.game.commands:lock_game",
                "Let a game take no new versions, and no other ones on its boards, until it is unlocked; play goes on.",
            ),
            "unlock": Command(
                "cli.game.commands:unlock_game",
                "Let a game take versions again. It is an operator's deed, which `ladder deeds` shows with a name.",
            ),
            "new": Command("cli.game.own:new_game", "Write the skeleton of a game of your own."),
            "check": Command("cli.game.own:check_game", "Check a game."),
            "record": Command("cli.game.records:record_matches", "Play matches and write them down as golden records."),
            "verify": Command("cli.game.records:verify", "Play recorded matches against our referees."),
            "simcheck": Command(
                "cli.game.simcheck:check_simulation",
                "Check your own simulation of a game against its referee, state by state.",
            ),
        },
    ),
    "league": Group(
        "Leagues and their settings, as files.",
        "ladder league list",
        {
            "list": Command("cli.league:list_leagues", "List the leagues and the conditions they play under."),
            "show": Command("cli.league:show_leagues", "Print a game's leagues with all their settings, as a file."),
            "apply": Command("cli.league:apply", "Bring a league file into the database and print what that changes."),
        },
    ),
    "rating": Group(
        "Ratings: check the ledger, or rate again.",
        "ladder rating verify",
        {
            "verify": Command(
                "cli.rating:verify",
                "Check that every rating can be reproduced, to the last digit.",
            ),
            "recompute": Command(
                "cli.rating:recompute",
                "Rate all finished matches again, in the ledger's order, and rebuild ledger and boards.",
            ),
            "settle": Command(
                "cli.rating:settle",
                "Rank by all matches at once, whatever their order, and say how sure each rank is.",
            ),
        },
    ),
    "case": Group(
        "Positions that must not be lost again: keep them, and ask a bot in them.",
        "ladder case run kraken.py",
        {
            "add": Command(
                "cli.play.case:add_case",
                "Keep a position of a match, so that no later version answers there as this one did.",
            ),
            "list": Command("cli.play.case:list_cases", "List the cases that are kept."),
            "run": Command(
                "cli.play.case:run_cases",
                "Ask a bot in all positions that are kept, in the sandbox and with the time that it had.",
            ),
        },
    ),
    "season": Group(
        "Seasons: close one, or look at a closed one's boards.",
        "ladder season list",
        {
            "list": Command(
                "cli.season:list_seasons",
                "List the seasons of every game, the one that is on last.",
            ),
            "close": Command("cli.season:close_season", "Close a game's season and keep its boards for good."),
            "plan": Command(
                "cli.season:plan_season",
                "Plan the end of the season that is on; the scheduler carries it out.",
            ),
            "show": Command(
                "cli.season:show_season",
                "Show the boards of a closed season, as they were when it ended; without a number what is "
                "planned for this one.",
            ),
        },
    ),
    "contest": Group(
        "A class or a contest: open one, see how it goes, write its results.",
        "ladder contest status ocean-of-code",
        {
            "open": Command(
                "cli.contest:open_contest",
                "Open a contest: its leagues, the plan of its end, and a link for each player who has no account yet.",
            ),
            "status": Command(
                "cli.contest:show_status",
                "Show who has submitted what, who stands where, and what is left to play.",
            ),
            "results": Command(
                "cli.contest:results",
                "Write what a contest leaves into a folder: its final boards, and a page for each player.",
            ),
        },
    ),
    "gauntlet": Group(
        "Is this version better than the ones before it?",
        "ladder gauntlet run kraken@v8 --against kraken@v7",
        {
            "run": Command(
                "cli.gauntlet.run:run_gauntlet",
                "Say whether a version is better than the one it would replace, or than others, by playing "
                "against them.",
            ),
            "show": Command(
                "cli.gauntlet.commands:show_gauntlet",
                "Show a gauntlet: each opponent, the verdict, the pairs that were lost.",
            ),
            "list": Command("cli.gauntlet.commands:list_gauntlets", "List the latest gauntlets."),
            "stop": Command(
                "cli.gauntlet.commands:stop_gauntlet",
                "Stop a gauntlet that runs. What it has played stays, and it can be resumed.",
            ),
            "resume": Command(
                "cli.gauntlet.commands:resume_gauntlet",
                "Let a stopped gauntlet go on from where it was.",
            ),
            "stats": Command(
                "cli.gauntlet.stats:show_statistics",
                "Print what results of pairs say: log-likelihood ratio, Elo with its interval, likelihood of "
                "superiority.",
                takes_dashes=True,
            ),
            "auto": Command(
                "cli.gauntlet.auto:auto",
                "Play a gauntlet whenever a version is submitted; without options show what is set.",
            ),
            "purge": Command(
                "cli.gauntlet.commands:purge",
                "Take back what one machine played of a gauntlet, and count again without it.",
            ),
        },
    ),
    "tune": Group(
        "Which numbers should a bot play with?",
        "ladder tune run kraken.cpp --param SURE=1..20 --param K=0.5..4.0",
        {
            "run": Command(
                "cli.tune.commands:run_tune",
                "Find the values of a bot's parameters with which it plays best.",
            ),
            "show": Command(
                "cli.tune.commands:show_tune",
                "Show a tune: each value with its uncertainty, the gain to be expected, what else was found.",
            ),
            "list": Command("cli.tune.commands:list_tunes", "List the latest tunes that workers play."),
            "stop": Command(
                "cli.tune.commands:stop_tune",
                "Stop a tune that runs. What it has found stays, and it can be resumed.",
            ),
            "resume": Command(
                "cli.tune.commands:resume_tune",
                "Let a tune go on from where it was: a stopped one by the ladder's workers, that of a file here.",
            ),
        },
        leads="run",
    ),
    "player": Group(
        "Players: let them in, shut accounts, make operators.",
        "ladder player list",
        {
            "list": Command(
                "cli.account.players:list_players",
                "List the players: what they may do, how many bots and tokens they have, when they were there last.",
            ),
            "invite": Command(
                "cli.account.players:invite_player",
                "Make a one-time link with which a player gets an account; a new name becomes a player's by that.",
            ),
            "join-code": Command(
                "cli.account.players:make_join_code",
                "Make one link for a class: each person who opens it chooses a name and a password.",
            ),
            "reset": Command(
                "cli.account.players:reset_password",
                "Make a one-time link with which a player chooses a new password, which ends all sessions of "
                "the old one.",
            ),
            "disable": Command(
                "cli.account.players:disable_player",
                "Shut an account: its sessions, tokens, gauntlets and requests end, its bots leave the boards, "
                "its results stay.",
            ),
            "enable": Command(
                "cli.account.players:enable_player",
                "Open an account again. Its bots come back to the boards, with their ratings; tokens have to "
                "be made anew.",
            ),
            "role": Command(
                "cli.account.players:change_role",
                "Make a player an operator, or an operator a player again.",
            ),
            "quota": Command(
                "cli.account.players:player_quota",
                "Show how much a player may ask for and has used, or change it; without a name that of everybody.",
            ),
            "sessions": Command(
                "cli.account.players:player_sessions",
                "List the browsers in which a player is logged in: since when, when they were there last, until when.",
            ),
        },
    ),
    "token": Group(
        "Tokens: what programs show in your place.",
        "ladder token list",
        {
            "create": Command(
                "cli.account.tokens:create_token",
                "Make a token, with which a program acts in your place, and show it: once, as only its hash is kept.",
            ),
            "list": Command(
                "cli.account.tokens:list_tokens",
                "List your tokens: what they may do, until when, and when and from where they were used last.",
            ),
            "revoke": Command(
                "cli.account.tokens:revoke_token",
                "End a token: from this moment on it lets no program in.",
            ),
        },
    ),
    "db": Group(
        "The database.",
        "ladder db migrate",
        {
            "migrate": Command("cli.services:migrate", "Bring the database up to date."),
        },
    ),
}

SECTIONS: Mapping[str, tuple[str, ...]] = {
    "Play": ("demo", "new", "submit", "play", "dev", "case"),
    "Look": ("board", "bot", "match", "losses", "game", "web"),
    "Compare": ("gauntlet", "tune", "simulate"),
    "You": ("login", "logout", "whoami", "token"),
    "Run a ladder": (
        *("up", "down", "status", "doctor", "league", "season", "contest", "player", "rating", "deeds", "audit"),
        *("import", "export", "backup", "restore", "prune", "db", "worker", "scheduler", "metrics", "health"),
    ),
}
"""All of them as help lists them: by what they are for."""
