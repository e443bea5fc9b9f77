"""The table of automatic gauntlets, and the versions that wait for the verdict of one that gates.

A version is held back by a gauntlet that gates for as long as it was in no league yet: letting it onto a board, by the
verdict or by hand, gives it a standing, and that is all that has to be remembered.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import LiteralString

from engine.errors import UsageFault
from engine.immutable import immutable
from ladder.bots.bots import Bot
from ladder.choices import GauntletState, GauntletVerdict
from ladder.database.connection import Connection, Rows, first_column
from ladder.gauntlets.gauntlets import SELECT_GAUNTLET, Gauntlet, WithTest, columns_of_test
from ladder.gauntlets.lineup import LineupWords
from ladder.ids import BotId, GauntletId, LeagueId, VersionId
from ladder.leagues import leagues
from ladder.statistics.sprt_settings import SprtSettings


@immutable
class AutomaticGauntlet(WithTest):
    """What is played for each version of one bot, or of everybody in one league: the other of `bot`, `league` is None.

    `opponents`, and `context` for information: in words, as `ladder gauntlet` takes them; `pairs`: at most, against
    each; `gates`: a version comes onto the board only when it has passed; `is_limited`: by quotas of who asked for it.
    """

    id: int
    game: str
    bot_id: BotId | None
    bot: str | None
    league_id: LeagueId | None
    league: str | None
    opponents: list[str]
    pairs: int
    elo0: float | None
    elo1: float | None
    elo_model: str
    alpha: float
    beta: float
    gates: bool
    asked_by: str
    created_at: datetime
    context: list[str]
    is_limited: bool = False


@immutable
class Target:
    """The bot or league for which something is played by itself: the id of the other is None. `name`: for people."""

    name: str
    game: str
    bot_id: BotId | None = None
    league_id: LeagueId | None = None


@immutable
class GauntletTerms:
    """What is to be played; see AutomaticGauntlet."""

    words: LineupWords
    pairs: int
    test: SprtSettings | None
    gates: bool
    asked_by: str
    is_limited: bool = False


SELECT_AUTOMATIC: LiteralString = """
    SELECT automatic_gauntlets.id, coalesce(bots.game, leagues.game) AS game, bot_id, bots.name AS bot,
           automatic_gauntlets.league_id, leagues.title AS league, opponents, pairs, elo0, elo1, elo_model,
           automatic_gauntlets.alpha, automatic_gauntlets.beta, gates, asked_by, automatic_gauntlets.created_at,
           context, is_limited
    FROM automatic_gauntlets
    LEFT JOIN bots ON bots.id = bot_id
    LEFT JOIN leagues ON leagues.id = automatic_gauntlets.league_id
"""


def put(connection: Connection, target: Target, terms: GauntletTerms) -> None:
    remove(connection, target.bot_id, target.league_id)
    connection.execute(
        """
        INSERT INTO automatic_gauntlets
            (bot_id, league_id, opponents, context, pairs, elo0, elo1, elo_model, alpha, beta, gates,
             asked_by, is_limited)
        VALUES (%(bot)s, %(league)s, %(opponents)s, %(context)s, %(pairs)s, %(elo0)s, %(elo1)s, %(elo_model)s,
                %(alpha)s, %(beta)s, %(gates)s, %(asked_by)s, %(is_limited)s)
        """,
        {
            "bot": target.bot_id,
            "league": target.league_id,
            "opponents": list(terms.words.against),
            "context": list(terms.words.context),
            "pairs": terms.pairs,
            **columns_of_test(terms.test),
            "gates": terms.gates,
            "asked_by": terms.asked_by,
            "is_limited": terms.is_limited,
        },
    )


def remove(connection: Connection, bot_id: BotId | None, league_id: LeagueId | None) -> bool:
    connection.execute("LOCK TABLE automatic_gauntlets IN SHARE ROW EXCLUSIVE MODE")  # two who put do it in turn
    query = "DELETE FROM automatic_gauntlets WHERE bot_id = %s OR league_id = %s"
    return connection.execute(query, [bot_id, league_id]).rowcount > 0


def find(connection: Connection, bot_id: BotId | None, league_id: LeagueId | None) -> AutomaticGauntlet | None:
    query = SELECT_AUTOMATIC + "WHERE bot_id = %s OR automatic_gauntlets.league_id = %s"
    return Rows(connection, AutomaticGauntlet).first(query, [bot_id, league_id])


def all_of(connection: Connection, game: str | None = None) -> list[AutomaticGauntlet]:
    query = """
        WHERE %(game)s::text IS NULL OR coalesce(bots.game, leagues.game) = %(game)s
        ORDER BY coalesce(bots.game, leagues.game), bots.name NULLS FIRST, leagues.position
        """
    return Rows(connection, AutomaticGauntlet).all(SELECT_AUTOMATIC + query, {"game": game})


def passed_gates(connection: Connection) -> list[VersionId]:
    query = """
        SELECT DISTINCT candidate_id FROM gauntlets
        WHERE gates AND verdict = 'passed'
          AND NOT EXISTS (SELECT FROM standings WHERE standings.version_id = candidate_id)
        ORDER BY candidate_id
        """
    return first_column(connection, query)


def held_by(connection: Connection, version_ids: Sequence[VersionId]) -> dict[VersionId, Gauntlet]:
    is_in_no_league = "NOT EXISTS (SELECT FROM standings WHERE standings.version_id = candidate_id)"
    return latest_with(connection, f"gates AND {is_in_no_league}", version_ids)


def gates(connection: Connection, version_ids: Sequence[VersionId]) -> dict[VersionId, str]:
    return {
        version_id: gate_text(gauntlet.id, gauntlet.state, gauntlet.verdict)
        for version_id, gauntlet in held_by(connection, version_ids).items()
    }


def gate_text(gauntlet_id: GauntletId, state: str, verdict: str | None) -> str:
    if state == GauntletState.RUNNING or verdict == GauntletVerdict.PASSED:
        return f"waits for gauntlet {gauntlet_id}"
    return f"kept off by gauntlet {gauntlet_id}"


def latest_by_version(connection: Connection, version_ids: Sequence[VersionId]) -> dict[VersionId, Gauntlet]:
    """Gauntlets that a version played with other parameters than its own say nothing of it."""
    return latest_with(connection, "variants = '[]'", version_ids)


def latest_with(
    connection: Connection, condition: LiteralString, version_ids: Sequence[VersionId]
) -> dict[VersionId, Gauntlet]:
    query = SELECT_GAUNTLET + f"WHERE candidate_id = ANY(%s) AND {condition} ORDER BY gauntlets.id"
    rows = Rows(connection, Gauntlet).all(query, [list(version_ids)])
    return {gauntlet.candidate_id: gauntlet for gauntlet in rows}


def of_league(connection: Connection, name: str, game: str | None) -> Target:
    if game is None:
        raise UsageFault(f"every game has leagues: say with --game in which game {name} is")
    league = leagues.find_league(connection, game, name)
    return Target(league.title, league.game, league_id=league.id)


def applying_to(connection: Connection, bot: Bot) -> AutomaticGauntlet | None:
    """Return what is played for a bot's versions: its own, else its league's, which is not for bosses."""
    of_its_own = find(connection, bot.id, None)
    return find(connection, None, bot.league_id) if of_its_own is None and bot.boss_of is None else of_its_own
