// What there is to know of a turn: what the seats said last, were sent, wrote to stderr and took, and what happened.

import { game } from "./game.js";
import { beginning, counted, Folded, make } from "./text.js";
import { Times } from "./times.js";

const MOST_CHARACTERS_OF_A_TITLE = 100;

/** The panel of a turn: the game's numbers, and each seat. */
export class TurnPanel {
    #match;
    #facts = make("table", { class: "facts" });
    #seats;
    #shown = -1;

    /** @param {import("./data.js").Match} match */
    constructor(match) {
        this.#match = match;
        this.#seats = match.names.map((_, seat) => new SeatPanel(match, seat));
        const parts = [this.#facts, ...this.#seats.map((seat) => seat.element)];
        this.element = make("section", { class: "turn", "aria-label": match.named("This turn") }, ...parts);
    }

    show(player) {
        const number = this.#match.within(player.turn);
        if (number === this.#shown) {
            return;
        }
        this.#shown = number;
        for (const seat of this.#seats) {
            seat.show(number);
        }
        this.#fillFacts(number);
    }

    #fillFacts(number) {
        if (!this.#match.hasPictures) {
            this.#facts.hidden = true;
            return;
        }
        const facts = game.facts(this.#match.replay.setup, this.#match.stateAfter(number));
        const names = this.#match.names.map((name, seat) =>
            make("th", { scope: "col", class: `of-${seat}` }, beginning(name, MOST_CHARACTERS_OF_A_TITLE)),
        );
        const rows = facts.map(({ title, values }) => {
            const cells = values.map((value) => make("td", {}, String(value)));
            return make("tr", {}, make("th", { scope: "row" }, title), ...cells);
        });
        const heading = make("tr", {}, make("td"), ...names);
        this.#facts.replaceChildren(make("thead", {}, heading), make("tbody", {}, ...rows));
    }
}

/** What a seat said in its latest turn, and all about that. */
class SeatPanel {
    #match;
    #seat;
    #when = make("span", { class: "quiet" });
    #line = new Folded();
    #times = new Times();
    #events = make("ul", { class: "events" });
    #stderr = new Section("stderr", true);
    #input = new Section("input", false);

    constructor(match, seat) {
        this.#match = match;
        this.#seat = seat;
        const name = beginning(match.names[seat], MOST_CHARACTERS_OF_A_TITLE);
        const title = make("h2", { class: `of-${seat}` }, name, " ", this.#when);
        const parts = [this.#line, this.#times, this.#stderr, this.#input].map((part) => part.element);
        this.element = make("article", { class: "seat" }, title, parts[0], this.#events, ...parts.slice(1));
    }

    show(number) {
        const turn = this.#match.latestOf(this.#seat, number);
        this.element.classList.toggle("now", turn !== null && turn.number === number);
        this.element.classList.toggle("before", turn === null);
        const when = turn ? `turn ${turn.number}, its ${ordinal(turn.own_number)}` : "has not been asked yet";
        this.#when.textContent = when;
        this.#events.replaceChildren(...this.#eventsAt(number).map((event) => this.#eventText(event)));
        if (turn) {
            this.#line.show(turn.line ?? "(no answer)");
            this.#times.show(turn, this.#match.faultOf(turn));
            this.#stderr.show(turn.stderr, turn.stderr.replace(/\n$/, "").split("\n").length);
            this.#input.show((turn.input ?? []).join("\n"), (turn.input ?? []).length);
        }
    }

    #eventsAt(number) {
        const events = this.#match.turn(number)?.events ?? [];
        return events.filter((event) => event.seat === this.#seat);
    }

    #eventText(event) {
        const text = new Folded();
        text.show(event.kind === "message" ? `“${event.text}”` : event.text);
        return make("li", {}, text.element);
    }
}

/** A text under a heading that opens and closes it. */
class Section {
    #title = make("summary");
    #text = new Folded();
    #name;

    constructor(name, isOpen) {
        this.#name = name;
        this.element = make("details", { open: isOpen }, this.#title, this.#text.element);
    }

    show(text, lines) {
        this.element.hidden = text === "";
        this.#title.textContent = `${this.#name}, ${counted(lines, "line")}`;
        this.#text.show(text);
    }
}

function ordinal(number) {
    const ending = { one: "st", two: "nd", few: "rd", other: "th" };
    return `${number}${ending[new Intl.PluralRules("en", { type: "ordinal" }).select(number)]} own`;
}
