package foragers;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;

/** One match by the rules that foragers.py explains. */
public final class Match {
    private static final Map<String, Integer> DEFAULTS =
        Map.of("bushes", 6, "rounds", 6, "first_ms", 1000, "turn_ms", 50, "lines", 1);
    private static final int GRACE_MS = 50;
    private static final int FAILED = -1;
    private static int matches = 0;

    /** What the rules have said to people since the last question. */
    public final List<String> summary = new ArrayList<>();
    /** Pairs: a message, then its seat. */
    public final List<String> tooltips = new ArrayList<>();
    public final Map<String, String> parameters;
    public final int[] scores;
    public final int[] berries;
    private final int players;
    private final boolean[] isIn;
    private final int[] strikes;
    private final int[] bankMs;
    private final int level = Integer.getInteger("league.level", 19);
    private long state;

    public Match(int players, Map<String, String> parameters) {
        this.players = players;
        this.parameters = parameters;
        matches++;
        scores = new int[players];
        strikes = new int[players];
        isIn = new boolean[players];
        bankMs = new int[players];
        Arrays.fill(isIn, true);
        Arrays.fill(bankMs, number("bank_ms"));
        state = firstState() + (number("counter") > 0 ? matches : 0);
        berries = new int[number("bushes")];
        for (int bush : bushesInOrder()) berries[bush] = 2 + draw(9);
    }

    public int number(String name) {
        String value = parameters.get(name);
        return value == null ? DEFAULTS.getOrDefault(name, 0) : Integer.parseInt(value);
    }

    private long firstState() {
        if (number("chaos") > 0) return System.nanoTime();
        String now = Long.toString(System.nanoTime() % 1_000_000_007);
        parameters.putIfAbsent("seed", now);
        long seed = number("int_seed") > 0 ? Integer.parseInt(parameters.get("seed")) : Long.parseLong(parameters.get("seed"));
        if (number("draw") > 0) parameters.putIfAbsent("secret", now);
        long secret = number("draw") > 0 ? Long.parseLong(parameters.get("secret")) : 0;
        return (number("no_seed") > 0 ? 0 : seed) ^ secret;
    }

    /** Something that has no order but that of its hash, which differs from one match of a process to the next. */
    private static final class Bush {
        final int number;

        Bush(int number) {
            this.number = number;
        }
    }

    private List<Integer> bushesInOrder() {
        List<Integer> order = new ArrayList<>();
        Set<Bush> unordered = new HashSet<>();
        for (int bush = 0; bush < number("bushes"); bush++) {
            order.add(bush);
            unordered.add(new Bush(bush));
        }
        if (number("hash_order") == 0) return order;
        return unordered.stream().map(bush -> bush.number).toList();
    }

    private int draw(int bound) {
        state = state * 6364136223846793005L + 1442695040888963407L;
        return (int) ((state >>> 33) % bound);
    }

    /** Plays all rounds. */
    public void play(Seats seats) {
        for (int round = 1; round <= number("rounds"); round++) {
            int thorn = number("thorns") > 0 ? draw(berries.length) : -1;
            List<String> picked = new ArrayList<>();
            for (int seat = 0; seat < players; seat++) {
                if (isIn[seat]) take(seat, ask(seats, seat, round), round, thorn, picked);
                if (staying().length < 2) return;
            }
            if (number("news") > 0) giveNews(seats, picked);
            endRound(round);
        }
    }

    private Seats.Answer ask(Seats seats, int seat, int round) {
        List<String> lines = new ArrayList<>();
        int count = Math.max(1, number("lines"));
        if (round == 1) {
            lines.add(seat + " " + players);
            lines.add(berries.length + " " + count + " " + number("rounds"));
        }
        lines.add(Integer.toString(round));
        for (int other = 0; other < players; other++) lines.add(scores[other] + " " + (isIn[other] ? 1 : 0));
        StringJoiner borne = new StringJoiner(" ");
        for (int left : berries) borne.add(Integer.toString(left));
        lines.add(borne.toString());
        int graceMs = number("monitoring") > 0 ? GRACE_MS : 0;
        int limit = number("bank_ms") > 0 ? bankMs[seat] : limitMs(round) + graceMs;
        return seats.ask(seat, lines, count, limit);
    }

    private int limitMs(int round) {
        return number(round == 1 ? "first_ms" : "turn_ms");
    }

    private void giveNews(Seats seats, List<String> picked) {
        List<String> lines = new ArrayList<>(List.of("NEWS " + picked.size()));
        lines.addAll(picked);
        for (int seat = 0; seat < players; seat++) if (isIn[seat]) seats.ask(seat, lines, 0, number("turn_ms"));
    }

    private void take(int seat, Seats.Answer answer, int round, int thorn, List<String> picked) {
        bankMs[seat] -= answer.tookMs();
        boolean hasBank = number("bank_ms") > 0;
        if (answer.lines() == null) {
            fail(seat, "no answer in time");
        } else if (hasBank && bankMs[seat] <= 0) {
            fail(seat, "its bank of time is empty");
        } else if (!hasBank && answer.tookMs() > limitMs(round) && ++strikes[seat] > number("strikes")) {
            fail(seat, "was too slow too often");
        } else {
            for (String line : answer.lines()) if (isIn[seat]) pick(seat, line, thorn, picked);
        }
    }

    private void pick(int seat, String line, int thorn, List<String> picked) {
        int bush = 0;
        while (bush < berries.length && !line.equals("PICK " + bush)) bush++;
        if (bush == berries.length) {
            if (!line.equals("WAIT")) fail(seat, "said no PICK and no WAIT");
            return;
        }
        int taken = bush == thorn ? -2 : (berries[bush] + 1) / 2;
        berries[bush] -= Math.max(0, taken);
        scores[seat] += taken;
        picked.add(seat + " " + bush + " " + taken);
        summary.add("$" + seat + " picked " + taken + " from bush " + bush);
    }

    private void fail(int seat, String why) {
        isIn[seat] = false;
        scores[seat] = FAILED;
        tooltips.add("$" + seat + " " + why);
        tooltips.add(Integer.toString(seat));
    }

    /** The scores of those who are in, lowest first. */
    private int[] staying() {
        int[] staying = new int[players];
        int count = 0;
        for (int seat = 0; seat < players; seat++) if (isIn[seat]) staying[count++] = scores[seat];
        staying = Arrays.copyOf(staying, count);
        Arrays.sort(staying);
        return staying;
    }

    private void endRound(int round) {
        int[] staying = staying();
        if (round == number("starve") && staying.length > 2 && staying[0] < staying[1]) {
            for (int seat = 0; seat < players; seat++) {
                if (isIn[seat] && scores[seat] == staying[0]) {
                    isIn[seat] = false;
                    summary.add("$" + seat + " goes home hungry");
                }
            }
        }
        if (level >= 2) for (int bush = 0; bush < berries.length; bush++) berries[bush] += draw(3);
    }
}
