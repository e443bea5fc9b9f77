"""Speaking HTTP with a server: who it is sent as, and what the answers say in our own errors."""

from __future__ import annotations

from typing import Any

from cli.ladders.client import Client, NoAnswer, Response
from cli.ladders.server import Server
from engine.errors import ArenaError, MissingTool, Refused, Unavailable, UsageFault
from engine.text import one_line, shortened
from ladder.version import HEADER, VERSION, compared

FAULTS: dict[int | None, type[ArenaError]] = {2: UsageFault, 3: Refused, 4: Unavailable, 5: MissingTool}
"""An error by its exit status."""
AWAY = frozenset({502, 503, 504})
ASKS_FOR_KEY = "no key"
"""How one person's ladder says that it lets nobody in without its key."""
UNTRUSTED = "CERTIFICATE_VERIFY_FAILED"
"""How OpenSSL says that a certificate does not fit."""


def client_of(server: Server) -> Client:
    """Return what speaks HTTP with a server. Raises UsageFault."""
    own = {HEADER: VERSION, "User-Agent": f"ladder/{VERSION}"}
    return Client(server.url, own | ({"Authorization": f"Bearer {server.token}"} if server.token else {}))


def no_answer(url: str, error: NoAnswer) -> Unavailable:
    words = str(error)
    if UNTRUSTED in words:
        why = words.partition("verify failed: ")[2].partition(" (_ssl")[0] or words
        return Unavailable(
            f"the certificate of {url} is not trusted ({why}): where a school or team signs its own, SSL_CERT_FILE "
            "names its file"
        )
    return Unavailable(f"{url} does not answer ({words})")


def require_understood(answer: Response, url: str) -> None:
    """Raise Refused where a server is of a Ladder that this program does not understand."""
    theirs = answer.header(HEADER)
    order = compared(theirs)
    if order:
        what = "this program is too old for it: update it" if order > 0 else "this program is too new for it"
        raise Refused(f"{url} is Ladder {shortened(theirs)} and this is {VERSION}: {what}")


def require_good(answer: Response, url: str) -> None:
    """Raise what an answer says is wrong. Raises Unavailable, Refused, UsageFault and other errors of ours."""
    require_understood(answer, url)
    if answer.is_success:
        return
    if answer.is_redirect:
        raise Refused(f"{url} leads elsewhere, to {shortened(answer.header('Location'))}: name that server")
    problem = problem_in(answer)
    detail = problem.get("detail")
    if answer.status_code == 401 and problem.get("title") == ASKS_FOR_KEY:
        raise Refused(f"{url} does not know this machine: put its key or a token into LADDER_TOKEN")
    if answer.status_code == 401:
        why = f": {one_line(detail)}; " if isinstance(detail, str) else ": "
        raise Refused(f"{url} does not let this machine in{why}log in with `ladder login {url}`")
    if not isinstance(detail, str):
        if answer.status_code in AWAY:
            raise Unavailable(f"{url} does not answer now ({answer.status_code})")
        raise Unavailable(f"{url} is not a ladder: it answered {answer.status_code}")
    raise FAULTS.get(problem.get("exit_status"), ArenaError)(one_line(detail))


def problem_in(answer: Response) -> dict[str, Any]:
    """Return the problem, or another object, that an answer holds; an empty one where it holds none."""
    try:
        found = answer.json()
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def seconds_to_wait(answer: Response) -> float | None:
    """Return after how long to ask again; None where there is no reason to."""
    after = answer.header("Retry-After")
    return float(after) if answer.status_code == 429 and after.isdecimal() else None
