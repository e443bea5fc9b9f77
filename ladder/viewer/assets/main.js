// The viewer: it takes the matches that the page holds or names, and lets its parts show them, turned together.

import { Charts, Legend } from "./charts.js";
import { Controls } from "./controls.js";
import { Match, matchesOf } from "./data.js";
import { dialog, keysDialog, keysFor, obeyKeys } from "./keys.js";
import { linkTo, readLink, showLink } from "./link.js";
import { Picture } from "./picture.js";
import { Player } from "./player.js";
import { Saving } from "./save.js";
import { TurnTable } from "./table.js";
import { make, visible } from "./text.js";
import { TurnPanel } from "./turn.js";

/** One match in the page: its picture, charts, panel and table. */
class Column {
    #go;

    /**
     * @param {Match} match
     * @param {Player} player
     */
    constructor(match, player) {
        const go = (turn) => player.go(turn);
        this.match = match;
        this.picture = match.hasPictures ? new Picture(match) : null;
        this.charts = new Charts(match, player.last, go);
        this.panel = new TurnPanel(match);
        this.table = null;
        this.#go = go;
        const which = make("p", { class: "which" }, match.watched.name);
        const pictured = make("div", { class: "pictured" }, which, this.#top());
        this.element = make("div", { class: "match" }, pictured, this.charts.element, this.panel.element);
    }

    show(player, shown) {
        for (const part of [this.picture, this.charts, this.panel, this.table]) {
            part?.show(player, shown);
        }
    }

    /** Make the table, which takes longer than all else, once the first picture is seen. */
    addTable(player) {
        this.table = new TurnTable(this.match, this.#go);
        this.element.append(this.table.element);
        this.table.show(player);
    }

    #top() {
        const why = this.match.replay.fault || "This game brings no pictures.";
        return this.picture?.element ?? make("p", { class: "note" }, `No picture: ${visible(why)}`);
    }
}

/** The whole page. */
class Viewer {
    #shown = -1;

    constructor(page) {
        this.matches = page.matches.map((watched) => new Match(watched));
        this.player = new Player(Math.max(...this.matches.map((match) => match.count)), stillness().matches);
        this.columns = this.matches.map((match) => new Column(match, this.player));
        this.legend = new Legend(Object.assign({}, ...this.matches.map((match) => match.colourNames)));
        this.saving = new Saving(this.matches, this.player, () => this.#shown);
        this.hasViews = this.matches.some((match) => match.replay.views.some((views) => views.length > 0));
        const deeds = this.#deeds();
        this.keys = keysFor(this.player, deeds);
        this.help = keysDialog(this.keys);
        this.note = make("div", { class: "status", role: "status" });
        this.controls = new Controls(this.player, this.matches, deeds, this.hasViews);
        this.parting = page.parting;
    }

    /** Put everything into its place in the page, and begin. */
    begin(stage) {
        const columns = this.columns.map((column) => column.element);
        const above = [this.help, this.saving.element, this.note];
        stage.replaceChildren(this.#jumps(), this.controls.element, ...columns, this.legend.element, ...above);
        stage.classList.add(this.columns.length === 1 ? "one" : "two");
        this.stage = stage;
        this.own = Number(stage.dataset.seat || -1);
        obeyKeys(this.keys);
        this.player.watch(() => this.#show());
        addEventListener("hashchange", () => this.#follow());
        this.#followReader();
        this.#follow();
        requestAnimationFrame(() => setTimeout(() => this.columns.forEach((column) => column.addTable(this.player))));
    }

    /** Be a part of another page: the picture of one match, which plays by itself where nothing forbids that. */
    playAlone(stage) {
        const { picture } = this.columns[0];
        stage.replaceChildren(picture.element, this.controls.play);
        this.player.watch(() => [picture, this.controls].forEach((part) => part.show(this.player, -1)));
        this.#followReader();
        this.player.go(this.player.isStill ? this.player.last : 0);
        if (!this.player.isStill) {
            this.player.play();
        }
    }

    #deeds() {
        return {
            event: (way) => this.#toEvent(way),
            turningPoint: () => this.#toTurningPoint(),
            view: (shown) => this.#look(shown),
            nextView: () => this.#look(this.#shown === 1 ? -1 : this.#shown + 1),
            copy: () => this.#copy(),
            save: () => this.saving.open(),
            help: () => this.help.showModal(),
        };
    }

    #show() {
        for (const part of [...this.columns, this.controls]) {
            part.show(this.player, this.#shown);
        }
        if (this.player.isAtRest) {
            showLink(this.player.turn, this.#shown);
        }
    }

    /** Be where the address says, or else where the match turned, as the reader's own bot could see it. */
    #follow() {
        const { turn, view } = readLink();
        this.#shown = this.hasViews ? (turn === null && view === -1 ? this.own : view) : -1;
        this.player.go(turn ?? this.parting?.turn ?? this.#turningPoints()[0] ?? 0);
    }

    #look(shown) {
        this.#shown = this.hasViews ? shown : -1;
        this.#show();
    }

    #toEvent(way) {
        const hasEvent = (number) =>
            this.matches.some((match) => number <= match.count && this.legend.has(match.turn(number)));
        let number = this.player.turn + way;
        while (number >= 1 && number <= this.player.last && !hasEvent(number)) {
            number += way;
        }
        if (number >= 1 && number <= this.player.last) {
            this.player.go(number);
        } else {
            this.#say(way > 0 ? "There is no later event." : "There is no earlier event.");
        }
    }

    #toTurningPoint() {
        const points = this.#turningPoints();
        if (points.length > 0) {
            this.player.go(points.find((turn) => turn > this.player.turn) ?? points[0]);
        } else {
            this.#say("There are no turning points.");
        }
    }

    #turningPoints() {
        const points = this.matches.flatMap((match) => match.replay.turning_points);
        return [...new Set(points)].sort((one, other) => one - other);
    }

