// Starter for A Code of Ice and Fire: trains a unit when it can, and walks every unit outwards.

'use strict';

const SIZE = 12;
const PRICE = 10; // of a level-1 unit
const WAYS = [[0, -1], [1, 0], [0, 1], [-1, 0]];
const CELLS = Array.from({ length: SIZE * SIZE }, (_, i) => [i % SIZE, Math.floor(i / SIZE)]);

// Returns the line of a turn. rows: '#' void, '.' neutral, 'O' ours, 'X' the enemy's.
function play(gold, rows, buildings, units) {
  const isFloor = ([x, y]) => x >= 0 && y >= 0 && x < SIZE && y < SIZE && rows[y][x] !== '#';
  const isOurs = ([x, y]) => isFloor([x, y]) && rows[y][x] === 'O';
  const beside = ([x, y]) => WAYS.map(([dx, dy]) => [x + dx, y + dy]).filter(isFloor);
  const taken = new Set();
  for (const thing of [...buildings, ...units]) taken.add(`${thing.x} ${thing.y}`);
  const isNew = (cell) => isFloor(cell) && !isOurs(cell) && !taken.has(cell.join(' '));
  const commands = [];

  // Walk: to a free cell beside the unit that is not ours yet, else towards the enemy's headquarters.
  const home = buildings.find((building) => building.owner === 1 && building.type === 0);
  for (const unit of units.filter(({ owner }) => owner === 0)) {
    const target = beside([unit.x, unit.y]).find(isNew) || [home.x, home.y];
    taken.add(target.join(' '));
    commands.push(`MOVE ${unit.id} ${target.join(' ')}`);
  }

  // Train: on a free cell beside our land.
  const place = CELLS.find((cell) => isNew(cell) && beside(cell).some(isOurs));
  if (gold >= PRICE && place) commands.push(`TRAIN 1 ${place.join(' ')}`);

  return commands.join(';') || 'WAIT';
}

// Reads the input line by line: `const line = yield` waits for the next one.
function* game() {
  for (let spots = Number(yield); spots > 0; spots--) yield; // a mine spot: a mine there would earn 4 gold a turn
  for (;;) {
    const gold = Number(yield);
    for (let i = 0; i < 3; i++) yield; // own income, the enemy's gold and income
    const rows = [];
    for (let y = 0; y < SIZE; y++) rows.push(yield);
    const buildings = [];
    for (let count = Number(yield); count > 0; count--) {
      const [owner, type, x, y] = (yield).split(' ').map(Number); // owner 0 is us; type 0 HQ, 1 mine, 2 tower
      buildings.push({ owner, type, x, y });
    }
    const units = [];
    for (let count = Number(yield); count > 0; count--) {
      const [owner, id, level, x, y] = (yield).split(' ').map(Number);
      units.push({ owner, id, level, x, y });
    }
    console.log(play(gold, rows, buildings, units));
  }
}

const running = game();
running.next();
require('readline').createInterface({ input: process.stdin }).on('line', (line) => running.next(line.trim()));
