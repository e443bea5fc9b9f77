// Starter for A Code of Ice and Fire: trains a unit when it can, and walks every unit outwards.

import java.util.Scanner;

class Player {
    static final int SIZE = 12;
    static final int PRICE = 10; // of a level-1 unit
    static final int[] DX = {0, 1, 0, -1};
    static final int[] DY = {-1, 0, 1, 0};

    static String[] rows = new String[SIZE]; // '#' void, '.' neutral, 'O' ours, 'X' the enemy's

    static boolean isFloor(int x, int y) {
        return x >= 0 && y >= 0 && x < SIZE && y < SIZE && rows[y].charAt(x) != '#';
    }

    static boolean isOurs(int x, int y) {
        return isFloor(x, y) && rows[y].charAt(x) == 'O';
    }

    public static void main(String[] arguments) {
        Scanner in = new Scanner(System.in);
        int spots = in.nextInt();
        for (int i = 0; i < 2 * spots; i++) {
            in.nextInt(); // x and y of a mine spot: a mine there would earn 4 gold a turn
        }
        while (in.hasNextInt()) {
            int gold = in.nextInt();
            in.nextInt(); // own income
            in.nextInt(); // the enemy's gold
            in.nextInt(); // the enemy's income
            for (int y = 0; y < SIZE; y++) {
                rows[y] = in.next();
            }
            boolean[][] taken = new boolean[SIZE][SIZE];
            int enemyX = 0, enemyY = 0;
            for (int i = in.nextInt(); i > 0; i--) {
                int owner = in.nextInt(); // 0 is us
                int type = in.nextInt(); // 0 HQ, 1 mine, 2 tower
                int x = in.nextInt(), y = in.nextInt();
                taken[y][x] = true;
                if (owner == 1 && type == 0) {
                    enemyX = x;
                    enemyY = y;
                }
            }
            int[][] units = new int[in.nextInt()][5]; // owner, id, level, x, y
            for (int[] unit : units) {
                for (int i = 0; i < 5; i++) {
                    unit[i] = in.nextInt();
                }
                taken[unit[4]][unit[3]] = true;
            }
            StringBuilder line = new StringBuilder();

            // Walk: to a free cell beside the unit that is not ours yet, else towards the enemy's headquarters.
            for (int[] unit : units) {
                if (unit[0] != 0) {
                    continue;
                }
                int toX = enemyX, toY = enemyY;
                for (int way = 0; way < 4; way++) {
                    int x = unit[3] + DX[way], y = unit[4] + DY[way];
                    if (isFloor(x, y) && !isOurs(x, y) && !taken[y][x]) {
                        toX = x;
                        toY = y;
                    }
                }
                taken[toY][toX] = true;
                line.append("MOVE " + unit[1] + " " + toX + " " + toY + ";");
            }

            // Train: on a free cell beside our land.
            boolean trained = gold < PRICE;
            for (int y = 0; y < SIZE; y++) {
                for (int x = 0; x < SIZE; x++) {
                    for (int way = 0; way < 4 && !trained; way++) {
                        boolean isFree = isFloor(x, y) && !isOurs(x, y) && !taken[y][x];
                        if (isFree && isOurs(x + DX[way], y + DY[way])) {
                            line.append("TRAIN 1 " + x + " " + y + ";");
                            trained = true;
                        }
                    }
                }
            }

            System.out.println(line + "WAIT"); // an empty line would lose the game, WAIT never hurts
        }
    }
}
