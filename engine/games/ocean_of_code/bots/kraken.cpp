// Kraken, the boss of Gold: remembers whole paths, and searches all the lines it could say in a turn.
//
// How this works. A `Ghost` is one way to explain everything heard of a submarine so far: where it is, and which cells
// it may not enter again. All ghosts together are its `Shadow`. Kraken follows two of them: the opponent's, and its own
// as the opponent hears it. A ghost cannot cross its own path, and it must have lost as many lives as the submarine
// did, so few are left after a while. Each turn Kraken goes through all sensible orders of trigger, torpedo, step and
// silent run, and says the line with the best value. Everything is valued in lives: the damage to be expected on both
// sides, what the opponent learns about us, the room left to move in, and the charges spent.

#include <algorithm>
#include <array>
#include <bitset>
#include <cmath>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

constexpr int WIDTH = 16;  // one more than the map has: the empty column keeps a shifted set inside its row
constexpr int CELLS = 256;
constexpr int TORPEDO_RANGE = 4;
constexpr int LONGEST_SILENT_RUN = 4;
constexpr int NOWHERE = -1;
constexpr int FAR = 99;
constexpr size_t PLENTY_OF_MINES = 10;
constexpr size_t MOST_GHOSTS = 1000;  // above that, ghosts in the same cell are made one

using Cells = std::bitset<CELLS>;
using Chances = std::array<double, CELLS>;  // per cell

enum Power { TORPEDO, SONAR, SILENCE, MINE, POWERS };
const std::array<std::string, POWERS> POWER_NAME = {"TORPEDO", "SONAR", "SILENCE", "MINE"};
const std::array<int, POWERS> FULL_CHARGE = {3, 4, 6, 3};
const std::string WAYS = "NESW";
const std::array<int, 4> STEP = {-WIDTH, 1, WIDTH, -1};

// What things are worth, in lives.
constexpr double KILL = 4.0;
constexpr double DEATH = 8.0;
constexpr double TORPEDO_COST = 0.45;
constexpr double SILENCE_COST = 0.30;
constexpr double TRIGGER_COST = 0.35;
constexpr double SECRET = 0.12;   // each halving of the cells where the opponent can suspect us
constexpr double DANGER = 0.1;    // a life we stand to lose in the opponent's next turn; a bold bot fears little
constexpr double STUCK = 1.0;     // having to surface next turn
constexpr double CRAMPED = 0.02;  // each cell that is missing to ENOUGH_ROOM
constexpr double TIDY = 0.01;     // each free cell left beside us: paths along what is closed waste no water
constexpr double PURSUIT = 0.03;  // each step nearer to a place to shoot from

constexpr int ENOUGH_ROOM = 40;
constexpr int STALKING_STEPS = 3;        // how far to keep from an opponent that is found: in range, out of the splash
constexpr double FEARLESS_BELOW = 0.3;   // we suppose that the opponent fires no torpedo for less than that
constexpr double PURSUED_BITS = 4;       // an opponent better hidden than that is not pursued
constexpr double SONAR_BITS = 3;         // ... and one worse hidden than that not asked for

// ---- The map ----

struct Sea {
    Cells water;
    std::array<std::array<int, 4>, CELLS> next;             // the water beside a cell, by way, or NOWHERE
    std::array<std::array<int, CELLS>, CELLS> steps;        // the shortest way over water, or FAR
    std::array<std::vector<int>, CELLS> in_torpedo_range;
    std::array<Cells, 10> sector;

    explicit Sea(const std::vector<std::string>& rows) {
        for (int y = 0; y < 15; y++)
            for (int x = 0; x < 15; x++) {
                water[WIDTH * y + x] = rows[y][x] == '.';
                sector[sector_of(WIDTH * y + x)].set(WIDTH * y + x);
            }
        for (int cell = 0; cell < CELLS; cell++)
            for (int way = 0; way < 4; way++) {
                int target = cell + STEP[way];
                next[cell][way] = target >= 0 && target < CELLS && water[target] ? target : NOWHERE;
            }
        for (int cell = 0; cell < CELLS; cell++)
            measure_from(cell);
    }

    static int sector_of(int cell) { return cell % WIDTH / 5 + 1 + 3 * (cell / WIDTH / 5); }

    static bool is_beside(int cell, int other) {
        return std::abs(cell % WIDTH - other % WIDTH) <= 1 && std::abs(cell / WIDTH - other / WIDTH) <= 1;
    }

