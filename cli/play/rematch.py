"""`ladder match rematch`: the command."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cli import play
from cli.answer import Answer
from cli.context import Context
from cli.options.files import file_option
from cli.options.matches import MatchArgument, MatchName
from cli.options.names import SandboxOption, bosses
from cli.options.numbers import MOST_TURNS
from cli.program.parameters import option
from engine.errors import UsageFault
from ladder.ids import MatchId
from ladder.matches.local_matches import LocalName


def rematch(
    context: Context,
    match: MatchArgument,
    file: Annotated[
        Path | None,
        file_option("--with", "A file or folder that takes the place of the version whose bot it is named like."),
    ] = None,
    seat: Annotated[
        int | None, option("--seat", "Whose place it takes, where the name does not say.", min=0, max=7)
    ] = None,
    from_turn: Annotated[
        int | None, option("--from-turn", "Let the file play on from this turn of the match.", min=1, max=MOST_TURNS)
    ] = None,
    then: Annotated[
        str | None,
        option(
            "--then",
            "With --from-turn: who plays on where an opponent's recorded answers end or are refused: a boss, "
            "version or file. [default: the version that played]",
            autocompletion=bosses,
        ),
    ] = None,
    recorded: Annotated[
        bool, option("--recorded", "Play what was said then to the referee program, and compare.")
    ] = False,
    sandbox: SandboxOption = None,
) -> Annotated[Answer, "Print both matches as JSON."]:
    """Play a finished match again here, with your file in place of a version.

    On the same seed and rules, in the same seats, with the same limits and rule for time; all other limits are those
    that the league has now. Nothing is stored. Without --with the same two versions play again. No services have to
    run.

    Of a match that `ladder play` played here, or of the official site, there are no opponents, only their answers. So
    the file is asked what its seat was asked for as long as it says the same, and it is said on which turn it does not.

    --from-turn lets it play on from there, in any of these matches: before that turn the recorded answers count, and
    the opponents go on with theirs while the referee takes them. The match is kept as play:1.

    --recorded plays no bot: a fresh referee program is given the answers of the match, and it is said whether it asks
    the same and gives the same scores, or what the first difference is; exit status 1 then. A game whose matches
    cannot be repeated is refused with 3.

    Example: ladder match rematch 17 --with ./kraken.py

    Example: ladder match rematch official:12 --with ./kraken.py

    Example: ladder match rematch official:12 --with ./kraken.py --from-turn 41 --then boss-gold

    Example: ladder match rematch 17 --recorded
    """
    if recorded:
        if from_turn is not None or then is not None:
            raise UsageFault("--recorded plays what was said then: leave --from-turn and --then out")
        return play.entry.play_recorded(context, stored_id(match, "--recorded"), file, seat, sandbox)
    if isinstance(match.words, LocalName) or from_turn is not None:
        return play.entry.enter(context, match, file, seat, from_turn, then, sandbox)
    if then is not None:
        raise UsageFault("--then says who plays on, so it goes with --from-turn")
    return play.entry.play_again(context, match.words, file, seat, sandbox)


def stored_id(match: MatchName, option: str) -> MatchId:
    if isinstance(match.words, LocalName):
        raise UsageFault(f"{option} is for matches of the ladder, by their number")
    return match.words
