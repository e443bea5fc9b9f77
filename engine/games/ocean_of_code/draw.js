// How a match of Ocean of Code looks: sea and islands, two submarines with their ways and mines, and what they do.
//
// How this works. `drawn` lists what a state shows; `draw` paints that list. What never changes is painted once for each
// size. All is painted in cells: the map's corner is at 0 0, and the middle of the first cell at 0.5 0.5.
// A turn has two parts: first the submarine moves, then what it fires arrives. Seat 0 is round with a whole line as its
// way, seat 1 is pointed with beads, so that they differ without their colours too. At rest, marks say what has happened
// in the turn; none of them covers the middle of a cell.

const MARGIN = 0.8; // left of the map and above it, for the numbers of columns and rows
const EDGE = 0.2;
const SECTOR = 5;
const MOVED = 0.55; // how much of a turn has gone by when the submarine is there
const ARRIVED = 0.7; // ... and when a torpedo is
const NIGHT_SHARE = 0.4; // how dark the sea is where the opponent cannot be
const FOUND = ["nothing there", "it is there"];
const LIGHT = {
    sea: "#d5e7ef", shallow: "#e6f3f6", grid: "#c6dce6", sector: "#a3c3d3", sand: "#e6d8ac", grass: "#9fba87", tree: "#7d9c69",
    night: "#33506a", lost: "#a5b9c6", rim: "#ffffff", foam: "#ffffff", blast: "#b0123c", glow: "#ffb52e",
};
const DARK = {
    sea: "#16303f", shallow: "#1d3d4d", grid: "#1d3a4a", sector: "#34586b", sand: "#75694a", grass: "#47633f", tree: "#365032",
    night: "#000a12", lost: "#0a1820", rim: "#0c1a23", foam: "#9fc3d4", blast: "#ff7d9b", glow: "#ffd166",
};

/** Return height / width of the picture. */
export function aspect(setup) {
    return (setup.height + MARGIN + EDGE) / (setup.width + MARGIN + EDGE);
}

/** Return [x, y] of a cell's middle in a picture that is `size` CSS pixels wide. */
export function centre(setup, size, cell) {
    const unit = unitOf(setup, size);
    return middle(setup, cell).map((place) => (place + MARGIN) * unit);
}

/** Return the cell at a point, or null. */
export function cellAt(setup, size, x, y) {
    const unit = unitOf(setup, size);
    const [column, row] = [Math.floor(x / unit - MARGIN), Math.floor(y / unit - MARGIN)];
    const isInside = column >= 0 && column < setup.width && row >= 0 && row < setup.height;
    return isInside ? row * setup.width + column : null;
}

/** Return what the picture of a state shows: islands, ways, mines and submarines, with lives as their amount. */
export function drawn(setup, state) {
    const ofSides = state.submarines.flatMap((side, seat) => [
        ...side.trail.map((cell) => ({ cell, what: "trail", seat })),
        ...side.mines.map((cell) => ({ cell, what: "mine", seat })),
        { cell: side.cell, what: "submarine", seat, amount: side.lives },
    ]);
    return [...islandsOf(setup).map((cell) => ({ cell, what: "island", seat: null })), ...ofSides];
}

/** Return what stands beside the picture: lives, charges and mines of both. */
export function facts(setup, state) {
    const sides = state.submarines;
    if (sides.length === 0) {
        return [{ title: "Lives", values: [`${setup.lives}`, `${setup.lives}`] }];
    }
    const fact = (title, textOf) => ({ title, values: sides.map(textOf) });
    return [
        fact("Lives", (side) => `${side.lives} of ${setup.lives}`),
        ...Object.keys(sides[0].charge).map((power) =>
            fact(power[0].toUpperCase() + power.slice(1), ({ charge }) => chargeText(charge[power], setup.full_charge[power])),
        ),
        fact("Mines laid", (side) => `${side.mines.length}`),
        fact("Cells since surfacing", (side) => `${side.trail.length}`),
    ];
}

/** Draw a scene. */
export function draw(context, scene) {
    const look = lookOf(context, scene.colours);
    const sides = [0, 1].filter((seat) => scene.state.submarines[seat] && (scene.shown < 0 || scene.shown === seat));
    const ways = sides.map((seat) => wayOf(scene, seat));
    context.save();
    paintStill(context, scene, look);
    toCells(context, scene.setup, scene.size);
    paintKnowledge(context, scene, look);
    ways.forEach((way) => paintWay(context, way, look));
    paintMines(context, scene, sides, look);
    scene.events.forEach((event) => paintSector(context, scene, event, look));
    placeApart(ways).forEach((way) => paintSubmarine(context, scene, way, look));
    scene.events.forEach((event) => paintShot(context, scene, event, look));
    scene.events.forEach((event) => paintLoss(context, scene, event, look));
    context.restore();
}

