// How a match of Ocean of Code looks: sea and islands, two submarines with their ways and mines, and what they do.
//
// How this works. `drawn` lists what a state shows; `draw` paints that list. What never changes is painted once for
// each size. All is painted in cells: the map's corner is at 0 0, and the middle of the first cell at 0.5 0.5; shapes
// have their middle at 0 0 and look to the right.
// A turn has two parts: first the submarine moves, then what it fires arrives. Seat 0 is round with a whole line as its
// way, seat 1 is pointed with beads, so that they differ without their colours too. At rest, marks say what has
// happened in the turn; none of them covers the middle of a cell.

const MARGIN = 0.8; // left of the map and above it, for the numbers of columns and rows
const EDGE = 0.2;
const SECTOR = 5;
const MOVED = 0.55; // how much of a turn has gone by when the submarine is there
const ARRIVED = 0.7; // ... and when a torpedo is
const NIGHT_SHARE = 0.4; // how dark the sea is where the opponent cannot be
const FULL = 2 * Math.PI;
const LIGHT = {
    sea: "#d5e7ef", shallow: "#e6f3f6", grid: "#c6dce6", sector: "#a3c3d3", sand: "#e6d8ac", grass: "#9fba87",
    tree: "#7d9c69", night: "#33506a", lost: "#a5b9c6", rim: "#ffffff", foam: "#ffffff", blast: "#b0123c",
    glow: "#ffb52e",
};
const DARK = {
    sea: "#16303f", shallow: "#1d3d4d", grid: "#1d3a4a", sector: "#34586b", sand: "#75694a", grass: "#47633f",
    tree: "#365032", night: "#000a12", lost: "#0a1820", rim: "#0c1a23", foam: "#9fc3d4", blast: "#ff7d9b",
    glow: "#ffd166",
};
const HULLS = shapes(
    "M-.36-.07Q-.36-.17-.26-.17H.23A.17.17 0 0 1 .23.17H-.26Q-.36.17-.36.07Z", "M.46 0Q.05-.34-.38 0Q.05.34.46 0Z",
);
const [RUDDER, HATCHES] = shapes(
    "M-.42-.17H-.32V.17H-.42Z", "M.26 0A.06.06 0 1 1 .14 0A.06.06 0 1 1 .26 0ZM-.19-.07H-.13V.07H-.19Z",
);
const [SPIKES, ...BODIES] = shapes(
    "M-.3 0H.3M0-.3V.3M-.21-.21L.21.21M.21-.21L-.21.21",
    "M.2 0A.2.2 0 1 1-.2 0A.2.2 0 1 1 .2 0Z", "M.24 0L0 .24L-.24 0L0-.24Z",
);
const [TORPEDO, WRECK] = shapes(
    "M-.22-.08H.14Q.22 0 .14.08H-.22Z", "M-.42-.42L-.2-.2M.2.2L.42.42M-.42.42L-.2.2M.2-.2L.42-.42",
);
const [AIM, MINE_HINT] = shapes("M1.44 0H1.14M-1.44 0H-1.14M0 1.44V1.14M0-1.44V-1.14", "M.2-.36L.36-.2M.36-.36L.2-.2");

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

/** Return what the picture of a state shows: islands, ways, mines and submarines, with lives as their amount. */
export function drawn(setup, state) {
    return [
        ...islandsOf(setup).map((cell) => ({ cell, what: "island", seat: null })),
        ...state.submarines.flatMap((side, seat) => [
            ...side.trail.map((cell) => ({ cell, what: "trail", seat })),
            ...side.mines.map((cell) => ({ cell, what: "mine", seat })),
            { cell: side.cell, what: "submarine", seat, amount: side.lives },
        ]),
    ];
}

/** Return what stands beside the picture: lives, charges and mines of both. */
export function facts(setup, state) {
    const sides = state.submarines;
    if (sides.length === 0) {
        return [{ title: "Lives", values: [0, 1].map(() => `${setup.lives} of ${setup.lives}`) }];
    }
    const fact = (title, textOf) => ({ title, values: sides.map(textOf) });
    const chargeText = (charge, full) => (charge >= full ? "ready" : `${charge} of ${full}`);
    const titleOf = (power) => power[0].toUpperCase() + power.slice(1);
    return [
        fact("Lives", (side) => `${side.lives} of ${setup.lives}`),
        ...Object.keys(sides[0].charge).map((power) =>
            fact(titleOf(power), (side) => chargeText(side.charge[power], setup.full_charge[power])),
        ),
        fact("Mines laid", (side) => `${side.mines.length}`),
        fact("Cells since surfacing", (side) => `${side.trail.length}`),
    ];
}

