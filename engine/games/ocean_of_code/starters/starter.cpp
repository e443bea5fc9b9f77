// A starter for Ocean of Code: plays legally in every league, and leaves everything else to you.
//
// Each turn it steps to the first free cell and charges its torpedo. It surfaces when it has nowhere to go. When the
// opponent surfaces it guesses the middle of that sector, lets the guess move along with the opponent, and fires when
// the guess comes near.

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

const std::string WAYS = "NESW";
const int STEP_X[] = {0, 1, 0, -1};
const int STEP_Y[] = {-1, 0, 1, 0};
const int TORPEDO_RANGE = 4;

int width, height;
std::vector<std::string> rows;  // "." is water, "x" is land

bool is_water(int x, int y) { return x >= 0 && x < width && y >= 0 && y < height && rows[y][x] == '.'; }

int main() {
    // What is sent first: the size of the map, which player we are, and the map.
    int my_id;
    std::cin >> width >> height >> my_id;
    rows.resize(height);
    for (std::string& row : rows)
        std::cin >> row;

    // The first answer is where to start: any water cell. The map and our number choose it, so that two bots which begin
    // with this source do not start on one cell, and a match can be played again.
    std::vector<int> cells;
    int sum = 0;
    for (int cell = 0; cell < width * height; cell++)
        if (is_water(cell % width, cell / width)) {
            cells.push_back(cell);
            sum += cell;
        }
    int count = cells.size();
    int start = cells[(sum + my_id * count / 3) % count];
    std::cout << start % width << " " << start / width << std::endl;

    std::vector<std::vector<bool>> visited(height, std::vector<bool>(width));  // closed to us before we surface
    bool has_guess = false;  // do we believe to know where the opponent is, and where?
    int guess_x = 0, guess_y = 0;

    // What is sent each turn. A cooldown is what is missing to a full charge, and -1 where the league lacks the power.
    int x, y, my_life, opponent_life, torpedo_cooldown, sonar_cooldown, silence_cooldown, mine_cooldown;
    while (std::cin >> x >> y >> my_life >> opponent_life >> torpedo_cooldown >> sonar_cooldown >> silence_cooldown >>
           mine_cooldown) {
        std::string sonar_result;     // Y, N or NA
        std::string opponent_orders;  // such as MOVE N|TORPEDO 3 5, or NA
        std::cin >> sonar_result >> std::ws;
        std::getline(std::cin, opponent_orders);
        visited[y][x] = true;

        // Follow the opponent.
        std::stringstream line(opponent_orders);
        for (std::string order; std::getline(line, order, '|');) {
            std::stringstream words(order);
            std::string name;
            words >> name;
            if (name == "SURFACE") {
                int sector;  // 5 by 5 cells each, counted from 1, row by row
                words >> sector;
                guess_x = (sector - 1) % 3 * 5 + 2;
                guess_y = (sector - 1) / 3 * 5 + 2;
                has_guess = true;
            } else if (name == "MOVE") {
                char way;
                words >> way;
                guess_x += STEP_X[WAYS.find(way)];
                guess_y += STEP_Y[WAYS.find(way)];
            } else if (name == "SILENCE") {
                has_guess = false;
            }
        }

        // Orders are joined by "|"; each kind may be given once a turn.
        std::string orders;

        // Fire at the guess, but not where the explosion would hit us. (If land is in the way, the order is ignored.)
        if (torpedo_cooldown == 0 && has_guess && is_water(guess_x, guess_y)) {
            int dx = std::abs(guess_x - x), dy = std::abs(guess_y - y);
            if (dx + dy <= TORPEDO_RANGE && std::max(dx, dy) > 1)
                orders += "TORPEDO " + std::to_string(guess_x) + " " + std::to_string(guess_y) + "|";
        }

        // Step to the first free cell, or surface, which makes all cells free again.
        int way = 0;
        while (way < 4 && !(is_water(x + STEP_X[way], y + STEP_Y[way]) && !visited[y + STEP_Y[way]][x + STEP_X[way]]))
            way++;
        if (way < 4) {
            orders += std::string("MOVE ") + WAYS[way] + " TORPEDO";
        } else {
            orders += "SURFACE";
            visited.assign(height, std::vector<bool>(width));
        }

        std::cout << orders << std::endl;
    }
}