// --- Where things are

function unitOf(setup, size) {
    return size / (setup.width + MARGIN + EDGE);
}

function toCells(context, setup, size) {
    const unit = unitOf(setup, size);
    context.scale(unit, unit);
    context.translate(MARGIN, MARGIN);
}

function middle(setup, cell) {
    return [(cell % setup.width) + 0.5, Math.floor(cell / setup.width) + 0.5];
}

function islandsOf(setup) {
    return [...setup.rows.join("")].flatMap((mark, cell) => (mark === "x" ? [cell] : []));
}

function sectorOf(setup, cell) {
    const corner = middle(setup, cell).map((place) => Math.floor(place / SECTOR) * SECTOR);
    return { corner, name: 1 + corner[0] / SECTOR + (corner[1] / SECTOR) * (setup.width / SECTOR) };
}

function between(from, to, part) {
    return from.map((place, axis) => place + (to[axis] - place) * part);
}

/** Return how far something is that happens from one moment of a turn to another: 0 to 1, slow at both ends. */
function eased(progress, from, to) {
    const part = Math.min(1, Math.max(0, (progress - from) / (to - from)));
    return part * part * (3 - 2 * part);
}

/** Return the cells of a set: a text of hexadecimal digits, the lowest bit standing for cell 0. */
function cellsIn(text) {
    return [...text].reverse().flatMap((digit, index) => [0, 1, 2, 3].filter((bit) => (parseInt(digit, 16) >> bit) & 1).map((bit) => 4 * index + bit));
}

/** Return the way of a submarine as far as it has come: its points, where it is, whereto it points, and an older way. */
function wayOf({ setup, before, state, progress }, seat) {
    const [was, is] = [before?.submarines[seat], state.submarines[seat]];
    const points = is.trail.map((cell) => middle(setup, cell));
    if (!was || progress >= 1) {
        return { seat, points, at: points.at(-1), heading: headingOf(points, seat), old: [], lives: is.lives };
    }
    const start = is.trail.lastIndexOf(was.cell);
    const path = start < 0 ? [middle(setup, was.cell), points.at(-1)] : points.slice(start);
    const gone = eased(progress, 0, MOVED) * (path.length - 1);
    const step = Math.min(Math.floor(gone), Math.max(0, path.length - 2));
    const at = path.length > 1 ? between(path[step], path[step + 1], gone - step) : path[0];
    const behind = [...points.slice(0, Math.max(0, start)), ...path.slice(0, step + 1)];
    const isForgotten = was.trail[0] !== is.trail[0];
    return {
        seat,
        points: [...behind, at],
        at,
        heading: headingOf(path.length > 1 ? path.slice(step, step + 2) : points, seat),
        old: isForgotten ? was.trail.map((cell) => middle(setup, cell)) : [],
        lives: progress < ARRIVED ? was.lives : is.lives,
    };
}

/** Return the direction of the last step in quarter turns; before the first, both look towards each other's side. */
function headingOf(points, seat) {
    const [from, to] = points.slice(-2);
    return to ? Math.atan2(to[1] - from[1], to[0] - from[0]) : Math.PI * seat;
}

/** Two submarines in one cell lie side by side. */
function placeApart(ways) {
    const [one, other] = ways;
    if (!other || Math.hypot(one.at[0] - other.at[0], one.at[1] - other.at[1]) > 0.3) {
        return ways;
    }
    return ways.map((way) => ({ ...way, at: way.at.map((place) => place + (way.seat ? 0.17 : -0.17)) }));
}

function chargeText(charge, full) {
    return charge >= full ? "ready" : `${charge} of ${full}`;
}

// --- Colours

const looks = new WeakMap();

/** Return the page's colours and ours that go with them. */
function lookOf(context, colours) {
    if (!looks.has(colours)) {
        const own = brightness(context, colours.ground) > 128 ? LIGHT : DARK;
        const ofSeats = (share) => colours.seats.map((seat) => mixed(context, own.sea, seat, share));
        looks.set(colours, { ...own, seats: colours.seats, quiet: colours.quiet, ink: colours.ink, ways: ofSeats(0.5), hints: ofSeats(0.25) });
    }
    return looks.get(colours);
}

