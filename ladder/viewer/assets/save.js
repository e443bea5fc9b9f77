// Saving a turn as a picture and a range of turns as a film, by the browser's own encoders.

import { coloursNow } from "./colours.js";
import { dialog } from "./keys.js";
import { paint, sceneAt } from "./picture.js";
import { make } from "./text.js";

const PICTURE = 1080;
const FILM = 720;
const FRAMES_A_SECOND = 30;
const LAST_PICTURE_MS = 500;
const MOST_TURNS = 20;
const ENCODINGS = ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm"];

/** What can be saved of some matches. Several are painted beside each other. */
export class Saving {
    #matches;
    #player;
    #shown;
    #from;
    #to;
    #note = make("output", { class: "note" });
    #isCancelled = false;

    /**
     * @param {import("./data.js").Match[]} matches
     * @param {import("./player.js").Player} player
     * @param {() => -1 | 0 | 1} shown whose view is shown now
     */
    constructor(matches, player, shown) {
        this.#matches = matches;
        this.#player = player;
        this.#shown = shown;
        const number = { type: "number", min: 0, max: player.last };
        this.#from = make("input", number);
        this.#to = make("input", number);
        const picture = make("button", { type: "button", click: () => this.#savePicture() }, "Save this turn as PNG");
        const film = make("button", { type: "button", click: () => this.#saveFilm() }, "Save these turns as WebM");
        const range = [make("label", {}, "from turn", this.#from), make("label", {}, "to turn", this.#to)];
        const parts = [make("p", {}, picture), make("p", { class: "jumps" }, ...range), film, this.#note];
        this.element = dialog("Save", ...parts);
        this.element.addEventListener("close", () => (this.#isCancelled = true));
    }

    open() {
        this.#from.value = String(this.#player.turn);
        this.#to.value = String(Math.min(this.#player.turn + MOST_TURNS, this.#player.last));
        this.#note.textContent = "";
        this.element.showModal();
    }

    #savePicture() {
        const canvas = make("canvas");
        this.#paint(canvas, PICTURE, this.#player.turn, this.#colours());
        canvas.toBlob((blob) => {
            offer(blob, `${this.#name()}-turn-${this.#player.turn}.png`);
            this.#note.textContent = "Saved.";
        });
    }

    async #saveFilm() {
        const [from, to] = [this.#from, this.#to].map((input) => this.#player.within(input.valueAsNumber || 0));
        if (from >= to) {
            this.#note.textContent = "The last turn has to come after the first.";
            return;
        }
        this.#isCancelled = false;
        const film = await this.#film(from, to);
        if (!this.#isCancelled) {
            offer(film, `${this.#name()}-turns-${from}-${to}.webm`);
            this.#note.textContent = "Saved.";
        }
    }

    /** Record a canvas on which the range is played, at the speed that is set. */
    async #film(from, to) {
        const [canvas, colours] = [make("canvas"), this.#colours()];
        this.#paint(canvas, FILM, from, colours);
        const type = ENCODINGS.find((encoding) => MediaRecorder.isTypeSupported(encoding));
        const recorder = new MediaRecorder(canvas.captureStream(FRAMES_A_SECOND), { mimeType: type });
        const chunks = [];
        recorder.addEventListener("dataavailable", ({ data }) => chunks.push(data));
        const ended = event(recorder, "stop");
        recorder.start();
        await event(recorder, "start");
        const began = performance.now();
        const lasts = (to - from) / this.#player.turnsIn(1) + LAST_PICTURE_MS;
        for (let passed = 0; passed < lasts && !this.#isCancelled; ) {
            passed = Math.max(0, (await new Promise(requestAnimationFrame)) - began);
            const position = Math.min(to, from + this.#player.turnsIn(passed));
            this.#paint(canvas, FILM, position, colours);
            this.#note.textContent = `Recording turn ${Math.ceil(position)} of ${to}; closing this stops it.`;
        }
        recorder.stop();
        await ended;
        return new Blob(chunks, { type });
    }

    #colours() {
        return this.#matches.map((match) => coloursNow(match.colourNames));
    }

    #paint(canvas, size, position, colours) {
        const one = make("canvas");
        this.#matches.forEach((match, index) => {
            const scene = sceneAt(match, position, this.#player.isStill, this.#shown());
            paint(one, size, 1, { ...scene, colours: colours[index] });
            if (index === 0 && (canvas.width !== size * this.#matches.length || canvas.height !== one.height)) {
                canvas.width = size * this.#matches.length;
                canvas.height = one.height;
            }
            canvas.getContext("2d").drawImage(one, index * size, 0);
        });
    }

    #name() {
        return this.#matches.map((match) => match.watched.name.replaceAll(/[^0-9A-Za-z]+/g, "-")).join("-and-");
    }
}

/** Wait for an event. */
function event(source, kind) {
    return new Promise((resolve) => source.addEventListener(kind, resolve, { once: true }));
}

/** Let the browser save a file. */
function offer(blob, name) {
    const address = URL.createObjectURL(blob);
    make("a", { href: address, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
