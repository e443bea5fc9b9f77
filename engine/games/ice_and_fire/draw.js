// How a match of A Code of Ice and Fire looks: whose land is where, what stands on it, and what is won and lost.
//
// How this works. `drawn` lists what a state shows; `draw` paints that list, and between two states what both lists
// have in common and where they differ. Land is painted once for each state and kept. All is painted in cells: the
// map's corner is at 0 0, and the middle of the first cell at 0.5 0.5; shapes have their middle at 0 0.
// Seat 0 is round with whole lines around its land, seat 1 is pointed with dashes, so that they differ without their
// colours too; land that is cut off is hatched. A unit has as many dots as its level. At rest, marks in the corners of
// cells say what has happened in the turn: a pennant, taken from the opponent; a cross, a unit was lost.

const MARGIN = 0.8; // left of the map and above it, for the numbers of columns and rows
const EDGE = 0.2;
const MOVED = 0.6; // how much of a turn has gone by when all units are there
const LOSSES = ["lost", "cut_off", "debts"];
const SIDES = [[0, -1], [1, 0], [0, 1], [-1, 0]];
const SHARES = [0.14, 0.45]; // of the owner's colour in land that is cut off, and in active land
const LIGHT = { floor: "#ebe7dd", joint: "#d9d3c4", gold: "#b9820a", rim: "#ffffff", alarm: "#b0123c" };
const DARK = { floor: "#2b3138", joint: "#3a424b", gold: "#e3b94c", rim: "#10161c", alarm: "#ff7d9b" };
const [TILE] = shapes(
    "M-.38-.48H.38A.1.1 0 0 1 .48-.38V.38A.1.1 0 0 1 .38.48H-.38A.1.1 0 0 1-.48.38V-.38A.1.1 0 0 1-.38-.48Z",
);
const [HATCHES] = shapes("M-.45.2L.2-.45M-.2.45L.45-.2M-.45-.2L-.2-.45M.2.45L.45.2");
const TOKENS = shapes("M1 0A1 1 0 1 1-1 0A1 1 0 1 1 1 0Z", "M1.26 0L0 1.26L-1.26 0L0-1.26Z");
const [GEM] = shapes("M-.24-.06L-.13-.2H.13L.24-.06L0 .24Z");
const [CASTLE, GATE] = shapes(
    "M-.3.36V-.16H-.18V-.06H-.06V-.16H.06V-.06H.18V-.16H.3V.36ZM-.025-.1V-.38H.025V-.1Z",
    "M-.08.36V.24A.08.08 0 0 1 .08.24V.36Z",
);
const FLAGS = shapes("M0-.38H.24V-.22H0Z", "M0-.4L.28-.31L0-.22Z");
const [TOWER, WINDOW] = shapes(
    "M-.17.36L-.13-.1L-.22-.16V-.38H-.12V-.3H-.05V-.38H.05V-.3H.12V-.38H.22V-.16L.13-.1L.17.36Z",
    "M-.03.12H.03V.26H-.03Z",
);
const [SHIELD] = shapes("M-.4.16H-.16Q-.16.34-.28.42Q-.4.34-.4.16Z");
const [CROSS, PENNANT, POLE] = shapes(
    "M.24-.42L.42-.24M.42-.42L.24-.24", "M-.42-.43L-.16-.34L-.42-.25Z", "M-.42-.43V-.12",
);

/** Return height / width of the picture. */
export function aspect(setup) {
    return (setup.height + MARGIN + EDGE) / (setup.width + MARGIN + EDGE);
}

/** Return the cell at a point, or null. */
export function cellAt(setup, size, x, y) {
    const [column, row] = [x, y].map((place) => Math.floor(place / unitOf(setup, size) - MARGIN));
    const isInside = column >= 0 && column < setup.width && row >= 0 && row < setup.height;
    return isInside ? row * setup.width + column : null;
}

/**
 * Return what the picture of a state shows. The amount of land is 1 where it is active and 0 where it is cut off, that
 * of a unit its level.
 */
export function drawn(setup, state) {
    const all = (cells, what, seat) => cells.map((cell) => ({ cell, what, seat }));
    return [
        ...all(cellsIn(setup.floor), "floor", null),
        ...all(setup.mine_spots, "mine spot", null),
        ...setup.headquarters.map((cell, seat) => ({ cell, what: "headquarters", seat })),
        ...state.realms.flatMap((realm, seat) => {
            const active = new Set(cellsIn(realm.active));
            return [
                ...cellsIn(realm.owned).map((cell) => ({ cell, what: "land", seat, amount: Number(active.has(cell)) })),
                ...all(cellsIn(realm.protected), "protected", seat),
                ...all(realm.mines, "mine", seat),
                ...all(realm.towers, "tower", seat),
                ...realm.units.map(([id, level, cell]) => ({ cell, what: "unit", seat, amount: level, id })),
            ];
        }),
    ];
}