function channels(context, colour) {
    context.save();
    context.fillStyle = colour;
    const text = context.fillStyle;
    context.restore();
    return [1, 3, 5].map((start) => parseInt(text.slice(start, start + 2), 16));
}

function brightness(context, colour) {
    const [red, green, blue] = channels(context, colour);
    return 0.3 * red + 0.6 * green + 0.1 * blue;
}

function mixed(context, one, other, share) {
    const parts = between(channels(context, one), channels(context, other), share);
    return `rgb(${parts.map(Math.round).join(" ")})`;
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
        paintIslands(its, setup, look);
        paintNumbers(its, setup, unitOf(setup, size), look);
        still = { size, scale, look, canvas };
        stills.set(setup, still);
    }
    context.drawImage(still.canvas, 0, 0, still.canvas.width / scale, still.canvas.height / scale);
}

function paintSea(context, { width, height }, look) {
    context.fillStyle = look.sea;
    context.beginPath();
    context.roundRect(0, 0, width, height, 0.3);
    context.fill();
    paintLines(context, width, height, 1, look.grid, 0.03);
    paintLines(context, width, height, SECTOR, look.sector, 0.06);
}

function paintLines(context, width, height, every, colour, lineWidth) {
    context.beginPath();
    for (let x = every; x < width; x += every) {
        context.moveTo(x, 0);
        context.lineTo(x, height);
    }
    for (let y = every; y < height; y += every) {
        context.moveTo(0, y);
        context.lineTo(width, y);
    }
    stroke(context, colour, lineWidth);
}

/** Land cells that touch grow together: shallow water around them, a beach, and green inside. */
function paintIslands(context, setup, look) {
    const { width, height } = setup;
    const land = new Set(islandsOf(setup));
    const isLand = (x, y) => x >= 0 && x < width && y >= 0 && y < height && land.has(y * width + x);
    context.save();
    context.beginPath();
    context.roundRect(0, 0, width, height, 0.3);
    context.clip();
    for (const [grown, colour] of [[0.14, look.shallow], [-0.05, look.sand], [-0.17, look.grass]]) {
        context.fillStyle = colour;
        land.forEach((cell) => fillLand(context, cell % width, Math.floor(cell / width), isLand, grown));
    }
    context.restore();
    context.fillStyle = look.tree;
    land.forEach((cell) => paintTrees(context, cell, middle(setup, cell)));
}

/** Fill a land cell, `grown` beyond its edges where the sea begins, up to its neighbours where they are land. */
function fillLand(context, x, y, isLand, grown) {
    const reach = (isNeighbour) => (isNeighbour ? 0 : grown);
    const [west, east, north, south] = [isLand(x - 1, y), isLand(x + 1, y), isLand(x, y - 1), isLand(x, y + 1)];
    const [left, top] = [x - reach(west), y - reach(north)];
    const [right, bottom] = [x + 1 + reach(east), y + 1 + reach(south)];
    const round = (isJoined) => (isJoined ? 0 : 0.3 + grown / 2);
    const corners = [west || north, east || north, east || south, west || south].map(round);
    context.beginPath();
    context.roundRect(left, top, right - left + (east ? 0.01 : 0), bottom - top + (south ? 0.01 : 0), corners);
    context.fill();
}

function paintTrees(context, cell, [x, y]) {
    for (const [angle, radius] of [[cell * 2.4, 0.07], [cell * 2.4 + 2.5, 0.05]]) {
        context.beginPath();
        context.arc(x + 0.22 * Math.cos(angle), y + 0.22 * Math.sin(angle), radius, 0, 7);
        context.fill();
    }
}

function paintNumbers(context, { width, height }, unit, look) {
    const px = Math.max(8, Math.min(13, 0.36 * unit));
    for (let column = 0; column < width; column += 1) {
        write(context, `${column}`, column + 0.5, -MARGIN / 2, px, unit, look.quiet);
    }
    for (let row = 0; row < height; row += 1) {
        write(context, `${row}`, -MARGIN / 2, row + 0.5, px, unit, look.quiet);
    }
    context.globalAlpha = 0.9;
    for (let sector = 0; sector < (width * height) / SECTOR ** 2; sector += 1) {
        const [column, row] = [sector % (width / SECTOR), Math.floor(sector / (width / SECTOR))];
        write(context, `${sector + 1}`, SECTOR * column + 0.2, SECTOR * row + 0.24, 0.85 * px, unit, look.sector);
    }
    context.globalAlpha = 1;
}

