"""How fast ratings are computed again: a long synthetic history, with ladder's closed form and with the package.

Matches of four are also rated from and into the database, as `ladder import` and `ladder rating recompute` do.
"""

import time
from collections.abc import Iterable, Iterator
from random import Random

from ladder.database.connection import connect
from ladder.imports import league_import
from ladder.imports.league_import import ImportOrder
from ladder.leagues import leagues
from ladder.ratings import replay
from ladder.ratings.models import Rating, RatingSettings, fresh, model_of
from tests.bench.full_ladder import GAME, services
from tests.bench.report import line
from tests.foreign import a_long_league

BOTS = 850
MATCHES = 1_000_000
PACKAGE_MATCHES = 10_000
DRAWS = 0.05
SEED = 7
OF_FOUR = 100_000


def history(matches: int) -> list[tuple[int, int, int | None]]:
    """Return synthetic matches as (first bot, second bot, winner), of bots of strengths that spread like a ladder's."""
    chance = Random(SEED)
    strengths = [chance.gauss(25, 8) for _ in range(BOTS)]
    return [one_match(chance, strengths) for _ in range(matches)]


def one_match(chance: Random, strengths: list[float]) -> tuple[int, int, int | None]:
    first, second = chance.sample(range(BOTS), 2)
    if chance.random() < DRAWS:
        return first, second, None
    return first, second, int(strengths[first] + chance.gauss(0, 6) < strengths[second])


def rated(settings: RatingSettings, matches: Iterable[tuple[int, int, int | None]]) -> list[Rating]:
    """Rate a history in its order, match by match, as a ladder does."""
    model = model_of(settings)
    ratings = [fresh(settings)] * BOTS
    for first, second, winner in matches:
        places = (1, 1) if winner is None else (1 + winner, 2 - winner)
        ratings[first], ratings[second] = model.rate([ratings[first], ratings[second]], places)
    return ratings


def matches_per_s(matches: int = MATCHES, system: str = "trueskill") -> float:
    """Return how many matches are rated per second."""
    settings = RatingSettings(system=system)
    played = history(matches)
    began = time.perf_counter()
    rated(settings, played)
    return matches / (time.perf_counter() - began)


def matches_of_four_per_s(matches: int = 2 * PACKAGE_MATCHES) -> float:
    """Return how many matches of four are rated per second."""
    chance, model = Random(SEED), model_of(RatingSettings())
    strengths = [chance.gauss(25, 8) for _ in range(BOTS)]
    played = [chance.sample(range(BOTS), 4) for _ in range(matches)]
    ratings = [fresh(RatingSettings())] * BOTS
    began = time.perf_counter()
    for bots in played:
        in_order = sorted(bots, key=lambda bot: -strengths[bot])
        after = model.rate([ratings[bot] for bot in in_order], [1, 2, 2, 4])
        for bot, rating in zip(in_order, after, strict=True):
            ratings[bot] = rating
    return matches / (time.perf_counter() - began)


def import_and_recompute_s(matches: int = OF_FOUR) -> tuple[float, float]:
    """Return the seconds that matches of four take to be imported and rated, and to be rated again by a ladder."""
    wanted = ImportOrder(GAME, (4,), a_long_league(matches, BOTS))
    with services() as running, connect(running.database_url) as connection:
        began = time.perf_counter()
        league_import.import_league(connection, "bench", wanted)
        connection.commit()
        imported = time.perf_counter()
        league_id = leagues.leagues(connection, GAME)[0].id
        again = time.perf_counter()
        replay.recompute(connection, [league_id])
        connection.commit()
        return imported - began, time.perf_counter() - again


def package_matches_per_s(matches: int = PACKAGE_MATCHES) -> float:
    """Return the same for the `trueskill` package alone."""
    from trueskill import TrueSkill

    model = TrueSkill(draw_probability=DRAWS)
    ratings = [model.create_rating() for _ in range(BOTS)]
    played = history(matches)
    began = time.perf_counter()
    for first, second, winner in played:
        ranks = [0, 0] if winner is None else [winner, 1 - winner]
        ((ratings[first],), (ratings[second],)) = model.rate([(ratings[first],), (ratings[second],)], ranks=ranks)
    return matches / (time.perf_counter() - began)


def lines() -> Iterator[str]:
    """Measure and give what the bench prints."""
    of_all = f"{MATCHES:,} matches of {BOTS} bots; aim: 100,000"
    yield line("ratings, trueskill", matches_per_s(), "matches/s", of_all)
    yield line("ratings, openskill", matches_per_s(10 * PACKAGE_MATCHES, "openskill"), "matches/s", "Plackett-Luce")
    yield line("ratings, four players", matches_of_four_per_s(), "matches/s", "trueskill, the two in the middle level")
    moved_in, again = import_and_recompute_s()
    yield line("import, four players", moved_in, "s", f"{OF_FOUR:,} matches of {BOTS} bots, with their ratings")
    yield line("recompute, four players", again, "s", "the same from the database; aim: under 60")
    yield line("the trueskill package", package_matches_per_s(), "matches/s", "for comparison: it alone")
