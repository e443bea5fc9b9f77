// A starter for Ocean of Code: plays legally in every league, and leaves everything else to you.
//
// Each turn it steps to the first free cell and charges its torpedo. It surfaces when it has nowhere to go. When the
// opponent surfaces it guesses the middle of that sector, lets the guess move along with the opponent, and fires when
// the guess comes near.

use std::collections::HashSet;
use std::io;

const STEPS: [(&str, i32, i32); 4] = [("N", 0, -1), ("E", 1, 0), ("S", 0, 1), ("W", -1, 0)];
const TORPEDO_RANGE: i32 = 4;

// The next line without its end, or None when the match is over.
fn read_line() -> Option<String> {
    let mut line = String::new();
    let length = io::stdin().read_line(&mut line).unwrap_or(0);
    (length > 0).then(|| line.trim_end().to_string())
}

fn numbers(line: &str) -> Vec<i32> {
    line.split_whitespace().map(|word| word.parse().unwrap()).collect()
}

fn main() {
    // What is sent first: the size of the map, which player we are, and the map ('.' is water, 'x' is land).
    let header = numbers(&read_line().unwrap());
    let (_width, height, my_id) = (header[0], header[1], header[2]);
    let mut cells: Vec<(i32, i32)> = Vec::new();
    for y in 0..height {
        for (x, mark) in read_line().unwrap().chars().enumerate() {
            if mark == '.' {
                cells.push((x as i32, y));
            }
        }
    }
    let water: HashSet<(i32, i32)> = cells.iter().copied().collect();

    // The first answer is where to start: any water cell. The map and our number choose it, so that two bots which begin
    // with this source do not start on one cell, and a match can be played again.
    let (count, sum) = (cells.len() as i32, cells.iter().map(|(x, y)| 7 * x + y).sum::<i32>());
    let start = cells[((sum + my_id * count / 3) % count) as usize];
    println!("{} {}", start.0, start.1);

    let mut visited: HashSet<(i32, i32)> = HashSet::new(); // cells that we may not enter again before we surface
    let mut guess: Option<(i32, i32)> = None; // where we believe the opponent to be

    while let Some(line) = read_line() {
        // What is sent each turn: x, y, my life, the opponent's life, and the cooldowns of torpedo, sonar, silence and
        // mine. A cooldown is what is missing to a full charge, and -1 where the league lacks the power.
        let state = numbers(&line);
        let (x, y, torpedo_cooldown) = (state[0], state[1], state[4]);
        let _sonar_result = read_line().unwrap(); // Y, N or NA
        let opponent_orders = read_line().unwrap(); // such as MOVE N|TORPEDO 3 5, or NA
        visited.insert((x, y));

        // Follow the opponent.
        for order in opponent_orders.split('|') {
            let words: Vec<&str> = order.split(' ').collect();
            match words[0] {
                "SURFACE" => {
                    let sector = words[1].parse::<i32>().unwrap() - 1; // 5 by 5 cells, counted from 1, row by row
                    guess = Some((sector % 3 * 5 + 2, sector / 3 * 5 + 2));
                }
                "MOVE" => {
                    let (_, dx, dy) = STEPS.iter().find(|step| step.0 == words[1]).unwrap();
                    guess = guess.map(|(guess_x, guess_y)| (guess_x + dx, guess_y + dy));
                }
                "SILENCE" => guess = None,
                _ => {}
            }
        }

        // Orders are joined by "|"; each kind may be given once a turn.
        let mut orders: Vec<String> = Vec::new();

        // Fire at the guess, but not where the explosion would hit us. (If land is in the way, the order is ignored.)
        if let Some(target) = guess {
            let (dx, dy) = ((target.0 - x).abs(), (target.1 - y).abs());
            if torpedo_cooldown == 0 && water.contains(&target) && dx + dy <= TORPEDO_RANGE && dx.max(dy) > 1 {
                orders.push(format!("TORPEDO {} {}", target.0, target.1));
            }
        }

        // Step to the first free cell, or surface, which makes all cells free again.
        let is_free = |cell: (i32, i32)| water.contains(&cell) && !visited.contains(&cell);
        match STEPS.iter().find(|(_, dx, dy)| is_free((x + dx, y + dy))) {
            Some((way, _, _)) => orders.push(format!("MOVE {way} TORPEDO")),
            None => {
                orders.push("SURFACE".to_string());
                visited.clear();
            }
        }

        println!("{}", orders.join("|"));
    }
}
