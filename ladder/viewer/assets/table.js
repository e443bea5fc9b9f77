// The table of all turns of a match, which can be filtered.

import { beginning, choice, counted, make, milliseconds } from "./text.js";

const MOST_CHARACTERS_OF_A_CELL = 100;
const BOTH = -1;
const COLUMNS = ["turn", "bot", "line", "charged", "stderr", "events"];

/** The table with its filters. `go(turn)` is called where somebody chooses a turn. */
export class TurnTable {
    #match;
    #rows;
    #body;
    #frame;
    #count = make("output", { class: "quiet" });
    #seat;
    #withStderr = make("input", { type: "checkbox", change: () => this.#filter() });
    #slow = make("input", { type: "checkbox", change: () => this.#filter() });
    #current = null;

    /**
     * @param {import("./data.js").Match} match
     * @param {(turn: number) => void} go
     */
    constructor(match, go) {
        this.#match = match;
        const names = match.names.map((name) => beginning(name, MOST_CHARACTERS_OF_A_CELL));
        const seats = names.map((name, seat) => [seat, `only ${name}`]);
        const all = names.length === 2 ? "both bots" : "all bots";
        this.#seat = choice("Whose turns", [[BOTH, all], ...seats], () => this.#filter());
        this.#rows = match.replay.turns.map((turn) => row(match, turn, go));
        this.#body = make("tbody", {}, ...this.#rows);
        const head = make("thead", {}, make("tr", {}, ...COLUMNS.map((name) => make("th", { scope: "col" }, name))));
        const label = match.named("Table of all turns");
        const named = { class: "scrolled", tabindex: 0, role: "region", "aria-label": label };
        this.#frame = make("div", named, make("table", { class: "all" }, head, this.#body));
        const boxes = [
            make("label", {}, this.#withStderr, "with stderr"),
            make("label", {}, this.#slow, "over half of the limit"),
        ];
        const filters = make("div", { class: "filters" }, this.#seat, ...boxes, this.#count);
        this.element = make("section", { class: "table" }, make("h2", {}, "All turns"), filters, this.#frame);
        this.#filter();
    }

    show(player) {
        const row = this.#rows[this.#match.within(player.turn) - 1] ?? null;
        if (row === this.#current) {
            return;
        }
        this.#current?.removeAttribute("aria-current");
        this.#current = row;
        row?.setAttribute("aria-current", "true");
        if (row && !row.hidden && !player.isPlaying) {
            this.#reveal(row);
        }
    }

    /** Scroll the table, and only the table, until the row can be seen. */
    #reveal(row) {
        const [top, bottom] = [row.offsetTop - 40, row.offsetTop + row.offsetHeight];
        if (top < this.#frame.scrollTop) {
            this.#frame.scrollTop = top;
        } else if (bottom > this.#frame.scrollTop + this.#frame.clientHeight) {
            this.#frame.scrollTop = bottom - this.#frame.clientHeight;
        }
    }

    #filter() {
        let shown = 0;
        this.#match.replay.turns.forEach((turn, index) => {
            const isShown = this.#passes(turn);
            this.#rows[index].hidden = !isShown;
            shown += Number(isShown);
        });
        this.#count.textContent = `${shown} of ${counted(this.#match.count, "turn")}`;
    }

    #passes(turn) {
        const isOfSeat = Number(this.#seat.value) === BOTH || turn.seat === Number(this.#seat.value);
        const isSlow = turn.limit_ms !== null && turn.charged_us > 500 * turn.limit_ms;
        return isOfSeat && (!this.#withStderr.checked || turn.stderr !== "") && (!this.#slow.checked || isSlow);
    }
}

function row(match, turn, go) {
    const button = { type: "button", class: "quiet", click: () => go(turn.number) };
    const number = make("button", button, String(turn.number));
    const line = turn.line === null ? "(no answer)" : beginning(turn.line, MOST_CHARACTERS_OF_A_CELL);
    const limit = turn.limit_ms === null ? "" : ` / ${turn.limit_ms.toLocaleString("en")}`;
    const isOver = turn.limit_ms !== null && turn.charged_us > 1000 * turn.limit_ms;
    const events = turn.events.map((event) => event.text).join(" ");
    return make(
        "tr",
        {},
        make("td", {}, number),
        make("td", { class: `of-${turn.seat}` }, beginning(match.names[turn.seat], MOST_CHARACTERS_OF_A_CELL)),
        make("td", { class: "said", dir: "ltr" }, line),
        make("td", { class: isOver ? "number over" : "number" }, `${milliseconds(turn.charged_us)}${limit}`),
        make("td", { class: "number" }, turn.stderr && counted(turn.stderr.length, "character")),
        make("td", { class: "what" }, beginning(events, 3 * MOST_CHARACTERS_OF_A_CELL)),
    );
}
