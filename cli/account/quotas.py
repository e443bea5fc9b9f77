"""`ladder player quota`: how much players may ask for on a served ladder, and how much of it is used."""

from __future__ import annotations

from typing import Annotated

import typer

from cli import texts
from cli.answer import Found
from cli.context import this
from cli.options.names import ByOption, operator_named
from engine.errors import UsageFault
from ladder import actions
from ladder.quotas.rules import Quota


def limit_option(name: str, of: str) -> typer.models.OptionInfo:
    found: typer.models.OptionInfo = typer.Option(name, metavar="N|none", help=f"{of}.")
    return found


def player_quota(
    typer_context: typer.Context,
    name: Annotated[
        str | None, typer.Argument(help="The player's name. [default: everybody]", show_default=False)
    ] = None,
    versions_per_hour: Annotated[str | None, limit_option("--versions-per-hour", "Versions submitted an hour")] = None,
    versions_per_day: Annotated[str | None, limit_option("--versions-per-day", "Versions submitted a day")] = None,
    battles_per_day: Annotated[str | None, limit_option("--battles-per-day", "Battles asked for a day")] = None,
    gauntlets: Annotated[str | None, limit_option("--gauntlets", "Gauntlets that run at once")] = None,
    cpu_s_per_day: Annotated[
        str | None, limit_option("--cpu-s-per-day", "CPU seconds a day of what is asked for")
    ] = None,
    tokens: Annotated[str | None, limit_option("--tokens", "Tokens that are valid")] = None,
    reset: Annotated[bool, typer.Option("--reset", help="Let the quotas by default hold again.")] = False,
    player: ByOption = None,
) -> Found:
    """Show how much a player may ask for and has used, or change it; without a name that of everybody.

    Quotas hold for what comes through the web of a served ladder, and never for commands beside its database. Versions
    that were rejected count; battles that were taken back before they were made do not. An hour and a day are the last
    60 minutes and 24 hours. Who has used up a quota is refused with exit status 3, and is shown when it is possible
    again; a gauntlet that runs, or begins by itself, waits. A player's own quotas hold whatever becomes of everybody's,
    until --reset. It is an operator's deed, which `ladder deeds` shows with a name.

    Example: ladder player quota kim

    Example: ladder player quota kim --cpu-s-per-day 50000 --tokens none
    """
    context = this(typer_context)
    words = {
        Quota.VERSIONS_PER_HOUR: versions_per_hour,
        Quota.VERSIONS_PER_DAY: versions_per_day,
        Quota.BATTLES_PER_DAY: battles_per_day,
        Quota.GAUNTLETS_RUNNING: gauntlets,
        Quota.CPU_S_PER_DAY: cpu_s_per_day,
        Quota.TOKENS: tokens,
    }
    changes = {quota: limit_in(quota, word) for quota, word in words.items() if word is not None}
    if reset and changes:
        raise UsageFault("--reset goes back to all quotas by default: leave the others out")
    if reset:
        context.act(actions.quotas.reset, operator_named(player), name)
    elif changes:
        context.act(actions.quotas.change, operator_named(player), name, changes)
    return texts.accounts.show_quotas(context, name)


def limit_in(quota: Quota, word: str) -> int | None:
    """Read a limit; None for none. Raises UsageFault."""
    if word == "none":
        return None
    if not word.isascii() or not word.isdecimal():
        raise UsageFault(f"{word!r} is not a number of {quota.words}: say a whole number, or none for no limit")
    return int(word[:20])
