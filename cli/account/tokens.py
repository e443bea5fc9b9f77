"""`ladder token`: making, listing and revoking tokens."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated

from cli.account.players import ONLY_SERVED, require_served
from cli.answer import Answer, Found, Remark, Whole, argument, listing, option
from cli.context import Context
from cli.options.names import OwnerOption, game_option, owner_named
from cli.options.numbers import id_argument
from cli.terminal.table import NAME, WORDS, Column, Columns, table_of
from cli.terminal.words import moment_text
from engine.errors import UsageFault
from engine.text import listed
from ladder import accounts, actions
from ladder.access import Scope
from ladder.ids import MatchId, ShareId

if TYPE_CHECKING:
    from ladder.accounts.tokens import Token

USUAL, LONGEST = "90d", "365d"


def valid_text(token: Token) -> str:
    return f"expired {moment_text(token.expires_at)}" if token.is_expired else moment_text(token.expires_at)


TOKENS: Columns[Token] = (
    Column("name", lambda row: row.name, NAME),
    Column("token", lambda row: f"ldr_...{row.last_four}", WORDS, leaves=1),
    Column("scopes", lambda row: ", ".join(row.scopes), NAME),
    Column("for", lambda row: row.is_for or "all", NAME),
    Column("until", valid_text, WORDS),
    Column(
        "last used",
        lambda row: " from ".join(filter(None, [moment_text(row.last_used_at, "never"), row.last_used_from])),
        NAME,
    ),
)


def days_in(words: str) -> int:
    """Read a number of days, as in 90d. Raises UsageFault for anything else."""
    number = re.fullmatch(r"([1-9][0-9]{0,5})d?", words)
    if number is None:
        raise UsageFault(f"--expires is {words!r}; it must be a number of days, as in {USUAL}, {LONGEST} at most")
    return int(number[1])


def create_token(
    context: Context,
    name: Annotated[str, option("--name", "What you call it.")],
    scope: Annotated[
        str,
        option(
            "--scope",
            "What it may do, with commas between: read (what is private of yours), submit, play (battles, "
            "gauntlets, which version is on the board), operate (operators alone).",
        ),
    ],
    bot: Annotated[str | None, option("--bot", "For this bot alone, which may come later.")] = None,
    game: Annotated[str | None, game_option("For this game alone.", from_folder=False)] = None,
    expires: Annotated[str, option("--expires", f"For how many days, {LONGEST} at most.")] = USUAL,
    player: OwnerOption = None,
) -> Found:
    """Make a token, with which a program acts in your place, and show it: once, as only its hash is kept.

    Example: ladder token create --name ci --scope submit,play --bot kraken
    """
    actor = owner_named(player)
    require_served(context, "tokens")
    scopes = [word.strip() for word in scope.split(",")]
    for word in scopes:
        if word not in set(Scope):
            raise UsageFault(f"unknown scope {word!r}; known: {', '.join(Scope)}")
    only_game = None if game is None else context.game_named(game)
    token = actions.tokens.WantedToken(name, frozenset(map(Scope, scopes)), days_in(expires), only_game, bot)
    made = context.act(actions.tokens.create, actor, token)
    bound = f", for {made.token.is_for} alone" if made.token.is_for else ""
    return Answer(
        made,
        lambda: [
            Remark(
                f"the token {made.token.name} of {made.token.player} may {listed(made.token.scopes)}{bound}, until "
                f"{valid_text(made.token)}; it is shown only now:"
            ),
            Whole(made.secret),
        ],
    )


def list_tokens(context: Context, player: OwnerOption = None) -> Found:
    """List your tokens: what they may do, until when, and when and from where they were used last.

    Example: ladder token list
    """
    actor = owner_named(player)
    tokens = context.read(accounts.tokens.of_player, actor.player)
    nothing = f"{actor.player} has no tokens" if context.is_served else f"tokens {ONLY_SERVED}"
    return listing(tokens, lambda: table_of(TOKENS, tokens), nothing)


def revoke_token(
    context: Context, name: Annotated[str, argument("The token's name.")], player: OwnerOption = None
) -> Found:
    """End a token: from this moment on it lets no program in.

    Example: ladder token revoke ci
    """
    actor = owner_named(player)
    token = context.act(actions.tokens.revoke, actor, actor.player, name)
    return Answer(token, f"the token {token.name} of {token.player} is revoked")


def share_match(
    context: Context,
    match: Annotated[MatchId, id_argument("match")],
    expires: Annotated[str, option("--expires", "For how many days, 365d at most.")] = "30d",
    player: OwnerOption = None,
) -> Found:
    """Make a link with which others see a match as you do, and show it: once, as only its hash is kept.

    They see that match only, what your bot wrote to stderr too, until the link expires or you revoke it.

    Example: ladder match share 17 --expires 7d
    """
    actor = owner_named(player)
    require_served(context, "links to matches")
    made = context.act(actions.matches.share, actor, match, days_in(expires) * 86_400)
    until = moment_text(made.share.expires_at)
    return Answer(
        made,
        [
            Remark(f"share {made.share.id} shows match {match} as {made.share.player} sees it, until {until}:"),
            Whole(f"{context.public_url}{made.path}"),
        ],
    )


def list_shares(context: Context, player: OwnerOption = None) -> Found:
    """List your links to matches that are still valid.

    Example: ladder match shares
    """
    actor = owner_named(player)
    shares = context.read(actions.matches.shares_of, actor.player)
    return listing(
        shares,
        lambda: [
            f"share {share.id}: match {share.match_id}, until {moment_text(share.expires_at)}" for share in shares
        ],
        f"{actor.player} shares no match",
    )


def revoke_share(
    context: Context, share: Annotated[ShareId, id_argument("share")], player: OwnerOption = None
) -> Found:
    """Let a link to a match lead to nothing, from this moment on.

    Example: ladder match unshare 3
    """
    actor = owner_named(player)
    revoked = context.act(actions.matches.revoke_share, actor, share)
    return Answer(revoked, f"share {revoked.id} no longer shows match {revoked.match_id}")
