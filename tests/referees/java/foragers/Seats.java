package foragers;

import java.util.List;

/** Whoever brings the questions of a match to the seats. */
public interface Seats {
    /** What a seat said, null for nothing, and how long it took where answers say so. */
    record Answer(List<String> lines, int tookMs) {}

    /** Gives lines to a seat, and returns what it says in that many lines and milliseconds. */
    Answer ask(int seat, List<String> lines, int answerLines, int limitMs);
}
