"""All checks of a game by name. A check gives a sentence for each thing that is wrong, and none where all is well.

They hold for every referee, whatever is answered: real answers, odd texts, none at all.

How this works. A game lists in its `hidden.toml` what is hidden: ways to play a seat that the other player must not be
able to distinguish. Every way is played against the same opponent, who has to be asked exactly the same each time.

Golden records of any game are matches between its bots, written down question by question. Bots play in the sandbox,
with far more time than the game gives them, so that a busy machine changes nothing. What they said is then put to the
referee once more, which shows what each of them was asked.
"""

import json
import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain, cycle, islice, product, repeat
from pathlib import Path
from random import Random

from engine.bot.conditions import OFFICIAL
from engine.bot.output import Reply
from engine.conversation import FOR_TWO, OK, Ask, Outcome, Referee, TimeLimits, Verdict
from engine.errors import BuildRefused, GameFault, MissingTool, UsageFault, plain_words
from engine.frames import Frames
from engine.game import ENGLISH, Game, Pictures
from engine.games.golden import MapRecord, MatchRecord, RecordedAsk, map_difference, numbered_records
from engine.immutable import immutable
from engine.live import SMOKE_SEED, play, smoke
from engine.match import MatchResult, MatchSpec, converse, lead_by_rules, replay
from engine.records.repeat_match import record_difference
from engine.rejudge import asks_of
from engine.sandbox.box import Sandbox
from engine.toolchains.build import build
from engine.toolchains.languages import language_of
from engine.toolchains.params import NO_PARAMS, Params, check_params, params_text, with_params

SHORTEST_CHARS = 200
CODE = re.compile(r"`([^`]+)`")
NUMBER = re.compile(r"-?\d+")
THOUSANDS = re.compile(r"(?<=\d)[,\u00a0\u202f](?=\d{3}(?!\d))")


def statement_complaints(game: Game) -> Iterator[str]:
    for language, level in product(game.statement_languages, game.rules_levels):
        try:
            text, english = game.statement(level, language), game.statement(level)
        except GameFault as fault:
            yield str(fault)
            continue
        where = f"the statement of level {level} in {language}"
        if len(text) < SHORTEST_CHARS:
            yield f"{where} has {len(text)} characters; rules take at least {SHORTEST_CHARS}"
        elif language != ENGLISH:
            yield from (f"{where} {difference}" for difference in differences(text, english))


def differences(text: str, english: str) -> Iterator[str]:
    """Compare what every language writes alike: what stands in code, and how often each number comes in the rest."""
    codes = [Counter(" ".join(code.split()) for code in CODE.findall(version)) for version in (text, english)]
    numbers = [Counter(NUMBER.findall(THOUSANDS.sub("", CODE.sub(" ", version)))) for version in (text, english)]
    for what, (of_text, of_english) in (("code", codes), ("numbers", numbers)):
        if lacking := of_english - of_text:
            yield f"lacks {what} of the English one: {', '.join(sorted(lacking))}"
        if further := of_text - of_english:
            yield f"has {what} that the English one has not: {', '.join(sorted(further))}"


@immutable
class Secret:
    """`ways`: all lines of a seat, between which an opponent sees no difference who says `opponent`, the last again."""

    what: str
    levels: tuple[int, ...]
    seed: int
    ways: tuple[tuple[str, ...], ...]
    opponent: tuple[str, ...]


def secrets_of(game: Game) -> tuple[Secret, ...]:
    """Read what a game hides. Raises GameFault, which names the file and the key that is wrong."""
    path = game.folder / "hidden.toml"
    try:
        table = tomllib.loads(path.read_text("utf-8-sig"))
        secrets: list[Secret] = []
        for row in table["secrets"]:
            ways = tuple((*row.get("before", ()), way, *row.get("after", ())) for way in row["ways"])
            opponent = tuple(row.get("opponent", table["opponent"]))
            secrets.append(Secret(row["what"], tuple(row["levels"]), table["seed"], ways, opponent))
    except KeyError as missing:
        raise GameFault(f"{path}: {missing.args[0]} is missing") from missing
    except (OSError, ValueError, TypeError) as error:
        raise GameFault(f"{path} cannot be read as a list of secrets: {plain_words(error)}") from error
    return tuple(secrets)


def leak_complaints(game: Game) -> Iterator[str]:
    for secret in secrets_of(game):
        for level, players in product(secret.levels, game.players):
            for seat in range(players):
                first, *others = (asks for asks, _ in plays_of(game, secret, level, seat, players))
                for way, asks in zip(secret.ways[1:], others, strict=True):
                    if asks != first:
                        yield f"{secret.what}, level {level}, seat {seat}: the opponent can distinguish {way}"