    // The lives that an explosion at `target` costs a submarine in `cell`.
    static int damage(int target, int cell) { return cell == target ? 2 : is_beside(cell, target) ? 1 : 0; }

    Cells room(int cell, const Cells& closed) const {
        Cells free = water & ~closed, found, grown;
        grown[cell] = true;
        while (grown != found) {
            found = grown;
            grown |= (found << 1 | found >> 1 | found << WIDTH | found >> WIDTH) & free;
        }
        return found;
    }

    Cells largest_part() const {
        Cells best, left = water;
        while (left.any()) {
            Cells part = room(static_cast<int>(left._Find_first()), ~left);
            if (part.count() > best.count())
                best = part;
            left &= ~part;
        }
        return best;
    }

  private:
    void measure_from(int start) {
        steps[start].fill(FAR);
        if (!water[start])
            return;
        std::vector<int> queue = {start};
        steps[start][start] = 0;
        for (size_t i = 0; i < queue.size(); i++) {
            int cell = queue[i];
            if (steps[start][cell] <= TORPEDO_RANGE)
                in_torpedo_range[start].push_back(cell);
            for (int target : next[cell])
                if (target != NOWHERE && steps[start][target] == FAR) {
                    steps[start][target] = steps[start][cell] + 1;
                    queue.push_back(target);
                }
        }
    }
};

// ---- What somebody who only listens knows of a submarine ----

struct Ghost {
    int cell;
    Cells visited;
    double weight;
    int lost;  // lives, since they were counted last
};

class Shadow {
  public:
    explicit Shadow(const Sea& sea) : sea(&sea) { start_again(); }

    void move(int way) {
        for (Ghost& ghost : ghosts) {
            int target = sea->next[ghost.cell][way];
            if (target == NOWHERE || ghost.visited[target]) {
                ghost.weight = 0;
            } else {
                ghost.cell = target;
                ghost.visited[target] = true;
            }
        }
        sweep();
    }

    void surface(int sector) {
        keep([&](int cell) { return sea->sector[sector][cell]; });
        for (Ghost& ghost : ghosts) {
            ghost.visited.reset();
            ghost.visited[ghost.cell] = true;
            ghost.lost++;
        }
        merge();
    }

    void run_silent() {
        std::vector<Ghost> before = std::move(ghosts);
        ghosts.clear();
        for (const Ghost& ghost : before) {
            ghosts.push_back(ghost);
            for (int way = 0; way < 4; way++) {
                Ghost runner = ghost;
                for (int i = 0; i < LONGEST_SILENT_RUN; i++) {
                    int target = sea->next[runner.cell][way];
                    if (target == NOWHERE || runner.visited[target])
                        break;
                    runner.cell = target;
                    runner.visited[target] = true;
                    ghosts.push_back(runner);
                }
            }
        }
        if (ghosts.size() > MOST_GHOSTS)
            merge();
    }

    void shoot(int target) {
        keep([&](int cell) { return sea->steps[target][cell] <= TORPEDO_RANGE; });
    }

    void explode(int target) {
        for (Ghost& ghost : ghosts)
            ghost.lost += Sea::damage(target, ghost.cell);
    }

    void answer_sonar(int sector, bool yes) {
        keep([&](int cell) { return sea->sector[sector][cell] == yes; });
    }

    // Keep the ghosts that would have lost exactly so many lives, and count from here.
    void count(int lost) {
        for (Ghost& ghost : ghosts) {
            if (ghost.lost != lost)
                ghost.weight = 0;
            ghost.lost = 0;
        }
        sweep();
        if (ghosts.empty())
            start_again();
    }

    // The orders of a turn as they are heard.
    void hear(const std::string& orders) {
        std::stringstream line(orders);
        for (std::string order; std::getline(line, order, '|');) {
            std::stringstream words(order);
            std::string name, first;
            int y = 0;
            words >> name >> first >> y;
            if (name == "MOVE")
                move(static_cast<int>(WAYS.find(first)));
            else if (name == "SURFACE")
                surface(std::stoi(first));
            else if (name == "SILENCE")
                run_silent();
            else if (name == "TORPEDO")
                shoot(WIDTH * y + std::stoi(first));
            if (name == "TORPEDO" || name == "TRIGGER")
                explode(WIDTH * y + std::stoi(first));
        }
    }

