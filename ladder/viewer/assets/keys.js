// Keys: what each does, and the dialog that lists them.

import { SPEEDS } from "./player.js";
import { make } from "./text.js";

/**
 * Return all keys: how each is called, what it is for, which it is, and what it does.
 * @param {import("./player.js").Player} player
 * @param {Record<string, Function>} deeds
 * @returns {{name: string, purpose: string, keys: Record<string, () => void>}[]}
 */
export function keysFor(player, deeds) {
    const speeds = SPEEDS.map((speed, index) => [String(index + 1), () => player.setSpeed(speed)]);
    return [
        { name: "Space", purpose: "play or pause", keys: { " ": () => player.toggle() } },
        {
            name: "← →",
            purpose: "one turn back or on; with Shift ten",
            keys: {
                ArrowLeft: () => player.step(-1),
                ArrowRight: () => player.step(1),
                "Shift+ArrowLeft": () => player.step(-10),
                "Shift+ArrowRight": () => player.step(10),
            },
        },
        {
            name: "Home End",
            purpose: "start or end",
            keys: { Home: () => player.go(0), End: () => player.go(player.last) },
        },
        { name: "n p", purpose: "next or previous event", keys: { n: () => deeds.event(1), p: () => deeds.event(-1) } },
        { name: "t", purpose: "next turning point", keys: { t: () => deeds.turningPoint() } },
        { name: "1 – 7", purpose: "speed: ½, 1, 2, 4, 8, 16, 32", keys: Object.fromEntries(speeds) },
        { name: "v", purpose: "whose view: all, the first bot's, the second's", keys: { v: () => deeds.nextView() } },
        { name: "s", purpose: "copy a link to this turn", keys: { s: () => deeds.copy() } },
        { name: "?", purpose: "all keys", keys: { "?": () => deeds.help() } },
    ];
}

/** Obey the keys, wherever the focus is, but for what the focused element does with them itself. */
export function obeyKeys(keys) {
    const deeds = Object.assign({}, ...keys.map((key) => key.keys));
    document.addEventListener("keydown", (press) => {
        if (press.ctrlKey || press.altKey || press.metaKey || isTakenBy(press.target, press.key)) {
            return;
        }
        const deed = deeds[press.shiftKey && press.key.startsWith("Arrow") ? `Shift+${press.key}` : press.key];
        if (deed) {
            press.preventDefault();
            deed();
        }
    });
}

/** Say whether an element does something of its own with a key. */
function isTakenBy(element, key) {
    if (element.closest("dialog[open]") || element.matches("select, input[type=number], input[type=text]")) {
        return true;
    }
    return key === " " && element.matches("button, summary, input[type=checkbox], a");
}

/** The dialog that lists all keys. */
export function keysDialog(keys) {
    const rows = keys.flatMap(({ name, purpose }) => [make("dt", {}, make("kbd", {}, name)), make("dd", {}, purpose)]);
    return dialog("All keys", make("dl", { class: "keys" }, ...rows));
}

/** A dialog with a title and a button that closes it, as Escape does. */
export function dialog(title, ...parts) {
    const close = make("button", { type: "button", click: () => element.close() }, "Close");
    const element = make("dialog", { "aria-label": title }, make("h2", {}, title), ...parts, close);
    return element;
}
