"""What commands on accounts and tokens say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cli.terminal.words import moment_text
from engine.text import counted, listed

if TYPE_CHECKING:
    from ladder.accounts.tokens import Token
    from ladder.actions.accounts import Changed, Disabled, Invited

PURPOSE = {
    "new": "makes {player} an account",
    "claim": "makes {player} an account, with all bots that {player} has",
    "reset": "lets {player} choose a new password",
}


def invited_text(done: Invited) -> str:
    """Say what a link is for, and how long."""
    until = moment_text(done.expires_at)
    if done.player is None:
        return f"this link makes an account for each of {counted(done.uses, 'person', 'people')}, until {until}:"
    role = "; it is an operator's" if done.role == "operator" and done.kind != "reset" else ""
    return f"this link {PURPOSE[done.kind].format(player=done.player)}{role}, once, until {until}:"


def disabled_text(done: Disabled) -> str:
    """Say what came of shutting an account."""
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
    """Say that an account is open again."""
    back = f"{', '.join(done.bots)} came back to the boards" if done.bots else "none of its bots came back"
    return f"{done.player} can log in again, and {back}; tokens have to be made anew"


def valid_text(token: Token) -> str:
    """Say until when a token is valid."""
    return f"expired {moment_text(token.expires_at)}" if token.is_expired else moment_text(token.expires_at)


def link_of(url: str, done: Invited) -> str:
    """Return the address that somebody is to open. `url`: of the ladder."""
    return f"{url}/join/{done.secret}"