    // How likely the submarine is in each cell.
    Chances chances() const {
        Chances sum{};
        double total = 0;
        for (const Ghost& ghost : ghosts) {
            sum[ghost.cell] += ghost.weight;
            total += ghost.weight;
        }
        for (double& chance : sum)
            chance /= std::max(total, 1e-9);
        return sum;
    }

  private:
    const Sea* sea;
    std::vector<Ghost> ghosts;

    void start_again() {
        ghosts.clear();
        for (int cell = 0; cell < CELLS; cell++)
            if (sea->water[cell]) {
                Cells visited;
                visited[cell] = true;
                ghosts.push_back({cell, visited, 1.0, 0});
            }
    }

    template <class Test> void keep(Test test) {
        for (Ghost& ghost : ghosts)
            if (!test(ghost.cell))
                ghost.weight = 0;
        sweep();
    }

    void sweep() {
        ghosts.erase(std::remove_if(ghosts.begin(), ghosts.end(), [](const Ghost& g) { return g.weight == 0; }),
                     ghosts.end());
    }

    // Make one of all ghosts in the same cell with the same loss. It may enter what any of them may: so the truth is
    // never lost, it only gets vague.
    void merge() {
        std::map<std::pair<int, int>, Ghost> merged;
        for (const Ghost& ghost : ghosts) {
            auto [place, is_new] = merged.try_emplace({ghost.cell, ghost.lost}, ghost);
            if (!is_new) {
                place->second.visited &= ghost.visited;
                place->second.weight += ghost.weight;
            }
        }
        ghosts.clear();
        for (const auto& [key, ghost] : merged)
            ghosts.push_back(ghost);
    }
};

// The damage that an explosion in each cell does on average to a submarine with these chances.
Chances average_damage(const Chances& chances) {
    Chances damage{};
    for (int cell = 0; cell < CELLS; cell++)
        if (chances[cell] > 0) {
            damage[cell] += chances[cell];
            for (int dy = -WIDTH; dy <= WIDTH; dy += WIDTH)
                for (int dx = -1; dx <= 1; dx++)
                    if (cell + dy + dx >= 0 && cell + dy + dx < CELLS)
                        damage[cell + dy + dx] += chances[cell];
        }
    return damage;
}

// How well a submarine with these chances is hidden, in bits: 5 are as good as 32 cells, each as likely.
double entropy(const Chances& chances) {
    double bits = 0;
    for (double chance : chances)
        if (chance > 0)
            bits -= chance * std::log2(chance);
    return bits;
}

// ---- Choosing a line ----

// Our own shadow after some orders, and what it tells the opponent.
struct Secret {
    Shadow shadow;
    double bits;       // how well we are hidden
    int feared;        // where the opponent's torpedo is to be feared most
    double believed;   // the damage that the opponent may expect there
    double best_guess; // the damage that the opponent may expect anywhere

    Secret(Shadow after, const Chances& torpedo_reach) : shadow(std::move(after)) {
        Chances chances = shadow.chances(), damage = average_damage(chances), expected{};
        for (int cell = 0; cell < CELLS; cell++)
            expected[cell] = damage[cell] * torpedo_reach[cell];
        bits = entropy(chances);
        feared = static_cast<int>(std::max_element(expected.begin(), expected.end()) - expected.begin());
        believed = damage[feared];
        best_guess = *std::max_element(damage.begin(), damage.end());
    }
};

// A line in the making and what it leads to.
struct Plan {
    std::string orders;
    int cell;
    Cells visited;
    std::array<int, POWERS> missing;
    std::shared_ptr<const Secret> secret;
    double value = 0;
    std::vector<int> explosions = {};
    int mine_triggered = NOWHERE;
    bool shot = false, moved = false, surfaced = false, ran = false;
};

class Kraken {
  public:
    explicit Kraken(const Sea& sea) : sea(sea), opponent(sea), own(sea) {}

    std::string start(int seat) const {
        Cells best = sea.largest_part();
        std::vector<int> cells;
        for (int cell = 0; cell < CELLS; cell++)
            if (best[cell])
                cells.push_back(cell);
        // The map decides, so that the same match comes out the same way again.
        size_t mixed = sea.water.count() * 7919 + seat * 104729;
        return place(cells[mixed % cells.size()]);
    }

    std::string play(const std::string& numbers, const std::string& sonar_answer, const std::string& heard) {
        listen(numbers, sonar_answer, heard);
        look_at_opponent();
        best.value = -1e9;
        Plan nothing{"", cell, visited, missing, reveal(own)};
        extend(nothing);
        carry_out();
        return said;
    }