function write(context, text, x, y, px, unit, colour, align = "center") {
    context.save();
    context.translate(x, y);
    context.scale(1 / unit, 1 / unit);
    context.font = `600 ${px}px system-ui, sans-serif`;
    context.textAlign = align;
    context.textBaseline = "middle";
    context.fillStyle = colour;
    context.fillText(text, 0, 0);
    context.restore();
}

function stroke(context, colour, lineWidth, dashes = []) {
    context.strokeStyle = colour;
    context.lineWidth = lineWidth;
    context.setLineDash(dashes);
    context.stroke();
    context.setLineDash([]);
}

// --- What a seat knows

/** Darken the sea where the opponent cannot be, as the seat that is shown knows; small crosses: its mines can be there. */
function paintKnowledge(context, { setup, shown, views }, look) {
    const view = shown >= 0 ? views[shown] : null;
    if (!view) {
        return;
    }
    const possible = new Set(cellsIn(view.cells));
    const sea = [...setup.rows.join("")].flatMap((mark, cell) => (mark === "x" ? [] : [cell]));
    context.globalAlpha = NIGHT_SHARE;
    fillCells(context, setup, sea.filter((cell) => !possible.has(cell)), 0, look.night);
    context.globalAlpha = 1;
    fillCells(context, setup, [...possible], 0.03, look.hints[1 - shown]);
    context.beginPath();
    for (const [x, y] of cellsIn(view.others).map((cell) => middle(setup, cell))) {
        context.moveTo(x + 0.2, y - 0.36);
        context.lineTo(x + 0.36, y - 0.2);
        context.moveTo(x + 0.36, y - 0.36);
        context.lineTo(x + 0.2, y - 0.2);
    }
    stroke(context, look.seats[1 - shown], 0.05);
}

function fillCells(context, setup, cells, gap, colour) {
    context.fillStyle = colour;
    context.beginPath();
    for (const [x, y] of cells.map((cell) => middle(setup, cell))) {
        context.rect(x - 0.5 + gap, y - 0.5 + gap, 1 - 2 * gap, 1 - 2 * gap);
    }
    context.fill();
}

// --- Submarines and mines

function paintWay(context, { seat, points, old, }, look) {
    paintLine(context, old, seat, look, 0.25);
    paintLine(context, points, seat, look, 1);
}

function paintLine(context, points, seat, look, alpha) {
    if (points.length === 0) {
        return;
    }
    context.save();
    context.globalAlpha = alpha;
    context.lineJoin = context.lineCap = "round";
    context.beginPath();
    points.forEach(([x, y]) => context.lineTo(x, y));
    stroke(context, look.ways[seat], seat === 0 ? 0.17 : 0.07);
    if (seat === 1) {
        context.fillStyle = look.ways[seat];
        points.forEach(([x, y]) => fillCircle(context, x, y, 0.13));
    }
    context.restore();
}

function fillCircle(context, x, y, radius) {
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
    context.fill();
}

/** Mines that are new grow, and those that explode shrink. */
function paintMines(context, { setup, before, state, progress }, sides, look) {
    for (const seat of sides) {
        const [old, now] = [before?.submarines[seat]?.mines ?? [], state.submarines[seat].mines];
        const shared = new Set(sides.length > 1 ? state.submarines[1 - seat].mines : []);
        for (const cell of new Set([...old, ...now])) {
            const isNew = !old.includes(cell);
            const isGone = !now.includes(cell);
            const size = isNew ? eased(progress, 0.3, 1) : isGone ? 1 - eased(progress, MOVED, ARRIVED) : 1;
            const shift = shared.has(cell) ? (seat ? 0.2 : -0.2) : 0;
            paintMine(context, middle(setup, cell).map((place) => place + shift), seat, size, look);
        }
    }
}

function paintMine(context, [x, y], seat, size, look) {
    if (size <= 0) {
        return;
    }
    context.save();
    context.translate(x, y);
    context.scale(size, size);
    context.lineCap = "round";
    context.beginPath();
    for (let spike = 0; spike < 8; spike += 1) {
        const angle = (spike * Math.PI) / 4;
        context.moveTo(0, 0);
        context.lineTo(0.3 * Math.cos(angle), 0.3 * Math.sin(angle));
    }
    stroke(context, look.seats[seat], 0.07);
    context.beginPath();
    if (seat === 0) {
        context.arc(0, 0, 0.2, 0, 2 * Math.PI);
    } else {
        [[0.24, 0], [0, 0.24], [-0.24, 0], [0, -0.24]].forEach(([right, down]) => context.lineTo(right, down));
        context.closePath();
    }
    context.fillStyle = look.seats[seat];
    context.fill();
    stroke(context, look.rim, 0.05);
    context.restore();
}

