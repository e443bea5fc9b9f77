// The pictures on buttons.

import { make, makeDrawn } from "./text.js";

const WAYS = {
    start: "M4 4h2v12H4zM17 4v12l-9-6z",
    back: "M15 4v12l-10-6z",
    play: "M5 3v14l12-7z",
    pause: "M5 4h4v12H5zM11 4h4v12h-4z",
    on: "M5 4v12l10-6z",
    end: "M14 4h2v12h-2zM3 4v12l9-6z",
    previous: "M10 5v10l-7-5zM17 5v10l-7-5z",
    next: "M3 5v10l7-5zM10 5v10l7-5z",
    link: "M8 12l4-4M9 6l2-2a3.5 3.5 0 0 1 5 5l-2 2M11 14l-2 2a3.5 3.5 0 0 1-5-5l2-2",
    save: "M10 3v9M6 8l4 4 4-4M4 16h12",
};
const STROKED = ["link", "save"];

/** Make a button with a picture, named for those who do not see it, and with that name where the pointer rests. */
export function iconButton(icon, name, click) {
    const picture = makeDrawn("svg", { viewBox: "0 0 20 20", "aria-hidden": "true" });
    const button = make("button", { type: "button", click }, picture);
    setIcon(button, icon, name);
    return button;
}

/** Give a button another picture and name. */
export function setIcon(button, icon, name) {
    const way = makeDrawn("path", { d: WAYS[icon], class: STROKED.includes(icon) ? "stroked" : "filled" });
    button.firstChild.replaceChildren(way);
    button.setAttribute("aria-label", name);
    button.title = name;
}
