"""What `ladder match view` and `ladder match schema` do.

Imports inside functions: a match is shown in the terminal without what writes it as JSON or as a page.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from cli.context import Context
from cli.match.looking import watched_match
from cli.match.view.latest import Latest
from cli.match.view.opening import open_view
from cli.options.files import check_free
from cli.options.matches import MatchName
from engine.errors import UsageFault


@dataclass(frozen=True, slots=True)
class Form:
    """In which form a match is shown. `turn`: only this one; `page`: into this file; `over`: it may exist already."""

    turn: int | None = None
    as_json: bool = False
    page: Path | None = None
    over: bool = False

    def check(self) -> None:
        """Raise UsageFault for two forms at once, and where the page cannot be written; Refused where it may not."""
        if self.turn is not None and self.as_json:
            raise UsageFault("--json and --turn cannot be used together: the JSON has all turns")
        if self.page is not None and (self.turn is not None or self.as_json):
            other = "--json" if self.as_json else "--turn"
            raise UsageFault(f"--html and {other} cannot be used together: the page has all turns")
        if self.page is not None:
            check_free(self.page, over=self.over)


def show_match(context: Context, match: MatchName | None, latest: Latest, form: Form) -> None:
    """Show a match turn by turn. `match`: None where `latest` says which one is meant."""
    form.check()
    if match is not None:
        latest.refuse_beside_a_match()
    watched = watched_match(context, latest.find(context) if match is None else match)
    if form.as_json:
        from ladder.views.turns.replay_data import replay_data

        context.show_json(replay_data(watched), compact=True)
    elif form.page is not None:
        from cli.options.pages import write_page

        write_page(context, form.page, watched, over=form.over)
    else:
        open_view(context, watched, form.turn)


def show_schema() -> None:
    """Print the JSON Schema of replays."""
    from ladder.views.turns.replay_data import replay_schema

    sys.stdout.write(replay_schema())
