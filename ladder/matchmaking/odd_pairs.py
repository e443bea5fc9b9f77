"""Pairs of versions whose results against each other are not what their ratings say: one may lose on purpose.

How this works. Ratings come from the results against everybody. Of each pair they say how many points of its matches
one should have, and how sure that is: the expected share is a number between 0 and 1 with a doubt of its own, and the
points scatter around it (a beta-binomial distribution). A pair is odd where so many points are as unlikely as ODD
standard deviations are on a normal distribution. That accuses nobody: some styles beat others. Looked at are versions
on boards, and the latest matches alone, so that the answer takes as long on a large ladder. Bots that come with Ladder
lose to nobody on purpose, and the bots of one person alone may do so.
"""

from collections.abc import Iterable, Mapping
from math import ceil, exp, floor, fsum, hypot, lgamma
from statistics import NormalDist

from engine.immutable import immutable
from ladder.database.connection import Connection, Rows
from ladder.ids import LeagueId
from ladder.names import HOUSE
from ladder.ratings.ledger import all_rating_settings
from ladder.ratings.models import RatingSettings, model_of

ODD = 4.0
"""A pair is odd from this many standard deviations on."""
LATEST = 20_000
LEAST = 5
MOST = 20
LEAST_CHANCE = 1e-300
"""Less likely than this is taken for this likely."""


@immutable
class MatchedPair:
    """Two versions on a board with their players and ratings, and their matches; `points`: those of the first."""

    league_id: LeagueId
    board: str
    version: str
    player: str
    mu: float
    sigma: float
    opponent: str
    opponent_player: str
    opponent_mu: float
    opponent_sigma: float
    matches: int
    points: float


@immutable
class OddPair:
    """A version took more points of another than their ratings say. `board`: game and league; `deviations`: how odd."""

    board: str
    version: str
    player: str
    opponent: str
    opponent_player: str
    matches: int
    points: float
    expected: float
    deviations: float


def odd_pairs(connection: Connection) -> list[OddPair]:
    return oddest(pairs_that_met(connection), all_rating_settings(connection))


def oddest(pairs: Iterable[MatchedPair], settings: Mapping[LeagueId, RatingSettings]) -> list[OddPair]:
    judged = (judge(pair, settings[pair.league_id]) for pair in pairs)
    odd = [pair for pair in judged if pair.deviations >= ODD]
    return sorted(odd, key=lambda pair: (-pair.deviations, pair.version, pair.opponent))[:MOST]


def judge(pair: MatchedPair, settings: RatingSettings) -> OddPair:
    share, doubt = expected_share(pair, settings)
    points = pair.points
    ahead, behind = (pair.version, pair.player), (pair.opponent, pair.opponent_player)
    if points < share * pair.matches:
        share, points = 1 - share, pair.matches - points
        ahead, behind = behind, ahead
    chance = chance_of_as_many(floor(points), pair.matches, share, doubt)
    return OddPair(
        pair.board,
        *ahead,
        *behind,
        matches=pair.matches,
        points=points,
        expected=share * pair.matches,
        deviations=-NormalDist().inv_cdf(min(max(chance, LEAST_CHANCE), 0.5)),
    )


def expected_share(pair: MatchedPair, settings: RatingSettings) -> tuple[float, float]:
    """Return the share of a match's points to be expected, and by how much it is off if the ratings are a sigma off."""
    expected = model_of(settings).expected_points
    off = hypot(pair.sigma, pair.opponent_sigma)
    more, less = (expected(pair.mu + step, 0.0, pair.opponent_mu, 0.0) for step in (off, -off))
    return expected(pair.mu, pair.sigma, pair.opponent_mu, pair.opponent_sigma), (more - less) / 2


def chance_of_as_many(points: int, matches: int, share: float, doubt: float) -> float:
    """Return how likely at least so many points are. `share`: to be expected of each match; `doubt`: its deviation."""
    share = min(max(share, 1e-6), 1 - 1e-6)
    evidence = share * (1 - share) / max(doubt**2, 1e-6) - 1  # as many matches as would say so much of the share
    wins, losses = (max(evidence, 1e-3) * part for part in (share, 1 - share))
    whole = (
        lgamma(matches + 1) + lgamma(wins + losses) - lgamma(wins) - lgamma(losses) - lgamma(matches + wins + losses)
    )
    return fsum(
        exp(
            whole
            + (lgamma(won + wins) - lgamma(won + 1))
            + (lgamma(matches - won + losses) - lgamma(matches - won + 1))
        )
        for won in range(max(ceil(points), 0), matches + 1)
    )


def pairs_that_met(connection: Connection) -> list[MatchedPair]:
    query = """
        WITH latest AS (
            SELECT id, league_id FROM matches WHERE state = 'finished' AND rates
            ORDER BY finished_at DESC, id DESC LIMIT %(latest)s),
        met AS (
            SELECT latest.league_id, own.version_id, other.version_id AS opponent_id, count(*)::int AS matches,
                   sum(CASE WHEN coalesce(own.place < other.place, own.result = 'win') THEN 1.0
                            WHEN coalesce(own.place > other.place, own.result = 'loss') THEN 0.0
                            ELSE 0.5 END)::float8 AS points
            FROM latest JOIN seats AS own ON own.match_id = latest.id
            JOIN seats AS other ON other.match_id = latest.id AND other.version_id > own.version_id
            GROUP BY latest.league_id, own.version_id, other.version_id HAVING count(*) >= %(least)s)
        SELECT met.league_id, leagues.game || '/' || leagues.name AS board,
               version_name(met.version_id) AS version, players.name AS player, standings.mu, standings.sigma,
               version_name(met.opponent_id) AS opponent, their_player.name AS opponent_player,
               theirs.mu AS opponent_mu, theirs.sigma AS opponent_sigma, met.matches, met.points
        FROM met JOIN leagues ON leagues.id = met.league_id
        JOIN standings ON standings.version_id = met.version_id AND standings.league_id = met.league_id
                      AND standings.on_board
        JOIN standings AS theirs ON theirs.version_id = met.opponent_id AND theirs.league_id = met.league_id
                                AND theirs.on_board
        JOIN versions ON versions.id = met.version_id JOIN bots ON bots.id = versions.bot_id
        JOIN players ON players.id = bots.player_id
        JOIN versions AS their_version ON their_version.id = met.opponent_id
        JOIN bots AS their_bot ON their_bot.id = their_version.bot_id
        JOIN players AS their_player ON their_player.id = their_bot.player_id
        WHERE (players.id <> their_player.id OR has_accounts())
          AND %(house)s NOT IN (players.name, their_player.name)"""
    return Rows(connection, MatchedPair).all(query, {"latest": LATEST, "least": LEAST, "house": HOUSE})