def plays_of(
    game: Game, secret: Secret, level: int, seat: int, players: int = 2
) -> Iterator[tuple[list[Ask], Outcome]]:
    for way in secret.ways:
        yield overhear(MatchSpec(game, level, secret.seed, players=players), seat, way, secret.opponent)


def overhear(
    spec: MatchSpec, seat: int, lines: tuple[str, ...], opponent: tuple[str, ...]
) -> tuple[list[Ask], Outcome]:
    """Let a seat say its lines and then nothing; return what the others were asked until then, and the end."""
    answers = {other: chain(opponent, repeat(opponent[-1])) for other in range(spec.players)} | {seat: iter(lines)}
    asks: list[Ask] = []

    def answer(ask: Ask) -> str | None:
        if ask.seat != seat:
            asks.append(ask)
        return next(answers[ask.seat], None)

    outcome, _ = converse(spec, [AnsweringPlayer(answer)] * spec.players)
    return asks, outcome


ROUNDS = 20
ENDLESS = 10
"""A match that asks a seat this many times as often as the game promises is taken to have no end."""
SEEDS = (0, 1, -1, 1337, 2**63 - 1, -(2**63))
ODD_TEXTS = ("", " ", "0", "-1", "1 1 1", "9" * 400, "WAIT", "é", "\t", "0 0;1 1", "None", "1e9", "\u2028", "x" * 5000)


def with_an_end(game: Game) -> Game:
    """Let the referee give up where a match goes on and on, so that every check ends."""

    def referee(seed: int, rules_level: int, limits: TimeLimits, players: int = 2) -> Referee:
        conversation = game.lead(seed, rules_level, limits, players)
        counts = [0] * players
        ask = next(conversation)
        while True:
            counts[ask.seat] += 1
            if max(counts) > ENDLESS * game.most_asks_per_seat:
                raise GameFault(
                    f"a match of {game.name} does not end: seat {ask.seat} is asked {max(counts)} times, and "
                    f"most_asks_per_seat is {game.most_asks_per_seat} (rules level {rules_level}, seed {seed})"
                )
            answer = yield ask
            try:
                ask = conversation.send(answer)
            except StopIteration as end:
                outcome: Outcome = end.value
                return outcome

    return replace(game, referee=referee)


class AnsweringPlayer:
    def __init__(self, answer: Callable[[Ask], str | None]) -> None:
        self._answer = answer

    def ask(self, ask: Ask) -> Reply:
        return Reply(self._answer(ask))


def league_complaints(game: Game) -> Iterator[str]:
    levels = [league.rules_level for league in game.leagues]
    if levels != sorted(levels):
        yield f"the leagues' rules levels do not go upwards: {levels}"
    for league in game.leagues:
        if league.title.strip().lower().replace(" ", "-") != league.name:
            yield f"the league {league.name} has the title {league.title!r}, which is another name"
    bosses = [(league.boss, params_text(league.boss_params)) for league in game.leagues if league.boss is not None]
    if not bosses:
        yield "no league has a boss, so no bot can be promoted"
    if len(set(bosses)) < len(bosses):
        yield "one file with the same parameters is the boss of two leagues"


def map_complaints(game: Game) -> Iterator[str]:
    if game.maps is None:
        return
    for level, seed in product(game.rules_levels, SEEDS):
        where = f"the map of seed {seed} at level {level}"
        try:
            first, again = ((game.maps.draw(seed, level), game.maps.facts(seed, level)) for _ in range(2))
        except Exception as error:  # noqa: BLE001 - the game's own code may raise anything
            yield f"{where} cannot be drawn ({type(error).__name__}: {error})"
            continue
        if len({len(row) for row in first[0]}) != 1:
            yield f"{where} has rows of different lengths"
        if first != again:
            yield f"{where} is another one the second time"


def length_complaints(game: Game, records: tuple[MatchRecord, ...]) -> Iterator[str]:
    for level, seed in product(game.rules_levels, range(ROUNDS)):
        result = random_match(game, records, level, seed)
        where = f"{of_many(game, result.spec.players)}seed {result.spec.seed}, level {level}, answers {seed}"
        for seat in range(result.spec.players):
            if (count := sum(turn.seat == seat for turn in result.turns)) > game.most_asks_per_seat:
                yield f"{where}: seat {seat} is asked {count} times; most_asks_per_seat: {game.most_asks_per_seat}"
        yield from (f"{where}: {fault}" for fault in faults_of(result.outcome))


