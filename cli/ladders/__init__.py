"""The ladder that a command speaks to: the same two verbs, however it is reached.

What speaks HTTP takes a tenth of a second to import, so these modules are imported when they are first asked for.

direct       a ladder whose database this machine reaches
remote       a ladder behind a server, and the games that it has
server       which of the two a command means
credentials  the file of what this machine is known by at servers
client       HTTP as far as that needs it, what the answers mean, and being let in
"""

from typing import TYPE_CHECKING

from engine.lazy import lazily

if TYPE_CHECKING:
    from cli.ladders import client, credentials, direct, remote, server
else:
    __getattr__ = lazily(__name__)

__all__ = ["client", "credentials", "direct", "remote", "server"]
