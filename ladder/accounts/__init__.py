"""Accounts: what lets people and programs in, and who may operate the ladder. Somebody alone needs none of it.

accounts     players as accounts: their role, their password, whether they are disabled
passwords    hashing and checking passwords
secrets      making secrets, and the hashes under which they are kept
tokens       what programs show; how they ask to be let in (RFC 8628)
links        links with which somebody makes an account, or others see one match as its player does
sessions     browsers in which somebody has logged in
class_list   the players of a class in a table that somebody wrote
idempotency  what a write has answered, for whoever asks the same again
"""

from typing import TYPE_CHECKING

from engine.lazy import lazily

if TYPE_CHECKING:
    from ladder.accounts import accounts as accounts
    from ladder.accounts import links as links
    from ladder.accounts import sessions as sessions
    from ladder.accounts import tokens as tokens
else:
    __getattr__ = lazily(__name__)
