// Starter for A Code of Ice and Fire: trains a unit when it can, and walks every unit outwards.

#include <iostream>
#include <string>
#include <vector>

constexpr int SIZE = 12;
constexpr int PRICE = 10;  // of a level-1 unit

struct Unit {
    int owner, id, level, x, y;
};

std::vector<std::string> rows(SIZE);  // '#' void, '.' neutral, 'O' ours, 'X' the enemy's

bool is_floor(int x, int y) { return x >= 0 && y >= 0 && x < SIZE && y < SIZE && rows[y][x] != '#'; }

bool is_ours(int x, int y) { return is_floor(x, y) && rows[y][x] == 'O'; }

int main() {
    const int dx[] = {0, 1, 0, -1}, dy[] = {-1, 0, 1, 0};

    int spots, x, y;
    for (std::cin >> spots; spots > 0; spots--)
        std::cin >> x >> y;  // a mine there would earn 4 gold a turn

    int gold, income, enemy_gold, enemy_income;
    while (std::cin >> gold >> income >> enemy_gold >> enemy_income) {
        for (std::string& row : rows)
            std::cin >> row;
        bool taken[SIZE][SIZE] = {};
        int count, owner, type, enemy_x = 0, enemy_y = 0;
        for (std::cin >> count; count > 0; count--) {
            std::cin >> owner >> type >> x >> y;  // owner 0 is us; type 0 HQ, 1 mine, 2 tower
            taken[y][x] = true;
            if (owner == 1 && type == 0) {
                enemy_x = x;
                enemy_y = y;
            }
        }
        std::cin >> count;
        std::vector<Unit> units(count);
        for (Unit& unit : units) {
            std::cin >> unit.owner >> unit.id >> unit.level >> unit.x >> unit.y;
            taken[unit.y][unit.x] = true;
        }
        std::string line;

        // Walk: to a free cell beside the unit that is not ours yet, else towards the enemy's headquarters.
        for (const Unit& unit : units) {
            if (unit.owner != 0)
                continue;
            int to_x = enemy_x, to_y = enemy_y;
            for (int way = 0; way < 4; way++) {
                x = unit.x + dx[way];
                y = unit.y + dy[way];
                if (is_floor(x, y) && !is_ours(x, y) && !taken[y][x]) {
                    to_x = x;
                    to_y = y;
                }
            }
            taken[to_y][to_x] = true;
            line += "MOVE " + std::to_string(unit.id) + " " + std::to_string(to_x) + " " + std::to_string(to_y) + ";";
        }

        // Train: on a free cell beside our land.
        bool trained = gold < PRICE;
        for (y = 0; y < SIZE; y++)
            for (x = 0; x < SIZE; x++)
                for (int way = 0; way < 4 && !trained; way++)
                    if (is_floor(x, y) && !is_ours(x, y) && !taken[y][x] && is_ours(x + dx[way], y + dy[way])) {
                        line += "TRAIN 1 " + std::to_string(x) + " " + std::to_string(y) + ";";
                        trained = true;
                    }

        std::cout << line << "WAIT" << std::endl;  // an empty line would lose the game, WAIT never hurts
    }
}
