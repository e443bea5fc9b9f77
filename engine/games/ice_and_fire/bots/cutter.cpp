// Cutter, the boss of Gold and of Silver: raids, and looks for chains of trainings that cut the enemy's land in two.
//
// How this works. Land that has no way to its headquarters earns nothing, and the units on it die. So a few trainings
// across a narrow place can cost the enemy half of what it has. Cutter tries every cheapest chain to a cell that it can
// pay, and every straight line through the enemy's land. It carries each out on a copy of the position, and gives the
// commands of the one that leaves the best position; then it looks again. The value of a position, in gold, is what
// both sides have and earn, and how far each is from a raid on the other's headquarters.
//
// HEAD_START, a variable of the environment, makes the boss of Silver of it: so many turns it sleeps through on every other
// map. A few turns are a long head start in this game: it loses most matches of the maps where it gives one to whoever
// uses it, and wins most of the others against whoever has not yet learnt to raid and to cut. So it stands between Bronze
// and Gold, which are further apart than one league.

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

constexpr int SIZE = 12;
constexpr int CELLS = SIZE * SIZE;
constexpr int TURNS = 100;
constexpr int ME = 0, ENEMY = 1, NOBODY = -1;
constexpr int NO_BUILDING = -1, HEADQUARTERS = 0, MINE = 1, TOWER = 2;
constexpr int BUILDING_PRICE = 15;
constexpr int MINE_INCOME = 4;
constexpr int IMPOSSIBLE = 4;  // a level that no unit has
constexpr int FAR = 999;
constexpr std::array<int, 5> PRICE = {0, 10, 20, 30, FAR};
constexpr std::array<int, 4> UPKEEP = {0, 1, 4, 20};

constexpr int MOST_PLANS = 12;  // carried out in a turn

// What things are worth, in gold.
constexpr int HORIZON = 8;  // turns of income
constexpr std::array<double, 4> WORTH_OF_UNIT = {0, 10, 16, 24};
constexpr double WORTH_OF_RAID = 0.4;      // each gold that the cheapest chain to a headquarters costs more or less
constexpr double WORTH_OF_FRONTIER = 0.5;  // each cell beside our land
constexpr double COST_OF_IDLENESS = 0.5;   // each step that a unit is away from land to take
constexpr double BANKRUPTCY = 300;
// ---- The map ----

struct Map {
    std::array<bool, CELLS> is_floor{}, is_spot{};
    std::array<std::vector<int>, CELLS> sides;  // the floor cells beside a cell
    std::array<int, 2> home{};                  // the headquarters, ours first

    // Always even, for a map looks the same from both ends.
    int floor_cells() const { return static_cast<int>(std::count(is_floor.begin(), is_floor.end(), true)); }
};

Map land;

// ---- The position ----

// Units and buildings always belong to the owner of their cell.
struct Position {
    std::array<signed char, CELLS> owner{}, building{}, level{};
    std::array<bool, CELLS> active{}, has_moved{};
    std::array<int, CELLS> number{};  // of the units
    std::array<int, 2> gold{};

    bool is_active(int player, int cell) const { return owner[cell] == player && active[cell]; }

    bool is_free(int cell) const { return level[cell] == 0 && building[cell] == NO_BUILDING; }

    bool is_frontier(int player, int cell) const {
        if (!land.is_floor[cell] || is_active(player, cell))
            return false;
        return std::any_of(land.sides[cell].begin(), land.sides[cell].end(),
                           [&](int side) { return is_active(player, side); });
    }

    // The lowest level of a unit that may enter the cell.
    int level_to_enter(int player, int cell) const {
        if (owner[cell] == player)
            return is_free(cell) ? 1 : IMPOSSIBLE;
        if (building[cell] == TOWER)
            return 3;
        if (owner[cell] != NOBODY && active[cell])
            for (int side : land.sides[cell])
                if (building[side] == TOWER && is_active(owner[cell], side))
                    return 3;
        return std::min(3, level[cell] + 1);
    }

    void find_active() {
        active.fill(false);
        std::array<int, CELLS> queue;
        for (int player : {ME, ENEMY}) {
            if (owner[land.home[player]] != player)
                continue;
            int end = 0;
            queue[end++] = land.home[player];
            active[land.home[player]] = true;
            for (int i = 0; i < end; i++)
                for (int side : land.sides[queue[i]])
                    if (owner[side] == player && !active[side]) {
                        active[side] = true;
                        queue[end++] = side;
                    }
        }
    }