/** Return what stands beside the picture: gold, income, land and what stands on it. */
export function facts(setup, state) {
    const fact = (title, textOf) => ({ title, values: state.realms.map((realm) => `${textOf(realm)}`) });
    const ofLevel = (realm, level) => realm.units.filter((unit) => unit[1] === level).length;
    return [
        fact("Gold", (realm) => realm.gold),
        fact("Income", (realm) => realm.income),
        fact("Active cells", (realm) => `${cellsIn(realm.active).length} of ${cellsIn(realm.owned).length}`),
        fact("Units by level", (realm) => [1, 2, 3].map((level) => ofLevel(realm, level)).join(", ")),
        fact("Mines", (realm) => realm.mines.length),
        fact("Towers", (realm) => realm.towers.length),
    ];
}

/** Draw a scene. */
export function draw(context, scene) {
    const { setup, before, state, progress, events } = scene;
    const look = lookOf(scene.colours);
    const is = listOf(setup, state);
    const was = before ? listOf(setup, before) : is;
    const grown = eased(progress, 0.3, 0.9);
    context.save();
    paintStill(context, scene, grown < 1 ? was.land : is.land, look);
    toCells(context, setup, scene.size);
    context.lineJoin = "round";
    paintChanges(context, setup, was.land, is.land, grown, look);
    setup.headquarters.forEach((cell, seat) => paintHeadquarters(context, middle(setup, cell), seat, look));
    paintBuildings(context, setup, was.buildings, is.buildings, progress, look);
    is.safe.forEach(({ cell, seat }) => paintShield(context, middle(setup, cell), seat, look));
    events.forEach((event) => paintMark(context, scene, event, look));
    paintUnits(context, setup, was.units, is.units, progress, look);
    context.restore();
}

// --- Where things are

const lists = new WeakMap();

/** Return what is drawn of a state: land by cell, units and buildings by what they are, and where land is protected. */
function listOf(setup, state) {
    if (!lists.has(state)) {
        const things = drawn(setup, state);
        const of = (...kinds) => things.filter((thing) => kinds.includes(thing.what));
        const by = (keyOf, found) => new Map(found.map((thing) => [keyOf(thing), thing]));
        lists.set(state, {
            land: by(({ cell }) => cell, of("land")),
            units: by(({ id }) => id, of("unit")),
            buildings: by(({ cell, what, seat }) => `${cell} ${what} ${seat}`, of("mine", "tower")),
            safe: of("protected"),
        });
    }
    return lists.get(state);
}

function unitOf(setup, size) {
    return size / (setup.width + MARGIN + EDGE);
}

function toCells(context, setup, size) {
    context.scale(unitOf(setup, size), unitOf(setup, size));
    context.translate(MARGIN, MARGIN);
}

function middle(setup, cell) {
    return [(cell % setup.width) + 0.5, Math.floor(cell / setup.width) + 0.5];
}

/** Return the cells of a set: a text of hexadecimal digits, the lowest bit standing for cell 0. */
function cellsIn(text) {
    const bitsOf = (digit) => [0, 1, 2, 3].filter((bit) => (parseInt(digit, 16) >> bit) & 1);
    return [...text].reverse().flatMap((digit, index) => bitsOf(digit).map((bit) => 4 * index + bit));
}

function between(from, to, part) {
    return from.map((place, axis) => place + (to[axis] - place) * part);
}

/** Return how far something is that happens from one moment of a turn to another: 0 to 1, slow at both ends. */
function eased(progress, from, to) {
    const part = Math.min(1, Math.max(0, (progress - from) / (to - from)));
    return part * part * (3 - 2 * part);
}

// --- Colours and shapes

const looks = new WeakMap();

/** Return the page's colours and ours that go with them. */
function lookOf(colours) {
    if (!looks.has(colours)) {
        const own = parseInt(colours.ground.slice(1, 3), 16) > 128 ? LIGHT : DARK;
        const ofSeats = (share) => colours.seats.map((seat) => mixed(own.floor, seat, share));
        const ours = { lands: SHARES.map(ofSeats), hatches: ofSeats(0.4) };
        looks.set(colours, { ...own, ...ours, seats: colours.seats, quiet: colours.quiet });
    }
    return looks.get(colours);
}

