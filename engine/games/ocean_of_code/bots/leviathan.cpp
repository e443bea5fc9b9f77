// Leviathan, the boss of Legend and of Gold: remembers whole paths and mines, and searches all that it could say.
//
// How this works. A `Ghost` is one way to explain everything heard of a submarine so far: where
// it is, which cells it may not enter again, and where it laid mines. All ghosts together are its `Shadow`. Leviathan
// follows two of them: the opponent's, and its own as the opponent hears it. A ghost cannot cross its own path, must
// have lost as many lives as the submarine did, and must have been beside every mine that goes off. Each turn Leviathan
// goes through all sensible orders of trigger, torpedo, step and silent run, and says the line with the best value.
// Everything is valued in lives.
//
// What makes it strong:
// - A mine that goes off tells where its owner has been, even before its last silent runs; ours count against us.
// - Wherever the opponent may be, it answers with the shot or the mine that is best by what it knows of us (`Threat`).
// - A silent run costs a whole life and more: it pays when we are found or shut in, not whenever it is charged.
// - An explosion is worth something even if it misses: it halves the cells where the opponent can be.
//
// DANGER and SILENCE_COST, variables of the environment, make the boss of Gold of it: that one fears little, and runs
// silently whenever it can.

#include <algorithm>
#include <array>
#include <bitset>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <map>
#include <memory>
#include <numeric>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

constexpr int WIDTH = 16;  // one more than the map has: the empty column keeps a shifted set inside its row
constexpr int CELLS = 256;
constexpr int TORPEDO_RANGE = 4;
constexpr int LONGEST_SILENT_RUN = 4;
constexpr int NOWHERE = -1;
constexpr int FAR = 99;
constexpr size_t PLENTY_OF_MINES = 6;
// Above so many, ghosts in the same cell are made one. The own ones are copied for every plan, and so are fewer.
constexpr size_t MOST_GHOSTS = 4000;
constexpr size_t MOST_OWN_GHOSTS = 1000;

using Cells = std::bitset<CELLS>;
using Chances = std::array<double, CELLS>;  // per cell

enum Power { TORPEDO, SONAR, SILENCE, MINE, POWERS };
const std::array<std::string, POWERS> POWER_NAME = {"TORPEDO", "SONAR", "SILENCE", "MINE"};
const std::array<int, POWERS> FULL_CHARGE = {3, 4, 6, 3};
const std::string WAYS = "NESW";
const std::array<int, 4> STEP = {-WIDTH, 1, WIDTH, -1};

double parameter(const char* name, double usual) {
    const char* words = std::getenv(name);
    return words ? std::stod(words) : usual;
}

// What things are worth, in lives.
constexpr double KILL = 4.0;
constexpr double NEWS = 0.2;     // each bit that we expect to learn from an explosion
constexpr double DEATH = 8.0;
constexpr double TORPEDO_COST = 0.6;
const double SILENCE_COST = parameter("SILENCE_COST", 1.2);
constexpr double TRIGGER_COST = 0.35;
constexpr double SECRET = 0.12;   // each halving of the cells where the opponent can suspect us
const double DANGER = parameter("DANGER", 1.1);   // a life we stand to lose in the opponent's next turn
constexpr double STUCK = 1.0;     // having to surface next turn
constexpr double CRAMPED = 0.02;  // each cell that is missing to ENOUGH_ROOM
constexpr double TIDY = 0.01;     // each free cell left beside us: paths along what is closed waste no water
constexpr double PURSUIT = 0.03;  // each step nearer to a place to shoot from

constexpr int ENOUGH_ROOM = 40;
constexpr int STALKING_STEPS = 3;        // how far to keep from an opponent that is found: in range, out of the splash
constexpr double FEARLESS_BELOW = 0.3;   // we suppose that the opponent fires no torpedo for less than that
constexpr double PURSUED_BITS = 4;       // an opponent better hidden than that is not pursued
constexpr double SONAR_BITS = 3;         // ... and one worse hidden than that not asked for
constexpr double STAYING_SILENT = 0.2;   // a silent run of no steps, compared with any other

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
    Cells laid;  // from where it has laid the mines that it may still have
    double weight;
    int lost;  // lives, since they were counted last
};