    int income(int player) const {
        int sum = 0;
        for (int cell = 0; cell < CELLS; cell++)
            if (is_active(player, cell))
                sum += 1 + MINE_INCOME * (building[cell] == MINE) - UPKEEP[level[cell]];
        return sum;
    }

    void take(int player, int cell, int unit_level, int unit_number) {
        if (building[cell] != HEADQUARTERS)
            building[cell] = NO_BUILDING;
        owner[cell] = static_cast<signed char>(player);
        level[cell] = static_cast<signed char>(unit_level);
        number[cell] = unit_number;
        has_moved[cell] = true;
        find_active();
    }
};

// ---- Commands ----

struct Command {
    enum Kind { MOVE, TRAIN, BUILD_MINE, BUILD_TOWER } kind;
    int cell;
    int from;   // of a MOVE
    int level;  // of a TRAIN

    std::string text(const Position& before) const {
        std::string place = " " + std::to_string(cell % SIZE) + " " + std::to_string(cell / SIZE);
        switch (kind) {
            case MOVE: return "MOVE " + std::to_string(before.number[from]) + place;
            case TRAIN: return "TRAIN " + std::to_string(level) + place;
            case BUILD_MINE: return "BUILD MINE" + place;
            default: return "BUILD TOWER" + place;
        }
    }

    void carry_out(Position& position) const {
        if (kind == MOVE) {
            int unit_level = position.level[from], unit_number = position.number[from];
            position.level[from] = 0;
            position.take(ME, cell, unit_level, unit_number);
        } else if (kind == TRAIN) {
            position.gold[ME] -= PRICE[level];
            position.take(ME, cell, level, 0);
        } else {
            position.gold[ME] -= BUILDING_PRICE;
            position.building[cell] = kind == BUILD_MINE ? MINE : TOWER;
        }
    }
};

// ---- Chains of trainings ----

// The cheapest chain of trainings from a player's land to every other cell. Each cell of a chain costs the price of the
// level needed there; the first one costs nothing if a unit can step on it.
struct Chains {
    std::array<int, CELLS> cost, before, step_from;

    Chains(const Position& position, int player, bool next_turn) {
        cost.fill(FAR);
        before.fill(-1);
        step_from.fill(-1);
        std::array<int, CELLS> price;
        static std::vector<std::vector<int>> by_cost;  // keeps its memory from call to call
        for (std::vector<int>& cells : by_cost)
            cells.clear();
        auto reach = [&](int cell, int total, int from) {
            if (total >= cost[cell] || total >= FAR)
                return;
            cost[cell] = total;
            before[cell] = from;
            if (total / 10 >= static_cast<int>(by_cost.size()))
                by_cost.resize(total / 10 + 1);
            by_cost[total / 10].push_back(cell);
        };
        for (int cell = 0; cell < CELLS; cell++) {
            price[cell] = FAR;
            if (!land.is_floor[cell] || position.is_active(player, cell))
                continue;
            int needed = position.level_to_enter(player, cell);
            price[cell] = PRICE[needed];
            for (int side : land.sides[cell])
                if (position.is_active(player, side)) {
                    if (position.level[side] >= needed && (next_turn || !position.has_moved[side]))
                        step_from[cell] = side;
                    reach(cell, step_from[cell] >= 0 ? 0 : price[cell], -1);
                }
        }
        for (size_t i = 0; i < by_cost.size(); i++)
            for (size_t k = 0; k < by_cost[i].size(); k++) {
                int cell = by_cost[i][k];
                if (cost[cell] / 10 != static_cast<int>(i))
                    continue;
                for (int side : land.sides[cell])
                    if (price[side] < FAR)
                        reach(side, cost[cell] + price[side], cell);
            }
    }

    // The commands, with the levels that are needed when all before them are carried out.
    std::vector<Command> commands_to(int goal, Position position) const {
        std::vector<int> way;
        for (int cell = goal; cell >= 0; cell = before[cell])
            way.push_back(cell);
        std::vector<Command> commands;
        for (size_t i = way.size(); i-- > 0;) {
            int cell = way[i], from = i + 1 == way.size() ? step_from[cell] : -1;
            if (position.is_active(ME, cell))
                continue;  // reconnected on the way
            if (from >= 0)
                commands.push_back({Command::MOVE, cell, from, 0});
            else
                commands.push_back({Command::TRAIN, cell, -1, position.level_to_enter(ME, cell)});
            commands.back().carry_out(position);
        }
        return commands;
    }
};

