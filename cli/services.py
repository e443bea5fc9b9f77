"""`ladder up | down | status | worker | scheduler | metrics | health | demo`: what runs."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Iterator
from typing import Annotated

import cli
import workers
from cli.answer import Answer, argument, option
from cli.context import Context
from cli.options.names import ByOption, operator_named
from cli.options.numbers import MOST_JOBS, MOST_OWN_BATTLES, Port
from cli.terminal.words import EXAMPLE_GAME, next_commands, quoted
from cli.web.address import for_people, pages_of, proxy_sentence, require_port, where_pages_are
from engine import games
from engine.errors import UsageFault
from engine.text import counted
from ladder import actions, database, views
from ladder.errors import QueueDown
from ladder.event_log import log_settings
from ladder.health import ProcessKind, require_health
from ladder.settings import METRICS_PLACE
from workers.commands import ENVIRONMENT, WEB, WORKER, cores, embedded_children, scheduler_command, worker_command

PREPARE = "ladder.actions.installation:bring_up_to_date"
"""What the supervisor calls when the database answers, before it starts the workers."""
AT_ONCE = "Matches at once. [default: one per core]"
ConcurrencyOption = Annotated[int | None, option("--concurrency -c", AT_ONCE, min=1, max=MOST_JOBS)]


def up(
    context: Context,
    concurrency: Annotated[int | None, option("--workers -w", AT_ONCE, min=1, max=MOST_JOBS)] = None,
    foreground: Annotated[bool, option("--foreground -f", "Run in the foreground until Ctrl-C.")] = False,
    no_web: Annotated[bool, option("--no-web", "Without the pages in the browser.")] = False,
    port: Port = None,
) -> None:
    """Start the embedded services and workers.

    PostgreSQL, Redis, workers, scheduler and the pages in the browser (`ladder web`) run in the background; data stay
    in LADDER_HOME. With LADDER_METRICS, `ladder metrics` runs there, too. Nothing is started where no sandbox works or
    keeps what LADDER_GUARANTEES demands (exit status 3; 5 where a program is missing), nor where LADDER_DATABASE_URL
    and LADDER_BROKER_URL name services of your own: those have `ladder scheduler`, `ladder worker` and `ladder web`. It
    waits until a worker plays, and ends with the address of the pages and the two commands to type next; where the
    worker ends instead, it says why and has that one's exit status, while the services go on and start the worker
    again.

    Example: ladder up && ladder submit my_bot.py --game ocean-of-code
    """
    context.require_both_or_neither()
    if context.settings.database_url:  # all other commands would go to those
        raise UsageFault(
            "LADDER_DATABASE_URL and LADDER_BROKER_URL name services of your own, and `ladder up` starts embedded "
            "ones: run `ladder db migrate`, `ladder scheduler` and `ladder worker` instead, or unset both"
        )
    log_settings(os.environ)
    workers.worker_process.serving_sandbox()
    os.environ.update(games.catalogue.absolute_folders(os.environ))
    for fault in context.games.faults.values():
        context.say(quoted(f"ladder: {fault}"))
    if not no_web and workers.embedded.state_file.running(context.home) is None:
        require_port(context, port)
    children = embedded_children(concurrency or cores(), web=not no_web, port=port, metrics=context.settings.metrics)
    if foreground:
        if not no_web:
            context.say("`ladder status` prints the address of the pages as soon as they are there")
        workers.embedded.supervisor.run(context.home, children, actions.installation.bring_up_to_date, context.say)
        return
    with context.err.status("starting") as status:
        running = workers.embedded.control.up(context.home, children, status.update, prepare=PREPARE)
        status.update("waiting for the worker")
        ending = workers.service_status.worker_that_starts(context.home)
        pages = where_pages_are(context, running)
    if ending is not None:
        context.say(*pages)
        but = "but its worker has ended and is started again; `ladder down` stops all. It said"
        raise ending.error(f"the ladder runs (supervisor {running.pid}), {but}")
    where = f"supervisor {running.pid}, data in {context.home.folder}"
    steps = {f"submit my_bot.py --game {EXAMPLE_GAME} --watch": "submit a bot", "board": "see the ranking"}
    context.say(f"the ladder runs ({where}); `ladder down` stops it", *pages, next_commands(steps))


def down(context: Context) -> None:
    """Stop what `ladder up` started.

    Everything that was submitted and recorded stays.

    Example: ladder down
    """
    with context.err.status("stopping"):
        stopped = workers.embedded.control.down(context.home)
    context.say("the ladder is stopped; its data stay" if stopped else "nothing runs here")


def status(context: Context, as_json: Annotated[bool, option("--json", "Print it as JSON.")] = False) -> None:
    """Show what runs and what waits.

    Supervisor, the address of the pages, matches by state, battles that were asked for, messages in the queues, and the
    workers that are alive, or that one is starting. It names games with waiting work that no worker can do, versions in
    a language that no worker has, versions whose matches are void far more often than their opponents' or whose answers
    break referees, two versions whose results against each other are not what their ratings say, leagues whose boss
    does not play, and those in which nothing is played for want of trust. Where the broker does not answer it shows the
    rest, and ends with 4. Of a ladder behind a server it shows what waits there.

    Example: ladder status --json
    """
    report, fault = look(context)
    if as_json:
        context.show_json(report, spare=context.server is not None)
    else:
        for line in status_lines(context, report):
            context.show(line)
    if fault is not None:
        raise fault


def status_lines(context: Context, report: views.fleet.Status) -> Iterator[str]:
    state = report.ladder
    where = f"supervisor {report.supervisor}, home {report.home}"
    if context.server is not None:
        yield f"the ladder at {context.server.url}, named by {context.server.chosen_by}"
    else:
        yield f"running: {where if report.supervisor else 'services named by the environment'}"
    if context.server is None:
        yield from pages_lines(context, report)
    matches = "matches: {0.queued} queued, {0.running} running, {0.finished} finished, {0.void} void"
    yield f"{matches.format(state.matches)}; builds waiting: {state.building}"
    if state.requests.open:
        battles = f"{state.requests.left} battles of them still to be made"
        yield f"requests: {state.requests.open} open, {battles}; `ladder match requests` shows them"
    if report.queue is not None:
        yield f"messages in the queue: {', '.join(f'{name} {count}' for name, count in report.queue.items())}"
    if state.fleet.processes and not state.workers:
        yield views.fleet.fleet_text(state.fleet)
    for worker in state.workers:
        where = "" if worker.host is None else f"{worker.host}, process {worker.pid}, "
        doing = f"plays match {worker.match_id}" if worker.match_id else "idle"
        yield f"worker {worker.id}: {where}{doing}{', and ends then' if worker.is_to_end else ''}"
    yield from filter(None, [views.fleet.missing_text(state.overdue)])
    yield from map(views.fleet.lack_text, filter(None, [state.lack]))
    yield from map(views.fleet.no_fair_clock_text, state.without_fair_clock)
    yield from map(views.fleet.unplayable_text, state.unplayable)
    yield from map(views.fleet.stranded_text, state.stranded)
    yield from map(views.fleet.suspect_text, state.suspects)
    yield from map(views.fleet.breaker_text, state.breakers)
    yield from map(views.fleet.odd_pair_text, state.odd_pairs)
    yield from map(views.fleet.unguarded_text, state.unguarded)
    yield from map(views.fleet.untrusted_text, state.untrusted)
    if report.worker_ended is not None:
        yield f"no worker is alive, and the last one ended: {report.worker_ended} (see {context.home.log(WORKER)})"
    elif report.starting:
        yield f"no worker is alive yet: one is starting; {context.home.log(WORKER)} says why if it does not"
    elif not state.fleet.processes and context.server is None:
        yield "no worker is alive: `ladder worker` starts one"


def pages_lines(context: Context, report: views.fleet.Status) -> Iterator[str]:
    log = context.home.log(WEB)
    if report.web is not None:
        pages = pages_of(context)
        missing = f"{report.web} (they do not listen yet; {log} says why)"
        alone = missing if report.supervisor else report.web
        yield f"pages: {alone if pages is None else for_people(context, pages)}"
        yield from proxy_sentence(context)
    elif context.services is not None and WEB in context.services.endings:
        yield f"the pages have ended, and are started again: {context.services.endings[WEB].words} (see {log})"


def look(context: Context) -> tuple[views.fleet.Status, QueueDown | None]:
    """Return what `ladder status` shows, and why the queue is unknown, if so. Raises Unavailable without database."""
    state = context.watch(views.fleet.ladder_state)
    if context.server is not None:
        return views.fleet.whole_status(views.fleet.Services(web=context.server.url), state), None
    queue = fault = None
    try:
        queue = workers.broker.queue_lengths(context.broker_url)
    except QueueDown as down:
        fault = down
    running = workers.service_status.embedded(context.home, context.settings)
    services = workers.service_status.services_with(context.home, context.settings, running, queue)
    return views.fleet.whole_status(services, state), fault


def worker(context: Context, concurrency: ConcurrencyOption = None) -> None:
    """Run one more worker here, until Ctrl-C.

    It finishes its matches before it stops. On another machine name the services in LADDER_DATABASE_URL and
    LADDER_BROKER_URL. Bots in languages that are not installed here it leaves to workers that have them. It does not
    start where no sandbox works or keeps what LADDER_GUARANTEES demands: exit status 3, or 5 where a program is
    missing. Nor does it behind a pooler in transaction mode (3), unless LADDER_DATABASE_SESSION_URL names a direct way,
    or on a database of a newer Ladder (3); on one that has yet to be migrated it waits.

    Example: LADDER_DATABASE_URL=... LADDER_BROKER_URL=... ladder worker run --concurrency 4
    """
    with workers.worker_process.refusals_counted():
        workers.worker_process.serving_sandbox()
    become(context, worker_command(concurrency or cores(), f"{socket.gethostname()}-{os.getpid()}"))


def scheduler(context: Context) -> None:
    """Run the scheduler here, until Ctrl-C.

    It asks for new matches every second and sweeps up after dead workers. `ladder up` starts one; with services of
    your own run one or more of these.

    Example: LADDER_DATABASE_URL=... LADDER_BROKER_URL=... ladder scheduler
    """
    become(context, scheduler_command())


WHERE_ASKED = f"Where Prometheus asks; port 0 is any that is free. [default: LADDER_METRICS, else {METRICS_PLACE}]"


def metrics(
    context: Context, listen: Annotated[str | None, option("--listen", WHERE_ASKED, metavar="HOST:PORT")] = None
) -> None:
    """Answer Prometheus with what this ladder measures, until Ctrl-C.

    It reads the database and the broker each time that it is asked, and writes nothing; while one of them is away it
    says so. `LADDER_ACCEPTED_WAIT_S` says for how long work may wait, by which it tells how many workers are wanted.
    Where another program has that port it ends with 4.

    Example: ladder metrics --listen 127.0.0.1:9310
    """
    log_settings(os.environ)
    database_url, broker_url = context.database_url, context.broker_url
    wait_s = context.settings.accepted_wait_s
    with workers.exporter.listen(listen or context.settings.metrics or METRICS_PLACE) as listener:
        context.say(f"metrics at {workers.exporter.address_of(listener)}; Ctrl-C ends it")
        workers.exporter.serve(listener, database_url, broker_url, wait_s, context.home.sign(ProcessKind.METRICS))


def health(
    context: Context,
    kind: Annotated[ProcessKind, argument("Which of the processes that run here.")],
    ready: Annotated[bool, option("--ready", "Whether it lacks nothing for its work, too.")] = False,
) -> None:
    """Say whether a process that runs here is well, for those that restart it.

    It goes by what that process itself did last: each leaves a sign of life in LADDER_HOME every few seconds. The exit
    status is 1 where one of them has left none for a minute, or none lives. A database or a broker that is away makes
    no process unwell; with --ready, the status is 1 then, too.

    Example: ladder health worker --ready
    """
    context.show(require_health(context.home.folder, kind, ready=ready))


def become(context: Context, command: tuple[str, ...]) -> None:
    """Turn this process into that program, services in its environment. Raises UsageFault, Unavailable, Refused."""
    log_settings(os.environ)
    addresses = {"LADDER_DATABASE_URL": context.database_url, "LADDER_BROKER_URL": context.broker_url}
    database.connection.require_own_sessions(context.database_url)  # says now if one of them does not answer
    with workers.broker.broker(context.broker_url) as client:
        client.ping()
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # That program hears it as soon as it can answer.
    os.execvpe(command[0], command, {**os.environ, **addresses, **ENVIRONMENT})  # noqa: S606 - no shell is the point


def migrate(context: Context) -> None:
    """Bring the database up to date.

    Schema, leagues and bosses; safe to run again.

    Example: LADDER_DATABASE_URL=postgresql://ladder@db/ladder ladder db migrate
    """
    actor = operator_named(None)
    applied = actions.installation.migrate(actor, context.database_url)
    context.say(*(f"applied {migration.number:04} {migration.name}" for migration in applied))
    changed = context.act(actions.installation.bring_in_games, actor, context.games)
    context.say(*(f"submitted {version.name}, a boss" for version in changed))
    if not applied and not changed:
        context.say("the database is up to date")


def drain(
    context: Context,
    host: Annotated[str | None, option("--host", "Only those of this machine, as `ladder status` calls it.")] = None,
    player: ByOption = None,
) -> Annotated[Answer, "Print as JSON how many these are."]:
    """Let workers finish their matches and end, wherever they run.

    They take no new work from then on, as after a SIGTERM, and end with status 0. What starts workers again whatever
    their status is (Compose, Kubernetes, `ladder up`) starts new ones, which play: change the image first, or stop
    them there. It is an operator's deed.

    Example: ladder worker drain --host arena-3
    """
    ending = context.act(actions.installation.drain, operator_named(player), host)
    if not ending.processes:
        return Answer(ending, "no worker is alive")
    machines = f" on {counted(ending.machines, 'machine')}" if host is None else ""
    end = f"{counted(ending.processes, 'process', 'processes')}{machines} will end"
    return Answer(ending, f"{end}, {ending.at_work} of them after a match; `ladder status` shows them")


def demo(
    context: Context,
    battles: Annotated[int, option("--battles", "Battles in each league.", min=1, max=MOST_OWN_BATTLES)] = 8,
) -> None:
    """Show the whole thing once, in a minute.

    Services, submissions, sandboxed matches, leagues, leaderboards. A line for each promotion says how it came about;
    at the end one match is drawn. It works in a home of its own, made anew each time, beside LADDER_HOME. Only bots
    that ship with Ladder play, so where no sandbox works it runs without one, and says so.

    Example: ladder demo --battles 10
    """
    cli.demo.run_demo(context, battles)
