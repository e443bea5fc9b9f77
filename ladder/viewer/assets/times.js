// What a turn cost: its charged time as a bar against the limit, and the times that it is made of.

import { make, milliseconds } from "./text.js";

const WHOSE_FAULT = {
    bot: "over the limit by the bot's own fault",
    host: "over the limit, but only because this machine was busy: not the bot's fault",
    runtime: "over the limit, but only by work of the language's runtime: not the bot's fault",
};

/** The bar and the words for one seat. */
export class Times {
    #bar = make("div", { class: "charged" });
    #limit = make("div", { class: "limit" });
    #parts = make("p", { class: "times" });
    #fault = make("p", { class: "fault" });

    constructor() {
        const track = make("div", { class: "track", "aria-hidden": "true" }, this.#bar, this.#limit);
        this.element = make("div", {}, track, this.#parts, this.#fault);
    }

    /**
     * @param {import("./data.js").Turn} turn
     * @param {string} fault
     */
    show(turn, fault) {
        const limit = turn.limit_ms === null ? null : 1000 * turn.limit_ms;
        const whole = Math.max(limit ?? 0, turn.charged_us, 1) * 1.02;
        this.#bar.style.width = `${(100 * turn.charged_us) / whole}%`;
        this.#bar.classList.toggle("over", limit !== null && turn.charged_us > limit);
        this.#limit.hidden = limit === null;
        this.#limit.style.left = `${(100 * (limit ?? 0)) / whole}%`;
        this.#parts.textContent = timeWords(turn);
        this.#fault.textContent = [WHOSE_FAULT[fault], turn.ruling].filter(Boolean).join("; ");
    }
}

/** Write all times of a turn. */
function timeWords(turn) {
    const limit = turn.limit_ms === null ? "" : ` of ${turn.limit_ms.toLocaleString("en")} ms`;
    const wait = turn.wait_us + turn.late_us;
    const parts = [`wall ${milliseconds(turn.wall_us)}`, `CPU ${milliseconds(turn.cpu_us)}`];
    return `charged ${milliseconds(turn.charged_us)}${limit}: ${parts.join(", ")}, waiting ${milliseconds(wait)}`;
}
