package com.codingame.gameengine.core;

import foragers.Match;
import foragers.Seats;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Scanner;
import java.util.StringJoiner;
import java.util.concurrent.locks.LockSupport;

/** Plays one match by the `sdk` protocol on stdin and stdout. The name is the one that such jars have in common. */
public final class RefereeMain implements Seats {
    private record Block(String name, List<String> lines) {}

    // As in real jars: a reader of lines that takes U+0085, U+2028 and U+2029 for ends of lines.
    private final Scanner in = new Scanner(System.in, StandardCharsets.UTF_8);
    private final PrintStream out;
    private final StringBuilder said = new StringBuilder();
    private Match match;
    private boolean hasAskedForTimes = false;
    private int frame = 0;

    private RefereeMain(PrintStream out) {
        this.out = out;
    }

    public static void main(String[] words) {
        PrintStream out = System.out;
        System.setOut(System.err); // what the rules print is not for the host
        new RefereeMain(out).run();
    }

    private void run() {
        try {
            List<String> lines = read().lines();
            read(); // GET_GAME_INFO
            Map<String, String> parameters = new LinkedHashMap<>();
            for (String line : lines.subList(1, lines.size())) {
                String[] pair = line.split("=", 2);
                parameters.put(pair[0], pair[1]);
            }
            match = new Match(Integer.parseInt(lines.get(0)), parameters);
            if (match.number("libraries") > 0) loadLibraries();
            match.play(this);
            show();
            say("UINPUT", parameters.entrySet().stream().map(pair -> pair.getKey() + "=" + pair.getValue()).toList());
            say("METADATA", List.of("{\"berries\":\"" + Arrays.stream(match.scores).sum() + "\"}"));
            sayScores();
            if (match.number("linger") > 0) new Thread(LockSupport::park).start();
        } catch (RuntimeException | ReflectiveOperationException error) {
            StringWriter trace = new StringWriter();
            error.printStackTrace(new PrintWriter(trace));
            said.setLength(0);
            say("FAIL", trace.toString().lines().toList());
        }
        flush();
    }

    /** Does what real referees do before their first question. Only in the jar of the bench. */
    private static void loadLibraries() throws ReflectiveOperationException {
        Class.forName("foragers.Libraries").getMethod("load").invoke(null);
    }

    @Override
    public Answer ask(int seat, List<String> lines, int answerLines, int limitMs) {
        show();
        boolean monitors = match.number("monitoring") > 0;
        if (monitors && !hasAskedForTimes) say("MONITORING", List.of());
        hasAskedForTimes = true;
        say("NEXT_PLAYER_INPUT", lines);
        say("NEXT_PLAYER_INFO", List.of(seat + "", answerLines + "", limitMs + ""));
        flush();
        Block answer = read();
        read(); // the next GET_GAME_INFO
        if (answer.name().equals("SET_PLAYER_TIMEOUT")) return new Answer(null, 0);
        List<String> all = answer.lines();
        return monitors ? new Answer(all.subList(1, all.size()), Integer.parseInt(all.get(0))) : new Answer(all, 0);
    }

    private void show() {
        StringJoiner berries = new StringJoiner(",", "{\"berries\":[", "]}");
        for (int left : match.berries) berries.add(Integer.toString(left));
        say("VIEW", List.of("KEY_FRAME " + frame++, berries.toString()));
        say("INFOS", List.of());
        say("SUMMARY", match.summary);
        if (!match.tooltips.isEmpty()) say("TOOLTIP", match.tooltips);
        match.summary.clear();
        match.tooltips.clear();
    }

    private void sayScores() {
        String[] lines = new String[match.scores.length];
        for (int seat = 0; seat < lines.length; seat++) lines[seat] = seat + " " + match.scores[seat];
        say("SCORES", List.of(lines));
    }

    private Block read() {
        String[] header = in.nextLine().split("[\\[\\] ]+");
        String[] lines = new String[Integer.parseInt(header[2])];
        for (int number = 0; number < lines.length; number++) lines[number] = in.nextLine();
        return new Block(header[1], List.of(lines));
    }

    private void say(String name, List<String> lines) {
        said.append("[[").append(name).append("] ").append(lines.size()).append("]\n");
        for (String line : lines) said.append(line).append('\n');
    }

    private void flush() {
        byte[] bytes = said.toString().getBytes(StandardCharsets.UTF_8);
        out.write(bytes, 0, bytes.length);
        out.flush();
        said.setLength(0);
    }
}
