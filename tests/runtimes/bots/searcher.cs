// A bot as people write them for CodinGame: a class per thing, LINQ, and a search for 35 of its 50 ms by its own clock
// on the wall, from its first turn on.

using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Text;

class Direction
{
    public static readonly Direction[] All =
    {
        new Direction("N", 0, -1), new Direction("E", 1, 0), new Direction("S", 0, 1), new Direction("W", -1, 0),
    };

    public readonly string Name;
    public readonly int Dx, Dy;

    public Direction(string name, int dx, int dy)
    {
        Name = name;
        Dx = dx;
        Dy = dy;
    }
}

class Cell : IEquatable<Cell>
{
    public readonly int X, Y;

    public Cell(int x, int y)
    {
        X = x;
        Y = y;
    }

    public Cell Step(Direction way) => new Cell(X + way.Dx, Y + way.Dy);
    public int Distance(Cell other) => Math.Max(Math.Abs(X - other.X), Math.Abs(Y - other.Y));
    public int Steps(Cell other) => Math.Abs(X - other.X) + Math.Abs(Y - other.Y);
    public bool Equals(Cell other) => other != null && other.X == X && other.Y == Y;
    public override bool Equals(object other) => Equals(other as Cell);
    public override int GetHashCode() => 15 * Y + X;
    public override string ToString() => $"{X} {Y}";
}

class Sea
{
    readonly string[] rows;
    public readonly List<Cell> Cells;

    public Sea(string[] rows)
    {
        this.rows = rows;
        Cells = rows.SelectMany((row, y) => row.Select((mark, x) => new Cell(x, y))).Where(IsWater).ToList();
    }

    public bool IsWater(Cell cell) =>
        cell.Y >= 0 && cell.Y < rows.Length && cell.X >= 0 && cell.X < rows[0].Length && rows[cell.Y][cell.X] == '.';

    public HashSet<Cell> Within(Cell start, int most)
    {
        var found = new HashSet<Cell> { start };
        var edge = new List<Cell> { start };
        for (int count = 0; count < most; count++)
        {
            edge = edge.SelectMany(cell => Direction.All.Select(way => cell.Step(way)))
                .Where(cell => IsWater(cell) && !found.Contains(cell)).Distinct().ToList();
            found.UnionWith(edge);
        }
        return found;
    }
}

class Tracker
{
    readonly Sea sea;
    public List<Cell> Candidates;

    public Tracker(Sea sea)
    {
        this.sea = sea;
        Candidates = sea.Cells.ToList();
    }

    public void Hear(string orders)
    {
        foreach (var order in orders.Split('|'))
        {
            var words = order.Trim().Split(' ');
            switch (words[0])
            {
                case "MOVE":
                    var way = Direction.All.First(direction => direction.Name == words[1]);
                    Candidates = Candidates.Select(cell => cell.Step(way)).Where(sea.IsWater).ToList();
                    break;
                case "SURFACE":
                    var sector = int.Parse(words[1]) - 1;
                    Candidates = Candidates.Where(cell => cell.Y / 5 * 3 + cell.X / 5 == sector).ToList();
                    break;
                case "TORPEDO":
                    var near = sea.Within(new Cell(int.Parse(words[1]), int.Parse(words[2])), 4);
                    Candidates = Candidates.Where(near.Contains).ToList();
                    break;
            }
        }
        if (Candidates.Count == 0)
        {
            Candidates = sea.Cells.ToList();
        }
    }

    int Value(Cell target) => Candidates.Sum(other => Math.Max(0, 2 - other.Distance(target)));

    public Cell Best(IEnumerable<Cell> targets, Cell own) =>
        Candidates.Count > 40
            ? null
            : targets.Where(cell => cell.Distance(own) > 1 && Value(cell) > 0).OrderByDescending(Value).FirstOrDefault();
}

class Playout
{
    readonly Sea sea;
    readonly Random random = new Random(42);

    public Playout(Sea sea)
    {
        this.sea = sea;
    }

    public double Run(Cell start, HashSet<Cell> visited, Direction first, List<Cell> candidates)
    {
        var closed = new HashSet<Cell>(visited);
        var cell = start.Step(first);
        double score = 0;
        int length = 0;
        while (length < 30)
        {
            closed.Add(cell);
            length++;
            var ways = Direction.All.Select(way => cell.Step(way))
                .Where(next => sea.IsWater(next) && !closed.Contains(next)).ToList();
            if (ways.Count == 0)
            {
                break;
            }
            cell = ways[random.Next(ways.Count)];
            if (length % 10 == 0)
            {
                score += candidates.Sum(other => 1.0 / (1 + other.Steps(cell)));
            }
        }
        return length + score / (1 + candidates.Count);
    }
}

class Player
{
    const int SearchMs = 35;

    static void Main(string[] args)
    {
        var header = Console.ReadLine().Split(' ').Select(int.Parse).ToArray();
        var sea = new Sea(Enumerable.Range(0, header[1]).Select(_ => Console.ReadLine()).ToArray());
        var tracker = new Tracker(sea);
        var playout = new Playout(sea);
        Console.WriteLine(sea.Cells.OrderByDescending(cell => sea.Within(cell, 15).Count).First());
        var visited = new HashSet<Cell>();
        while (true)
        {
            var state = Console.ReadLine().Split(' ').Select(int.Parse).ToArray();
            var clock = Stopwatch.StartNew();
            var own = new Cell(state[0], state[1]);
            var sonarResult = Console.ReadLine();
            tracker.Hear(Console.ReadLine());
            visited.Add(own);

            var orders = new List<string>();
            var target = state[4] == 0 ? tracker.Best(sea.Within(own, 4), own) : null;
            if (target != null)
            {
                orders.Add($"TORPEDO {target}");
            }
            var ways = Direction.All.Where(way => sea.IsWater(own.Step(way)) && !visited.Contains(own.Step(way))).ToList();
            if (ways.Count == 0)
            {
                visited.Clear();
                orders.Add("SURFACE");
            }
            else
            {
                var totals = ways.ToDictionary(way => way, _ => 0.0);
                int playouts = 0;
                while (clock.ElapsedMilliseconds < SearchMs)
                {
                    var way = ways[playouts++ % ways.Count];
                    totals[way] += playout.Run(own, visited, way, tracker.Candidates);
                }
                orders.Add($"MOVE {ways.OrderByDescending(way => totals[way]).First().Name} TORPEDO");
                orders.Add($"MSG {playouts} playouts");
            }
            Console.WriteLine(string.Join("|", orders));
        }
    }
}
