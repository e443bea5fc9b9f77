"""Players, sessions, quotas and what was done as they are shown; commands import it when they run, for its database."""

from __future__ import annotations

from cli.account import tables
from cli.context import Context
from ladder.accounts import reading as accounts
from ladder.audit import concerning_others, latest
from ladder.quotas import quotas
from ladder.quotas.quotas import QuotaList


def show_players(context: Context, *, as_json: bool) -> None:
    """Show all players."""
    found = context.read(accounts.players)
    if as_json:
        context.show_json(found)
    elif found:
        context.show(tables.players_table(found))
    else:
        context.say("there are no players yet: the first version that somebody submits makes one")


def show_sessions(context: Context, name: str, *, as_json: bool) -> None:
    """Show the browsers in which a player is logged in."""
    found = context.read(accounts.sessions_of, name)
    if as_json:
        context.show_json(found)
    elif found:
        context.show(tables.sessions_table(found))
    else:
        context.say(f"{name} is logged in nowhere")


def show_quotas(context: Context, name: str | None, *, as_json: bool) -> None:
    """Show a player's quotas, or everybody's."""
    found = context.read(quotas.everybodys) if name is None else context.read(quotas.of_player, name)
    if as_json:
        context.show_json(found)
    else:
        context.show(sentence(found), tables.quotas_table(found))


def show_lines(context: Context, limit: int, player: str | None, action: str | None, *, as_json: bool) -> None:
    """Show the latest lines of the audit."""
    found = context.read(latest, limit, player, action)
    if as_json:
        context.show_json(found)
    elif found:
        context.show(tables.audit_table(found))
    else:
        context.say("no such line is in the audit")


def show_deeds_of_others(context: Context, limit: int, *, as_json: bool) -> None:
    """Show the latest lines of the audit that concern others."""
    found = context.read(concerning_others, limit)
    if as_json:
        context.show_json(found)
    elif found:
        context.show(tables.deeds_table(found))
    else:
        context.say("no operator has done anything yet that concerns others")


def sentence(found: QuotaList) -> str:
    """Say whose quotas these are."""
    if found.player is None:
        return "everybody's quotas, as an operator has set them" if found.is_own else "everybody's quotas, by default"
    return f"{found.player} has {'quotas of its own' if found.is_own else 'the same quotas as everybody'}"
