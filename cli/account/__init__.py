"""Players with accounts on a served ladder, their tokens, and what was done.

players  `ladder player | token | audit | deeds`, links to matches: who there is, may do what, and what was done
login    `ladder login`, `ladder logout`, `ladder whoami`: which ladder commands mean
mail     mails with links for players
"""

from typing import TYPE_CHECKING

from engine.lazy import lazily

if TYPE_CHECKING:
    from cli.account import mail as mail
else:
    __getattr__ = lazily(__name__)