def faults_of(outcome: Outcome) -> Iterator[str]:
    if not outcome.reason:
        yield "the outcome has no reason"
    for seat, verdict in enumerate(outcome.verdicts):
        if verdict == OK:
            continue
        if outcome.winner == seat:
            yield f"seat {seat} is at fault ({verdict.words}) and wins"
        if verdict.verdict not in {Verdict.ILLEGAL, Verdict.TIMEOUT} or not verdict.message:
            yield f"seat {seat} has the verdict {verdict.verdict}: a referee says illegal or timeout, and why"


def repetition_complaints(game: Game, records: tuple[MatchRecord, ...]) -> Iterator[str]:
    for level, seed in product(game.rules_levels, range(ROUNDS)):
        result = random_match(game, records, level, seed)
        if result != random_match(game, records, level, seed) or replay(result) != result:
            yield f"seed {result.spec.seed}, level {level}, answers {seed}: another match the second time"


def silence_complaints(game: Game) -> Iterator[str]:
    """Complain where the first seat to give no answer does not lose by it."""
    for level, players in product(game.rules_levels, game.players):
        spec = MatchSpec(game, level, 1, players=players)
        outcome, turns = converse(spec, [AnsweringPlayer(lambda _: None)] * players)
        seat = turns[0].seat
        if outcome.verdicts[seat].verdict is not Verdict.TIMEOUT or outcome.winner == seat:
            where = f"{of_many(game, players)}level {level}"
            yield f"{where}: seat {seat} gives no answer, and the outcome is {outcome}"


def of_many(game: Game, players: int) -> str:
    return "" if game.players == FOR_TWO else f"{players} players, "


def limit_complaints(game: Game, records: tuple[MatchRecord, ...]) -> Iterator[str]:
    """Complain where a seat's first answer has not the limit of first answers, or a later one not its own."""
    for record in records:
        spec = MatchSpec(game, record.rules_level, record.seed, 7_000, 70, len(record.scores))
        referee, limits = lead_by_rules(spec), defaultdict[int, list[int]](list)
        with suppress(StopIteration):
            ask = next(referee)
            for recorded in record.asks:
                limits[ask.seat].append(ask.limit_ms)
                ask = referee.send(recorded.answer)
        for seat, of_seat in sorted(limits.items()):
            if of_seat[0] != 7_000 or set(of_seat[1:]) - {70}:
                yield f"seed {record.seed}: seat {seat} has {of_seat[:3]} ms where first 7000 and then 70 are set"


def random_match(game: Game, records: tuple[MatchRecord, ...], level: int, seed: int) -> MatchResult:
    """Play recorded openings on a recorded seed, then recorded lines and odd texts at random."""
    chance = Random(seed)  # noqa: S311 - the same match each time
    of_level = [record for record in records if record.rules_level == level]
    record = chance.choice(of_level) if of_level else None
    asks = record.asks if record else ()
    lines = [ask.answer for ask in asks if ask.answer is not None] or ["0"]
    opening_length = chance.randrange(30)
    players = len(record.scores) if record else game.players[seed % len(game.players)]
    openings = [iter([ask.answer for ask in asks if ask.seat == seat][:opening_length]) for seat in range(players)]

    def answer(ask: Ask) -> str | None:
        pool = lines if chance.random() < 0.9 else ODD_TEXTS
        return next(openings[ask.seat], None) or chance.choice(pool)

    spec = MatchSpec(game, level, record.seed if record else seed, players=players)
    outcome, turns = converse(spec, [AnsweringPlayer(answer)] * players)
    return MatchResult(spec, outcome, turns)


def picture_complaints(game: Game, records: tuple[MatchRecord, ...]) -> Iterator[str]:
    drawings = game.drawing, game.text_drawing()
    if (pictures := game.pictures()) is None:
        if any(drawings):
            yield f"{game.folder}: draw.js or draw.py is there, and no frames.py with states that they could draw"
        return
    for record in records:
        where = f"{game.folder}, frames.py, level {record.rules_level}, seed {record.seed}"
        try:
            frames = pictures.frames(record.seed, record.rules_level, game.limits)
            yield from (f"{where}: {fault}" for fault in frame_complaints(frames, record.asks))
            yield from (f"{where}: {fault}" for fault in knowledge_complaints(pictures, record))
        except Exception as error:  # noqa: BLE001 - the game's own code may raise anything
            yield f"{where}: {type(error).__name__}: {plain_words(error)}"


