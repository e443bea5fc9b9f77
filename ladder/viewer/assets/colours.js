// The colours of pictures and marks: the page's style sheet has them, for light and for dark.

/** What ends a match or nearly does has the same colour in every game. */
const FAULTS = ["timeout", "crashed", "illegal", "overrun"];
const QUIET = ["message"];
const PALETTE = 8;

/**
 * Return the name of the style sheet's colour for each kind of event.
 * @param {string[]} kinds
 * @returns {Record<string, string>}
 */
export function colourNames(kinds) {
    const others = kinds.filter((kind) => !FAULTS.includes(kind) && !QUIET.includes(kind));
    return Object.fromEntries([
        ...kinds.filter((kind) => FAULTS.includes(kind)).map((kind) => [kind, "--fault"]),
        ...kinds.filter((kind) => QUIET.includes(kind)).map((kind) => [kind, "--quiet"]),
        ...others.map((kind, index) => [kind, `--event-${index % PALETTE}`]),
    ]);
}

/** Return the colours that a game draws with, as they are now. */
export function coloursNow(kinds) {
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue(name).trim();
    const names = Object.entries(colourNames(kinds));
    return {
        ground: colour("--ground"),
        ink: colour("--ink"),
        quiet: colour("--quiet"),
        line: colour("--line"),
        seats: [colour("--seat-0"), colour("--seat-1")],
        soft: [colour("--soft-0"), colour("--soft-1")],
        event: Object.fromEntries(names.map(([kind, name]) => [kind, colour(name)])),
    };
}