// ---- Playing ----

class Player {
  public:
    explicit Player(const Position& start, int turn) : now(start), turns_left(TURNS - turn) {}

    std::string play() {
        if (!raid()) {
            step();
            if (!raid())
                spend();
        }
        return line.empty() ? "WAIT" : line;
    }

  private:
    Position now;
    int turns_left;
    std::string line;

    void give(const std::vector<Command>& commands) {
        for (const Command& command : commands) {
            line += (line.empty() ? "" : ";") + command.text(now);
            command.carry_out(now);
        }
    }

    // Win at once if a chain to the enemy's headquarters can be paid.
    bool raid() {
        Chains chains(now, ME, false);
        int goal = land.home[ENEMY];
        if (chains.cost[goal] > now.gold[ME])
            return false;
        give(chains.commands_to(goal, now));
        return true;
    }

    // Each unit, those at the front first, takes the step that leaves the best position, or stays.
    void step() {
        std::vector<std::pair<int, int>> units;
        for (int cell = 0; cell < CELLS; cell++)
            if (now.is_active(ME, cell) && now.level[cell] > 0 && !now.has_moved[cell])
                units.push_back({distance_out(now)[cell], cell});
        std::sort(units.begin(), units.end());
        for (auto [_, cell] : units) {
            std::vector<std::vector<Command>> plans;
            for (int side : land.sides[cell])
                if (now.level_to_enter(ME, side) <= now.level[cell])
                    plans.push_back({{Command::MOVE, side, cell, 0}});
            give_best(plans);
        }
    }

    // While one of the plans improves the position, carry out the one that improves it most.
    void spend() {
        for (int i = 0; i < MOST_PLANS; i++)
            if (now.gold[ME] < PRICE[1] || !give_best(plans()))
                return;
    }

    std::vector<std::vector<Command>> plans() const {
        std::vector<std::vector<Command>> found;
        Chains chains(now, ME, false);
        for (int cell = 0; cell < CELLS; cell++) {
            if (!land.is_floor[cell])
                continue;
            if (now.is_active(ME, cell) && now.is_free(cell) && now.gold[ME] >= BUILDING_PRICE)
                found.push_back({{land.is_spot[cell] ? Command::BUILD_MINE : Command::BUILD_TOWER, cell, -1, 0}});
            if (chains.cost[cell] <= now.gold[ME] && (now.owner[cell] != NOBODY || chains.before[cell] < 0))
                found.push_back(chains.commands_to(cell, now));
            if (now.is_frontier(ME, cell))
                add_straight_cuts(cell, found);
            if (now.is_active(ME, cell) && now.is_free(cell) && is_border(cell))
                found.push_back({{Command::TRAIN, cell, -1, 1}});
        }
        return found;
    }

    bool is_border(int cell) const {
        return std::any_of(land.sides[cell].begin(), land.sides[cell].end(),
                           [&](int side) { return !now.is_active(ME, side); });
    }

    // Chains that go straight through the enemy's land from a cell of the frontier, as long as the gold lasts.
    void add_straight_cuts(int start, std::vector<std::vector<Command>>& found) const {
        if (now.owner[start] != ENEMY)
            return;
        for (int way : {-SIZE, 1, SIZE, -1}) {
            Position then = now;
            std::vector<Command> chain;
            for (int cell = start;;) {
                int needed = then.level_to_enter(ME, cell);
                if (then.owner[cell] != ENEMY || PRICE[needed] > then.gold[ME])
                    break;
                chain.push_back({Command::TRAIN, cell, -1, needed});
                chain.back().carry_out(then);
                if (chain.size() > 1)
                    found.push_back(chain);
                if (std::find(land.sides[cell].begin(), land.sides[cell].end(), cell + way) == land.sides[cell].end())
                    break;
                cell += way;
            }
        }
    }

    bool give_best(const std::vector<std::vector<Command>>& plans) {
        const std::vector<Command>* best = nullptr;
        double best_value = value(now);
        for (const auto& plan : plans) {
            Position then = now;
            for (const Command& command : plan)
                command.carry_out(then);
            if (then.gold[ME] < 0)
                continue;
            double after = value(then);
            if (after > best_value + 1e-9) {
                best_value = after;
                best = &plan;
            }
        }
        if (best)
            give(*best);
        return best != nullptr;
    }