class Shadow {
  public:
    Shadow(const Sea& sea, size_t most_ghosts) : sea(&sea), most_ghosts(most_ghosts) { start_again(Cells()); }

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
        merge(true);
        if (ghosts.size() > most_ghosts)
            merge(false);
    }

    void run_silent() {
        std::vector<Ghost> before = std::move(ghosts);
        ghosts.clear();
        for (const Ghost& ghost : before) {
            ghosts.push_back(ghost);
            ghosts.back().weight *= STAYING_SILENT;
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
        if (ghosts.size() > most_ghosts)
            merge(true);
        if (ghosts.size() > most_ghosts)
            merge(false);
    }

    void lay() {
        for (Ghost& ghost : ghosts)
            ghost.laid[ghost.cell] = true;
    }

    // A mine went off: only who has been beside it can have laid it.
    void trigger(int target) {
        Cells beside;
        for (int cell : sea->next[target])
            if (cell != NOWHERE)
                beside[cell] = true;
        for (Ghost& ghost : ghosts) {
            Cells layers = ghost.laid & beside;
            if (layers.none())
                ghost.weight = 0;
            else if (layers.count() == 1)
                ghost.laid &= ~layers;
        }
        sweep();
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
            start_again(sea->water);
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
            else if (name == "MINE")
                lay();
            else if (name == "TRIGGER")
                trigger(WIDTH * y + std::stoi(first));
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

    // How many mines lie in each cell on average, if there are so many in all.
    Chances mines(int count) const {
        Chances sum{};
        double total = 0;
        for (const Ghost& ghost : ghosts)
            for (size_t from = ghost.laid._Find_first(); from < CELLS; from = ghost.laid._Find_next(from))
                for (int target : sea->next[from])
                    if (target != NOWHERE) {
                        sum[target] += ghost.weight;
                        total += ghost.weight;
                    }
        for (double& mine : sum)
            mine *= count / std::max(total, 1e-9);
        return sum;
    }

  private:
    const Sea* sea;
    size_t most_ghosts;
    std::vector<Ghost> ghosts;

    void start_again(const Cells& laid) {
        ghosts.clear();
        for (int cell = 0; cell < CELLS; cell++)
            if (sea->water[cell]) {
                Cells visited;
                visited[cell] = true;
                ghosts.push_back({cell, visited, laid, 1.0, 0});
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

    // Make one of all ghosts in the same cell with the same loss, and the same mines if these are kept apart. It may
    // enter what any of them may, and have what any of them may: so the truth is never lost, it only gets vague.
    void merge(bool mines_apart) {
        std::map<std::tuple<int, int, size_t>, Ghost> merged;
        for (const Ghost& ghost : ghosts) {
            size_t mines = mines_apart ? std::hash<Cells>()(ghost.laid) : 0;
            auto [place, is_new] = merged.try_emplace({ghost.cell, ghost.lost, mines}, ghost);
            if (!is_new) {
                place->second.visited &= ghost.visited;
                place->second.laid |= ghost.laid;
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

// What a possibility adds to the entropy.
double bits_of(double chance) { return chance > 0 ? -chance * std::log2(chance) : 0; }

// How well a submarine with these chances is hidden, in bits: 5 are as good as 32 cells, each as likely.
double entropy(const Chances& chances) {
    return std::accumulate(chances.begin(), chances.end(), 0.0,
                           [](double sum, double chance) { return sum + bits_of(chance); });
}

// ---- Choosing a line ----

// What the opponent can do to us in its next turn.
struct Threat {
    const Sea& sea;
    Chances torpedo{};  // how likely it can fire from each cell, before its step
    Chances mines{};    // how likely it has a mine in each cell

    // How likely it makes an explosion in each cell, if it expects that damage there: it takes the best.
    Chances blasts(const Chances& damage) const {
        std::vector<int> targets;
        for (int target = 0; target < CELLS; target++)
            if (damage[target] > FEARLESS_BELOW && sea.water[target])
                targets.push_back(target);
        std::sort(targets.begin(), targets.end(), [&](int a, int b) { return damage[a] > damage[b]; });
        Chances sum{};
        for (int from = 0; from < CELLS; from++)
            if (torpedo[from] > 0)
                for (int target : targets)
                    if (sea.steps[from][target] <= TORPEDO_RANGE + 1) {
                        sum[target] += torpedo[from];
                        break;
                    }
        double left = 1;
        for (int target : targets) {
            double chance = std::min(1.0, mines[target]);
            sum[target] += left * chance;
            left *= 1 - chance;
        }
        return sum;
    }
};

// Our own shadow after some orders, and what it tells the opponent.
struct Secret {
    Shadow shadow;
    double bits;          // how well we are hidden
    double believed = 0;  // the lives that we lose in the opponent's next turn, as the opponent sees it
    Chances fear{};       // ... and as we see it, being in each cell

    Secret(Shadow after, const Threat& threat) : shadow(std::move(after)) {
        Chances chances = shadow.chances(), damage = average_damage(chances);
        bits = entropy(chances);
        Chances blasts = threat.blasts(damage);
        for (int target = 0; target < CELLS; target++)
            if (blasts[target] > 0)
                for (int cell = 0; cell < CELLS; cell++)
                    if (int lost = Sea::damage(target, cell))
                        fear[cell] += blasts[target] * lost;
        for (int target = 0; target < CELLS; target++)
            believed += blasts[target] * damage[target];
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
    int self_damage = 0;
    int mine_triggered = NOWHERE;
    bool shot = false, moved = false, surfaced = false, ran = false;
};

class Leviathan {
  public:
    explicit Leviathan(const Sea& sea)
        : sea(sea), opponent(sea, MOST_GHOSTS), own(sea, MOST_OWN_GHOSTS), threat{sea, {}, {}} {}

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
    int opponent_mines = 0;
    int opponent_charge = 0;  // at most, of its torpedo
    int sonar_sector = 1;
    Plan best;
    std::string said;

    // What we think of the opponent this turn.
    Chances chances{}, damage{};
    Threat threat;
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
                opponent_mines++;
            else if (name == "TORPEDO")
                opponent_charge = 0;
            if (name == "TORPEDO" || name == "TRIGGER") {
                int target = target_of(words);
                own.explode(target);
                if (name == "TRIGGER")
                    opponent_mines--;
            }
        }
    }

    void look_at_opponent() {
        chances = opponent.chances();
        damage = average_damage(chances);
        opponent_bits = entropy(chances);
        threat.torpedo.fill(0);
        if (opponent_charge >= FULL_CHARGE[TORPEDO] - 1)
            threat.torpedo = chances;
        threat.mines = opponent.mines(opponent_mines);
    }

    std::shared_ptr<const Secret> reveal(Shadow after) const {
        return std::make_shared<const Secret>(std::move(after), threat);
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

    // What another explosion is worth to us, after those of the plan: the damage on average, a kill, the news whether
    // it hit, and what it costs ourselves.
    double worth(int target, const Plan& plan) const {
        double value = 0, hit = 0;
        for (int near = 0; near < CELLS; near++)
            if (int more = chances[near] > 0 ? Sea::damage(target, near) : 0) {
                int before = total_damage(plan.explosions, near);
                bool kills = before < opponent_lives && before + more >= opponent_lives;
                value += chances[near] * (more + (kills ? KILL : 0));
                hit += chances[near];
            }
        int own_damage = Sea::damage(target, plan.cell);
        bool dies = own_damage > 0 && own_damage + plan.self_damage >= lives;
        return value + NEWS * (bits_of(hit) + bits_of(1 - hit)) - own_damage - (dies ? DEATH : 0);
    }

    static int total_damage(const std::vector<int>& explosions, int cell) {
        return std::accumulate(explosions.begin(), explosions.end(), 0,
                               [&](int sum, int target) { return sum + Sea::damage(target, cell); });
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
        longer.self_damage += Sea::damage(target, plan.cell);
        Shadow after = plan.secret->shadow;
        after.trigger(target);
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
        longer.self_damage += Sea::damage(target, plan.cell);
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
        longer.self_damage++;
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
        return (plan.secret->fear[plan.cell] + plan.secret->believed) / 2;
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
        own.lay();
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
    Leviathan leviathan(sea);
    std::cout << leviathan.start(seat) << std::endl;
    std::cin.ignore();
    for (std::string numbers, sonar_answer, heard;
         std::getline(std::cin, numbers) && std::getline(std::cin, sonar_answer) && std::getline(std::cin, heard);)
        std::cout << leviathan.play(numbers, sonar_answer, heard) << std::endl;
}
