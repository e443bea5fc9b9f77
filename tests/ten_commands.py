"""The commands whose start is measured, and which packages each of them loads: what is imported is what a start takes.

A package that is missing here is imported by a command that does without it so far: import it where it is used. One
that is here and no longer imported is to go from its line.
"""

from collections.abc import Mapping

SLOW = frozenset({"asyncio", "concurrent", "email", "http", "importlib.metadata", "multiprocessing", "tomllib"})
"""Of Python's own modules those that take long to import, or bring others in."""

TEN_COMMANDS: Mapping[str, str] = {
    "--help": ("annotated_doc cli cli.ladders cli.program engine ladder shellingham typer workers"),
    "whoami": (
        "annotated_doc cli cli.account cli.ladders cli.program cli.terminal engine ladder platformdirs rich "
        "shellingham typer workers workers.embedded"
    ),
    "submit --help": (
        "annotated_doc cli cli.ladders cli.options cli.program cli.terminal engine engine.bot "
        "engine.toolchains ladder ladder.leagues shellingham tomllib typer workers"
    ),
    "play --help": (
        "annotated_doc cli cli.ladders cli.options cli.play cli.program cli.terminal engine engine.bot engine.games "
        "engine.referees engine.sandbox engine.toolchains ladder ladder.leagues ladder.matches ladder.views "
        "shellingham tomllib typer workers"
    ),
    "board": (
        "annotated_doc cli cli.ladders cli.options cli.program cli.terminal cli.texts engine engine.bot "
        "engine.toolchains ladder ladder.database ladder.leagues ladder.ratings ladder.statistics "
        "ladder.views platformdirs psycopg psycopg_binary rich shellingham tomllib typer typing_extensions workers "
        "workers.embedded"
    ),
    "match list": (
        "annotated_doc cli cli.ladders cli.match cli.options cli.program cli.terminal cli.texts engine engine.bot "
        "engine.toolchains ladder ladder.bots ladder.database ladder.leagues ladder.matches ladder.views platformdirs "
        "psycopg psycopg_binary rich shellingham tomllib typer typing_extensions workers workers.embedded"
    ),
    "gauntlet list": (
        "annotated_doc cli cli.gauntlet cli.ladders cli.options cli.program cli.terminal engine engine.bot "
        "engine.referees engine.toolchains ladder ladder.bots ladder.database "
        "ladder.gauntlets ladder.leagues ladder.matches ladder.quotas ladder.ratings ladder.statistics "
        "ladder.views platformdirs psycopg psycopg_binary rich shellingham tomllib typer typing_extensions workers "
        "workers.embedded"
    ),
    "match show {match}": (
        "annotated_doc cli cli.ladders cli.match cli.options cli.program cli.terminal cli.texts email engine "
        "engine.bot engine.games engine.records engine.referees engine.toolchains importlib.metadata ladder "
        "ladder.bots ladder.database ladder.games ladder.leagues ladder.matches ladder.matchmaking ladder.views "
        "platformdirs psycopg psycopg_binary rich shellingham tomllib typer typing_extensions workers "
        "workers.embedded"
    ),
    "status": (
        "annotated_doc cli cli.ladders cli.options cli.program cli.terminal cli.web concurrent engine "
        "engine.bot engine.referees engine.toolchains ladder ladder.bots ladder.database "
        "ladder.fleet ladder.games ladder.gauntlets ladder.leagues ladder.matches ladder.matchmaking "
        "ladder.promotions ladder.ratings ladder.seasons ladder.statistics ladder.views ladder.web "
        "platformdirs psycopg psycopg_binary redis rich shellingham tomllib typer typing_extensions workers "
        "workers.embedded"
    ),
    "bot show {bot}": (
        "annotated_doc cli cli.ladders cli.options cli.program cli.terminal cli.texts engine "
        "engine.bot engine.referees engine.toolchains ladder ladder.bots ladder.database ladder.games "
        "ladder.gauntlets ladder.leagues ladder.matches ladder.matchmaking ladder.promotions ladder.quotas "
        "ladder.ratings ladder.seasons ladder.statistics ladder.views platformdirs psycopg psycopg_binary rich "
        "shellingham tomllib typer typing_extensions workers workers.embedded"
    ),
}
"""By the words of a command, with {match} and {bot} for one of each: our packages, those of others, and slow modules of
Python's own."""
