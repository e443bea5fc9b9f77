// The matches of the page: from the text in it, or its source, to what the parts of the viewer ask for.

import { colourNames } from "./colours.js";
import { game } from "./game.js";

/**
 * @typedef {{kind: string, seat: number, cells: number[], amount: number, text: string}} GameEvent
 * @typedef {{number: number, seat: number, own_number: number, input: string[] | null, line: string | null,
 *     limit_ms: number | null, wall_us: number, cpu_us: number, wait_us: number, late_us: number, charged_us: number,
 *     ruling: string, stderr: string, state: object | null, events: GameEvent[], advantage: number | null}} Turn
 * @typedef {{turn: number, cells: string, others: string, count: number, exact: boolean}} View
 * @typedef {{name: string, command: string, ending: string, loss: string, faults: string[]}} Told
 * @typedef {Told & {replay: object}} WatchedMatch
 */

/**
 * Return what the page is about: JSON from the address that an element names, or else unpacked from the element's text,
 * base64 of gzip of JSON.
 * @param {HTMLElement} element
 * @returns {Promise<{matches: WatchedMatch[], parting: {turn: number, seat: number} | null}>}
 */
export async function matchesOf(element) {
    if (element.dataset.from) {
        const answer = await fetch(element.dataset.from);
        if (!answer.ok) {
            throw new Error(`the ladder answers ${answer.status}`);
        }
        return answer.json();
    }
    const bytes = Uint8Array.from(atob(element.textContent.trim()), (character) => character.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream).json();
}

/** A match with quick answers to what is asked of a turn. Turn 0 is the start; a turn after the end is the last. */
export class Match {
    #views;
    #latest;

    /** @param {WatchedMatch} watched */
    constructor(watched) {
        const { replay } = watched;
        this.watched = watched;
        this.replay = replay;
        this.count = replay.turns.length;
        this.names = replay.seats.map((seat) => seat.version);
        this.hasPictures = game !== null && replay.start !== null;
        const kinds = new Set(replay.turns.flatMap((turn) => turn.events.map((event) => event.kind)));
        const { damage } = replay;
        this.colourNames = colourNames([...kinds].sort(), damage ? [damage.kind, damage.end_kind] : []);
        this.#views = [0, 1].map((seat) => spread(replay.views[seat] ?? [], this.count));
        this.#latest = latestTurns(replay.turns, this.names);
    }

    /** Return what a part of the page is called that is about this match; the page may hold another one. */
    named(part) {
        return `${part} of ${this.watched.name}`;
    }

    /** @returns {number} */
    within(turn) {
        return Math.max(0, Math.min(turn, this.count));
    }

    /** @returns {Turn | null} */
    turn(number) {
        return number === 0 ? null : this.replay.turns[number - 1];
    }

    /** Return the turn that a seat had last, at that time; null where it had none. */
    latestOf(seat, number) {
        return this.#latest[seat][number];
    }

    stateAfter(number) {
        return number === 0 ? this.replay.start : this.replay.turns[number - 1].state;
    }

    /** Return what each seat could know at that time. */
    viewsAt(number) {
        return this.#views.map((views) => views[number]);
    }

    /** @returns {{turn: number, words: string}[]} the last turns of the seats that lost by a fault of their own */
    get faults() {
        return this.replay.seats.flatMap(({ seat, verdict }) => {
            const last = this.latestOf(seat, this.count);
            const isFault = verdict !== null && verdict !== "ok" && last !== null;
            return isFault ? [{ turn: last.number, words: verdict === "timeout" ? "time-out" : verdict }] : [];
        });
    }

    /** @returns {"" | "bot" | "host" | "runtime"} whose fault it was that a turn took longer than its limit */
    faultOf(turn) {
        return this.watched.faults[turn.number - 1];
    }
}

/** Return for each turn the view that holds then. */
function spread(views, count) {
    const found = new Array(count + 1).fill(null);
    for (const view of views) {
        found[view.turn] = view;
    }
    for (let turn = 1; turn <= count; turn++) {
        found[turn] ??= found[turn - 1];
    }
    return found;
}

/** Return for each seat, and each turn of the match, the turn that the seat had last. */
function latestTurns(turns, names) {
    return names.map((_, seat) => {
        const found = [null];
        for (const turn of turns) {
            found.push(turn.seat === seat ? turn : found.at(-1));
        }
        return found;
    });
}
