"""Players with accounts, their sessions, tokens and quotas, and what was done: tables and sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from cli.answer import Answer, listing
from cli.context import Context
from cli.terminal.table import FittingTable
from cli.terminal.words import moment_text
from engine.text import counted, listed
from ladder.accounts import reading as accounts
from ladder.accounts.accounts import ListedAccount
from ladder.accounts.sessions import ListedSession
from ladder.accounts.tokens import Token
from ladder.audit import AuditLine, Deed, concerning_others, latest
from ladder.quotas import quotas
from ladder.quotas.quotas import QuotaList

if TYPE_CHECKING:
    from ladder.actions.accounts import Changed, Disabled, Invited


def players_table(found: Sequence[ListedAccount]) -> FittingTable:
    rows = [
        (
            one.name,
            one.role,
            f"disabled: {one.disabled_why}" if one.disabled_at else "yes" if one.logs_in else "never",
            str(one.bots),
            str(one.tokens),
            moment_text(one.seen_at) if one.seen_at else "",
        )
        for one in found
    ]
    heads = ("player", "role", "logs in", "bots", "tokens", "last seen")
    return FittingTable(
        heads, rows, names=("player", "logs in"), words=("role", "last seen"), leaving=("last seen", "role")
    )


def sessions_table(found: Sequence[ListedSession]) -> FittingTable:
    rows = [
        (one.agent or "unknown", moment_text(one.created_at), moment_text(one.seen_at), moment_text(one.expires_at))
        for one in found
    ]
    heads = ("browser", "since", "last seen", "until")
    return FittingTable(heads, rows, names=("browser",), words=heads[1:], leaving=("until", "since"))


def quotas_table(found: QuotaList) -> FittingTable:
    rows = [
        (
            line.words,
            "no limit" if line.limit is None else f"{line.limit:,}",
            *([] if line.used is None else [f"{line.used:,.0f}", moment_text(line.again_at) if line.again_at else ""]),
        )
        for line in found.lines
    ]
    heads = ("quota", "limit") if found.player is None else ("quota", "limit", "used", "possible again")
    return FittingTable(heads, rows, names=("quota",), words=("possible again",), leaving=("possible again",))


def tokens_table(found: Sequence[Token]) -> FittingTable:
    rows = [
        (
            one.name,
            f"ldr_...{one.last_four}",
            ", ".join(one.scopes),
            one.is_for or "all",
            valid_text(one),
            last_use(one),
        )
        for one in found
    ]
    heads = ("name", "token", "scopes", "for", "until", "last used")
    names, words = ("name", "scopes", "for", "last used"), ("token", "until")
    return FittingTable(heads, rows, names=names, words=words, leaving=("token",))


def last_use(token: Token) -> str:
    if token.last_used_at is None:
        return "never"
    return " from ".join(filter(None, [moment_text(token.last_used_at), token.last_used_from]))


def audit_table(found: Sequence[AuditLine]) -> FittingTable:
    rows = [
        (moment_text(one.at), one.actor, one.action, one.target, one.token or one.via, one.address or "")
        for one in found
    ]
    heads = ("when", "who", "action", "about", "via", "from")
    words = ("when", "action", "via", "from")
    return FittingTable(heads, rows, names=("who", "about"), words=words, leaving=("from", "via"))


def deeds_table(found: Sequence[Deed]) -> FittingTable:
    rows = [(moment_text(one.done_at), one.done_by, one.deed, one.about) for one in found]
    heads = ("when", "who", "deed", "about")
    return FittingTable(heads, rows, names=("who", "about"), words=("when", "deed"))


def show_players(context: Context) -> Answer:
    found = context.read(accounts.players)
    return listing(found, players_table, "there are no players yet: the first version that somebody submits makes one")


def show_sessions(context: Context, name: str) -> Answer:
    found = context.read(accounts.sessions_of, name)
    return listing(found, sessions_table, f"{name} is logged in nowhere")


def show_quotas(context: Context, name: str | None) -> Answer:
    found = context.read(quotas.everybodys) if name is None else context.read(quotas.of_player, name)
    return Answer(found, lambda: [sentence(found), quotas_table(found)])


def show_lines(context: Context, limit: int, player: str | None, action: str | None) -> Answer:
    found = context.read(latest, limit, player, action)
    return listing(found, audit_table, "no such line is in the audit")


def show_deeds_of_others(context: Context, limit: int) -> Answer:
    found = context.read(concerning_others, limit)
    return listing(found, deeds_table, "no operator has done anything yet that concerns others")


def sentence(found: QuotaList) -> str:
    if found.player is None:
        return "everybody's quotas, as an operator has set them" if found.is_own else "everybody's quotas, by default"
    return f"{found.player} has {'quotas of its own' if found.is_own else 'the same quotas as everybody'}"


PURPOSE = {
    "new": "makes {player} an account",
    "claim": "makes {player} an account, with all bots that {player} has",
    "reset": "lets {player} choose a new password",
}


def invited_text(done: Invited) -> str:
    until = moment_text(done.expires_at)
    if done.player is None:
        return f"this link makes an account for each of {counted(done.uses, 'person', 'people')}, until {until}:"
    role = "; it is an operator's" if done.role == "operator" and done.kind != "reset" else ""
    return f"this link {PURPOSE[done.kind].format(player=done.player)}{role}, once, until {until}:"


def disabled_text(done: Disabled) -> str:
    asked_for = {"gauntlet": done.gauntlets, "request": done.requests}
    ended = listed(
        [
            counted(done.sessions, "session"),
            counted(done.tokens, "token"),
            *(counted(number, what) for what, number in asked_for.items() if number),
        ]
    )
    left = f", {', '.join(done.bots)} left the boards" if done.bots else ""
    stays = f", {', '.join(done.guards)} stays, as it guards a league" if done.guards else ""
    return f"{done.player} is disabled: {ended} ended{left}{stays}; `ladder player enable {done.player}` undoes that"


def enabled_text(done: Changed) -> str:
    back = f"{', '.join(done.bots)} came back to the boards" if done.bots else "none of its bots came back"
    return f"{done.player} can log in again, and {back}; tokens have to be made anew"


def valid_text(token: Token) -> str:
    return f"expired {moment_text(token.expires_at)}" if token.is_expired else moment_text(token.expires_at)


def link_of(url: str, done: Invited) -> str:
    """Return the address that somebody is to open. `url`: of the ladder."""
    return f"{url}/join/{done.secret}"
