"""`ladder player | token | audit | deeds` and links to matches: who there is, who may do what, and what was done."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from typing import Annotated, ClassVar

import ladder
from cli import account
from cli.answer import Answer, Found, Remark, Rows, Whole, argument, listing, option
from cli.context import Context
from cli.options.names import ByOption, OwnerOption, game_option, operator_named, owner_named
from cli.options.numbers import LimitOption, id_argument, reason_in
from cli.terminal.table import NAME, WORDS, Column, Columns, FittingTable
from cli.terminal.words import moment_text
from engine.errors import Refused, UsageFault
from engine.immutable import immutable
from engine.text import counted, listed, shortened, zoned_words
from ladder import accounts, actions, quotas
from ladder.access import Role, Scope
from ladder.accounts.class_list import EMAIL
from ladder.ids import MatchId, ShareId
from ladder.quotas.rules import Quota

UsesOption = Annotated[int, option("--uses", "How many people it lets in.", min=1, max=1000)]
NameArgument = Annotated[str, argument("The player's name.")]
TokenArgument = Annotated[str, argument("The token's name.")]
ShareArgument = Annotated[ShareId, id_argument("share")]
USUAL, LONGEST = "90d", "365d"
REMEDY = "set LADDER_WEB_MODE=served and LADDER_PUBLIC_URL to let others in"
ONLY_SERVED = f"are for a served ladder, and this one is yours alone: {REMEDY}"


def valid_text(token: accounts.tokens.Token) -> str:
    return f"{'expired ' if token.is_expired else ''}{moment_text(token.expires_at)}"


PLAYERS: Columns[accounts.accounts.ListedAccount] = (
    Column("player", lambda row: row.name, NAME),
    Column("team", lambda row: row.team, NAME, leaves=0),
    Column("role", lambda row: row.role, WORDS, leaves=2),
    Column(
        "logs in",
        lambda row: f"disabled: {row.disabled_why}" if row.disabled_at else "yes" if row.logs_in else "never",
        NAME,
    ),
    Column("bots", lambda row: row.bots),
    Column("tokens", lambda row: row.tokens),
    Column("last seen", lambda row: moment_text(row.seen_at, ""), WORDS, leaves=1),
)
SESSIONS: Columns[accounts.sessions.ListedSession] = (
    Column("browser", lambda row: row.agent or "unknown", NAME),
    Column("since", lambda row: moment_text(row.created_at), WORDS, leaves=2),
    Column("last seen", lambda row: moment_text(row.seen_at), WORDS),
    Column("until", lambda row: moment_text(row.expires_at), WORDS, leaves=1),
)
DEEDS: Columns[ladder.audit.PublicDeed] = (
    Column("when", lambda row: moment_text(row.done_at), WORDS),
    Column("who", lambda row: row.done_by, NAME),
    Column("deed", lambda row: row.deed, WORDS),
    Column("about", lambda row: row.about, NAME),
)
AUDIT: Columns[ladder.audit.AuditLine] = (
    Column("when", lambda row: moment_text(row.at), WORDS),
    Column("who", lambda row: row.by, NAME),
    Column("action", lambda row: row.action, WORDS),
    Column("about", lambda row: row.target, NAME),
    Column("via", lambda row: row.token or row.via, WORDS, leaves=2),
    Column("from", lambda row: row.address, WORDS, leaves=1),
)
QUOTAS: Columns[quotas.quotas.QuotaLine] = (
    Column("quota", lambda row: row.words, NAME),
    Column("limit", lambda row: "no limit" if row.limit is None else f"{row.limit:,}"),
)
USED: Columns[quotas.quotas.QuotaLine] = (
    Column("used", lambda row: None if row.used is None else f"{row.used:,.0f}"),
    Column("possible again", lambda row: moment_text(row.again_at, ""), WORDS, leaves=1),
)
TOKENS: Columns[accounts.tokens.Token] = (
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
PURPOSE = {
    "new": "makes {player} an account",
    "claim": "makes {player} an account, with all bots that {player} has",
    "reset": "lets {player} choose a new password",
}


@immutable
class InvitationLink:
    """A link, as `--json` prints it."""

    MERGED: ClassVar = ("invited",)

    link: str
    invited: actions.accounts.Invited


def require_served(context: Context, what: str = "accounts") -> None:
    """Raise Refused where nobody but this person uses the ladder, and so needs none of that."""
    if not context.is_served:
        raise Refused(f"{what} {ONLY_SERVED}")


def list_players(context: Context) -> Found:
    """List the players: what they may do, how many bots and tokens they have, when they were there last.

    Example: ladder player list
    """
    players = context.read(accounts.accounts.players)
    nothing = "there are no players yet: the first version that somebody submits makes one"
    return listing(players, lambda: FittingTable(PLAYERS, players), nothing)


def invite_player(
    context: Context,
    name: NameArgument,
    operator: Annotated[bool, option("--operator", "The account is an operator's.")] = False,
    team: Annotated[str | None, option("--team", "The player whose member it is, new or not.")] = None,
    email: Annotated[str | None, option("--email", "Send the link there.")] = None,
    player: ByOption = None,
) -> Found:
    """Make a one-time link with which a player gets an account; a new name becomes a player's by that.

    A player who has submitted already keeps all bots. The link is valid for 7 days, once; a new one takes its place.
    Send it by a way that only this player reads, or with --email let it be sent (see docs/settings.md): who opens it
    first chooses the password. It is printed in any case; where no mail was sent, the exit status is 4.

    With --team the account is a member's: it logs in with its own name and password, and acts as the player that the
    team is. Bots, quotas and matches are the team's; the audit says which member did what. The name must be new.

    Example: ladder player invite kim --operator
    Example: ladder player invite anna --team kraken
    """
    role = Role.OPERATOR if operator else Role.PLAYER
    if email is not None and EMAIL.fullmatch(email) is None:
        raise UsageFault(f"{shortened(email)} is not an e-mail address")
    server = None if email is None else account.mail.mail_server(context.settings)
    require_served(context)
    invited = context.act(actions.accounts.invite, operator_named(player), name, role, team)
    return link_made(context, replace(invited, email=email), server)


def list_members(context: Context, name: NameArgument) -> Found:
    """List the members of a player that is a team: who logs in and acts as it.

    `ladder player disable` and `ladder player reset` take a member's name, too, and concern that member alone.

    Example: ladder player members kraken
    """
    members = context.read(accounts.accounts.members, name)
    nothing = f"{name} has no members: `ladder player invite NAME --team {name}` lets one in"
    return listing(members, lambda: FittingTable(PLAYERS, members), nothing)


def make_join_code(context: Context, uses: UsesOption, player: ByOption = None) -> Found:
    """Make one link for a class: each person who opens it chooses a name and a password.

    It is valid for 7 days. A name that somebody has already cannot be chosen.

    Example: ladder player join-code --uses 30
    """
    require_served(context)
    return link_made(context, context.act(actions.accounts.join_code, operator_named(player), uses), None)


def reset_password(
    context: Context,
    name: NameArgument,
    mail: Annotated[bool, option("--mail", "Send it to the address in the class list.")] = False,
    player: ByOption = None,
) -> Found:
    """Make a one-time link with which a player chooses a new password, which ends all sessions of the old one.

    It is printed, also with --mail; where no mail was sent, the exit status is 4.

    Example: ladder player reset kim
    """
    server = account.mail.mail_server(context.settings) if mail else None
    require_served(context)
    return link_made(context, context.act(actions.accounts.reset, operator_named(player), name), server)


def link_made(context: Context, invited: actions.accounts.Invited, server: account.mail.MailServer | None) -> Answer:
    """Show a link. `server`: sends it, too."""
    link = invited.link(context.public_url)
    until = zoned_words(invited.expires_at)
    if invited.player is None:
        people = counted(invited.uses, "person", "people")
        words = f"this link makes an account for each of {people}, until {until}:"
    else:
        role = "; it is an operator's" if invited.role == "operator" and invited.kind != "reset" else ""
        words = f"this link {PURPOSE[invited.kind].format(player=invited.player)}{role}, once, until {until}:"
    made = Answer(InvitationLink(link, invited), (Remark(words), Whole(link)))
    if server is None:
        return made
    mailed = account.mail.send_all(server, context.public_url, [invited])
    return replace(made, after=mailed.sentences, status=mailed.status)


def disable_player(
    context: Context,
    name: NameArgument,
    why: Annotated[str, option("--why", "The reason, which the player sees.")],
    player: ByOption = None,
) -> Found:
    """Shut an account: its sessions, tokens, gauntlets and requests end, its bots leave the boards, its results stay.

    The last operator cannot be disabled. It is an operator's deed, which `ladder deeds` shows with a name.

    Example: ladder player disable kim --why "shared a password"
    """
    shut = context.act(actions.accounts.disable, operator_named(player), name, reason_in(why))
    asked_for = {"gauntlet": shut.gauntlets, "request": shut.requests}
    more = [counted(number, what) for what, number in asked_for.items() if number]
    ended = listed([counted(shut.sessions, "session"), counted(shut.tokens, "token"), *more])
    left = f", {', '.join(shut.bots)} left the boards" if shut.bots else ""
    stays = f", {', '.join(shut.guards)} stays, as it guards a league" if shut.guards else ""
    undo = f"`ladder player enable {shut.player}` undoes that"
    return Answer(shut, f"{shut.player} is disabled: {ended} ended{left}{stays}; {undo}")


def enable_player(context: Context, name: NameArgument, player: ByOption = None) -> Found:
    """Open an account again. Its bots come back to the boards, with their ratings; tokens have to be made anew.

    A version that was built meanwhile stays off the board until its player activates it. It is an operator's deed,
    which `ladder deeds` shows with a name.

    Example: ladder player enable kim
    """
    opened = context.act(actions.accounts.enable, operator_named(player), name)
    back = f"{', '.join(opened.bots)} came back to the boards" if opened.bots else "none of its bots came back"
    return Answer(opened, f"{opened.player} can log in again, and {back}; tokens have to be made anew")


def change_role(
    context: Context,
    name: NameArgument,
    role: Annotated[Role, argument("`operator`, or `player` again.")],
    player: ByOption = None,
) -> Found:
    """Make a player an operator, or an operator a player again.

    The last operator stays one. It is an operator's deed, which `ladder deeds` shows with a name.

    Example: ladder player role kim operator
    """
    change = context.act(actions.accounts.set_role, operator_named(player), name, role)
    return Answer(change, f"{change.player} is {'an operator' if role == Role.OPERATOR else 'a player'} from now on")


def player_sessions(context: Context, name: NameArgument) -> Found:
    """List the browsers in which a player is logged in: since when, when they were there last, until when.

    A player sees those of its own account, an operator everybody's. A new password ends them all, and so does
    `ladder player disable`.

    Example: ladder player sessions kim
    """
    sessions = context.read(accounts.sessions.of_player, name)
    return listing(sessions, lambda: FittingTable(SESSIONS, sessions), f"{name} is logged in nowhere")


def show_deeds(context: Context, limit: LimitOption = 20) -> Rows:
    """Show what was done that concerns others: who, when and what.

    Bots that were disqualified, reinstated, retired or renamed, matches that were taken back, gauntlets of others that
    were stopped, seasons that were closed, leagues that were changed or rated again. On a ladder behind a server only
    operators see that.

    Example: ladder deeds --limit 5
    """
    rows = context.read(ladder.audit.concerning_others, limit)
    return listing(rows, lambda: FittingTable(DEEDS, rows), "no operator has done anything yet that concerns others")


def show_audit(
    context: Context,
    limit: LimitOption = 20,
    player: Annotated[str | None, option("--player -p", "Only what this player did.")] = None,
    action: Annotated[str | None, option("--action", "Only this, as in `match void`.")] = None,
) -> Rows:
    """Show every change that was made: who, when, what, from where.

    A line for each, whether it was made by a command or in a browser. On a ladder behind a server players see their
    own lines alone, and operators those of everybody.

    Lines are added in the transaction that makes the change, and the database lets none be changed. `ladder deeds`
    shows those alone that concern others.

    Example: ladder audit --player kim --limit 5
    """
    lines = context.read(ladder.audit.latest, limit, player, action)
    return listing(lines, lambda: FittingTable(AUDIT, lines), "no such line is in the audit")


limit_option = partial(option, metavar="N|none")


def player_quota(
    context: Context,
    name: Annotated[str | None, argument("The player's name. [default: everybody]")] = None,
    versions_per_hour: Annotated[str | None, limit_option("--versions-per-hour", "Versions submitted an hour.")] = None,
    versions_per_day: Annotated[str | None, limit_option("--versions-per-day", "Versions submitted a day.")] = None,
    battles_per_day: Annotated[str | None, limit_option("--battles-per-day", "Battles asked for a day.")] = None,
    gauntlets: Annotated[str | None, limit_option("--gauntlets", "Gauntlets that run at once.")] = None,
    cpu_s: Annotated[str | None, limit_option("--cpu-s-per-day", "CPU seconds a day of what is asked for.")] = None,
    tokens: Annotated[str | None, limit_option("--tokens", "Tokens that are valid.")] = None,
    questions: Annotated[str | None, limit_option("--questions-per-hour", "Questions asked in an hour.")] = None,
    reset: Annotated[bool, option("--reset", "Let the quotas by default hold again.")] = False,
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
    words = {
        Quota.VERSIONS_PER_HOUR: versions_per_hour,
        Quota.VERSIONS_PER_DAY: versions_per_day,
        Quota.BATTLES_PER_DAY: battles_per_day,
        Quota.GAUNTLETS_RUNNING: gauntlets,
        Quota.CPU_S_PER_DAY: cpu_s,
        Quota.TOKENS: tokens,
        Quota.QUESTIONS_PER_HOUR: questions,
    }
    changes: dict[Quota, int | None] = {}
    for quota, word in words.items():
        if word is not None:
            if word != "none" and not (word.isascii() and word.isdecimal()):
                raise UsageFault(f"{word!r} is not a number of {quota.words}: say a whole number, or none for no limit")
            changes[quota] = None if word == "none" else int(word[:20])
    if reset and changes:
        raise UsageFault("--reset goes back to all quotas by default: leave the others out")
    if reset:
        context.act(actions.accounts.reset_quotas, operator_named(player), name)
    elif changes:
        context.act(actions.accounts.change_quotas, operator_named(player), name, changes)
    if name is None:
        held = context.read(quotas.quotas.everybodys)
        whose = f"everybody's quotas, {'as an operator has set them' if held.is_own else 'by default'}"
        return Answer(held, lambda: [whose, FittingTable(QUOTAS, held.lines)])
    held = context.read(quotas.quotas.of_player, name)
    whose = f"{held.player} has {'quotas of its own' if held.is_own else 'the same quotas as everybody'}"
    return Answer(held, lambda: [whose, FittingTable([*QUOTAS, *USED], held.lines)])


def days_in(words: str) -> int:
    """Read a number of days, as in 90d. Raises UsageFault for anything else."""
    if (number := re.fullmatch(r"([1-9][0-9]{0,5})d?", words)) is None:
        raise UsageFault(f"--expires is {words!r}; it must be a number of days, as in {USUAL}, {LONGEST} at most")
    return int(number[1])


SCOPE = (
    "What it may do, with commas between: read (what is private of yours), submit, play (battles, gauntlets, which "
    "version is on the board), operate (operators alone)."
)


def create_token(
    context: Context,
    name: Annotated[str, option("--name", "What you call it.")],
    scope: Annotated[str, option("--scope", SCOPE)],
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
    may = f"may {listed(made.token.scopes)}{bound}, until {valid_text(made.token)}; it is shown only now:"
    return Answer(made, [Remark(f"the token {made.token.name} of {made.token.player} {may}"), Whole(made.secret)])


def list_tokens(context: Context, player: OwnerOption = None) -> Found:
    """List your tokens: what they may do, until when, and when and from where they were used last.

    Example: ladder token list
    """
    actor = owner_named(player)
    tokens = context.read(accounts.tokens.of_player, actor.player)
    nothing = f"{player or context.own_player} has no tokens" if context.is_served else f"tokens {ONLY_SERVED}"
    return listing(tokens, lambda: FittingTable(TOKENS, tokens), nothing)


def revoke_token(context: Context, name: TokenArgument, player: OwnerOption = None) -> Found:
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
    until = zoned_words(made.share.expires_at)
    words = f"share {made.share.id} shows match {match} as {made.share.player} sees it, until {until}:"
    return Answer(made, [Remark(words), Whole(f"{context.public_url}{made.path}")])


def list_shares(context: Context, player: OwnerOption = None) -> Found:
    """List your links to matches that are still valid.

    Example: ladder match shares
    """
    actor = owner_named(player)
    shares = context.read(accounts.links.shares_of_player, actor.player)
    lines = [f"share {share.id}: match {share.match_id}, until {zoned_words(share.expires_at)}" for share in shares]
    return listing(shares, lambda: lines, f"{player or context.own_player} shares no match")


def revoke_share(context: Context, share: ShareArgument, player: OwnerOption = None) -> Found:
    """Let a link to a match lead to nothing, from this moment on.

    Example: ladder match unshare 3
    """
    revoked = context.act(actions.matches.revoke_share, owner_named(player), share)
    return Answer(revoked, f"share {revoked.id} no longer shows match {revoked.match_id}")
