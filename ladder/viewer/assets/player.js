// Where the viewer is in a match, and how it moves there.
//
// The position is a number: 41 is the state after turn 41, and 41.5 the middle of turn 42. It moves towards its goal at
// the speed that is set; while the match plays, the goal is the end.

/** How long a turn takes at speed 1. */
const TURN_MS = 400;
export const SPEEDS = [0.5, 1, 2, 4, 8, 16, 32];

export class Player {
    #goal = 0;
    #then = 0;
    #isRunning = false;
    #watchers = [];

    /**
     * @param {number} last the last turn
     * @param {boolean} isStill whether nothing moves by itself between two turns
     */
    constructor(last, isStill) {
        this.last = last;
        this.isStill = isStill;
        this.position = 0;
        this.speed = 1;
        this.isPlaying = false;
    }

    /** The turn that is seen: the one that happens, or the last that did. */
    get turn() {
        return Math.ceil(this.position);
    }

    /** How much of that turn has happened, from 0 to 1. */
    get progress() {
        return this.isStill ? 1 : this.position - this.turn + 1;
    }

    get isAtRest() {
        return this.position === this.#goal;
    }

    /** Call this after each move, each time that playing begins or ends, and each change of speed. */
    watch(callback) {
        this.#watchers.push(callback);
    }

    /** Be at a turn at once. */
    go(turn) {
        this.isPlaying = false;
        this.#goal = this.position = this.within(turn);
        this.#changed();
    }

    /** Go some turns on or back; a single one is seen to happen. */
    step(by) {
        const from = this.within(this.isPlaying ? this.turn : this.#goal);
        this.isPlaying = false;
        this.#goal = this.within(from + by);
        this.position = Math.abs(by) > 1 || this.isStill ? this.#goal : from;
        this.#run();
    }

    play() {
        if (this.position === this.last) {
            this.position = 0;
        }
        this.isPlaying = true;
        this.#goal = this.last;
        this.#run();
    }

    pause() {
        this.isPlaying = false;
        this.#goal = this.turn;
        this.#run();
    }

    toggle() {
        this.isPlaying ? this.pause() : this.play();
    }

    setSpeed(speed) {
        this.speed = speed;
        this.#changed();
    }

    /** Return the nearest turn that there is. */
    within(turn) {
        return Math.max(0, Math.min(Math.round(turn), this.last));
    }

    /** Return how many turns are played in a time, at the speed that is set. */
    turnsIn(ms) {
        return (ms * this.speed) / TURN_MS;
    }

    #run() {
        if (!this.#isRunning && !this.isAtRest) {
            this.#isRunning = true;
            this.#then = performance.now();
            requestAnimationFrame((now) => this.#move(now));
        }
        this.#changed();
    }

    #move(now) {
        const way = this.turnsIn(Math.max(0, now - this.#then));
        const left = this.#goal - this.position;
        this.#then = Math.max(now, this.#then);
        this.position = Math.abs(left) <= way ? this.#goal : this.position + Math.sign(left) * way;
        this.isPlaying &&= !this.isAtRest;
        this.#isRunning = !this.isAtRest;
        if (this.#isRunning) {
            requestAnimationFrame((later) => this.#move(later));
        }
        this.#changed();
    }

    #changed() {
        for (const callback of this.#watchers) {
            callback(this);
        }
    }
}
