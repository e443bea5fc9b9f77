"""The games of the ladder whose referee is a program: which there are, their editions, and the files of these."""

from datetime import datetime

from engine.errors import Refused, UnknownName, UsageFault
from engine.game import Games
from engine.immutable import immutable
from engine.referees.program import NARROW_BITS, RefereeProgram
from engine.toolchains.source import Member, Tree, hash_of, tree_of
from ladder.database.connection import Connection, Rows
from ladder.ids import LeagueId


@immutable
class Seeds:
    """What is known of a game's seeds. `bits`: how wide they are; 0: none is known. `repeatable`: see `RepeatedBy`."""

    game: str
    bits: int
    repeatable: bool

    def require(self, *seeds: int) -> None:
        for seed in seeds:
            if self.bits == NARROW_BITS and not 0 <= seed < 2**NARROW_BITS:
                raise UsageFault(f"seeds of {self.game} are 0 to {2**NARROW_BITS - 1}; {seed} is none of them")

    def require_repeatable(self, what: str) -> None:
        """Raise Refused where no match can be repeated. `what`: what needs that, as the beginning of a sentence."""
        if not self.repeatable:
            raise Refused(
                f"{what} needs matches that can be repeated, and those of {self.game} cannot as far as is known: "
                f"`ladder game check {self.game} --bots A B` finds out what repeats them"
            )


def seeds_in(connection: Connection, league_id: LeagueId) -> Seeds:
    query = """
        SELECT leagues.game, coalesce(seed_bits, 64) AS bits, coalesce(repeatable, true) AS repeatable
        FROM leagues LEFT JOIN game_editions ON game_editions.hash = present_edition(leagues.id)
        WHERE leagues.id = %s
        """
    return Rows(connection, Seeds).one(query, [league_id])


@immutable
class LadderGame:
    """A game of the ladder. `edition`: the hash of its present files. `removed_at`: None while it is played."""

    name: str
    edition: str
    removed_at: datetime | None


SELECT = "SELECT name, edition, removed_at FROM games "


def lock(connection: Connection, name: str) -> LadderGame | None:
    return Rows(connection, LadderGame).first(SELECT + "WHERE name = %s FOR UPDATE", [name])


def played(connection: Connection) -> list[LadderGame]:
    return Rows(connection, LadderGame).all(SELECT + "WHERE removed_at IS NULL ORDER BY name")


def leagues_of_played(connection: Connection) -> dict[str, list[str]]:
    query = """
        SELECT games.name, array_agg(leagues.name ORDER BY position)
        FROM games JOIN leagues ON leagues.game = games.name
        WHERE removed_at IS NULL GROUP BY games.name ORDER BY games.name
        """
    return dict(connection.execute(query).fetchall())


def add(connection: Connection, name: str, edition: str, by: str) -> None:
    query = """
        INSERT INTO games (name, edition, added_by) VALUES (%(name)s, %(edition)s, %(by)s)
        ON CONFLICT (name) DO UPDATE
        SET edition = EXCLUDED.edition, added_by = EXCLUDED.added_by, added_at = now(), removed_at = NULL
        """
    connection.execute(query, {"name": name, "edition": edition, "by": by})


def set_edition(connection: Connection, name: str, edition: str) -> None:
    """Let a game be played by another edition from now on. Matches that were made before keep theirs."""
    connection.execute("UPDATE games SET edition = %s WHERE name = %s", [edition, name])


def mark_removed(connection: Connection, name: str) -> None:
    connection.execute("UPDATE games SET removed_at = now() WHERE name = %s", [name])


def delete(connection: Connection, name: str) -> None:
    connection.execute("DELETE FROM games WHERE name = %s", [name])


@immutable
class Uses:
    """What a game is used by. `finished`: rated matches since its season was opened; `running`: gauntlets that run."""

    matches: int
    bots: int
    finished: int
    running: int


def uses(connection: Connection, name: str) -> Uses:
    query = """
        WITH own AS (SELECT id FROM leagues WHERE game = %(game)s),
        opened AS (SELECT max(closed_at) AS at FROM seasons WHERE game = %(game)s)
        SELECT (SELECT count(*) FROM matches WHERE league_id IN (SELECT id FROM own)) AS matches,
               (SELECT count(*) FROM bots WHERE game = %(game)s) AS bots,
               (SELECT count(*) FROM matches
                WHERE league_id IN (SELECT id FROM own) AND state = 'finished' AND rates
                  AND finished_at > coalesce((SELECT at FROM opened), '-infinity')) AS finished,
               (SELECT count(*) FROM gauntlets
                WHERE league_id IN (SELECT id FROM own) AND state = 'running') AS running
        """
    return Rows(connection, Uses).one(query, {"game": name})


def store(connection: Connection, tree: Tree, game: str, program: RefereeProgram, by: str) -> str:
    inserted = connection.execute(
        """
        INSERT INTO game_editions (hash, game, needs, made_by, seed_bits, repeatable) VALUES (%s, %s, %s, %s, %s, %s)
        ON CONFLICT DO NOTHING
        """,
        [tree.hash, game, list(program.needed_of_workers), by, program.seed_bits, program.is_repeatable],
    )
    if inserted.rowcount:
        for file in tree.files:
            content = file.content or b""
            content_hash = hash_of(content)
            if connection.execute("SELECT FROM game_files WHERE hash = %s", [content_hash]).fetchone() is None:
                query = "INSERT INTO game_files (hash, content) VALUES (%s, %s) ON CONFLICT DO NOTHING"
                connection.execute(query, [content_hash, content])  # what is there is not sent again
            query = "INSERT INTO game_edition_files (edition, name, executable, file) VALUES (%s, %s, %s, %s)"
            connection.execute(query, [tree.hash, file.name, file.executable, content_hash])
    return tree.hash


def fetch(connection: Connection, edition: str) -> Tree:
    query = """
        SELECT name, content, executable
        FROM game_edition_files JOIN game_files ON game_files.hash = file WHERE edition = %s
        """
    rows = connection.execute(query, [edition]).fetchall()
    if not rows:
        raise UnknownName(f"this ladder has no edition {edition[:12]} of any game")
    return tree_of(Member(name, content, executable) for name, content, executable in rows)


def delete_unused(connection: Connection, game: str) -> None:
    """Delete the editions of a game by which no match was played, and the files that no edition has any more."""
    query = """
        DELETE FROM game_editions
        WHERE game = %s AND NOT EXISTS (SELECT FROM games WHERE edition = game_editions.hash)
          AND NOT EXISTS (SELECT FROM matches WHERE edition = game_editions.hash)
          AND NOT EXISTS (SELECT FROM gauntlets WHERE edition = game_editions.hash)
        """
    connection.execute(query, [game])
    deletion = """
        DELETE FROM game_files
        WHERE NOT EXISTS (SELECT FROM game_edition_files WHERE game_edition_files.file = game_files.hash)
        """
    connection.execute(deletion)


def leagues_by_game(connection: Connection, games: Games) -> dict[str, list[str]]:
    """Return the names of all games that are played, each with those of its leagues, the lowest first."""
    del connection  # which all views are asked with
    return {game.name: [league.name for league in game.leagues] for game in games.all}