  private:
    const Sea& sea;
    Shadow opponent, own;
    int cell = 0, lives = 6, opponent_lives = 6;
    Cells visited;
    std::array<int, POWERS> missing{};
    std::vector<int> mines;
    std::vector<Chances> opponent_mines;
    int opponent_charge = 0;  // at most, of its torpedo
    int sonar_sector = 1;
    Plan best;
    std::string said;

    // What we think of the opponent this turn.
    Chances chances{}, damage{}, torpedo_reach{}, mine_danger{};
    double opponent_bits = 0;

    static std::string place(int cell) { return std::to_string(cell % WIDTH) + " " + std::to_string(cell / WIDTH); }

    static int target_of(std::stringstream& words) {
        int x = 0, y = 0;
        words >> x >> y;
        return WIDTH * y + x;
    }

    void listen(const std::string& line, const std::string& sonar_answer, const std::string& heard) {
        std::stringstream numbers(line);
        int x, y, lives_now, opponent_lives_now;
        numbers >> x >> y >> lives_now >> opponent_lives_now;
        for (int& charge : missing)
            numbers >> charge;
        cell = WIDTH * y + x;
        visited[cell] = true;
        if (sonar_answer != "NA")
            opponent.answer_sonar(sonar_sector, sonar_answer == "Y");
        if (heard != "NA") {
            opponent.hear(heard);
            feel(heard);
        }
        opponent.count(opponent_lives - opponent_lives_now);
        own.count(lives - lives_now);
        lives = lives_now;
        opponent_lives = opponent_lives_now;
    }

    // What the opponent's orders mean for us: explosions, a torpedo that charges, mines that wait.
    void feel(const std::string& heard) {
        std::stringstream line(heard);
        for (std::string order; std::getline(line, order, '|');) {
            std::stringstream words(order);
            std::string name;
            words >> name;
            if (name == "MOVE")
                opponent_charge = std::min(opponent_charge + 1, FULL_CHARGE[TORPEDO]);
            else if (name == "MINE")
                opponent_mines.push_back(beside(opponent.chances()));
            else if (name == "TORPEDO")
                opponent_charge = 0;
            if (name == "TORPEDO" || name == "TRIGGER") {
                int target = target_of(words);
                own.explode(target);
                if (name == "TRIGGER")
                    forget_mine(target);
            }
        }
    }

    // How likely a mine is in each cell if a submarine with these chances has just laid it.
    Chances beside(const Chances& layer) const {
        Chances mine{};
        for (int from = 0; from < CELLS; from++) {
            if (layer[from] == 0)
                continue;
            auto sides = static_cast<double>(4 - std::count(sea.next[from].begin(), sea.next[from].end(), NOWHERE));
            for (int target : sea.next[from])
                if (target != NOWHERE)
                    mine[target] += layer[from] / sides;
        }
        return mine;
    }

    void forget_mine(int target) {
        auto likeliest = std::max_element(opponent_mines.begin(), opponent_mines.end(),
                                          [&](const Chances& a, const Chances& b) { return a[target] < b[target]; });
        if (likeliest != opponent_mines.end())
            opponent_mines.erase(likeliest);
    }

    void look_at_opponent() {
        chances = opponent.chances();
        damage = average_damage(chances);
        opponent_bits = entropy(chances);
        mine_danger.fill(0);
        for (const Chances& mine : opponent_mines) {
            Chances danger = average_damage(mine);
            for (int target = 0; target < CELLS; target++)
                mine_danger[target] = std::max(mine_danger[target], danger[target]);
        }
        torpedo_reach.fill(0);
        if (opponent_charge < FULL_CHARGE[TORPEDO] - 1)
            return;
        for (int from = 0; from < CELLS; from++)
            if (chances[from] > 0)
                for (int target = 0; target < CELLS; target++)
                    if (sea.steps[from][target] <= TORPEDO_RANGE + 1)
                        torpedo_reach[target] += chances[from];
    }

    std::shared_ptr<const Secret> reveal(Shadow after) const {
        return std::make_shared<const Secret>(std::move(after), torpedo_reach);
    }

    // Go through all lines that begin with this plan.
    void extend(const Plan& plan) {
        bool stuck = !can_step(plan);
        if (plan.moved || (plan.surfaced && stuck))
            consider(plan);
        if (plan.mine_triggered == NOWHERE && !plan.shot)
            try_trigger(plan);
        if (!plan.shot && plan.missing[TORPEDO] == 0)
            try_torpedo(plan);
        if (!plan.moved)
            try_steps(plan);
        if (!plan.moved && !plan.surfaced && stuck)
            try_surface(plan);
        if (!plan.ran && plan.missing[SILENCE] == 0)
            try_silence(plan);
    }

