"""What people do: open to whom the table in `ladder.access` says, whole or not at all, and written down."""

from collections.abc import Callable, Sequence

import pytest

from engine.errors import Refused
from ladder import audit
from ladder.access import Actor, Role
from ladder.actions import games, gauntlets, installation, matches, seasons
from ladder.database.connection import Pool
from ladder.errors import NotAllowed, NotYourBot
from ladder.gauntlets.automatic_gauntlets import GauntletTerms
from ladder.gauntlets.lineup import GauntletRequest, LineupWords
from ladder.ids import GauntletId, MatchId
from ladder.leagues.file import LeagueFile
from tests.catalogue import GAMES
from tests.fakes import BrokenQueue, RememberingQueue
from tests.ladder.arena import GAME, on_the_board, rows_of, within

KIM, MIA = Actor("kim"), Actor("mia")
OLGA = Actor("olga", Role.OPERATOR)
REQUEST = GauntletRequest("kraken@v2", "nobody", ("kraken@v1",))
FEW = LeagueFile(GAME, {"wood-2": {"battles": 7}})
FOR_OPERATORS: dict[str, Callable[[Actor, Pool], object]] = {
    "match void": lambda actor, pool: matches.void(actor, pool, MatchId(1), "why"),
    "gauntlet purge": lambda actor, pool: gauntlets.purge(actor, pool, RememberingQueue(), GauntletId(1), "lab", "why"),
    "gauntlet auto --league": lambda actor, pool: gauntlets.automate(
        actor, pool, None, "wood-2", GAME, GauntletTerms(LineupWords(("boss",)), 5, None, gates=False, asked_by="")
    ),
    "season close": lambda actor, pool: seasons.close(actor, pool, GAME),
    "league apply": lambda actor, pool: games.apply(actor, pool, FEW),
    "rating recompute": games.recompute,
    "db migrate": lambda actor, pool: installation.bring_in_games(actor, pool, GAMES),
    "battles": lambda actor, pool: installation.set_battles(actor, pool, GAME, 7),
}


def written(pool: Pool) -> list[tuple[str, str]]:
    return [(deed.done_by, deed.deed) for deed in within(pool, audit.concerning_others, 100)]


def automatic_and_battles(pool: Pool) -> Sequence[object]:
    return rows_of(
        pool, "SELECT battles, (SELECT count(*) FROM automatic_gauntlets), (SELECT count(*) FROM seasons) FROM leagues"
    )


def test_what_is_for_operators_is_refused_to_players_and_written_down_if_it_concerns_others(pool: Pool) -> None:
    before = automatic_and_battles(pool)
    for act in FOR_OPERATORS.values():
        with pytest.raises(NotAllowed, match=r"^only an operator may "):
            act(KIM, pool)
        assert (automatic_and_battles(pool), written(pool)) == (before, [])
    done = games.apply(OLGA, pool, FEW, dry_run=True)
    assert ([change.setting for change in done.changes], done.applied) == (["battles"], False)
    assert (automatic_and_battles(pool), written(pool)) == (before, []), "a trial says what it would change alone"
    games.apply(OLGA, pool, FEW)
    games.recompute(OLGA, pool, GAME)
    assert written(pool) == [("olga", "rating recompute"), ("olga", "league apply")]


def test_its_player_stops_and_resumes_a_gauntlet_without_a_deed_and_an_operator_with_one(pool: Pool) -> None:
    """It is begun in the actor's name whatever the wish says; the scheduler is asked then, and need not answer."""
    for source in "ab":
        on_the_board(pool, "kraken", source)
    queue = RememberingQueue()
    begun = gauntlets.begin(KIM, pool, queue, REQUEST).gauntlet
    assert queue.schedules == 1
    with pytest.raises(NotAllowed, match=f"gauntlet {begun} belongs to kim, and only its player can do that"):
        gauntlets.stop(MIA, pool, begun)
    with pytest.raises(Refused, match="runs; there is nothing to resume"):
        gauntlets.resume(OLGA, pool, begun)
    assert gauntlets.stop(KIM, pool, begun) == gauntlets.ChangedGauntlet(begun, "stopped")
    assert gauntlets.resume(Actor("KIM"), pool, begun) == gauntlets.ChangedGauntlet(begun, "running")
    assert written(pool) == []
    gauntlets.stop(OLGA, pool, begun)
    assert written(pool) == [("olga", "gauntlet stop")]
    assert gauntlets.begin(KIM, pool, BrokenQueue(), REQUEST).gauntlet > begun


def test_a_player_automates_only_an_own_bot(pool: Pool) -> None:
    on_the_board(pool, "kraken", "a")
    terms = GauntletTerms(LineupWords(("boss",)), 5, None, gates=False, asked_by="somebody else")
    with pytest.raises(NotYourBot, match="the bot kraken belongs to kim, and only its player can do that"):
        gauntlets.automate(MIA, pool, "kraken", None, GAME, terms)
    done = gauntlets.automate(KIM, pool, "kraken", None, GAME, terms).gauntlet
    assert done is not None
    assert done.asked_by == "kim"
    assert gauntlets.end_automatic(KIM, pool, "kraken", None, GAME) == gauntlets.NoLongerAutomatic("kraken", GAME)
