// Conqueror, the boss of Legend: cuts like a cutter, guards its headquarters, and plays its ideas out first.
//
// How this works. A `Player` goes through a turn: it carries out all it may do - steps, cheapest chains of trainings,
// straight cuts through the enemy's land, mines and towers - on copies of the position, gives the best, and looks
// again. The value of a position, in gold, is what both sides have and earn, and how far each is from a raid on the
// other's headquarters; a raid that the enemy could pay weighs much more. Players of several styles, one thrifty, one
// bold and so on, each propose a line. Every line is then played out two turns with the same kind of player on both
// sides, and Conqueror says the line with the best end. The work is counted, not timed, so a match always comes out the
// same.

#include <algorithm>
#include <array>
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

constexpr int MOST_PLANS = 10;  // carried out in a turn

constexpr int LOOK_AHEAD = 2;         // turns after the line that is tried: the enemy's and ours
constexpr int MOST_WORK = 4500;       // in a turn, then the search ends; keeps far below the time limit
constexpr int WORK_OF_VALUE = 4;      // carrying out a command is 1
constexpr double VICTORY = 1e6;

// What things are worth, in gold.
struct Style {
    int horizon = 5;           // turns of income
    double raid = 0.4;         // each gold that the cheapest chain to a headquarters costs more or less
    double danger = 500;       // a raid that the enemy can pay
    bool spends_first = false;  // trains and builds before it steps
    int most_plans = MOST_PLANS;
};

const Style USUAL;
const std::array<Style, 10> STYLES = {{
    {},
    {.most_plans = 1},
    {.danger = 0},
    {.horizon = 2},
    {.most_plans = 0},
    {.spends_first = true},
    {.raid = 0.1, .danger = 0},
    {.raid = 1.0},
    {.horizon = 3, .raid = 0.8, .spends_first = true},
    {.horizon = 10},
}};

constexpr std::array<double, 4> WORTH_OF_UNIT = {0, 10, 16, 24};
constexpr double WORTH_OF_FRONTIER = 0.5;  // each cell beside our land
constexpr double COST_OF_IDLENESS = 0.5;   // each step that a unit is away from land to take
constexpr double BANKRUPTCY = 300;
constexpr double DANGER_PER_GOLD = 10;     // that the enemy has to spare
constexpr int CAUTION = 10;                // gold that the enemy may find on top of what we see

// ---- The map ----

struct Map {
    std::array<bool, CELLS> is_floor{}, is_spot{};
    std::array<std::vector<int>, CELLS> sides;  // the floor cells beside a cell
};

Map land;

// ---- The position ----

int work_done = 0;  // in this turn

// Units and buildings always belong to the owner of their cell.
struct Position {
    std::array<signed char, CELLS> owner{}, building{}, level{};
    std::array<bool, CELLS> active{}, has_moved{};
    std::array<int, CELLS> number{};  // of the units
    std::array<int, 2> gold{}, home{};

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
        work_done++;
        active.fill(false);
        std::array<int, CELLS> queue;
        for (int player : {ME, ENEMY}) {
            if (owner[home[player]] != player)
                continue;
            int end = 0;
            queue[end++] = home[player];
            active[home[player]] = true;
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

    // Begin the turn of the player called ME here.
    void begin_turn() {
        find_active();
        for (int cell = 0; cell < CELLS; cell++) {
            if (owner[cell] == ME && !active[cell])
                level[cell] = 0;
            has_moved[cell] = false;
        }
        gold[ME] += income(ME);
        if (gold[ME] >= 0)
            return;
        gold[ME] = 0;
        for (int cell = 0; cell < CELLS; cell++)
            if (owner[cell] == ME)
                level[cell] = 0;
    }

    // The same as the other side sees it.
    Position turned() const {
        Position other = *this;
        for (signed char& player : other.owner)
            player = player == NOBODY ? NOBODY : 1 - player;
        std::swap(other.gold[ME], other.gold[ENEMY]);
        std::swap(other.home[ME], other.home[ENEMY]);
        return other;
    }

    bool is_won(int player) const { return owner[home[1 - player]] == player; }

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
    Player(const Position& start, int turn, const Style& style) : now(start), turns_left(TURNS - turn), style(style) {}

    std::string play() {
        if (!raid()) {
            if (style.spends_first)
                spend();
            step();
            if (!raid())
                spend();
        }
        return line.empty() ? "WAIT" : line;
    }

    const Position& position() const { return now; }

    // How good a position is for us, in gold.
    double value(const Position& position) const {
        work_done += WORK_OF_VALUE;
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
            worth[player] += position.gold[player] + std::min(style.horizon, turns_left) * income[player];
        if (position.gold[ME] + 2 * income[ME] < 0)
            sum -= BANKRUPTCY;
        int ours = Chains(position, ME, true).cost[position.home[ENEMY]];
        int theirs = Chains(position, ENEMY, true).cost[position.home[ME]];
        int purse = position.gold[ENEMY] + income[ENEMY] + CAUTION;
        if (theirs <= purse)
            sum -= style.danger + (style.danger > 0) * DANGER_PER_GOLD * (purse - theirs);
        return sum + worth[ME] - worth[ENEMY] + style.raid * (theirs - ours);
    }

  private:
    Position now;
    int turns_left;
    Style style;
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
        int goal = now.home[ENEMY];
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
        for (int i = 0; i < style.most_plans && work_done < MOST_WORK; i++)
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
};

// ---- Search ----

// How good a position after our line is, when both sides go on in the usual style.
double play_out(Position position, int turn) {
    int player = ME;
    for (int i = 0; i < LOOK_AHEAD; i++) {
        if (position.is_won(ME))
            return (player == ME ? 1 : -1) * (VICTORY - i);
        position = position.turned();
        player = 1 - player;
        position.begin_turn();
        Player mover(position, turn + (i + 1) / 2, USUAL);
        mover.play();
        position = mover.position();
    }
    if (position.is_won(ME))
        return (player == ME ? 1 : -1) * (VICTORY - LOOK_AHEAD);
    if (player == ENEMY)
        position = position.turned();
    return Player(position, turn, USUAL).value(position);
}

std::string choose_line(const Position& position, int turn) {
    std::string best = "WAIT";
    double best_value = -2 * VICTORY;
    work_done = 0;
    std::vector<std::string> tried;
    for (const Style& style : STYLES) {
        Player proposer(position, turn, style);
        std::string line = proposer.play();
        if (std::find(tried.begin(), tried.end(), line) != tried.end())
            continue;
        tried.push_back(line);
        double value = play_out(proposer.position(), turn);
        if (tried.size() > 1 && work_done >= MOST_WORK)
            break;
        if (value > best_value) {
            best_value = value;
            best = line;
        }
    }
    return best;
}

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
            position.home[owner] = cell;
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
    int count;
    for (std::cin >> count; count > 0; count--)
        land.is_spot[read_cell()] = true;
    for (int turn = 1;; turn++) {
        Position position;
        if (!read_turn(position, turn == 1))
            break;
        std::cout << choose_line(position, turn) << std::endl;
    }
}