    // How many steps each of our cells is away from land that is not ours.
    static std::array<int, CELLS> distance_out(const Position& position) {
        std::array<int, CELLS> steps, queue;
        steps.fill(FAR);
        int end = 0;
        for (int cell = 0; cell < CELLS; cell++)
            if (land.is_floor[cell] && !position.is_active(ME, cell)) {
                steps[cell] = 0;
                queue[end++] = cell;
            }
        for (int i = 0; i < end; i++)
            for (int side : land.sides[queue[i]])
                if (steps[side] == FAR) {
                    steps[side] = steps[queue[i]] + 1;
                    queue[end++] = side;
                }
        return steps;
    }

    // How good a position is for us, in gold.
    double value(const Position& position) const {
        std::array<double, 2> worth{};
        double sum = 0;
        std::array<int, CELLS> steps = distance_out(position);
        for (int cell = 0; cell < CELLS; cell++) {
            if (position.owner[cell] != NOBODY && position.active[cell])
                worth[position.owner[cell]] += WORTH_OF_UNIT[position.level[cell]];
            if (position.is_active(ME, cell) && position.level[cell] > 0 && steps[cell] < FAR)
                sum -= COST_OF_IDLENESS * steps[cell];
            if (position.is_frontier(ME, cell))
                sum += WORTH_OF_FRONTIER;
        }
        std::array<int, 2> income = {position.income(ME), position.income(ENEMY)};
        for (int player : {ME, ENEMY})
            worth[player] += position.gold[player] + std::min(HORIZON, turns_left) * income[player];
        if (position.gold[ME] + 2 * income[ME] < 0)
            sum -= BANKRUPTCY;
        int ours = Chains(position, ME, true).cost[land.home[ENEMY]];
        int theirs = Chains(position, ENEMY, true).cost[land.home[ME]];
        return sum + worth[ME] - worth[ENEMY] + WORTH_OF_RAID * (theirs - ours);
    }
};

// ---- Input ----

int read_cell() {
    int x, y;
    std::cin >> x >> y;
    return SIZE * y + x;
}

void read_map_once(const std::vector<std::string>& rows) {
    for (int cell = 0; cell < CELLS; cell++)
        land.is_floor[cell] = rows[cell / SIZE][cell % SIZE] != '#';
    for (int cell = 0; cell < CELLS; cell++) {
        int x = cell % SIZE, y = cell / SIZE;
        auto add = [&](bool inside, int side) {
            if (inside && land.is_floor[cell] && land.is_floor[side])
                land.sides[cell].push_back(side);
        };
        add(y > 0, cell - SIZE);
        add(x < SIZE - 1, cell + 1);
        add(y < SIZE - 1, cell + SIZE);
        add(x > 0, cell - 1);
    }
}

bool read_turn(Position& position, bool is_first) {
    int income, enemy_income, count, owner, kind, number;
    if (!(std::cin >> position.gold[ME] >> income >> position.gold[ENEMY] >> enemy_income))
        return false;
    std::vector<std::string> rows(SIZE);
    for (std::string& row : rows)
        std::cin >> row;
    if (is_first)
        read_map_once(rows);
    for (int cell = 0; cell < CELLS; cell++) {
        char mark = rows[cell / SIZE][cell % SIZE];
        position.owner[cell] = mark == 'O' || mark == 'o' ? ME : mark == 'X' || mark == 'x' ? ENEMY : NOBODY;
        position.building[cell] = NO_BUILDING;
    }
    for (std::cin >> count; count > 0; count--) {
        std::cin >> owner >> kind;
        int cell = read_cell();
        position.building[cell] = static_cast<signed char>(kind);
        if (kind == HEADQUARTERS)
            land.home[owner] = cell;
    }
    for (std::cin >> count; count > 0; count--) {
        int level;
        std::cin >> owner >> number >> level;
        int cell = read_cell();
        position.level[cell] = static_cast<signed char>(level);
        position.number[cell] = number;
    }
    position.find_active();
    return true;
}

int main() {
    const char* words = std::getenv("HEAD_START");
    const int head_start = words ? std::atoi(words) : 0;
    int count;
    for (std::cin >> count; count > 0; count--)
        land.is_spot[read_cell()] = true;
    for (int turn = 1;; turn++) {
        Position position;
        if (!read_turn(position, turn == 1))
            break;
        bool sleeps = turn <= head_start && land.floor_cells() / 2 % 2 == 1;
        std::cout << (sleeps ? "WAIT" : Player(position, turn).play()) << std::endl;
    }
}