/** Paint a submarine with its lives as the parts of a circle around it; one that moves in silence fades meanwhile. */
function paintSubmarine(context, { setup, events, progress, size }, way, look) {
    const { seat, at, heading, lives } = way;
    const isSilent = events.some((event) => event.kind === "silence" && event.seat === seat);
    context.save();
    context.translate(...at);
    context.globalAlpha = isSilent ? 1 - 0.75 * Math.sin(Math.PI * eased(progress, 0, 0.9)) : 1;
    paintLives(context, lives, setup.lives, seat, look);
    if (events.some((event) => event.kind === "surface" && event.seat === seat)) {
        paintRipples(context, progress, look);
    }
    context.rotate(heading);
    context.lineJoin = "round";
    paintHull(context, seat, look);
    if (lives <= 0) {
        paintCross(context, look);
    }
    context.restore();
}

function paintHull(context, seat, look) {
    context.fillStyle = look.seats[seat];
    context.beginPath(); // the rudder
    context.roundRect(-0.42, -0.17, 0.1, 0.34, 0.04);
    context.fill();
    stroke(context, look.rim, 0.05);
    context.beginPath();
    if (seat === 0) {
        context.roundRect(-0.36, -0.17, 0.76, 0.34, [0.1, 0.17, 0.17, 0.1]);
    } else {
        context.moveTo(0.46, 0);
        context.quadraticCurveTo(0.05, -0.34, -0.38, 0);
        context.quadraticCurveTo(0.05, 0.34, 0.46, 0);
    }
    context.closePath();
    context.fill();
    stroke(context, look.rim, 0.05);
    context.fillStyle = look.rim;
    fillCircle(context, 0.2, 0, 0.055);
    context.fillRect(-0.19, -0.07, 0.06, 0.14);
}

function paintLives(context, lives, full, seat, look) {
    const part = (2 * Math.PI) / full;
    for (let life = 0; life < full; life += 1) {
        const start = life * part - Math.PI / 2 + 0.14;
        context.beginPath();
        context.arc(0, 0, 0.56, start, start + part - 0.28);
        stroke(context, look.rim, 0.17);
        stroke(context, life < lives ? look.seats[seat] : look.lost, life < lives ? 0.1 : 0.05);
    }
}

function paintRipples(context, progress, look) {
    for (const late of [0, 0.25]) {
        const grown = eased(progress, late, late + 0.75);
        context.beginPath();
        context.arc(0, 0, 0.3 + 0.5 * grown + late / 2, 0, 2 * Math.PI);
        stroke(context, look.foam, 0.06);
    }
}

function paintCross(context, look) {
    context.beginPath();
    for (const [right, down] of [[1, 1], [1, -1]]) {
        context.moveTo(-0.42 * right, -0.42 * down);
        context.lineTo(-0.2 * right, -0.2 * down);
        context.moveTo(0.2 * right, 0.2 * down);
        context.lineTo(0.42 * right, 0.42 * down);
    }
    stroke(context, look.blast, 0.1);
}

// --- What happens in a turn

/** Frame the sector of a sonar, or of an opponent that surfaced and is not seen. */
function paintSector(context, { setup, state, shown, progress, size }, event, look) {
    const isSonar = event.kind === "sonar" && event.cells.length > 0;
    const isHeard = event.kind === "surface" && shown === 1 - event.seat;
    if (!isSonar && !isHeard) {
        return;
    }
    const { corner, name } = sectorOf(setup, event.cells[0]);
    const [x, y] = corner;
    const opponent = state.submarines[1 - event.seat]?.cell;
    const words = isSonar ? `sonar: ${FOUND[Number(sectorOf(setup, opponent).name === name)]}` : "surfaced";
    const flash = Math.sin(Math.PI * eased(progress, 0.2, 1));
    context.save();
    context.beginPath();
    context.roundRect(x + 0.08, y + 0.08, SECTOR - 0.16, SECTOR - 0.16, 0.3);
    stroke(context, look.seats[event.seat], 0.09, event.seat ? [0.28, 0.2] : []);
    context.clip();
    if (isSonar && progress < 1) {
        context.globalAlpha = 0.3 * flash;
        context.fillStyle = look.seats[event.seat];
        fillCircle(context, x + SECTOR / 2, y + SECTOR / 2, SECTOR * 0.75 * eased(progress, 0.2, 0.9));
    }
    context.restore();
    label(context, words, x + 0.45, y + 0.1, setup, size, look.seats[event.seat], look.rim);
}

