"""Bots of different players whose sources are alike, whatever their names, numbers, layout and comments.

How this works. A source becomes a row of tokens in which every name is alike, every number and every text. Each run of
RUN tokens has a hash, and of every WINDOW runs in a row the smallest hash is kept: the source's fingerprints. Two
sources that share a run of RUN + WINDOW - 1 tokens anywhere share a fingerprint, and hardly anything else does. The
rule is winnowing (Schleimer, Wilkerson, Aiken: "Winnowing: Local Algorithms for Document Fingerprinting", 2003).
`copydetect`, a library that does the same, brings Matplotlib with it, so the tokens alone come from a library.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Set
from functools import lru_cache
from hashlib import blake2b
from itertools import chain, combinations

from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Name, Number, String

from engine.game import Games
from engine.immutable import immutable
from engine.new_bot import starters_of
from engine.toolchains.bot_folder import PROGRAM, contents_of
from engine.toolchains.source import Source
from ladder.bots.sources import sources_of
from ladder.database.connection import Connection, Rows
from ladder.ids import VersionId
from ladder.leagues import leagues

RUN = 16
WINDOW = 8
"""Among the bots that come with Ladder those that have nothing to do with each other share 8 % at most by these two."""
LEAST_SHARE = 0.25
"""Of the smaller of two sources; below that it is chance, or what all bots of a game have to do."""
FEWEST = 8
"""A source with fewer fingerprints of its own says nothing: it is some 40 tokens."""
MOST_OWNERS = 10
"""What more players than this have was given to them all."""
MOST_KEPT = 2_000
"""Fingerprints of this many sources are kept in memory, some 100 kB each."""


@immutable
class SimilarPair:
    """Two versions of different players. `first_share`: how much of the first's source is in the second's, 0 to 1."""

    first: str
    first_player: str
    second: str
    second_player: str
    language: str
    first_share: float
    second_share: float


@immutable
class ComparedVersion:
    """A version that is compared, or one of a boss, which everybody may have looked at."""

    id: VersionId
    name: str
    player: str
    language: str
    is_boss: bool


NEWEST = """
    SELECT DISTINCT ON (bots.id) versions.id, version_name(versions.id) AS name, players.name AS player, language,
           boss_of IS NOT NULL AS is_boss
    FROM versions JOIN bots ON bots.id = bot_id JOIN players ON players.id = player_id
    WHERE game = %s AND source_hash IS NOT NULL AND state <> 'rejected'
    ORDER BY bots.id, number DESC
"""


def similar_sources(connection: Connection, games: Games, game: str) -> list[SimilarPair]:
    """Compare bots' newest versions across players, the most alike first, less what many have."""
    leagues.check_game(connection, game)
    newest = Rows(connection, ComparedVersion).all(NEWEST, [game])
    versions: dict[int, ComparedVersion] = {version.id: version for version in newest if version.language != PROGRAM}
    sources = sources_of(connection, [version.id for version in versions.values()])
    prints: dict[int, frozenset[int]] = {
        id_: fingerprints(text_of(source.source), source.language) for id_, source in sources.items()
    }
    of_starters = [fingerprints(path.read_text(), name) for name, path in starters_of(games.find(game)).items()]
    of_bosses = [prints[version.id] for version in versions.values() if version.is_boss]
    everybodys = set[int]().union(*of_starters, *of_bosses)
    owners: dict[int, str] = {id_: version.player for id_, version in versions.items() if not version.is_boss}
    by_language = [
        likenesses({id_: prints[id_] for id_ in owners if versions[id_].language == language}, owners, everybodys)
        for language in sorted({version.language for version in versions.values()})
    ]
    return [
        SimilarPair(
            first.name,
            first.player,
            second.name,
            second.player,
            language=first.language,
            first_share=pair.first_share,
            second_share=pair.second_share,
        )
        for pair in sorted(chain.from_iterable(by_language), key=lambda pair: -pair.share)
        for first, second in [(versions[pair.first], versions[pair.second])]
    ]


def text_of(source: Source) -> str:
    files = contents_of(source)
    return "\n".join(files[name].decode(errors="replace") for name in sorted(files) if b"\0" not in files[name])


@lru_cache(MOST_KEPT)
def fingerprints(text: str, language: str) -> frozenset[int]:
    """Return a source's fingerprints, none where it is too short. `language`: by Pygments' name, as ours are."""
    row = list(tokens(text, language))
    runs = ("\0".join(row[start : start + RUN]) for start in range(len(row) - RUN + 1))
    hashes = [int.from_bytes(blake2b(run.encode(), digest_size=8).digest()) for run in runs]
    return frozenset(min(hashes[start : start + WINDOW]) for start in range(len(hashes) - WINDOW + 1))


def tokens(text: str, language: str) -> Iterator[str]:
    for kind, word in get_lexer_by_name(language).get_tokens(text):
        if not word.strip() or kind in String.Doc or (kind in Comment and kind not in Comment.Preproc):
            continue
        if kind in Name:
            yield "name"
        elif kind in Number:
            yield "number"
        elif kind in String:
            yield "text"
        else:
            yield word.strip()


@immutable
class Likeness:
    """Two sources that share `common` fingerprints, which is that share of the first's, and of the second's."""

    first: int
    second: int
    common: int
    first_share: float
    second_share: float

    @property
    def share(self) -> float:
        """Return the larger of both: of the smaller source."""
        return max(self.first_share, self.second_share)


def likenesses(
    prints: Mapping[int, Set[int]], owners: Mapping[int, str], everybodys: Collection[int] = ()
) -> list[Likeness]:
    """Return which sources of different owners are alike, most first. `everybodys`: fingerprints that all have."""
    by_print: dict[int, set[int]] = {}
    for source, its_prints in prints.items():
        for fingerprint in its_prints - set(everybodys):
            by_print.setdefault(fingerprint, set()).add(source)
    telling = [group for group in by_print.values() if len({owners[source] for source in group}) <= MOST_OWNERS]
    size = Counter(source for group in telling for source in group)
    common = Counter(pair for group in telling for pair in combinations(sorted(group), 2))
    pairs = (
        Likeness(first, second, count, count / size[first], count / size[second])
        for (first, second), count in common.items()
        if owners[first] != owners[second] and min(size[first], size[second]) >= FEWEST
    )
    alike = (pair for pair in pairs if pair.share >= LEAST_SHARE)
    return sorted(alike, key=lambda pair: (-pair.share, -pair.common, pair.first, pair.second))