    bool can_step(const Plan& plan) const {
        return std::any_of(sea.next[plan.cell].begin(), sea.next[plan.cell].end(),
                           [&](int target) { return target != NOWHERE && !plan.visited[target]; });
    }

    // What an explosion is worth to us: the damage on average, a kill, and what it costs ourselves.
    double worth(int target, const Plan& plan) const {
        double value = damage[target], hit = 0;
        for (int near = 0; near < CELLS; near++)
            if (chances[near] > 0 && Sea::damage(target, near) >= opponent_lives)
                hit += chances[near];
        int own_damage = Sea::damage(target, plan.cell);
        return value + KILL * hit - own_damage - (own_damage >= lives ? DEATH : 0);
    }

    void try_trigger(const Plan& plan) {
        int target = NOWHERE;
        double most = TRIGGER_COST;
        for (int mine : mines)
            if (double value = worth(mine, plan); value > most) {
                most = value;
                target = mine;
            }
        if (target == NOWHERE)
            return;
        Plan longer = plan;
        longer.orders += "TRIGGER " + place(target) + "|";
        longer.mine_triggered = target;
        longer.value += most - TRIGGER_COST;
        longer.explosions.push_back(target);
        Shadow after = plan.secret->shadow;
        after.explode(target);
        longer.secret = reveal(std::move(after));
        extend(longer);
    }

    void try_torpedo(const Plan& plan) {
        int target = NOWHERE;
        double most = TORPEDO_COST;
        for (int reached : sea.in_torpedo_range[plan.cell])
            if (double value = damage[reached] > 0 ? worth(reached, plan) : 0; value > most) {
                most = value;
                target = reached;
            }
        if (target == NOWHERE)
            return;
        Plan longer = plan;
        longer.orders += "TORPEDO " + place(target) + "|";
        longer.shot = true;
        longer.missing[TORPEDO] = FULL_CHARGE[TORPEDO];
        longer.explosions.push_back(target);
        longer.value += most - TORPEDO_COST;
        Shadow after = plan.secret->shadow;
        after.shoot(target);
        after.explode(target);
        longer.secret = reveal(std::move(after));
        extend(longer);
    }

    void try_steps(const Plan& plan) {
        for (int way = 0; way < 4; way++) {
            int target = sea.next[plan.cell][way];
            if (target == NOWHERE || plan.visited[target])
                continue;
            Plan longer = plan;
            Power power = to_charge(plan.missing);
            longer.orders += std::string("MOVE ") + WAYS[way] + " " + POWER_NAME[power] + "|";
            longer.moved = true;
            longer.missing[power] = std::max(0, longer.missing[power] - 1);
            longer.cell = target;
            longer.visited[target] = true;
            Shadow after = plan.secret->shadow;
            after.move(way);
            longer.secret = reveal(std::move(after));
            extend(longer);
        }
    }

    void try_surface(const Plan& plan) {
        Plan longer = plan;
        longer.orders += "SURFACE|";
        longer.surfaced = true;
        longer.visited.reset();
        longer.visited[plan.cell] = true;
        longer.value -= lives == 1 ? DEATH : 1;
        Shadow after = plan.secret->shadow;
        after.surface(Sea::sector_of(plan.cell));
        longer.secret = reveal(std::move(after));
        extend(longer);
    }

    void try_silence(const Plan& plan) {
        Plan longer = plan;
        longer.ran = true;
        longer.missing[SILENCE] = FULL_CHARGE[SILENCE];
        longer.value -= SILENCE_COST;
        Shadow after = plan.secret->shadow;
        after.run_silent();
        longer.secret = reveal(std::move(after));
        for (int way = 0; way < 4; way++) {
            Plan run = longer;
            for (int length = 1; length <= LONGEST_SILENT_RUN; length++) {
                int target = sea.next[run.cell][way];
                if (target == NOWHERE || run.visited[target])
                    break;
                run.cell = target;
                run.visited[target] = true;
                run.orders = plan.orders + "SILENCE " + WAYS[way] + " " + std::to_string(length) + "|";
                extend(run);
            }
        }
    }