def frame_complaints(frames: Frames, asks: tuple[RecordedAsk, ...]) -> Iterator[str]:
    if not all(isinstance(frames.setup.get(side), int) for side in ("width", "height")):
        yield "setup lacks the numbers width and height"
    answer: str | None = None
    for number, recorded in enumerate(asks, 1):
        try:
            ask = frames.referee.send(answer if number > 1 else None)
        except StopIteration:
            yield f"the match ends before ask {number}, which its referee has"
            return
        if (ask.seat, ask.lines) != (recorded.seat, recorded.lines):
            yield f"ask {number} is another than that of the referee"
            return
        answer = recorded.answer
        json.dumps([frames.setup, frames.state(), frames.advantage()])
        if len(frames.values()) != len(frames.curves):
            yield f"at ask {number} there are {len(frames.values())} values for {len(frames.curves)} curves"
            return


def knowledge_complaints(pictures: Pictures, record: MatchRecord) -> Iterator[str]:
    if pictures.knowledge is None:
        return
    for seat in range(len(record.scores)):
        asks = [ask for ask in record.asks if ask.seat == seat]
        views = list(pictures.knowledge(record.rules_level, [ask.lines for ask in asks], [ask.answer for ask in asks]))
        if len(views) != len(asks):
            yield f"knowledge has {len(views)} views for the {len(asks)} asks of seat {seat}"


@immutable
class Capability:
    """`name`: as `lacks` has it; `title`: for people; `place`: where its files belong; `patterns`: of their paths."""

    name: str
    title: str
    place: str
    patterns: tuple[str, ...]

    def files(self, game: Game) -> list[Path]:
        return [path for pattern in self.patterns for path in sorted(game.folder.glob(pattern)) if path.is_file()]


GOLDEN = Capability("golden", "golden records", "golden.jsonl", ("golden.jsonl", "golden.jsonl.gz"))
STARTERS = Capability("starters", "starters", "starters/", ("starters/*",))
CAPABILITIES = (GOLDEN, Capability("secrets", "secrets", "hidden.toml", ("hidden.toml",)), STARTERS)


def capability_complaints(game: Game, capability: Capability) -> Iterator[str]:
    is_there = bool(capability.files(game))
    table = game.folder / "game.toml"
    if is_there and capability.name in game.lacks:
        yield f'{table}: lacks names "{capability.name}", and {capability.place} is there'
    if not is_there and capability.name not in game.lacks:
        yield f'{table}: there is no {capability.place}: add it, or put "{capability.name}" into lacks'


def record_complaints(game: Game) -> Iterator[str]:
    path = next(iter(GOLDEN.files(game)), None)
    try:
        for line, record in numbered_records(path) if path else ():
            if record.game != game.name:
                yield f"{path}, line {line}: a record of {record.game}"
            elif isinstance(record, MapRecord):
                facts = game.maps_or_refuse().facts(record.seed, game.leagues[-1].rules_level)
                if difference := map_difference(record, facts):
                    yield f"{path}, line {line}: {difference}"
            elif difference := record_difference(record, game):
                yield f"{path}, line {line}: {difference}"
    except UsageFault as fault:
        yield str(fault)


@immutable
class CheckFinding:
    """`complaints` is empty where all is well; `lacks`: the game says that it has none of it."""

    check: str
    complaints: tuple[str, ...] = ()
    lacks: bool = False


def try_bosses(game: Game, sandbox: Sandbox) -> tuple[CheckFinding, tuple[MatchRecord, ...]]:
    complaints, records = list[str](), list[MatchRecord]()
    for league in game.leagues:
        if league.boss is not None:
            path = game.bots_folder / league.boss
            faults, of_boss = try_bot(game, league.rules_level, path, sandbox, league.boss_params)
            complaints += faults
            records += of_boss
    return CheckFinding("bosses pass their trial matches", tuple(complaints)), tuple(records)


def try_starters(game: Game, sandbox: Sandbox) -> CheckFinding:
    """Leave out those whose language is not installed here."""
    complaints: list[str] = []
    for path in STARTERS.files(game):
        with suppress(MissingTool):
            complaints += try_bot(game, game.leagues[0].rules_level, path, sandbox)[0]
    return CheckFinding("starters pass their trial matches", tuple(complaints))


