"""What runs and what waits, as `ladder status` shows it; in sentences what keeps versions and leagues from going on."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from engine.boxes import CGROUP
from engine.immutable import immutable
from engine.referees.program import WHOLE_MATCHES
from engine.text import counted, listed, one_line
from engine.toolchains.languages import languages
from ladder.database.connection import Connection, one
from ladder.fleet import room, workers
from ladder.fleet.workers import (
    Fleet,
    FleetSize,
    InLanguage,
    MaintenanceRound,
    Overdue,
    Worker,
    fleet_of,
    fleet_size,
    machines_without_fair_clock,
    stranded,
)
from ladder.games import referee_faults
from ladder.leagues import leagues
from ladder.matches import failures
from ladder.matches.match_rows import Counts
from ladder.matchmaking import requests
from ladder.matchmaking.odd_pairs import OddPair, odd_pairs
from ladder.names import HOUSE, in_short
from ladder.promotions.lifecycle import boards
from ladder.seasons.ending import still_to_make
from ladder.views.progress import progress
from ladder.visibility import sees_everything


@immutable
class OpenRequests:
    """How many requests for battles are open, and how many battles of them are still to be made."""

    open: int
    left: int


@immutable
class UnplayableGame:
    """A game that no live worker can play, with its work. `needs`: languages of its referee; None: rules in Python."""

    game: str
    needs: Sequence[str] | None
    matches: int
    builds: int


@immutable
class LadderState:
    """What the database says. `quiet`: nothing waits and nothing more is going to be made.

    `fleet`: how many workers there are; `workers`: each, for operators alone. `stranded`: versions in languages that no
    worker has. `suspects`, `breakers`, `odd_pairs`: versions that may cheat, see their sentences below. `unguarded`,
    `untrusted`: leagues in which no boss plays, or nobody. `unplayable`: games with work that no worker can do.
    `overdue`: what was not done for a minute, where workers live. `lack`: since when there is no room for matches.
    """

    PRIVATE: ClassVar = ("workers",)

    matches: Counts
    building: int
    requests: OpenRequests
    quiet: bool
    fleet: FleetSize
    workers: list[Worker]
    stranded: list[InLanguage]
    suspects: list[failures.Suspect]
    unguarded: list[leagues.Unguarded]
    unplayable: list[UnplayableGame]
    breakers: list[referee_faults.RefereeFaults]
    untrusted: list[leagues.Untrusted]
    odd_pairs: list[OddPair]
    without_fair_clock: list[str]
    overdue: list[Overdue]
    lack: room.Lack | None


@immutable
class Status:
    """All that `ladder status` shows; what only the home's processes know is None for a reader of the database.

    `supervisor`: its process, None with other services. `starting`: it keeps a worker that has not shown up yet.
    `worker_ended`: why, if none lives. `queue`: how many messages wait in each, None where the broker does not answer.
    `web`: the address of the pages, without their key.
    """

    MERGED: ClassVar = ("ladder",)
    PRIVATE: ClassVar = ("home", "supervisor", "worker_ended")

    home: str | None
    supervisor: int | None
    ladder: LadderState
    starting: bool | None
    worker_ended: str | None
    queue: Mapping[str, int] | None
    web: str | None


@immutable
class Services:
    """What runs beside the database, as far as known. `keeps_worker`: the supervisor has one, or soon again."""

    home: str | None = None
    supervisor: int | None = None
    keeps_worker: bool | None = None
    worker_ended: str | None = None
    queue: Mapping[str, int] | None = None
    web: str | None = None


def whole_status(services: Services, state: LadderState) -> Status:
    starting = services.keeps_worker and not state.fleet.processes
    ended = None if state.fleet.processes else services.worker_ended
    return Status(services.home, services.supervisor, state, starting, ended, services.queue, services.web)


def ladder_state(connection: Connection) -> LadderState:
    """Look at the whole ladder. The connection must see one snapshot."""
    now, is_whole = progress(connection), sees_everything(connection)
    fleet = fleet_of(connection)
    waiting = stranded(connection, fleet)
    open_requests = requests.latest(connection, limit=None)
    return LadderState(
        now.matches,
        now.building,
        OpenRequests(len(open_requests), sum(request.left for request in open_requests)),
        now.is_quiet,
        fleet_size(connection),
        list(fleet.workers) if is_whole else [],
        waiting,
        failures.suspects(connection) if is_whole else [],
        leagues.unguarded(connection),
        unplayable_games(connection, fleet),
        referee_faults.flagged(connection) if is_whole else [],
        leagues.untrusted(connection),
        odd_pairs(connection) if is_whole else [],
        machines_without_fair_clock(connection) if is_whole else [],
        workers.overdue(connection) if fleet.workers else [],
        room.written_down(connection),
    )


def unplayable_games(connection: Connection, fleet: Fleet) -> list[UnplayableGame]:
    """Return the games with work that none of the workers that live can do; none where no worker lives."""
    query = """
        SELECT DISTINCT game FROM leagues
        WHERE game NOT IN (SELECT name FROM games WHERE removed_at IS NOT NULL) ORDER BY game
        """
    rows = connection.execute(query)
    work = """
        SELECT count_building(%(game)s)::int, (
            SELECT count(*)::int FROM matches JOIN leagues ON leagues.id = league_id
            WHERE is_waiting(state) AND leagues.game = %(game)s)
    """
    unplayable = []
    for game in [game for (game,) in rows if fleet.for_game(game).lacks_game]:
        builds, waiting = one(connection, work, {"game": game})
        matches = waiting + sum(map(still_to_make, boards(connection, game)))
        if matches or builds:
            unplayable.append(UnplayableGame(game, fleet.needs.get(game), matches, builds))
    return unplayable


def fleet_text(size: FleetSize) -> str:
    processes, machines = counted(size.processes, "process", "processes"), counted(size.machines, "machine")
    return f"workers: {processes} on {machines}, {size.at_work} at work"


def server_version(connection: Connection) -> str:
    return str(one(connection, "SHOW server_version", {})[0])


def stranded_text(lack: InLanguage) -> str:
    language = languages().get(lack.language)
    title = lack.language if language is None else language.title
    return (
        f"no worker {lack.work} {title}: {', '.join(in_short(lack.versions))}; "
        "start one where it is installed (`ladder doctor` on a machine says what it lacks)"
    )


def unplayable_text(lack: UnplayableGame) -> str:
    waiting = [counted(lack.matches, "match", "matches")] * bool(lack.matches)
    waiting += [counted(lack.builds, "build")] * bool(lack.builds)
    work = f"{listed(waiting)} {'waits' if lack.matches + lack.builds == 1 else 'wait'}"
    if lack.needs is None:
        return (
            f"no worker has the game {lack.game}, and {work}: start one with the game's folder in LADDER_GAMES, or "
            "where its package is installed"
        )
    titles_by_name = {name: language.title for name, language in languages().items()}
    titles_by_name[WHOLE_MATCHES] = f"the sandbox {CGROUP}"
    titles = [titles_by_name.get(name, name) for name in lack.needs]
    return (
        f"no worker can lead matches of {lack.game}, and {work}: start one where {listed(titles)} "
        f"{'is' if len(titles) == 1 else 'are'} installed, which its referee needs (`ladder doctor` on a machine says "
        "what it lacks)"
    )


def no_fair_clock_text(host: str) -> str:
    return (
        f"{host} cannot keep the fair clock, as its kernel does not show how long a program waits for a core: there "
        "only what bots compute, and how long cores are idle, is sure; `ladder doctor` there has the figures"
    )


def suspect_text(suspect: failures.Suspect) -> str:
    return (
        f"{suspect.version} may cheat the clock: within a day the host seemed too busy in {suspect.own} of its "
        f"turns, against {suspect.against} different opponents, and in {suspect.opponents} of theirs"
    )


def breaker_text(faults: referee_faults.RefereeFaults) -> str:
    return (
        f"{faults.version} may have found how to break the referee: of its latest {referee_faults.LATEST} matches "
        f"{faults.lately} are void, as the referee broke after its answer; `ladder match show` of those has what it "
        "answered"
    )


def odd_pair_text(pair: OddPair) -> str:
    return (
        f"{pair.version} of {pair.player} took {pair.points:g} of {pair.matches} points against {pair.opponent} of "
        f"{pair.opponent_player} in {pair.board}, and {pair.expected:.1f} would be as their ratings say "
        f"({pair.deviations:.1f} standard deviations): if these are not two styles, one may lose on purpose; "
        f"`ladder bot versus {pair.version} {pair.opponent}` has their matches"
    )


def unguarded_text(league: leagues.Unguarded) -> str:
    where = f"{league.game}/{league.league}"
    if league.boss is None:
        return f"{where} has no boss, so no version goes up from it: name one with `ladder league apply`"
    ours = league.player == HOUSE
    mend = "the next start submits it again, as `ladder db migrate` does" if ours else "submit another version of it"
    return f"{where} has no boss that plays: {league.boss} was rejected; {mend}. {one_line(league.why)}"


def untrusted_text(league: leagues.Untrusted) -> str:
    return f"{league.game}/{league.league}: {leagues.UNPLAYED}"


def missing_text(overdue: Sequence[Overdue]) -> str | None:
    since = {late.round: "" if late.since_s is None else f" for {counted(late.since_s, 'second')}" for late in overdue}
    if MaintenanceRound.SCHEDULER in since:
        return (
            f"no scheduler has been at work{since[MaintenanceRound.SCHEDULER]}: `ladder scheduler` starts one, and "
            "`ladder up` keeps one. Until then few matches are made, and what a dead worker held is free again after a "
            "minute only"
        )
    if MaintenanceRound.SCHEDULE in since:
        return (
            f"no matches have been made{since[MaintenanceRound.SCHEDULE]}, though a scheduler is at work: no worker "
            "takes its messages. See whether workers and scheduler name the same broker, and what their logs say"
        )
    return None


def lack_text(lack: room.Lack) -> str:
    since = f"{lack.since.astimezone():%Y-%m-%d %H:%M}"
    return f"no matches have been made since {since}: {lack.why}; then it goes on by itself"