function mixed(one, other, share) {
    const channels = (colour) => [1, 3, 5].map((start) => parseInt(colour.slice(start, start + 2), 16));
    return `rgb(${between(channels(one), channels(other), share).map(Math.round).join(" ")})`;
}

function shapes(...texts) {
    return texts.map((text) => new Path2D(text));
}

function fill(context, path, colour, rim = null, rimWidth = 0.05) {
    context.fillStyle = colour;
    context.fill(path);
    if (rim) {
        line(context, path, rim, rimWidth);
    }
}

function line(context, path, colour, width, dashes = []) {
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.setLineDash(dashes);
    context.stroke(path);
}

/** Paint something around a place, as large as is said. */
function around(context, [x, y], paint, scale = 1, alpha = 1) {
    context.save();
    context.translate(x, y);
    context.scale(scale, scale);
    context.globalAlpha = alpha;
    paint();
    context.restore();
}

// --- Land

const stills = new WeakMap();

/** Paint floor, land and numbers, from a copy that is made once for each land, size and set of colours. */
function paintStill(context, { setup, size }, land, look) {
    const scale = context.getTransform().a;
    let still = stills.get(setup);
    if (still?.land !== land || still.size !== size || still.scale !== scale || still.look !== look) {
        const canvas = still?.canvas ?? new OffscreenCanvas(1, 1);
        canvas.width = Math.ceil(size * scale);
        canvas.height = Math.ceil(size * aspect(setup) * scale);
        const its = canvas.getContext("2d");
        its.scale(scale, scale);
        toCells(its, setup, size);
        paintFloor(its, setup, land, look);
        paintNumbers(its, setup, unitOf(setup, size), look);
        still = { land, size, scale, look, canvas };
        stills.set(setup, still);
    }
    context.drawImage(still.canvas, 0, 0, still.canvas.width / scale, still.canvas.height / scale);
}

function paintFloor(context, setup, land, look) {
    const free = cellsIn(setup.floor).filter((cell) => !land.has(cell));
    const eachOf = (cells, paint) => cells.forEach((cell) => around(context, middle(setup, cell), paint));
    eachOf(free, () => fill(context, TILE, look.floor, look.joint, 0.03));
    land.forEach((thing) => paintCell(context, setup, thing, 1, look));
    eachOf(setup.mine_spots, () => line(context, GEM, look.gold, 0.045));
    for (const seat of [0, 1]) {
        line(context, borderOf(setup, land, seat), look.seats[seat], 0.07, seat ? [0.16, 0.11] : []);
    }
}

function paintNumbers(context, { width, height }, unit, look) {
    const px = Math.max(8, Math.min(13, 0.3 * unit));
    const columns = Array.from({ length: width }, (_, column) => [column, column + 0.5, -MARGIN / 2]);
    const rows = Array.from({ length: height }, (_, row) => [row, -MARGIN / 2, row + 0.5]);
    for (const [number, x, y] of [...columns, ...rows]) {
        around(context, [x, y], () => {
            context.font = `600 ${px}px system-ui, sans-serif`;
            context.textAlign = "center";
            context.textBaseline = "middle";
            context.fillStyle = look.quiet;
            context.fillText(`${number}`, 0, 0);
        }, 1 / unit);
    }
}

/** Land that changes hands or is cut off grows over what was there. */
function paintChanges(context, setup, was, is, grown, look) {
    for (const thing of grown > 0 && grown < 1 ? is.values() : []) {
        const then = was.get(thing.cell);
        if (then?.seat !== thing.seat || then.amount !== thing.amount) {
            paintCell(context, setup, thing, grown, look);
        }
    }
}

function paintCell(context, setup, { cell, seat, amount }, scale, look) {
    const paint = () => {
        fill(context, TILE, look.lands[amount][seat]);
        if (amount === 0) {
            line(context, HATCHES, look.hatches[seat], 0.06);
        }
    };
    around(context, middle(setup, cell), paint, scale);
}

