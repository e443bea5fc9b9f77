// The picture of a match: what the game draws of a moment, on a canvas as large as the page gives it.

import { coloursNow } from "./colours.js";
import { game } from "./game.js";
import { make } from "./text.js";

/**
 * Return what is to be drawn of a match at a position; see `Player`.
 * @param {import("./data.js").Match} match
 * @param {number} position
 * @param {boolean} isStill
 * @param {-1 | 0 | 1} shown whose view
 */
export function sceneAt(match, position, isStill, shown) {
    const turn = match.within(Math.ceil(position));
    const isOver = position > match.count;
    return {
        setup: match.replay.setup,
        before: turn === 0 ? null : match.stateAfter(turn - 1),
        state: match.stateAfter(turn),
        progress: turn === 0 || isStill || isOver ? 1 : position - turn + 1,
        events: match.turn(turn)?.events ?? [],
        views: match.viewsAt(turn),
        shown,
    };
}

/** Paint a scene onto a canvas that is `size` CSS pixels wide, each of them `scale` of its own. */
export function paint(canvas, size, scale, scene) {
    const height = Math.round(size * game.aspect(scene.setup));
    const [wide, high] = [Math.round(size * scale), Math.round(height * scale)];
    if (canvas.width !== wide || canvas.height !== high) {
        canvas.width = wide;
        canvas.height = high;
    }
    const context = canvas.getContext("2d");
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.fillStyle = scene.colours.ground;
    context.fillRect(0, 0, size, height);
    game.draw(context, { ...scene, size });
}

/** A match's picture in the page. */
export class Picture {
    #match;
    #colours;
    #canvas = make("canvas", { role: "img" });
    #where = make("p", { class: "where quiet", "aria-hidden": "true" });

    /** @param {import("./data.js").Match} match */
    constructor(match) {
        this.scene = null;
        this.#match = match;
        this.element = make("div", { class: "picture" }, this.#canvas, this.#where);
        this.#canvas.style.setProperty("--aspect", String(game.aspect(match.replay.setup)));
        this.#canvas.addEventListener("pointermove", (move) => this.#point(move));
        this.#canvas.addEventListener("pointerleave", () => (this.#where.textContent = ""));
        new ResizeObserver(() => this.#paint()).observe(this.#canvas);
        this.takeColours();
    }

    /** Read the colours from the style sheet again. */
    takeColours() {
        this.#colours = coloursNow(this.#match.colourNames);
        this.#paint();
    }

    show(player, shown) {
        this.scene = sceneAt(this.#match, player.position, player.isStill, shown);
        this.#paint();
        if (player.isAtRest) {
            this.#canvas.setAttribute("aria-label", this.#words(player.turn));
        }
    }

    /** What the picture shows now, as plain data. */
    drawn() {
        return game.drawn(this.scene.setup, this.scene.state);
    }

    #paint() {
        const size = this.#canvas.clientWidth;
        if (this.scene && size > 0) {
            paint(this.#canvas, size, devicePixelRatio || 1, { ...this.scene, colours: this.#colours });
        }
    }

    #words(number) {
        const turn = this.#match.turn(this.#match.within(number));
        const events = (turn?.events ?? []).map((event) => `${this.#match.names[event.seat]}: ${event.text}`);
        return [turn ? `Picture after turn ${turn.number}.` : "Picture of the start.", ...events].join(" ");
    }

    #point(move) {
        const { setup } = this.#match.replay;
        const cell = game.cellAt(setup, this.#canvas.clientWidth, move.offsetX, move.offsetY);
        const words = cell === null ? "" : `cell ${cell % setup.width} ${Math.floor(cell / setup.width)}`;
        this.#where.textContent = words;
    }
}