def try_bot(
    game: Game, level: int, path: Path, sandbox: Sandbox, params: Params = NO_PARAMS
) -> tuple[list[str], list[MatchRecord]]:
    """Try a bot against itself, with each number of players; return also the record of a match of each."""
    complaints, records = list[str](), list[MatchRecord]()
    try:
        check_params(params)
        program = with_params(build(path.read_text("utf-8"), language_of(path), sandbox), params)
        for players in game.players:
            complaint = smoke(program, MatchSpec(game, level, SMOKE_SEED, players=players), sandbox, OFFICIAL)
            if complaint:
                complaints.append(f"{path}: {complaint}")
                continue
            spec = MatchSpec(game, level, SMOKE_SEED, LIMIT_MS, LIMIT_MS, players)
            records.append(record_of_match(play(spec, [program] * players, sandbox), "trial"))
    except (BuildRefused, GameFault, UsageFault) as fault:
        return [f"{path}: {fault}"], []
    return complaints, records


RULES: dict[str, Callable[[Game, tuple[MatchRecord, ...]], Iterator[str]]] = {
    "any lines end a match": length_complaints,
    "the same seed and lines give the same match": repetition_complaints,
    "the first answer has its own limit": limit_complaints,
}


def check(game: Game, sandbox: Sandbox) -> Iterator[CheckFinding]:
    """Every check ends, whatever the referee does. Raises SandboxFault and MissingTool where bots cannot run here."""
    game = with_an_end(game)
    yield CheckFinding("leagues", tuple(league_complaints(game)))
    yield CheckFinding("statements", tuple(statement_complaints(game)))
    for capability in CAPABILITIES:
        complaints = tuple(capability_complaints(game, capability))
        yield CheckFinding(capability.title, complaints, lacks=capability.name in game.lacks and not complaints)
    yield CheckFinding("maps", tuple(map_complaints(game)), lacks=game.maps is None)
    yield CheckFinding("no answer loses", list_complaints(silence_complaints(game)))
    trial, records = try_bosses(game, sandbox)
    yield trial
    for name, complaints_of in RULES.items():
        yield CheckFinding(name, list_complaints(complaints_of(game, records)))
    picture_faults = list_complaints(picture_complaints(game, records))
    yield CheckFinding("pictures", picture_faults, lacks=not picture_faults and game.pictures() is None)
    if "golden" not in game.lacks:
        yield CheckFinding("golden records are met", list_complaints(record_complaints(game)))
    if "secrets" not in game.lacks:
        yield CheckFinding("secrets are kept", list_complaints(leak_complaints(game)))
    if "starters" not in game.lacks:
        yield try_starters(game, sandbox)


def list_complaints(complaints: Iterator[str]) -> tuple[str, ...]:
    """Return the complaints; where a file is missing or the referee raises, that is one too, and the last."""
    texts: list[str] = []
    try:
        texts.extend(complaints)
    except GameFault as fault:
        texts.append(str(fault))
    return tuple(texts)


LIMIT_MS = 10_000
"""For each answer."""


def fixtures(game: Game, bots: Sequence[Path], matches: int, seed: int) -> list[tuple[MatchSpec, tuple[Path, ...]]]:
    """Levels and numbers of players take turns, each with all orders of bots: without `bots` the bosses up to that
    level. Raises UsageFault where a level has none.
    """
    kinds = {
        (level, players): cycle(product(bots or bosses_up_to(game, level), repeat=players))
        for players, level in product(game.players, game.rules_levels)
    }
    return [
        (MatchSpec(game, level, seed + number, LIMIT_MS, LIMIT_MS, players), next(kinds[level, players]))
        for number, (level, players) in enumerate(islice(cycle(kinds), matches))
    ]


def bosses_up_to(game: Game, level: int) -> list[Path]:
    files = [game.bots_folder / league.boss for league in game.leagues if league.boss and league.rules_level <= level]
    if not files:
        raise UsageFault(f"{game.name} has no boss that plays at rules level {level}: name bots with --bot")
    return files


def record_of_match(result: MatchResult, name: str) -> MatchRecord:
    """`name`: its id. Raises ArenaError where its lines do not lead to its end."""
    spec, end, program = result.spec, result.outcome, result.spec.game.program
    both = zip(asks_of(result), result.turns, strict=True)
    asks = tuple(RecordedAsk(ask.seat, ask.lines, turn.line) for ask, turn in both)
    given = program.repeating(result.notes.parameters) if program and result.notes else ()
    return MatchRecord(
        spec.game.name, name, spec.rules_level, spec.seed, asks, end.scores, end.winner, end.reason, given
    )
