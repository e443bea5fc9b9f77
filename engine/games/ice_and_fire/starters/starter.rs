// Starter for A Code of Ice and Fire: trains a unit when it can, and walks every unit outwards.

use std::io::{self, BufRead, Write};

const SIZE: i32 = 12;
const PRICE: i32 = 10; // of a level-1 unit
const WAYS: [(i32, i32); 4] = [(0, -1), (1, 0), (0, 1), (-1, 0)];

type Cell = (i32, i32);

/// The rows of the map: '#' void, '.' neutral, 'O' ours, 'X' the enemy's.
struct Map(Vec<Vec<u8>>);

impl Map {
    fn is_floor(&self, (x, y): Cell) -> bool {
        x >= 0 && y >= 0 && x < SIZE && y < SIZE && self.0[y as usize][x as usize] != b'#'
    }

    fn is_ours(&self, (x, y): Cell) -> bool {
        self.is_floor((x, y)) && self.0[y as usize][x as usize] == b'O'
    }
}

fn beside((x, y): Cell) -> impl Iterator<Item = Cell> {
    WAYS.iter().map(move |(dx, dy)| (x + dx, y + dy))
}

fn numbers(line: &str) -> Vec<i32> {
    line.split_whitespace().map(|word| word.parse().unwrap()).collect()
}

fn main() {
    let stdin = io::stdin();
    let mut lines = stdin.lock().lines().map(|line| line.unwrap());
    let spots = numbers(&lines.next().unwrap())[0];
    for _ in 0..spots {
        lines.next(); // x and y of a mine spot: a mine there would earn 4 gold a turn
    }
    while let Some(first) = lines.next() {
        let gold = numbers(&first)[0];
        for _ in 0..3 {
            lines.next(); // own income, the enemy's gold and income
        }
        let map = Map((0..SIZE).map(|_| lines.next().unwrap().into_bytes()).collect());
        let mut table = || -> Vec<Vec<i32>> {
            let count = numbers(&lines.next().unwrap())[0];
            (0..count).map(|_| numbers(&lines.next().unwrap())).collect()
        };
        let buildings = table(); // owner (0 is us), type (0 HQ, 1 mine, 2 tower), x, y
        let units = table(); // owner, id, level, x, y
        let mut taken: Vec<Cell> = buildings.iter().map(|building| (building[2], building[3])).collect();
        taken.extend(units.iter().map(|unit| (unit[3], unit[4])));
        let is_new = |cell: Cell, taken: &Vec<Cell>| map.is_floor(cell) && !map.is_ours(cell) && !taken.contains(&cell);
        let mut commands: Vec<String> = Vec::new();

        // Walk: to a free cell beside the unit that is not ours yet, else towards the enemy's headquarters.
        let home = buildings.iter().find(|building| building[0] == 1 && building[1] == 0).unwrap();
        for unit in units.iter().filter(|unit| unit[0] == 0) {
            let new = beside((unit[3], unit[4])).find(|&cell| is_new(cell, &taken));
            let target = new.unwrap_or((home[2], home[3]));
            taken.push(target);
            commands.push(format!("MOVE {} {} {}", unit[1], target.0, target.1));
        }

        // Train: on a free cell beside our land.
        let mut cells = (0..SIZE * SIZE).map(|i| (i % SIZE, i / SIZE));
        let place = cells.find(|&cell| is_new(cell, &taken) && beside(cell).any(|side| map.is_ours(side)));
        if let (true, Some((x, y))) = (gold >= PRICE, place) {
            commands.push(format!("TRAIN 1 {} {}", x, y));
        }

        let line = if commands.is_empty() { "WAIT".to_string() } else { commands.join(";") };
        println!("{}", line);
        io::stdout().flush().unwrap();
    }
}
