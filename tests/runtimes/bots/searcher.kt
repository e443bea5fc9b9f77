// A bot as people write them for CodinGame: reads with a Scanner, has a class per thing, and searches for 35 of its 50 ms
// by its own clock on the wall, from its first turn on.

import java.util.*

const val SEARCH_NS = 35_000_000L

enum class Direction(val dx: Int, val dy: Int) { N(0, -1), E(1, 0), S(0, 1), W(-1, 0) }

data class Cell(val x: Int, val y: Int) {
    fun step(way: Direction) = Cell(x + way.dx, y + way.dy)
    fun distance(other: Cell) = maxOf(Math.abs(x - other.x), Math.abs(y - other.y))
    fun steps(other: Cell) = Math.abs(x - other.x) + Math.abs(y - other.y)
}

class Sea(private val rows: List<String>) {
    val cells = rows.indices.flatMap { y -> rows[y].indices.map { x -> Cell(x, y) } }.filter { isWater(it) }

    fun isWater(cell: Cell) = rows.getOrNull(cell.y)?.getOrNull(cell.x) == '.'

    fun within(start: Cell, most: Int): Set<Cell> {
        val found = mutableSetOf(start)
        var edge = listOf(start)
        repeat(most) {
            edge = edge.flatMap { cell -> Direction.values().map { cell.step(it) } }
                .filter { isWater(it) && it !in found }.distinct()
            found += edge
        }
        return found
    }
}

sealed class Order
data class Move(val way: Direction) : Order() {
    override fun toString() = "MOVE $way TORPEDO"
}
data class Torpedo(val target: Cell) : Order() {
    override fun toString() = "TORPEDO ${target.x} ${target.y}"
}
data class Message(val playouts: Int) : Order() {
    override fun toString() = "MSG $playouts playouts"
}
object Surface : Order() {
    override fun toString() = "SURFACE"
}

class Tracker(private val sea: Sea) {
    var candidates = sea.cells.toSet()

    fun hear(orders: String) {
        for (order in orders.split("|")) {
            val words = order.trim().split(" ")
            when (words[0]) {
                "MOVE" -> {
                    val way = Direction.valueOf(words[1])
                    candidates = candidates.map { it.step(way) }.filter { sea.isWater(it) }.toSet()
                }
                "SURFACE" -> {
                    val sector = words[1].toInt() - 1
                    candidates = candidates.filter { it.y / 5 * 3 + it.x / 5 == sector }.toSet()
                }
                "TORPEDO" -> {
                    val near = sea.within(Cell(words[1].toInt(), words[2].toInt()), 4)
                    candidates = candidates.filter { it in near }.toSet()
                }
            }
        }
        if (candidates.isEmpty()) {
            candidates = sea.cells.toSet()
        }
    }

    fun best(targets: Set<Cell>, own: Cell): Cell? {
        if (candidates.size > 40) return null
        fun value(cell: Cell) = candidates.sumBy { maxOf(0, 2 - it.distance(cell)) }
        return targets.filter { it.distance(own) > 1 && value(it) > 0 }.sortedByDescending { value(it) }.firstOrNull()
    }
}

class Playout(private val sea: Sea) {
    private val random = Random(42)

    fun run(start: Cell, visited: Set<Cell>, first: Direction, candidates: Set<Cell>): Double {
        val closed = visited.toHashSet()
        var cell = start.step(first)
        var score = 0.0
        var length = 0
        while (length < 30) {
            closed += cell
            length++
            val ways = Direction.values().map { cell.step(it) }.filter { sea.isWater(it) && it !in closed }
            if (ways.isEmpty()) break
            cell = ways[random.nextInt(ways.size)]
            if (length % 10 == 0) {
                score += candidates.map { 1.0 / (1 + it.steps(cell)) }.sum()
            }
        }
        return length + score / (1 + candidates.size)
    }
}

fun main(args: Array<String>) {
    val input = Scanner(System.`in`)
    val width = input.nextInt()
    val height = input.nextInt()
    val myId = input.nextInt()
    input.nextLine()
    val sea = Sea(List(height) { input.nextLine() })
    val tracker = Tracker(sea)
    val playout = Playout(sea)
    val start = sea.cells.sortedByDescending { sea.within(it, 15).size }.first()
    println("${start.x} ${start.y}")
    val visited = mutableSetOf<Cell>()

    while (true) {
        val x = input.nextInt()
        val began = System.nanoTime()
        val own = Cell(x, input.nextInt())
        val life = input.nextInt()
        val opponentLife = input.nextInt()
        val torpedoCooldown = input.nextInt()
        input.nextLine()
        val sonarResult = input.nextLine()
        tracker.hear(input.nextLine())
        visited += own

        val orders = mutableListOf<Order>()
        if (torpedoCooldown == 0) {
            tracker.best(sea.within(own, 4), own)?.let { orders += Torpedo(it) }
        }
        val ways = Direction.values().filter { sea.isWater(own.step(it)) && own.step(it) !in visited }
        if (ways.isEmpty()) {
            visited.clear()
            orders += Surface
        } else {
            val totals = ways.associateWith { 0.0 }.toMutableMap()
            var playouts = 0
            while (System.nanoTime() - began < SEARCH_NS) {
                val way = ways[playouts++ % ways.size]
                totals[way] = totals.getValue(way) + playout.run(own, visited, way, tracker.candidates)
            }
            orders += Move(ways.sortedByDescending { totals[it] }.first())
            orders += Message(playouts)
        }
        println(orders.joinToString("|"))
    }
}