/** Write words on a small plate that begins at `x`, further left where the picture would end. */
function label(context, words, x, y, setup, size, colour, ink) {
    const unit = unitOf(setup, size);
    const px = Math.max(7.5, Math.min(13, 0.3 * unit));
    context.font = `600 ${px}px system-ui, sans-serif`;
    const width = (context.measureText(words).width + 0.8 * px) / unit;
    const height = (1.25 * px) / unit;
    const left = Math.min(x, setup.width + EDGE - width);
    context.fillStyle = colour;
    context.beginPath();
    context.roundRect(left, y - height / 2, width, height, height / 2);
    context.fill();
    write(context, words, left + width / 2, y + 0.02, px, unit, ink);
}

/** A torpedo on its way, or a mine that is set off, and the explosion. */
function paintShot(context, { setup, shown, progress }, event, look) {
    if (event.kind !== "torpedo" && event.kind !== "trigger") {
        return;
    }
    const target = middle(setup, event.cells[0]);
    const isSeen = shown < 0 || shown === event.seat;
    if (event.kind === "torpedo" && event.cells.length > 1 && isSeen && progress < ARRIVED) {
        paintTorpedo(context, middle(setup, event.cells[1]), target, eased(progress, 0.25, ARRIVED), look, event.seat);
    }
    if (progress < ARRIVED) {
        return;
    }
    if (progress < 1) {
        paintBlast(context, target, (progress - ARRIVED) / (1 - ARRIVED), look);
    }
    context.globalAlpha = eased(progress, ARRIVED, 1);
    paintDamage(context, target, look);
    context.globalAlpha = 1;
}

function paintTorpedo(context, from, to, part, look, seat) {
    const at = between(from, to, part);
    context.lineCap = "round";
    context.beginPath();
    context.moveTo(...between(from, to, Math.max(0, part - 0.5)));
    context.lineTo(...at);
    stroke(context, look.foam, 0.12, [0.02, 0.22]);
    context.save();
    context.translate(...at);
    context.rotate(Math.atan2(to[1] - from[1], to[0] - from[0]));
    context.fillStyle = look.seats[seat];
    context.beginPath();
    context.roundRect(-0.22, -0.08, 0.44, 0.16, [0.03, 0.08, 0.08, 0.03]);
    context.fill();
    stroke(context, look.rim, 0.04);
    context.restore();
}

function paintBlast(context, [x, y], part, look) {
    context.save();
    context.globalAlpha = 0.75 * (1 - part);
    context.fillStyle = look.glow;
    fillCircle(context, x, y, 0.3 + 1.2 * Math.sqrt(part));
    context.globalAlpha = 1 - part;
    context.fillStyle = look.rim;
    fillCircle(context, x, y, 0.45 * (1 - part));
    for (const late of [0, 0.25]) {
        context.beginPath();
        context.arc(x, y, 0.2 + 1.4 * Math.max(0, part - late), 0, 2 * Math.PI);
        stroke(context, look.blast, 0.1);
    }
    context.restore();
}

/** Where an explosion costs lives: two in its cell, which the four lines point at, one around it. */
function paintDamage(context, [x, y], look) {
    context.beginPath();
    context.roundRect(x - 1.44, y - 1.44, 2.88, 2.88, 0.4);
    stroke(context, look.blast, 0.07, [0.2, 0.14]);
    context.beginPath();
    for (const [right, down] of [[1, 0], [0, 1], [-1, 0], [0, -1]]) {
        context.moveTo(x + 1.44 * right, y + 1.44 * down);
        context.lineTo(x + 1.14 * right, y + 1.14 * down);
    }
    stroke(context, look.blast, 0.1);
}

/** How many lives a submarine that is seen has lost. */
function paintLoss(context, { setup, shown, progress, size, events }, event, look) {
    if (event.kind !== "hit" || (shown >= 0 && shown !== event.seat) || progress < ARRIVED) {
        return;
    }
    const earlier = events.slice(0, events.indexOf(event)).filter(({ kind, seat }) => kind === "hit" && seat === event.seat);
    const [x, y] = middle(setup, event.cells[0]);
    const rise = 0.5 * (1 - eased(progress, ARRIVED, 1));
    label(context, `−${event.amount}`, x + 0.32, y - 0.55 + rise - 0.4 * earlier.length, setup, size, look.blast, look.rim);
}
