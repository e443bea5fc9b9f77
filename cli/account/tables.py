"""Accounts, tokens and what was done: their tables and sentences."""

from __future__ import annotations

from collections.abc import Sequence

from cli.account.texts import valid_text
from cli.terminal.table import FittingTable
from cli.terminal.words import moment_text
from ladder.accounts.accounts import ListedAccount
from ladder.accounts.sessions import ListedSession
from ladder.accounts.tokens import Token
from ladder.audit import AuditLine, Deed
from ladder.quotas.quotas import QuotaList


def players_table(found: Sequence[ListedAccount]) -> FittingTable:
    """Lay players out: who logs in, what they have, when they were there last."""
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
    """Lay sessions out: in which browser, since when, when it was there last."""
    rows = [
        (one.agent or "unknown", moment_text(one.created_at), moment_text(one.seen_at), moment_text(one.expires_at))
        for one in found
    ]
    heads = ("browser", "since", "last seen", "until")
    return FittingTable(heads, rows, names=("browser",), words=heads[1:], leaving=("until", "since"))


def quotas_table(found: QuotaList) -> FittingTable:
    """Lay quotas out: how much a player may ask for, and how much of it is used."""
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
    """Lay tokens out: what they may do, until when, when and from where they were used last."""
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
    """Say when and from where a token was used last."""
    if token.last_used_at is None:
        return "never"
    return " from ".join(filter(None, [moment_text(token.last_used_at), token.last_used_from]))


def audit_table(found: Sequence[AuditLine]) -> FittingTable:
    """Lay lines of the audit out."""
    rows = [
        (moment_text(one.at), one.actor, one.action, one.target, one.token or one.via, one.address or "")
        for one in found
    ]
    heads = ("when", "who", "action", "about", "via", "from")
    words = ("when", "action", "via", "from")
    return FittingTable(heads, rows, names=("who", "about"), words=words, leaving=("from", "via"))


def deeds_table(found: Sequence[Deed]) -> FittingTable:
    """Lay deeds out."""
    rows = [(moment_text(one.done_at), one.done_by, one.deed, one.about) for one in found]
    heads = ("when", "who", "deed", "about")
    return FittingTable(heads, rows, names=("who", "about"), words=("when", "deed"))
