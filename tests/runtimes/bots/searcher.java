// A bot as people write them for CodinGame: reads with a Scanner, has a class per thing, and searches for 35 of its 50 ms
// by its own clock on the wall, from its first turn on.

import java.util.*;
import java.util.stream.*;

class Player {
    public static void main(String[] args) {
        Scanner in = new Scanner(System.in);
        Game game = new Game(in);
        System.out.println(game.chooseStart());
        while (true) {
            game.readTurn(in);
            System.out.println(game.chooseOrders());
        }
    }
}

enum Direction {
    N(0, -1), E(1, 0), S(0, 1), W(-1, 0);

    final int dx, dy;

    Direction(int dx, int dy) {
        this.dx = dx;
        this.dy = dy;
    }
}

class Cell {
    final int x, y;

    Cell(int x, int y) {
        this.x = x;
        this.y = y;
    }

    Cell step(Direction way) {
        return new Cell(x + way.dx, y + way.dy);
    }

    int distance(Cell other) {
        return Math.max(Math.abs(x - other.x), Math.abs(y - other.y));
    }

    int steps(Cell other) {
        return Math.abs(x - other.x) + Math.abs(y - other.y);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Cell && ((Cell) other).x == x && ((Cell) other).y == y;
    }

    @Override
    public int hashCode() {
        return 15 * y + x;
    }

    @Override
    public String toString() {
        return x + " " + y;
    }
}

class Sea {
    final int width, height;
    final boolean[][] water;
    final List<Cell> cells = new ArrayList<>();

    Sea(int width, int height, List<String> rows) {
        this.width = width;
        this.height = height;
        water = new boolean[height][width];
        for (int y = 0; y < height; y++) {
            for (int x = 0; x < width; x++) {
                water[y][x] = rows.get(y).charAt(x) == '.';
                if (water[y][x]) {
                    cells.add(new Cell(x, y));
                }
            }
        }
    }

    boolean isWater(Cell cell) {
        return cell.x >= 0 && cell.x < width && cell.y >= 0 && cell.y < height && water[cell.y][cell.x];
    }

    Map<Cell, Integer> within(Cell start, int most) {
        Map<Cell, Integer> found = new HashMap<>();
        Deque<Cell> edge = new ArrayDeque<>();
        found.put(start, 0);
        edge.add(start);
        while (!edge.isEmpty()) {
            Cell cell = edge.poll();
            if (found.get(cell) == most) {
                continue;
            }
            for (Direction way : Direction.values()) {
                Cell next = cell.step(way);
                if (isWater(next) && !found.containsKey(next)) {
                    found.put(next, found.get(cell) + 1);
                    edge.add(next);
                }
            }
        }
        return found;
    }
}

abstract class Order {
    abstract String text();
}

class Move extends Order {
    final Direction way;

    Move(Direction way) {
        this.way = way;
    }

    String text() {
        return String.format("MOVE %s TORPEDO", way.name());
    }
}

class Surface extends Order {
    String text() {
        return "SURFACE";
    }
}

class Torpedo extends Order {
    final Cell target;

    Torpedo(Cell target) {
        this.target = target;
    }

    String text() {
        return "TORPEDO " + target;
    }
}

class Message extends Order {
    final int playouts;

    Message(int playouts) {
        this.playouts = playouts;
    }

    String text() {
        return "MSG " + playouts + " playouts";
    }
}

class Tracker {
    final Sea sea;
    Set<Cell> candidates;

    Tracker(Sea sea) {
        this.sea = sea;
        candidates = new HashSet<>(sea.cells);
    }

    void hear(String orders) {
        for (String order : orders.split("\\|")) {
            String[] words = order.trim().split(" ");
            switch (words[0]) {
                case "MOVE":
                    Direction way = Direction.valueOf(words[1]);
                    candidates = candidates.stream().map(cell -> cell.step(way)).filter(sea::isWater)
                            .collect(Collectors.toSet());
                    break;
                case "SURFACE":
                    int sector = Integer.parseInt(words[1]) - 1;
                    candidates = candidates.stream()
                            .filter(cell -> cell.y / 5 * 3 + cell.x / 5 == sector).collect(Collectors.toSet());
                    break;
                case "TORPEDO":
                    Cell target = new Cell(Integer.parseInt(words[1]), Integer.parseInt(words[2]));
                    Map<Cell, Integer> near = sea.within(target, 4);
                    candidates.removeIf(cell -> !near.containsKey(cell));
                    break;
                default:
                    break;
            }
        }
        if (candidates.isEmpty()) {
            candidates = new HashSet<>(sea.cells);
        }
    }

