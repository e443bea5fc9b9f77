import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.PrintStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * Plays match after match with a referee that is written for one: each with classes of its own.
 *
 *     java ... -cp launcher.jar:referee.jar Launcher referee.jar com.codingame.gameengine.core.RefereeMain WORD
 *
 * The block NEXT_MATCH on stdin begins a match. All that comes then goes to the referee, and what it says goes out,
 * until the block `OVER WORD` says that its main method has returned and has left no work behind. The word is secret, as
 * bots can make a referee say anything. What a match changes it changes in its own classes: only widely used libraries
 * are common to all matches.
 */
public final class Launcher {
    private static final String[] COMMON = {
        "com.google.", "org.apache.", "org.slf4j.", "com.fasterxml.", "javax.", "jakarta.", "org.aopalliance.",
        "org.checkerframework.", "kotlin.", "scala."
    };
    private static final int UNREAD_BYTES = 1 << 20;

    private Launcher() {}

    public static void main(String[] words) throws Exception {
        InputStream in = new BufferedInputStream(System.in, 1 << 16);
        PrintStream out = System.out;
        URL jar = Path.of(words[0]).toUri().toURL();
        Match match = null;
        while (true) {
            String header = line(in);
            if (header.startsWith("[[NEXT_MATCH]")) {
                match = new Match(jar, words[1], "[[OVER " + words[2] + "] 0]", out);
            } else if (match != null) {
                match.pass(header);
                for (int left = count(header); left > 0; left--) match.pass(line(in));
                match.flush();
            }
        }
    }

    /** Returns how many lines follow a header. */
    private static int count(String header) {
        return Integer.parseInt(header.substring(header.indexOf(']') + 1, header.lastIndexOf(']')).strip());
    }

    /** Reads a line of bytes, whatever they mean; at the end of the stream all is over. */
    private static String line(InputStream in) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) Runtime.getRuntime().halt(0);
            line.write(next);
        }
        return line.toString(StandardCharsets.ISO_8859_1);
    }

    /** One match, in a thread of its own. */
    private static final class Match {
        private final PipedOutputStream pipe = new PipedOutputStream();
        private final ThreadGroup threads = new ThreadGroup("match");
        private final Gate gate;

        Match(URL jar, String mainClass, String lastWord, PrintStream out) throws IOException {
            gate = new Gate(out);
            System.setIn(new PipedInputStream(pipe, UNREAD_BYTES));
            System.setOut(new PrintStream(gate));
            Classes classes = new Classes(jar);
            Thread thread = new Thread(threads, () -> run(classes, mainClass, lastWord, out), "match");
            thread.setContextClassLoader(classes);
            thread.start();
        }

        private void run(Classes classes, String mainClass, String lastWord, PrintStream out) {
            try (classes) {
                classes.loadClass(mainClass).getMethod("main", String[].class).invoke(null, (Object) new String[0]);
            } catch (ReflectiveOperationException | IOException error) {
                error.printStackTrace();
                Runtime.getRuntime().halt(1);
            }
            System.out.flush();
            gate.close();
            if (leavesWork()) return;
            out.println(lastWord);
            out.flush();
        }

        /** Says whether threads go on that would keep a JVM from ending. */
        private boolean leavesWork() {
            Thread[] found = new Thread[threads.activeCount() + 8];
            int count = threads.enumerate(found);
            for (int place = 0; place < count; place++) {
                if (found[place] != Thread.currentThread() && !found[place].isDaemon()) return true;
            }
            return false;
        }

        /** Gives a line to the referee, if it still reads. */
        void pass(String line) throws IOException {
            if (gate.isClosed) return;
            pipe.write(line.getBytes(StandardCharsets.ISO_8859_1));
            pipe.write('\n');
        }

        void flush() throws IOException {
            pipe.flush();
        }
    }

    /** Lets what a match says through until it is over. */
    private static final class Gate extends FilterOutputStream {
        private volatile boolean isClosed = false;

        Gate(PrintStream out) {
            super(out);
        }

        @Override
        public void write(int single) {
            if (!isClosed) ((PrintStream) out).write(single);
        }

        @Override
        public void write(byte[] bytes, int from, int count) {
            if (!isClosed) ((PrintStream) out).write(bytes, from, count);
        }

        @Override
        public void close() {
            isClosed = true;
        }
    }

    /** The classes of one match: its own, but for libraries and what the jar does not have. */
    private static final class Classes extends URLClassLoader {
        Classes(URL jar) {
            super(new URL[] {jar}, Launcher.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            for (String common : COMMON) if (name.startsWith(common)) return super.loadClass(name, resolve);
            synchronized (getClassLoadingLock(name)) {
                Class<?> found = findLoadedClass(name);
                if (found == null && findResource(name.replace('.', '/') + ".class") != null) found = findClass(name);
                return found == null ? super.loadClass(name, resolve) : found;
            }
        }
    }
}
