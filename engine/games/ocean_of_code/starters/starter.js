// A starter for Ocean of Code: plays legally in every league, and leaves everything else to you.
//
// Each turn it steps to the first free cell and charges its torpedo. It surfaces when it has nowhere to go. When the
// opponent surfaces it guesses the middle of that sector, lets the guess move along with the opponent, and fires when
// the guess comes near.

const STEPS = { N: [0, -1], E: [1, 0], S: [0, 1], W: [-1, 0] };
const TORPEDO_RANGE = 4;

// What is sent first: the size of the map, which player we are, and the map ("." is water, "x" is land).
const [width, height, myId] = readline().split(' ').map(Number);
const rows = [];
for (let y = 0; y < height; y++) {
    rows.push(readline());
}
const isWater = (x, y) => x >= 0 && x < width && y >= 0 && y < height && rows[y][x] === '.';

// The first answer is where to start: any water cell. The map and our number choose it, so that two bots which begin
// with this source do not start on one cell, and a match can be played again.
const cells = [];
for (let cell = 0; cell < width * height; cell++) {
    if (isWater(cell % width, Math.floor(cell / width))) {
        cells.push(cell);
    }
}
const sum = cells.reduce((one, other) => one + other);
const start = cells[(sum + Math.floor((myId * cells.length) / 3)) % cells.length];
console.log(`${start % width} ${Math.floor(start / width)}`);

const visited = new Set(); // cells that we may not enter again before we surface, as "x y"
let guess = null; // where we believe the opponent to be, as [x, y]

while (true) {
    // What is sent each turn. A cooldown is what is missing to a full charge, and -1 where the league lacks the power.
    const [x, y, myLife, opponentLife, torpedoCooldown, sonarCooldown, silenceCooldown, mineCooldown] = readline()
        .split(' ')
        .map(Number);
    const sonarResult = readline(); // Y, N or NA
    const opponentOrders = readline(); // such as MOVE N|TORPEDO 3 5, or NA
    visited.add(`${x} ${y}`);

    // Follow the opponent.
    for (const order of opponentOrders.split('|')) {
        const [name, argument] = order.split(' ');
        if (name === 'SURFACE') {
            const sector = Number(argument) - 1; // sectors are 5 by 5 cells, counted from 1, row by row
            guess = [(sector % 3) * 5 + 2, Math.floor(sector / 3) * 5 + 2];
        } else if (name === 'MOVE' && guess) {
            guess = [guess[0] + STEPS[argument][0], guess[1] + STEPS[argument][1]];
        } else if (name === 'SILENCE') {
            guess = null;
        }
    }

    // Orders are joined by "|"; each kind may be given once a turn.
    const orders = [];

    // Fire at the guess, but not where the explosion would hit us. (If land is in the way, the order is ignored.)
    if (torpedoCooldown === 0 && guess && isWater(...guess)) {
        const dx = Math.abs(guess[0] - x);
        const dy = Math.abs(guess[1] - y);
        if (dx + dy <= TORPEDO_RANGE && Math.max(dx, dy) > 1) {
            orders.push(`TORPEDO ${guess[0]} ${guess[1]}`);
        }
    }

    // Step to the first free cell, or surface, which makes all cells free again.
    const isFree = ([dx, dy]) => isWater(x + dx, y + dy) && !visited.has(`${x + dx} ${y + dy}`);
    const way = Object.keys(STEPS).find((name) => isFree(STEPS[name]));
    if (way) {
        orders.push(`MOVE ${way} TORPEDO`);
    } else {
        orders.push('SURFACE');
        visited.clear();
    }

    console.log(orders.join('|'));
}