    Optional<Cell> best(Set<Cell> targets, Cell own) {
        if (candidates.size() > 40) {
            return Optional.empty();
        }
        return targets.stream().filter(cell -> cell.distance(own) > 1)
                .filter(cell -> candidates.stream().anyMatch(other -> other.distance(cell) <= 1))
                .max(Comparator.comparingLong(cell -> candidates.stream()
                        .mapToLong(other -> other.equals(cell) ? 2 : other.distance(cell) <= 1 ? 1 : 0).sum()));
    }
}

class Playout {
    final Sea sea;
    final Random random = new Random(42);

    Playout(Sea sea) {
        this.sea = sea;
    }

    double run(Cell start, Set<Cell> visited, Direction first, Set<Cell> candidates) {
        Set<Cell> closed = new HashSet<>(visited);
        Cell cell = start.step(first);
        int length = 0;
        double score = 0;
        while (length < 30) {
            closed.add(cell);
            length++;
            List<Cell> ways = new ArrayList<>();
            for (Direction way : Direction.values()) {
                Cell next = cell.step(way);
                if (sea.isWater(next) && !closed.contains(next)) {
                    ways.add(next);
                }
            }
            if (ways.isEmpty()) {
                break;
            }
            cell = ways.get(random.nextInt(ways.size()));
            if (length % 10 == 0) {
                for (Cell candidate : candidates) {
                    score += 1.0 / (1 + candidate.steps(cell));
                }
            }
        }
        return length + score / (1 + candidates.size());
    }
}

class Game {
    static final long SEARCH_NS = 35_000_000;

    final Sea sea;
    final Tracker tracker;
    final Playout playout;
    final Set<Cell> visited = new HashSet<>();
    Cell own;
    int life, opponentLife, torpedoCooldown;
    long began;

    Game(Scanner in) {
        int width = in.nextInt();
        int height = in.nextInt();
        int myId = in.nextInt();
        in.nextLine();
        List<String> rows = new ArrayList<>();
        for (int y = 0; y < height; y++) {
            rows.add(in.nextLine());
        }
        sea = new Sea(width, height, rows);
        tracker = new Tracker(sea);
        playout = new Playout(sea);
    }

    Cell chooseStart() {
        return sea.cells.stream().max(Comparator.comparingInt(cell -> sea.within(cell, 15).size())).get();
    }

    void readTurn(Scanner in) {
        int x = in.nextInt();
        began = System.nanoTime();
        own = new Cell(x, in.nextInt());
        life = in.nextInt();
        opponentLife = in.nextInt();
        torpedoCooldown = in.nextInt();
        int sonarCooldown = in.nextInt();
        int silenceCooldown = in.nextInt();
        int mineCooldown = in.nextInt();
        String sonarResult = in.next();
        in.nextLine();
        tracker.hear(in.nextLine());
        visited.add(own);
    }

    String chooseOrders() {
        List<Order> orders = new ArrayList<>();
        if (torpedoCooldown == 0) {
            tracker.best(sea.within(own, 4).keySet(), own).ifPresent(target -> orders.add(new Torpedo(target)));
        }
        List<Direction> ways = Arrays.stream(Direction.values())
                .filter(way -> sea.isWater(own.step(way)) && !visited.contains(own.step(way)))
                .collect(Collectors.toList());
        if (ways.isEmpty()) {
            visited.clear();
            orders.add(new Surface());
            return orders.stream().map(Order::text).collect(Collectors.joining("|"));
        }
        Map<Direction, Double> totals = new EnumMap<>(Direction.class);
        int playouts = 0;
        while (System.nanoTime() - began < SEARCH_NS) {
            Direction way = ways.get(playouts++ % ways.size());
            totals.merge(way, playout.run(own, visited, way, tracker.candidates), Double::sum);
        }
        Direction best = ways.stream().max(Comparator.comparingDouble(way -> totals.getOrDefault(way, 0.0))).get();
        orders.add(new Move(best));
        orders.add(new Message(playouts));
        return orders.stream().map(Order::text).collect(Collectors.joining("|"));
    }
}