    /** Buttons to the turns that matter most. */
    #jumps() {
        const to = (turn, words = "") =>
            make("button", { type: "button", click: () => this.player.go(turn) }, `turn ${turn}${words}`);
        const points = this.#turningPoints();
        const parts = points.length > 0 ? [make("span", {}, "Turning points:"), ...points.map((turn) => to(turn))] : [];
        const faults = this.matches.flatMap((match) => match.faults);
        if (faults.length > 0) {
            parts.push(make("span", {}, "Faults:"), ...faults.map(({ turn, words }) => to(turn, `: ${words}`)));
        }
        if (this.matches.length > 1) {
            const { parting } = this;
            const words = parting ? "First difference:" : "Both matches went the same way.";
            parts.unshift(make("span", {}, words), ...(parting ? [to(parting.turn)] : []));
        }
        const losses = this.matches.map((match) => match.watched.loss).filter(Boolean);
        parts.push(...losses.map((words) => make("p", { class: "loss" }, `${visible(words)}.`)));
        return make("nav", { class: "jumps", "aria-label": "Turns that matter" }, ...parts);
    }

    async #copy() {
        const link = linkTo(this.player.turn, this.#shown);
        try {
            await navigator.clipboard.writeText(link);
            this.#say("The link to this turn is copied.");
        } catch {
            const shown = dialog("A link to this turn", make("pre", {}, link));
            shown.addEventListener("close", () => shown.remove());
            this.stage.append(shown);
            shown.showModal();
        }
    }

    #say(words) {
        this.note.textContent = words;
        clearTimeout(this.quietLater);
        this.quietLater = setTimeout(() => (this.note.textContent = ""), 3000);
    }

    /** Follow what the reader wishes: light or dark, of the system or of the site's pages, and whether things move. */
    #followReader() {
        const takeColours = () => this.columns.forEach((column) => column.picture?.takeColours());
        matchMedia("(prefers-color-scheme: dark)").addEventListener("change", takeColours);
        new MutationObserver(takeColours).observe(document.documentElement, { attributeFilter: ["data-theme"] });
        stillness().addEventListener("change", (change) => (this.player.isStill = change.matches));
    }
}

function stillness() {
    return matchMedia("(prefers-reduced-motion: reduce)");
}

/** Show what the page is about, or say why that cannot be. */
async function open() {
    const stage = document.querySelector(".stage");
    try {
        const viewer = new Viewer(await matchesOf(document.querySelector("#data")));
        if (stage.classList.contains("alone")) {
            viewer.playAlone(stage);
        } else {
            viewer.begin(stage);
        }
        globalThis.viewer = viewer;
    } catch (error) {
        stage.replaceChildren(make("p", { class: "note" }, `This browser cannot show the match: ${error.message}`));
        throw error;
    }
}

open();