/** Return the lines around a side's land, just inside of it. */
function borderOf(setup, land, seat) {
    const path = new Path2D();
    land.forEach((thing, cell) => {
        const [x, y] = middle(setup, cell);
        for (const [right, down] of thing.seat === seat ? SIDES : []) {
            const isInside = x + right > 0 && x + right < setup.width;
            if (!isInside || land.get(cell + right + down * setup.width)?.seat !== seat) {
                const [edgeX, edgeY] = [x + 0.45 * right, y + 0.45 * down];
                path.moveTo(edgeX - 0.48 * down, edgeY - 0.48 * right);
                path.lineTo(edgeX + 0.48 * down, edgeY + 0.48 * right);
            }
        }
    });
    return path;
}

// --- What stands on it

function paintHeadquarters(context, place, seat, look) {
    around(context, place, () => {
        fill(context, CASTLE, look.seats[seat], look.rim, 0.04);
        fill(context, FLAGS[seat], look.seats[seat]);
        fill(context, GATE, look.rim);
    });
}

/** Where only the strongest units of the opponent enter. */
function paintShield(context, place, seat, look) {
    around(context, place, () => fill(context, SHIELD, look.seats[seat], look.rim, 0.03));
}

/** Buildings that are new grow, and those that are lost shrink. */
function paintBuildings(context, setup, was, is, progress, look) {
    new Map([...was, ...is]).forEach(({ cell, what, seat }, key) => {
        const shrunk = is.has(key) ? 1 : 1 - eased(progress, 0.3, 0.7);
        const scale = was.has(key) ? shrunk : eased(progress, 0.4, 1);
        const paint = what === "mine" ? paintMine : paintTower;
        if (scale > 0) {
            around(context, middle(setup, cell), () => paint(context, seat, look), scale);
        }
    });
}

/** A mine is a filled gem of gold in a frame of its owner. */
function paintMine(context, seat, look) {
    around(context, [0, 0], () => fill(context, TOKENS[seat], look.rim, look.seats[seat], 0.16), 0.37);
    fill(context, GEM, look.gold);
}

function paintTower(context, seat, look) {
    fill(context, TOWER, look.seats[seat], look.rim, 0.04);
    fill(context, WINDOW, look.rim);
}

/** Units walk; those that are new grow, and those that are lost fade. */
function paintUnits(context, setup, was, is, progress, look) {
    const left = 1 - eased(progress, 0.25, 0.7);
    was.forEach((unit, id) => {
        if (!is.has(id) && left > 0) {
            around(context, middle(setup, unit.cell), () => paintUnit(context, unit, look), 1, left);
        }
    });
    is.forEach((unit, id) => {
        const [from, to] = [was.get(id) ?? unit, unit].map(({ cell }) => middle(setup, cell));
        const scale = was.has(id) ? 1 : eased(progress, 0.4, 0.95);
        if (scale > 0) {
            around(context, between(from, to, eased(progress, 0, MOVED)), () => paintUnit(context, unit, look), scale);
        }
    });
}

function paintUnit(context, { seat, amount: level }, look) {
    const size = 0.24 + 0.04 * level;
    around(context, [0, 0], () => fill(context, TOKENS[seat], look.seats[seat], look.rim, 0.05 / size), size);
    for (let dot = 0; dot < level; dot += 1) {
        around(context, [0.24 * (dot - (level - 1) / 2), 0], () => fill(context, TOKENS[0], look.rim), 0.068);
    }
}

// --- What happens in a turn

/** Mark what was taken and lost in the corners of cells, and whose headquarters is in danger. */
function paintMark(context, { setup, progress }, { kind, seat, cells }, look) {
    const paint = () => {
        if (LOSSES.includes(kind)) {
            line(context, CROSS, look.rim, 0.14);
            line(context, CROSS, look.seats[seat], 0.07);
        } else if (kind === "capture") {
            line(context, PENNANT, look.rim, 0.08);
            fill(context, PENNANT, look.seats[seat]);
            line(context, POLE, look.seats[seat], 0.05);
        } else if (kind === "threat" || kind === "headquarters") {
            const dashes = kind === "threat" ? [0.26, 0.2] : [];
            around(context, [0, 0], () => line(context, TOKENS[0], look.alarm, 0.15, dashes), 0.62);
        }
    };
    if (cells.length > 0) {
        around(context, middle(setup, cells[0]), paint, 1, eased(progress, 0.5, 1));
    }
    if (kind === "headquarters" && progress < 1) {
        const part = eased(progress, 0.5, 1);
        const burst = () => line(context, TOKENS[0], look.alarm, 0.3 * (1 - part));
        around(context, middle(setup, cells[0]), burst, 0.4 + 2.2 * part, 1 - part);
    }
}