/** Draw a scene. */
export function draw(context, scene) {
    const { setup, before, state, shown, size, events } = scene;
    const look = lookOf(scene.colours);
    const [was, is] = [before ? listOf(setup, before) : [], listOf(setup, state)];
    const sides = is.filter(({ seat }) => shown < 0 || shown === seat);
    const ways = sides.map((side) => wayOf(scene, was[side.seat], side));
    context.save();
    paintStill(context, scene, look);
    toCells(context, setup, size);
    context.lineJoin = "round";
    paintKnowledge(context, scene, look);
    ways.forEach((way) => paintWay(context, way, look));
    sides.forEach((side) => paintMines(context, scene, was[side.seat], side, sides, look));
    events.forEach((event) => paintSector(context, scene, is, event, look));
    apart(ways).forEach((way) => paintSubmarine(context, scene, way, look));
    events.forEach((event) => paintShot(context, scene, event, look));
    sides.forEach((side) => paintLosses(context, scene, side, look));
    context.restore();
}

// --- Where things are

const lists = new WeakMap();

/** Return for each side what is drawn of a state: its way and mines as cells, where it is, and its lives. */
function listOf(setup, state) {
    if (!lists.has(state)) {
        const things = drawn(setup, state);
        const of = (kind) => things.filter(({ what }) => what === kind);
        const cellsOf = (kind, its) => of(kind).flatMap(({ seat, cell }) => (seat === its ? [cell] : []));
        const sides = of("submarine").map(({ cell, seat, amount: lives }) => {
            return { seat, cell, lives, trail: cellsOf("trail", seat), mines: cellsOf("mine", seat) };
        });
        lists.set(state, sides);
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

function islandsOf(setup) {
    return [...setup.rows.join("")].flatMap((mark, cell) => (mark === "x" ? [cell] : []));
}

function sectorCorner(setup, cell) {
    return middle(setup, cell).map((place) => Math.floor(place / SECTOR) * SECTOR);
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

/** Return how far a submarine has come: its way until there, where it is, whereto it points, and a way left behind. */
function wayOf({ setup, progress }, was, is) {
    const points = is.trail.map((cell) => middle(setup, cell));
    if (!was || progress >= 1) {
        return { ...is, points, at: points.at(-1), heading: headingOf(points.slice(-2), is.seat), old: [] };
    }
    const start = is.trail.lastIndexOf(was.cell);
    const path = start < 0 ? [middle(setup, was.cell), points.at(-1)] : points.slice(start);
    const gone = eased(progress, 0, MOVED) * (path.length - 1);
    const step = Math.min(Math.floor(gone), Math.max(0, path.length - 2));
    const at = path.length > 1 ? between(path[step], path[step + 1], gone - step) : path[0];
    return {
        ...is,
        points: [...points.slice(0, Math.max(0, start)), ...path.slice(0, step + 1), at],
        at,
        heading: headingOf(path.length > 1 ? path.slice(step, step + 2) : points.slice(-2), is.seat),
        old: was.trail[0] === is.trail[0] ? [] : was.trail.map((cell) => middle(setup, cell)),
        lives: progress < ARRIVED ? was.lives : is.lives,
    };
}

/** Return the direction of a step; before the first, both look towards each other's side. */
function headingOf([from, to], seat) {
    return to ? Math.atan2(to[1] - from[1], to[0] - from[0]) : Math.PI * seat;
}

/** Two submarines in one cell lie side by side. */
function apart(ways) {
    const [one, other] = ways;
    const areClose = other && Math.hypot(one.at[0] - other.at[0], one.at[1] - other.at[1]) < 0.3;
    const beside = (way) => ({ ...way, at: way.at.map((place) => place + (way.seat ? 0.17 : -0.17)) });
    return areClose ? ways.map(beside) : ways;
}

// --- Colours and shapes

const looks = new WeakMap();

/** Return the page's colours and ours that go with them. */
function lookOf(colours) {
    if (!looks.has(colours)) {
        const own = parseInt(colours.ground.slice(1, 3), 16) > 128 ? LIGHT : DARK;
        const ofSeats = (share) => colours.seats.map((seat) => mixed(own.sea, seat, share));
        const ours = { ways: ofSeats(0.5), hints: ofSeats(0.25) };
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

function circle(x, y, radius, from = 0, to = FULL) {
    const path = new Path2D();
    path.arc(x, y, radius, from, to);
    return path;
}

function box(x, y, width, height, radius) {
    const path = new Path2D();
    path.roundRect(x, y, width, height, radius);
    return path;
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

/** Paint something around a place, turned and as large as is said. */
function around(context, [x, y], paint, { angle = 0, scale = 1, alpha = 1 } = {}) {
    context.save();
    context.translate(x, y);
    context.rotate(angle);
    context.scale(scale, scale);
    context.globalAlpha = alpha;
    paint();
    context.restore();
}

function write(context, text, place, px, unit, colour) {
    around(context, place, () => {
        context.font = `600 ${px}px system-ui, sans-serif`;
        context.textAlign = "center";
        context.textBaseline = "middle";
        context.fillStyle = colour;
        context.fillText(text, 0, 0);
    }, { scale: 1 / unit, alpha: context.globalAlpha });
}

/** Write words on a small plate that begins at `x`, further left where the picture would end. */
function label(context, words, x, y, { setup, size }, colour, ink) {
    const unit = unitOf(setup, size);
    const px = Math.max(7.5, Math.min(13, 0.3 * unit));
    context.font = `600 ${px}px system-ui, sans-serif`;
    const [width, height] = [context.measureText(words).width + 0.8 * px, 1.25 * px].map((length) => length / unit);
    const left = Math.min(x, setup.width + EDGE - width);
    fill(context, box(left, y - height / 2, width, height, height / 2), colour);
    write(context, words, [left + width / 2, y + 0.02], px, unit, ink);
}

// --- What never changes

const stills = new WeakMap();

/** Paint sea, islands and numbers, from a copy that is made once for each map, size and set of colours. */
function paintStill(context, { setup, size }, look) {
    const scale = context.getTransform().a;
    let still = stills.get(setup);
    if (still?.size !== size || still.scale !== scale || still.look !== look) {
        const canvas = new OffscreenCanvas(Math.ceil(size * scale), Math.ceil(size * aspect(setup) * scale));
        const its = canvas.getContext("2d");
        its.scale(scale, scale);
        toCells(its, setup, size);
        paintSea(its, setup, look);
        paintNumbers(its, setup, unitOf(setup, size), look);
        still = { size, scale, look, canvas };
        stills.set(setup, still);
    }
    context.drawImage(still.canvas, 0, 0, still.canvas.width / scale, still.canvas.height / scale);
}

/** Land cells that touch grow together: shallow water around them, a beach, and green inside. */
function paintSea(context, setup, look) {
    const { width, height } = setup;
    const land = new Set(islandsOf(setup));
    const isLand = (x, y) => x >= 0 && x < width && y >= 0 && y < height && land.has(y * width + x);
    const sea = box(0, 0, width, height, 0.3);
    fill(context, sea, look.sea);
    line(context, grid(width, height, 1), look.grid, 0.03);
    line(context, grid(width, height, SECTOR), look.sector, 0.06);
    context.save();
    context.clip(sea);
    for (const [grown, colour] of [[0.14, look.shallow], [-0.05, look.sand], [-0.17, look.grass]]) {
        land.forEach((cell) => fill(context, landShape(cell % width, Math.floor(cell / width), isLand, grown), colour));
    }
    for (const cell of land) {
        const [x, y] = middle(setup, cell);
        for (const [angle, radius] of [[2.4 * cell, 0.07], [2.4 * cell + 2.5, 0.05]]) {
            fill(context, circle(x + 0.22 * Math.cos(angle), y + 0.22 * Math.sin(angle), radius), look.tree);
        }
    }
    context.restore();
}

function grid(width, height, every) {
    const lines = (length, textOf) =>
        Array.from({ length: Math.ceil(length / every) - 1 }, (_, index) => textOf((index + 1) * every)).join("");
    return new Path2D(lines(width, (x) => `M${x} 0V${height}`) + lines(height, (y) => `M0 ${y}H${width}`));
}

/** Return a land cell, `grown` beyond its edges where the sea begins, and joined to its neighbours that are land. */
function landShape(x, y, isLand, grown) {
    const [west, east, north, south] = [isLand(x - 1, y), isLand(x + 1, y), isLand(x, y - 1), isLand(x, y + 1)];
    const [left, top] = [west ? x : x - grown, north ? y : y - grown];
    const [right, bottom] = [x + 1 + (east ? 0.01 : grown), y + 1 + (south ? 0.01 : grown)];
    const areJoined = [west || north, east || north, east || south, west || south];
    return box(left, top, right - left, bottom - top, areJoined.map((isJoined) => (isJoined ? 0 : 0.3 + grown / 2)));
}

function paintNumbers(context, { width, height }, unit, look) {
    const px = Math.max(8, Math.min(13, 0.36 * unit));
    for (let column = 0; column < width; column += 1) {
        write(context, `${column}`, [column + 0.5, -MARGIN / 2], px, unit, look.quiet);
    }
    for (let row = 0; row < height; row += 1) {
        write(context, `${row}`, [-MARGIN / 2, row + 0.5], px, unit, look.quiet);
    }
    for (let y = 0, sector = 1; y < height; y += SECTOR) {
        for (let x = 0; x < width; x += SECTOR, sector += 1) {
            write(context, `${sector}`, [x + 0.2, y + 0.24], 0.85 * px, unit, look.sector);
        }
    }
}

// --- What a seat knows

/** Darken the sea where the opponent cannot be, as the seat that is shown knows; crosses: its mines can be there. */
function paintKnowledge(context, { setup, shown, views }, look) {
    const view = shown >= 0 ? views[shown] : null;
    if (!view) {
        return;
    }
    const possible = new Set(cellsIn(view.cells));
    const sea = [...setup.rows.join("")].flatMap((mark, cell) => (mark === "x" ? [] : [cell]));
    context.globalAlpha = NIGHT_SHARE;
    fill(context, cellsShape(setup, sea.filter((cell) => !possible.has(cell)), 1), look.night);
    context.globalAlpha = 1;
    fill(context, cellsShape(setup, [...possible], 0.94), look.hints[1 - shown]);
    for (const cell of cellsIn(view.others)) {
        around(context, middle(setup, cell), () => line(context, MINE_HINT, look.seats[1 - shown], 0.05));
    }
}

function cellsShape(setup, cells, size) {
    const path = new Path2D();
    for (const [x, y] of cells.map((cell) => middle(setup, cell))) {
        path.rect(x - size / 2, y - size / 2, size, size);
    }
    return path;
}

// --- Submarines and mines

function paintWay(context, { seat, points, old }, look) {
    context.lineCap = "round";
    for (const [places, alpha] of [[old, 0.25], [points, 1]]) {
        const path = new Path2D();
        places.forEach(([x, y]) => path.lineTo(x, y));
        context.globalAlpha = alpha;
        line(context, path, look.ways[seat], seat === 0 ? 0.17 : 0.07);
        if (seat === 1) {
            places.forEach(([x, y]) => fill(context, circle(x, y, 0.13), look.ways[seat]));
        }
    }
    context.lineCap = "butt";
}

/** Mines that are new grow, and those that explode shrink; two in one cell lie side by side. */
function paintMines(context, { setup, progress }, was, { seat, mines }, sides, look) {
    const old = was?.mines ?? [];
    const others = sides.find((side) => side.seat !== seat)?.mines ?? [];
    for (const cell of new Set([...old, ...mines])) {
        const isNew = !old.includes(cell);
        const scale = isNew ? eased(progress, 0.3, 1) : mines.includes(cell) ? 1 : 1 - eased(progress, MOVED, ARRIVED);
        const shift = others.includes(cell) ? (seat ? 0.2 : -0.2) : 0;
        if (scale > 0) {
            const paint = () => {
                line(context, SPIKES, look.seats[seat], 0.07);
                fill(context, BODIES[seat], look.seats[seat], look.rim);
            };
            around(context, middle(setup, cell).map((place) => place + shift), paint, { scale });
        }
    }
}

/** Paint a submarine with its lives as the parts of a circle around it; one that moves in silence fades meanwhile. */
function paintSubmarine(context, { setup, events, progress }, { seat, at, heading, lives }, look) {
    const does = (kind) => events.some((event) => event.kind === kind && event.seat === seat);
    const alpha = does("silence") ? 1 - 0.75 * Math.sin(Math.PI * eased(progress, 0, 0.9)) : 1;
    const paintAround = () => {
        paintLives(context, lives, setup.lives, seat, look);
        for (const late of does("surface") ? [0, 0.25] : []) {
            line(context, circle(0, 0, 0.3 + 0.5 * eased(progress, late, late + 0.75) + late / 2), look.foam, 0.06);
        }
    };
    const paintHull = () => {
        fill(context, RUDDER, look.seats[seat], look.rim);
        fill(context, HULLS[seat], look.seats[seat], look.rim);
        fill(context, HATCHES, look.rim);
        if (lives <= 0) {
            line(context, WRECK, look.blast, 0.1);
        }
    };
    around(context, at, paintAround, { alpha });
    around(context, at, paintHull, { angle: heading, alpha });
}

function paintLives(context, lives, full, seat, look) {
    for (let life = 0; life < full; life += 1) {
        const start = ((life - full / 4) * FULL) / full + 0.14;
        const part = circle(0, 0, 0.56, start, start + FULL / full - 0.28);
        line(context, part, look.rim, 0.17);
        line(context, part, life < lives ? look.seats[seat] : look.lost, life < lives ? 0.1 : 0.05);
    }
}

// --- What happens in a turn

/** Frame the sector of a sonar, or of an opponent that surfaced and is not seen. */
function paintSector(context, scene, is, event, look) {
    const { setup, shown, progress } = scene;
    const isSonar = event.kind === "sonar";
    if (!isSonar && !(event.kind === "surface" && shown === 1 - event.seat)) {
        return;
    }
    const [x, y] = sectorCorner(setup, event.cells[0]);
    const isThere = `${sectorCorner(setup, is[1 - event.seat].cell)}` === `${[x, y]}`;
    const frame = box(x + 0.08, y + 0.08, SECTOR - 0.16, SECTOR - 0.16, 0.3);
    const colour = look.seats[event.seat];
    line(context, frame, colour, 0.09, event.seat ? [0.28, 0.2] : []);
    if (isSonar && progress < 1) {
        context.save();
        context.clip(frame);
        context.globalAlpha = 0.3 * Math.sin(Math.PI * eased(progress, 0.2, 1));
        fill(context, circle(x + SECTOR / 2, y + SECTOR / 2, SECTOR * 0.75 * eased(progress, 0.2, 0.9)), colour);
        context.restore();
    }
    const words = isSonar ? `sonar: ${isThere ? "it is there" : "nothing there"}` : "surfaced";
    label(context, words, x + 0.45, y + 0.1, scene, colour, look.rim);
}

/** A torpedo on its way, or a mine that is set off, and the explosion. */
function paintShot(context, { setup, shown, progress }, { kind, cells, seat }, look) {
    if (kind !== "torpedo" && kind !== "trigger") {
        return;
    }
    const target = middle(setup, cells[0]);
    if (progress >= ARRIVED) {
        around(context, target, () => paintDamage(context, look), { alpha: eased(progress, ARRIVED, 1) });
        around(context, target, () => paintBlast(context, (progress - ARRIVED) / (1 - ARRIVED), look));
    } else if (kind === "torpedo" && shown !== 1 - seat) {
        paintTorpedo(context, middle(setup, cells[1]), target, eased(progress, 0.25, ARRIVED), look, look.seats[seat]);
    }
}

function paintTorpedo(context, from, to, part, look, colour) {
    const at = between(from, to, part);
    const wake = new Path2D();
    wake.moveTo(...between(from, to, Math.max(0, part - 0.5)));
    wake.lineTo(...at);
    line(context, wake, look.foam, 0.1, [0.1, 0.15]);
    around(context, at, () => fill(context, TORPEDO, colour, look.rim), { angle: headingOf([from, to]) });
}

function paintBlast(context, part, look) {
    context.globalAlpha = 0.75 * (1 - part);
    fill(context, circle(0, 0, 0.3 + 1.2 * Math.sqrt(part)), look.glow);
    fill(context, circle(0, 0, 0.45 * (1 - part)), look.rim);
    for (const late of [0, 0.25]) {
        line(context, circle(0, 0, 0.2 + 1.4 * Math.max(0, part - late)), look.blast, 0.1);
    }
}

/** Where an explosion costs lives: two in its cell, at which four lines aim, one around it. */
function paintDamage(context, look) {
    line(context, box(-1.44, -1.44, 2.88, 2.88, 0.4), look.blast, 0.07, [0.2, 0.14]);
    line(context, AIM, look.blast, 0.1);
}

/** How many lives a submarine that is seen has lost in all, at a corner of its cell. */
function paintLosses(context, scene, { seat, cell }, look) {
    const { setup, progress, events } = scene;
    const hits = events.filter((event) => event.kind === "hit" && event.seat === seat);
    const lost = hits.reduce((sum, { amount }) => sum + amount, 0);
    if (lost > 0 && progress >= ARRIVED) {
        const [x, y] = middle(setup, cell);
        label(context, `−${lost}`, x + 0.14, y - 0.5 * eased(progress, ARRIVED, 1), scene, look.blast, look.rim);
    }
}
