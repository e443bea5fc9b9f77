// A starter for Ocean of Code: plays legally in every league, and leaves everything else to you.
//
// Each turn it steps to the first free cell and charges its torpedo. It surfaces when it has nowhere to go. When the
// opponent surfaces it guesses the middle of that sector, lets the guess move along with the opponent, and fires when
// the guess comes near.
//
// It reads with a BufferedReader and builds its answers with a StringBuilder: a Scanner, and texts joined with "+", take
// so long when they are used first that the 50 ms of a turn may not be enough.

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;

class Player {
    static final String WAYS = "NESW";
    static final int[] STEP_X = {0, 1, 0, -1};
    static final int[] STEP_Y = {-1, 0, 1, 0};
    static final int TORPEDO_RANGE = 4;

    static int width, height;
    static String[] rows; // "." is water, "x" is land

    static boolean isWater(int x, int y) {
        return x >= 0 && x < width && y >= 0 && y < height && rows[y].charAt(x) == '.';
    }

    // The whole numbers of a line.
    static int[] numbers(String line) {
        String[] words = line.split(" ");
        int[] values = new int[words.length];
        for (int i = 0; i < words.length; i++) {
            values[i] = Integer.parseInt(words[i]);
        }
        return values;
    }

    public static void main(String[] arguments) throws IOException {
        // What is sent first: the size of the map, which player we are, and the map.
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        int[] header = numbers(in.readLine());
        width = header[0];
        height = header[1];
        int myId = header[2];
        rows = new String[height];
        for (int y = 0; y < height; y++) {
            rows[y] = in.readLine();
        }

        // The first answer is where to start: any water cell. The map and our number choose it, so that two bots which
        // begin with this source do not start on one cell, and a match can be played again.
        int[] cells = new int[width * height];
        int count = 0;
        int sum = 0;
        for (int cell = 0; cell < cells.length; cell++) {
            if (isWater(cell % width, cell / width)) {
                cells[count++] = cell;
                sum += cell;
            }
        }
        int start = cells[(sum + myId * count / 3) % count];
        System.out.println(new StringBuilder().append(start % width).append(' ').append(start / width));

        boolean[][] visited = new boolean[height][width]; // closed to us before we surface
        boolean hasGuess = false; // do we believe to know where the opponent is, and where?
        int guessX = 0;
        int guessY = 0;

        for (String line = in.readLine(); line != null; line = in.readLine()) {
            // What is sent each turn. A cooldown is what is missing to a full charge, and -1 where the league lacks
            // the power.
            int[] state = numbers(line);
            int x = state[0];
            int y = state[1];
            int myLife = state[2];
            int opponentLife = state[3];
            int torpedoCooldown = state[4];
            int sonarCooldown = state[5];
            int silenceCooldown = state[6];
            int mineCooldown = state[7];
            String sonarResult = in.readLine(); // Y, N or NA
            String opponentOrders = in.readLine(); // such as MOVE N|TORPEDO 3 5, or NA
            visited[y][x] = true;

            // Follow the opponent.
            for (String order : opponentOrders.split("\\|")) {
                String[] words = order.split(" ");
                if (words[0].equals("SURFACE")) {
                    int sector = Integer.parseInt(words[1]) - 1; // 5 by 5 cells each, counted from 1, row by row
                    guessX = sector % 3 * 5 + 2;
                    guessY = sector / 3 * 5 + 2;
                    hasGuess = true;
                } else if (words[0].equals("MOVE")) {
                    guessX += STEP_X[WAYS.indexOf(words[1])];
                    guessY += STEP_Y[WAYS.indexOf(words[1])];
                } else if (words[0].equals("SILENCE")) {
                    hasGuess = false;
                }
            }

            // Orders are joined by "|"; each kind may be given once a turn.
            StringBuilder orders = new StringBuilder();

            // Fire at the guess, but not where the explosion would hit us. (If land is in the way, the order is
            // ignored.)
            if (torpedoCooldown == 0 && hasGuess && isWater(guessX, guessY)) {
                int dx = Math.abs(guessX - x);
                int dy = Math.abs(guessY - y);
                if (dx + dy <= TORPEDO_RANGE && Math.max(dx, dy) > 1) {
                    orders.append("TORPEDO ").append(guessX).append(' ').append(guessY).append('|');
                }
            }

            // Step to the first free cell, or surface, which makes all cells free again.
            int way = 0;
            while (way < 4 && !(isWater(x + STEP_X[way], y + STEP_Y[way])
                    && !visited[y + STEP_Y[way]][x + STEP_X[way]])) {
                way++;
            }
            if (way < 4) {
                orders.append("MOVE ").append(WAYS.charAt(way)).append(" TORPEDO");
            } else {
                orders.append("SURFACE");
                visited = new boolean[height][width];
            }

            System.out.println(orders);
        }
    }
}
