// What stands below the picture, over all turns of a match: the time line with a mark for each event, and the curves.

import { QUIET } from "./colours.js";
import { make, makeDrawn, visible } from "./text.js";

const WIDE = 1000;
const LANE = 16;
const CURVE = 40;

/** The time line and the curves. `go(turn)` is called by a click. */
export class Charts {
    #match;
    #last;
    #playhead;
    #hint;
    #numbers = [];
    #shown = -1;

    /**
     * @param {import("./data.js").Match} match
     * @param {number} last the last turn of the time line
     * @param {(turn: number) => void} go
     */
    constructor(match, last, go) {
        this.#match = match;
        this.#last = Math.max(1, last);
        this.#hint = make("p", { class: "hint quiet", "aria-hidden": "true" }, "Click to go to a turn.");
        this.#playhead = make("div", { class: "playhead" });
        const curves = match.replay.curves.map((curve) => this.#curve(curve));
        const over = make("div", { class: "charts" }, this.#marks(), ...curves, this.#playhead);
        over.addEventListener("click", (click) => go(this.#turnAt(over, click)));
        over.addEventListener("pointermove", (move) => this.#point(this.#turnAt(over, move)));
        const named = { class: "over-time", "aria-label": match.named("Events and curves") };
        this.element = make("section", named, over, this.#hint);
    }

    show(player) {
        const part = Math.min(player.position, this.#match.count) / this.#last;
        this.#playhead.style.transform = `translateX(${100 * part}%)`;
        const turn = this.#match.within(player.turn);
        if (turn !== this.#shown) {
            this.#shown = turn;
            for (const { values, of } of this.#numbers) {
                of.textContent = values[turn] === null ? "–" : String(values[turn]);
            }
        }
    }

    #turnAt(over, { clientX }) {
        const { left, width } = over.getBoundingClientRect();
        return Math.max(0, Math.min(Math.round(((clientX - left) / width) * this.#last), this.#match.count));
    }

    #point(number) {
        const turn = this.#match.turn(number);
        const events = (turn?.events ?? []).map((event) => `${this.#match.names[event.seat]}: ${event.text}`);
        this.#hint.textContent = turn ? visible([`Turn ${number}.`, ...events].join(" ")).slice(0, 300) : "The start.";
    }

    #x(turn) {
        return (turn / this.#last) * WIDE;
    }

    /** A lane for each seat, with a mark for each kind of event in a turn. */
    #marks() {
        const names = this.#match.colourNames;
        const ways = {};
        for (const { number, seat, kind, part, parts } of marksOf(this.#match.replay.turns)) {
            const [top, high] = [seat * (LANE + 2) + (part * LANE) / parts, LANE / parts];
            ways[kind] = `${ways[kind] ?? ""}M${this.#x(number).toFixed(1)} ${top.toFixed(1)}v${high.toFixed(1)}`;
        }
        const seats = this.#match.names.length;
        const lanes = [...this.#match.names.keys()].map((seat) =>
            makeDrawn("rect", { class: `lane-${seat}`, y: seat * (LANE + 2), width: WIDE, height: LANE }),
        );
        const marks = Object.entries(ways).map(([kind, d]) => {
            const path = makeDrawn("path", { class: "mark", d, "data-kind": kind });
            path.style.stroke = `var(${names[kind]})`;
            return path;
        });
        return drawing(seats * (LANE + 2) - 2, "Marks where events are", [...lanes, ...marks]);
    }

    #curve({ title, unit, values }) {
        const known = values.flat().filter((value) => value !== null);
        const [low, high] = [Math.min(0, ...known), Math.max(1, ...known)];
        const lines = values.map((of, seat) => {
            const points = of.map((value, turn) => (value === null ? null : this.#pointOf(turn, value, low, high)));
            return makeDrawn("path", { class: `curve curve-${seat}`, d: way(points) });
        });
        const numbers = [0, 1].map((seat) => make("b", { class: `of-${seat}` }));
        numbers.forEach((of, seat) => this.#numbers.push({ of, values: values[seat] }));
        const words = make("span", {}, `${title}: `, numbers[0], " : ", numbers[1], ` ${unit}`);
        const heading = make("p", { class: "curve-title" }, words);
        return make("div", {}, heading, drawing(CURVE, `${title}, over all turns`, lines));
    }

    #pointOf(turn, value, low, high) {
        const y = CURVE - 2 - ((value - low) / (high - low)) * (CURVE - 4);
        return `${this.#x(turn).toFixed(1)} ${y.toFixed(1)}`;
    }
}

/** Yield each kind of event of each turn and seat; those of one turn and seat share the height of the lane. */
function* marksOf(turns) {
    for (const { number, events } of turns) {
        for (const seat of new Set(events.map((event) => event.seat))) {
            const kinds = [...new Set(events.filter((event) => event.seat === seat).map((event) => event.kind))];
            yield* kinds.map((kind, part) => ({ number, seat, kind, part, parts: kinds.length }));
        }
    }
}

/** A line through points; it has gaps where they are null. */
function way(points) {
    return points.map((point, index) => (point === null ? "" : `${points[index - 1] ? "L" : "M"}${point}`)).join("");
}

function drawing(height, name, shapes) {
    const box = { viewBox: `0 0 ${WIDE} ${height}`, preserveAspectRatio: "none" };
    const drawn = makeDrawn("svg", { ...box, role: "img", "aria-label": name }, ...shapes);
    drawn.style.height = `${height}px`;
    return drawn;
}

/** The kinds of events of the matches with their colours; those that are checked are those that `n` and `p` find. */
export class Legend {
    #boxes = [];

    /** @param {Record<string, string>} names the kinds, with the names of their colours */
    constructor(names) {
        const kinds = Object.keys(names);
        const isAlone = kinds.length === 1;
        const labels = kinds.map((kind) => {
            const box = make("input", { type: "checkbox", value: kind, checked: isAlone || !QUIET.includes(kind) });
            this.#boxes.push(box);
            const swatch = make("span", { class: "swatch" });
            swatch.style.background = `var(${names[kind]})`;
            return make("label", {}, box, swatch, kind.replaceAll("_", " "));
        });
        const title = make("legend", {}, "Events to step through");
        this.element = make("fieldset", { class: "legend" }, title, ...labels);
        this.element.hidden = kinds.length === 0;
    }

    /** Say whether a turn has an event that is looked for. */
    has(turn) {
        const wanted = this.#boxes.filter((box) => box.checked).map((box) => box.value);
        return turn.events.some((event) => wanted.includes(event.kind));
    }
}
