// The bar by which somebody moves through the match.

import { iconButton, setIcon } from "./icons.js";
import { SPEEDS } from "./player.js";
import { beginning, choice, make } from "./text.js";

const MOST_CHARACTERS_OF_A_NAME = 50;

/** The bar: a slider and buttons. `deeds` has what the buttons do; see `main.js`. */
export class Controls {
    #shown = -1;
    #slider;
    #speed;
    #view;
    #number = make("output", { class: "at" });

    /**
     * @param {import("./player.js").Player} player
     * @param {import("./data.js").Match[]} matches
     * @param {Record<string, Function>} deeds
     * @param {boolean} hasViews whether there is anything that one seat sees and the other does not
     */
    constructor(player, matches, deeds, hasViews) {
        const range = { type: "range", min: 0, max: player.last, value: 0, "aria-label": "Turn" };
        this.#slider = make("input", { ...range, input: () => player.go(Number(this.#slider.value)) });
        this.play = iconButton("play", "Play", () => player.toggle());
        const speeds = SPEEDS.map((speed) => [speed, `${speed === 0.5 ? "½" : speed}×`]);
        this.#speed = choice("Speed", speeds, (speed) => player.setSpeed(speed));
        const names = [0, 1].map((seat) => nameIn(matches, seat));
        const views = names.map((name, seat) => [seat, `seen by ${beginning(name, MOST_CHARACTERS_OF_A_NAME)}`]);
        this.#view = choice("Whose view", [[-1, "all is seen"], ...views], deeds.view);
        this.#view.hidden = !hasViews;
        const row = make("div", { class: "buttons" }, ...this.#buttons(player, deeds, matches[0].hasPictures));
        const way = make("div", { class: "way" }, this.#slider, this.#number);
        this.element = make("section", { class: "bar", "aria-label": "Controls" }, way, row);
    }

    #buttons(player, deeds, hasPictures) {
        return [
            iconButton("start", "To the start", () => player.go(0)),
            iconButton("previous", "Previous event", () => deeds.event(-1)),
            iconButton("back", "One turn back", () => player.step(-1)),
            this.play,
            iconButton("on", "One turn on", () => player.step(1)),
            iconButton("next", "Next event", () => deeds.event(1)),
            iconButton("end", "To the end", () => player.go(player.last)),
            this.#speed,
            this.#view,
            iconButton("link", "Copy a link to this turn", deeds.copy),
            ...(hasPictures ? [iconButton("save", "Save a picture or a film", deeds.save)] : []),
            make("button", { type: "button", click: deeds.help, title: "All keys", "aria-label": "All keys" }, "?"),
        ];
    }

    show(player, shown) {
        if (player.turn !== this.#shown) {
            this.#shown = player.turn;
            this.#slider.value = String(player.turn);
            this.#slider.setAttribute("aria-valuetext", `turn ${player.turn} of ${player.last}`);
            this.#number.textContent = `${player.turn} / ${player.last}`;
        }
        const [icon, name] = player.isPlaying ? ["pause", "Pause"] : ["play", "Play"];
        if (this.play.title !== name) {
            setIcon(this.play, icon, name);
        }
        this.#speed.value = String(player.speed);
        this.#view.value = String(shown);
    }
}

/** Return what a seat is called: by its bot, where the same one sits there in all matches. */
function nameIn(matches, seat) {
    const names = new Set(matches.map((match) => match.names[seat]));
    return names.size === 1 ? matches[0].names[seat] : `player ${seat}`;
}
