package foragers;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Plays one match the outer way: it starts the bots itself, and prints a score for each.
 *
 *     java -jar foragers.jar -p1 './a' -p2 'python3 b.py' -s -seed 42 -rounds 3
 *
 * With -s only the scores are printed, one to a line; without it the summary comes before them.
 */
public final class Outer implements Seats {
    private final List<Process> bots = new ArrayList<>();
    private final List<BufferedReader> answers = new ArrayList<>();

    public static void main(String[] words) throws IOException {
        Outer outer = new Outer();
        Map<String, String> parameters = new LinkedHashMap<>();
        boolean isShort = false;
        for (int place = 0; place < words.length; place++) {
            if (words[place].equals("-s")) {
                isShort = true;
            } else if (words[place].matches("-p[1-8]")) {
                outer.start(words[++place]);
            } else {
                parameters.put(words[place].substring(1), words[++place]);
            }
        }
        Match match = new Match(outer.bots.size(), parameters);
        if (match.number("libraries") > 0) load();
        match.play(outer);
        for (Process bot : outer.bots) bot.destroyForcibly();
        if (!isShort) for (String line : match.summary) System.out.println(line);
        for (int score : match.scores) System.out.println(score);
        System.exit(0);
    }

    private static void load() {
        try {
            Class.forName("foragers.Libraries").getMethod("load").invoke(null);
        } catch (ReflectiveOperationException error) {
            throw new IllegalStateException(error);
        }
    }

    private void start(String command) throws IOException {
        Process bot = new ProcessBuilder("sh", "-c", "exec " + command)
            .redirectError(ProcessBuilder.Redirect.INHERIT).start();
        bots.add(bot);
        answers.add(bot.inputReader(StandardCharsets.UTF_8));
    }

    /** Waits for as long as it takes: this way is for comparison, and bots that may be trusted. */
    @Override
    public Answer ask(int seat, List<String> lines, int answerLines, int limitMs) {
        try {
            var writer = bots.get(seat).outputWriter(StandardCharsets.UTF_8);
            writer.write(String.join("\n", lines) + "\n");
            writer.flush();
            List<String> answer = new ArrayList<>();
            while (answer.size() < answerLines) {
                String line = answers.get(seat).readLine();
                if (line == null) return new Answer(null, 0);
                answer.add(line);
            }
            return new Answer(answer, 0);
        } catch (IOException error) {
            return new Answer(null, 0);
        }
    }
}
