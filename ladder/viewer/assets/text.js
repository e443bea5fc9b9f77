// Text of bots and people, and the elements that hold it. Nothing here, or anywhere in the page, reads text as markup.

/** How much of a text is shown at first: a bot may write a line of a million characters. */
const MOST_CHARACTERS = 2000;
const MOST_LINES = 40;

// Control characters are shown by their pictures; what turns the direction of writing or breaks lines, as unknown.
const CONTROLS = /[\u0000-\u0008\u000b-\u001f]/g;
const STEERING = /[\u0080-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;
const HALVES = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/**
 * Return a text in which each control character can be seen; new lines and tabs stay.
 * @param {string} text
 * @returns {string}
 */
export function visible(text) {
    return text
        .replaceAll("\r\n", "\n")
        .replace(CONTROLS, (character) => String.fromCharCode(0x2400 + character.charCodeAt(0)))
        .replaceAll("\u007f", "\u2421")
        .replace(STEERING, "\ufffd")
        .replace(HALVES, "\ufffd");
}

/**
 * Return the beginning of a text in one line.
 * @param {string} text
 * @param {number} most characters
 */
export function beginning(text, most) {
    const shown = visible(text.slice(0, most)).replaceAll("\n", "\u240a").replaceAll("\t", "\u2409");
    return text.length > most ? `${shown}…` : shown;
}

/** Write how many there are of something. */
export function counted(number, thing, things = `${thing}s`) {
    return `${number.toLocaleString("en")} ${number === 1 ? thing : things}`;
}

/** Write a time in milliseconds. */
export function milliseconds(us) {
    const ms = us / 1000;
    return `${ms >= 100 ? ms.toFixed(0) : ms >= 1 ? ms.toFixed(1) : ms.toFixed(2)} ms`;
}

/**
 * Make an element. Children that are text become text, whatever they hold; an attribute that is a function listens.
 * @param {string} tag
 * @param {Record<string, unknown>} [attributes]
 * @param {...(Node | string)} children
 * @returns {HTMLElement}
 */
export function make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    setAttributes(element, attributes);
    element.append(...children);
    return element;
}

/** Make an element of a drawing, likewise. */
export function makeDrawn(tag, attributes = {}, ...children) {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    setAttributes(element, attributes);
    element.append(...children);
    return element;
}

function setAttributes(element, attributes) {
    for (const [name, value] of Object.entries(attributes)) {
        if (typeof value === "function") {
            element.addEventListener(name, value);
        } else if (value === true) {
            element.setAttribute(name, "");
        } else if (value !== false && value !== null && value !== undefined) {
            element.setAttribute(name, String(value));
        }
    }
}

/** Make a list of which one is chosen; `choose` is called with its number. */
export function choice(name, options, choose) {
    const element = make("select", { "aria-label": name, change: () => choose(Number(element.value)) });
    element.append(...options.map(([value, words]) => make("option", { value }, words)));
    return element;
}

/** A text of which only the beginning is shown until somebody asks for all of it. */
export class Folded {
    #text = "";
    #isWhole = false;
    #shown = make("pre", { dir: "ltr" });
    #more = make("button", { type: "button", class: "quiet", click: () => this.#unfold() });

    constructor() {
        this.element = make("div", { class: "folded" }, this.#shown, this.#more);
    }

    /** @param {string} text */
    show(text) {
        if (text !== this.#text || this.#isWhole) {
            this.#text = text;
            this.#isWhole = false;
            this.#fill();
        }
    }

    #unfold() {
        this.#isWhole = true;
        this.#fill();
    }

    #fill() {
        const part = this.#isWhole ? this.#text : head(this.#text);
        this.#shown.textContent = visible(part);
        this.#more.hidden = part.length === this.#text.length;
        this.#more.textContent = `Show all ${counted(this.#text.length, "character")}`;
    }
}

/** Return as much of a text as is shown at first. */
function head(text) {
    const part = text.slice(0, MOST_CHARACTERS);
    const lines = part.split("\n", MOST_LINES + 1);
    return lines.length > MOST_LINES ? lines.slice(0, MOST_LINES).join("\n") : part;
}
