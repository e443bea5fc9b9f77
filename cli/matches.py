"""`ladder match`: what was played and how it went."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from cli.context import this

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Matches: list them, or look at one.")


@app.command("list")
def list_matches(
    typer_context: typer.Context,
    bot: Annotated[str | None, typer.Option("--bot", "-b", help="Only matches of this bot.")] = None,
    game: Annotated[str | None, typer.Option("--game", "-g", help="The bot's game, if several have that name.")] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="How many, the latest first.")] = 20,
    as_json: Annotated[bool, typer.Option("--json", help="Print rows as JSON.")] = False,
) -> None:
    """List the latest finished matches.

    Example: ladder match list --bot kraken --limit 5
    """
    from cli.render import matches_table
    from ladder.storage import bots, matches

    context = this(typer_context)
    with context.database() as connection:
        bot_id = bots.find_bot(connection, bot, game).id if bot else None
        found = matches.latest_matches(connection, limit, bot_id)
        seats = matches.seats_of(connection, [match.id for match in found])
    if as_json:
        context.show_json(
            [asdict(row) | {"seats": [asdict(seat) for seat in seats if seat.match_id == row.id]} for row in found]
        )
    elif found:
        context.show(matches_table(found, seats))
    else:
        context.say("no match has finished yet")


@app.command("show")
def show_match(
    typer_context: typer.Context,
    match: Annotated[int, typer.Argument(help="The match's number.", show_default=False)],
    turns: Annotated[bool, typer.Option("--turns", help="Also every line that was said.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON, the turns too.")] = False,
) -> None:
    """Show one match in detail.

    Result, seed, seats, verdicts, timing and what each bot wrote to stderr.

    Example: ladder match show 17 --json
    """
    from cli.render import match_text, turns_text
    from engine.errors import UnknownName
    from ladder.records import decode_turns
    from ladder.storage import matches

    context = this(typer_context)
    with context.database() as connection:
        found = matches.find_match(connection, match)
        if found is None:
            raise UnknownName(f"there is no match {match}; `ladder match list` shows the latest")
        seats = matches.seats_of(connection, [match])
        record = matches.match_record(connection, match)
    said = decode_turns(record) if record else ()
    if as_json:
        context.show_json(
            asdict(found) | {"seats": [asdict(seat) for seat in seats], "said": [asdict(turn) for turn in said]}
        )
        return
    context.show(match_text(found, seats))
    if turns:
        context.show(turns_text(said))
