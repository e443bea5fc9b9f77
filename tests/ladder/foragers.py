"""A ladder of a game for two to four players: versions on its board, battles, and results without playing them."""

from pathlib import Path
from random import Random

from engine.game import Games
from engine.games.game_folder import load_game
from engine.match import MatchResult, MatchSpec, converse
from ladder.database.connection import Pool, transaction
from ladder.flows.recording import record
from ladder.flows.scheduling import schedule
from ladder.ids import MatchId, VersionId
from ladder.leagues import leagues
from ladder.matches.claims import MatchClaim
from tests.catalogue import GAMES
from tests.fakes import RememberingQueue, Scripted, result_of
from tests.ladder import arena
from tests.ladder.arena import claimed, within

FOLDER = Path(__file__).parents[1] / "referees" / "foragers"
FORAGERS = load_game(FOLDER)
GAMES_HERE = Games((*GAMES.all, FORAGERS), {})
NAMES = ("ant", "bee", "crow", "deer", "elk")


def a_board(pool: Pool) -> dict[str, VersionId]:
    """Put five versions on the board of a game for two to four; no other league makes matches."""
    with transaction(pool) as connection:
        leagues.register(connection, FORAGERS)
        connection.execute("UPDATE versions SET state = 'rejected', message = 'not here' WHERE state = 'building'")
        leagues.set_battles(connection, FORAGERS.name, 6)
    return {name: on_the_board(pool, name) for name in NAMES}


def on_the_board(pool: Pool, name: str) -> VersionId:
    return arena.on_the_board(pool, name, f"print('{name}')", game=FORAGERS.name)


def made(pool: Pool, seed: int = 1) -> list[MatchId]:
    return schedule(pool, RememberingQueue(), Random(seed), GAMES_HERE)


def picked_out(pool: Pool) -> dict[int, MatchId]:
    """Play the first battles of five versions, each of which picks from the bush of its own number.

    Returns a match of each number of players.
    """
    versions = {version_id: number for number, version_id in enumerate(a_board(pool).values())}
    found: dict[int, MatchId] = {}
    for match_id in made(pool):
        claim = claimed(pool, match_id)
        spec = MatchSpec(FORAGERS, claim.rules_level, claim.seed, players=claim.players)
        outcome, turns = converse(spec, [picker(versions[one]) for one in claim.version_ids])
        nothing = (0,) * claim.players
        assert within(pool, record, claim, MatchResult(spec, outcome, turns, ("",) * claim.players, nothing, nothing))
        found[claim.players] = match_id
    return found


def picker(bush: int) -> Scripted:
    return Scripted(lambda _: f"PICK {bush}")


def play(pool: Pool, match_id: MatchId, strength: dict[VersionId, int]) -> MatchClaim:
    """Let the stronger ones win; equal strength is level."""
    claim = claimed(pool, match_id)
    scores = [strength[version_id] for version_id in claim.version_ids]
    assert within(pool, record, claim, result_of(claim, scores, games=GAMES_HERE))
    return claim