    // Torpedo and silence first, then mines while there are few, then the sonar.
    Power to_charge(const std::array<int, POWERS>& lacking) const {
        Power later = mines.size() < PLENTY_OF_MINES ? MINE : SONAR, last = later == MINE ? SONAR : MINE;
        for (Power power : {TORPEDO, SILENCE, later, last})
            if (lacking[power] > 0)
                return power;
        return TORPEDO;
    }

    void consider(const Plan& plan) {
        double value = plan.value + value_of_place(plan) + SECRET * plan.secret->bits - DANGER * danger(plan);
        if (value > best.value) {
            best = plan;
            best.value = value;
        }
    }

    double danger(const Plan& plan) const {
        const Secret& secret = *plan.secret;
        double torpedo = torpedo_reach[secret.feared] *
                         (Sea::damage(secret.feared, plan.cell) + secret.believed) / 2;
        return (secret.believed > FEARLESS_BELOW ? torpedo : 0) + mine_danger[plan.cell] * secret.best_guess / 2;
    }

    double value_of_place(const Plan& plan) const {
        int room = static_cast<int>(sea.room(plan.cell, plan.visited).count());
        double value = -CRAMPED * std::max(0, ENOUGH_ROOM - room);
        if (!can_step(plan))
            value -= STUCK;
        for (int target : sea.next[plan.cell])
            if (target != NOWHERE && !plan.visited[target])
                value -= TIDY;
        double clear = std::max(0.0, 1 - opponent_bits / PURSUED_BITS);
        if (clear > 0)
            for (int target = 0; target < CELLS; target++)
                if (chances[target] > 0)
                    value -= PURSUIT * clear * chances[target] *
                             std::min(12, std::abs(sea.steps[plan.cell][target] - STALKING_STEPS));
        return value;
    }

    // Take the best plan for true, and add a mine and a sonar, which cost nothing else.
    void carry_out() {
        own = best.secret->shadow;
        cell = best.cell;
        visited = best.visited;
        missing = best.missing;
        for (int target : best.explosions)
            opponent.explode(target);
        mines.erase(std::remove(mines.begin(), mines.end(), best.mine_triggered), mines.end());
        said = best.orders;
        lay_mine();
        ask_sonar();
        said.pop_back();
    }

    // Lay a mine where it covers most water that the others do not.
    void lay_mine() {
        if (missing[MINE] != 0)
            return;
        int way_of_best = 0;
        long most = 0;
        for (int way = 0; way < 4; way++) {
            int target = sea.next[cell][way];
            if (target == NOWHERE || std::count(mines.begin(), mines.end(), target))
                continue;
            if (long covered = newly_covered(target); covered > most) {
                most = covered;
                way_of_best = way;
            }
        }
        if (most == 0)
            return;
        said += std::string("MINE ") + WAYS[way_of_best] + "|";
        mines.push_back(sea.next[cell][way_of_best]);
    }

    long newly_covered(int mine) const {
        long covered = 0;
        for (int target = 0; target < CELLS; target++)
            if (sea.water[target] && Sea::is_beside(mine, target))
                covered += std::none_of(mines.begin(), mines.end(),
                                        [&](int other) { return Sea::is_beside(other, target); });
        return covered;
    }

    // Listen in the sector that splits the opponent's shadow most evenly, if that can tell much.
    void ask_sonar() {
        if (missing[SONAR] != 0 || opponent_bits < SONAR_BITS)
            return;
        Chances now = opponent.chances();
        double most_even = 1;
        for (int sector = 1; sector <= 9; sector++) {
            double chance = 0;
            for (int target = 0; target < CELLS; target++)
                chance += sea.sector[sector][target] ? now[target] : 0;
            if (std::abs(chance - 0.5) < most_even) {
                most_even = std::abs(chance - 0.5);
                sonar_sector = sector;
            }
        }
        said += "SONAR " + std::to_string(sonar_sector) + "|";
    }
};

int main() {
    std::ios::sync_with_stdio(false);
    int width, height, seat;
    std::cin >> width >> height >> seat;
    std::vector<std::string> rows(height);
    for (std::string& row : rows)
        std::cin >> row;
    const Sea sea(rows);
    Kraken kraken(sea);
    std::cout << kraken.start(seat) << std::endl;
    std::cin.ignore();
    for (std::string numbers, sonar_answer, heard;
         std::getline(std::cin, numbers) && std::getline(std::cin, sonar_answer) && std::getline(std::cin, heard);)
        std::cout << kraken.play(numbers, sonar_answer, heard) << std::endl;
}
