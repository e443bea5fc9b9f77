"""Editions of games: their files by the hash of their content, each content once. Nothing here is ever changed."""

from __future__ import annotations

from engine.errors import UnknownName
from engine.referees.program import RefereeProgram
from engine.toolchains.source import Member, Tree, hash_of, tree_of
from ladder.database.connection import Connection


def store(connection: Connection, tree: Tree, game: str, program: RefereeProgram, by: str) -> str:
    """Keep an edition of a game, once, and return its hash."""
    made = connection.execute(
        """
        INSERT INTO game_editions (hash, game, needs, made_by, seed_bits, repeatable) VALUES (%s, %s, %s, %s, %s, %s)
        ON CONFLICT DO NOTHING
        """,
        [tree.hash, game, list(program.needed_of_workers), by, program.seed_bits, program.is_repeatable],
    )
    if made.rowcount:
        for file in tree.files:
            store_file(connection, tree.hash, file)
    return tree.hash


def store_file(connection: Connection, edition: str, file: Member) -> None:
    """Keep a file of an edition. A content that is there is not sent again."""
    content = file.content or b""
    content_hash = hash_of(content)
    if connection.execute("SELECT FROM game_files WHERE hash = %s", [content_hash]).fetchone() is None:
        connection.execute(
            "INSERT INTO game_files (hash, content) VALUES (%s, %s) ON CONFLICT DO NOTHING", [content_hash, content]
        )
    connection.execute(
        "INSERT INTO game_edition_files (edition, name, executable, file) VALUES (%s, %s, %s, %s)",
        [edition, file.name, file.executable, content_hash],
    )


def fetch(connection: Connection, edition: str) -> Tree:
    """Return the files of an edition. Raises UnknownName where the database does not have it."""
    rows = connection.execute(
        """
        SELECT name, content, executable
        FROM game_edition_files JOIN game_files ON game_files.hash = file WHERE edition = %s
        """,
        [edition],
    ).fetchall()
    if not rows:
        raise UnknownName(f"this ladder has no edition {edition[:12]} of any game")
    return tree_of(Member(name, content, executable) for name, content, executable in rows)


def delete_unused(connection: Connection, game: str) -> None:
    """Delete the editions of a game by which no match was played, and the files that no edition has any more."""
    connection.execute(
        """
        DELETE FROM game_editions
        WHERE game = %s AND NOT EXISTS (SELECT FROM games WHERE edition = game_editions.hash)
          AND NOT EXISTS (SELECT FROM matches WHERE edition = game_editions.hash)
          AND NOT EXISTS (SELECT FROM gauntlets WHERE edition = game_editions.hash)
        """,
        [game],
    )
    connection.execute(
        """
        DELETE FROM game_files
        WHERE NOT EXISTS (SELECT FROM game_edition_files WHERE game_edition_files.file = game_files.hash)
        """
    )
