// A bot as people write them for CodinGame: a class per thing, and a search for 35 of its 50 ms by its own clock on the
// wall, from its first turn on.

const SEARCH_MS = 35;

class Cell {
    constructor(x, y) {
        this.x = x;
        this.y = y;
    }

    get key() {
        return 15 * this.y + this.x;
    }

    step({ dx, dy }) {
        return new Cell(this.x + dx, this.y + dy);
    }

    distance(other) {
        return Math.max(Math.abs(this.x - other.x), Math.abs(this.y - other.y));
    }

    steps(other) {
        return Math.abs(this.x - other.x) + Math.abs(this.y - other.y);
    }
}

const DIRECTIONS = [
    { name: 'N', dx: 0, dy: -1 },
    { name: 'E', dx: 1, dy: 0 },
    { name: 'S', dx: 0, dy: 1 },
    { name: 'W', dx: -1, dy: 0 },
];

class Sea {
    constructor(rows) {
        this.rows = rows;
        this.cells = [];
        rows.forEach((row, y) => [...row].forEach((mark, x) => mark === '.' && this.cells.push(new Cell(x, y))));
    }

    isWater(cell) {
        return this.rows[cell.y]?.[cell.x] === '.';
    }

    within(start, most) {
        const found = new Map([[start.key, start]]);
        let edge = [start];
        for (let count = 0; count < most && edge.length; count++) {
            const next = edge.flatMap((cell) => DIRECTIONS.map((way) => cell.step(way)));
            edge = [];
            for (const cell of next) {
                if (this.isWater(cell) && !found.has(cell.key)) {
                    found.set(cell.key, cell);
                    edge.push(cell);
                }
            }
        }
        return [...found.values()];
    }
}

class Tracker {
    constructor(sea) {
        this.sea = sea;
        this.candidates = [...sea.cells];
    }

    hear(orders) {
        for (const order of orders.split('|')) {
            const [name, ...args] = order.split(' ');
            if (name === 'MOVE') {
                const way = DIRECTIONS.find((direction) => direction.name === args[0]);
                this.candidates = this.candidates.map((cell) => cell.step(way)).filter((cell) => this.sea.isWater(cell));
            } else if (name === 'SURFACE') {
                const sector = Number(args[0]) - 1;
                this.candidates = this.candidates.filter(
                    ({ x, y }) => Math.floor(y / 5) * 3 + Math.floor(x / 5) === sector,
                );
            } else if (name === 'TORPEDO') {
                const near = new Set(this.sea.within(new Cell(...args.map(Number)), 4).map((cell) => cell.key));
                this.candidates = this.candidates.filter((cell) => near.has(cell.key));
            }
        }
        if (this.candidates.length === 0) {
            this.candidates = [...this.sea.cells];
        }
    }

    best(targets, own) {
        if (this.candidates.length > 40) {
            return undefined;
        }
        const value = (cell) =>
            this.candidates.reduce((sum, other) => sum + Math.max(0, 2 - other.distance(cell)), 0);
        return targets
            .filter((cell) => cell.distance(own) > 1 && value(cell) > 0)
            .sort((one, other) => value(other) - value(one))[0];
    }
}

class Playout {
    constructor(sea) {
        this.sea = sea;
    }

    run(start, visited, first, candidates) {
        const closed = new Set(visited);
        let cell = start.step(first);
        let score = 0;
        let length = 0;
        while (length < 30) {
            closed.add(cell.key);
            length++;
            const ways = DIRECTIONS.map((way) => cell.step(way)).filter(
                (next) => this.sea.isWater(next) && !closed.has(next.key),
            );
            if (ways.length === 0) {
                break;
            }
            cell = ways[Math.floor(Math.random() * ways.length)];
            if (length % 10 === 0) {
                score += candidates.map((other) => 1 / (1 + other.steps(cell))).reduce((sum, value) => sum + value, 0);
            }
        }
        return length + score / (1 + candidates.length);
    }
}

const [width, height, myId] = readline().split(' ').map(Number);
const sea = new Sea(Array.from({ length: height }, () => readline()));
const tracker = new Tracker(sea);
const playout = new Playout(sea);
const start = sea.cells
    .map((cell) => ({ cell, size: sea.within(cell, 15).length }))
    .reduce((best, other) => (other.size > best.size ? other : best)).cell;
console.log(`${start.x} ${start.y}`);
let visited = new Set();

while (true) {
    const [x, y, life, opponentLife, torpedoCooldown] = readline().split(' ').map(Number);
    const began = performance.now();
    const sonarResult = readline();
    const own = new Cell(x, y);
    tracker.hear(readline());
    visited.add(own.key);

    const orders = [];
    const target = torpedoCooldown === 0 ? tracker.best(sea.within(own, 4), own) : undefined;
    if (target) {
        orders.push(`TORPEDO ${target.x} ${target.y}`);
    }
    const ways = DIRECTIONS.filter((way) => sea.isWater(own.step(way)) && !visited.has(own.step(way).key));
    if (ways.length === 0) {
        visited = new Set();
        orders.push('SURFACE');
    } else {
        const totals = new Map(ways.map((way) => [way, 0]));
        let playouts = 0;
        while (performance.now() - began < SEARCH_MS) {
            const way = ways[playouts++ % ways.length];
            totals.set(way, totals.get(way) + playout.run(own, visited, way, tracker.candidates));
        }
        const best = ways.reduce((one, other) => (totals.get(other) > totals.get(one) ? other : one));
        orders.push(`MOVE ${best.name} TORPEDO`, `MSG ${playouts} playouts`);
    }
    console.log(orders.join('|'));
}
