// The colours of pictures and marks: the page's style sheet has them, for light and for dark.

import { make } from "./text.js";

/** What ends a match or nearly does has the same colour in every game. */
const FAULTS = ["timeout", "crashed", "illegal", "overrun"];
/** What many turns have: shown, and stepped through only where that is chosen. */
export const QUIET = ["message", "summary"];
const PALETTE = 8;

/**
 * Return the name of the style sheet's colour for each kind of event.
 * @param {string[]} kinds
 * @param {string[]} harmful those that bring their seat nearer to losing
 * @returns {Record<string, string>}
 */
export function colourNames(kinds, harmful) {
    const faults = [...FAULTS, ...harmful];
    const others = kinds.filter((kind) => !faults.includes(kind) && !QUIET.includes(kind));
    const nameOf = (kind) => {
        const place = others.indexOf(kind);
        return place >= 0 ? `--event-${place % PALETTE}` : QUIET.includes(kind) ? "--quiet" : "--fault";
    };
    return Object.fromEntries(kinds.map((kind) => [kind, nameOf(kind)]));
}

/** Return the colours that a game draws with, as `#rrggbb` and as they are now. `names`: of those of events. */
export function coloursNow(names) {
    const stage = document.querySelector(".stage");
    const pen = make("canvas").getContext("2d");
    const colour = (name) => {
        stage.style.outlineColor = `var(${name})`;
        pen.fillStyle = getComputedStyle(stage).outlineColor;
        return pen.fillStyle;
    };
    const colours = {
        ground: colour("--ground"),
        ink: colour("--ink"),
        quiet: colour("--quiet"),
        line: colour("--line"),
        seats: [colour("--seat-0"), colour("--seat-1")],
        soft: [colour("--soft-0"), colour("--soft-1")],
        event: Object.fromEntries(Object.entries(names).map(([kind, name]) => [kind, colour(name)])),
    };
    stage.style.removeProperty("outline-color");
    return colours;
}
