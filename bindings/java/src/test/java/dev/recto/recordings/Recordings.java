package dev.recto.recordings;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.sun.jna.Library;
import com.sun.jna.Native;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.stream.Stream;

/**
 * The Java runner of the recordings: makes the calls of each scenario and reports their outcomes. The replay server
 * compares them; tests/recordings/README.md describes the protocol.
 *
 * <pre>    RECTO_REPLAY=127.0.0.1:PORT java ... dev.recto.recordings.Recordings [PREFIX...]</pre>
 */
public final class Recordings {
    /**
     * The number of scenarios that run at the same time: more than the machine has cores, since scenarios mostly wait.
     */
    private static final int AT_ONCE = 12;

    /** The environment belongs to the process, so a scenario that changes it is played alone. */
    private static final ReadWriteLock ENVIRONMENT = new ReentrantReadWriteLock(true);

    private static final AtomicInteger PASSED = new AtomicInteger();

    private Recordings() {}

    /** The functions of C that change the environment, which Java cannot do. */
    public interface LibC extends Library {
        /** The C library of the system. */
        LibC INSTANCE = Native.load("c", LibC.class);

        /** Sets a variable. */
        int setenv(String name, String value, int overwrite);

        /** Removes a variable. */
        int unsetenv(String name);
    }

    /** Plays the scenarios. */
    public static void main(String[] prefixes) throws InterruptedException, IOException {
        String replay = System.getenv("RECTO_REPLAY");
        if (replay == null) {
            System.err.println("RECTO_REPLAY is not set: start this with `recto-replay run --`");
            System.exit(2);
        }
        // Clients get all settings explicitly; a scenario sets the variables that it needs.
        for (String name : List.of("RECTO_BASE_URL", "RECTO_API_KEY", "RECTO_TIMEOUT")) {
            LibC.INSTANCE.unsetenv(name);
        }
        Queue<String> wanted = new ConcurrentLinkedQueue<>(wanted(replay, prefixes));
        int all = wanted.size();
        List<Thread> threads = Stream.generate(() -> new Thread(() -> work(replay, wanted))).limit(AT_ONCE).toList();
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println(PASSED + " of " + all + " scenarios passed");
        System.exit(PASSED.get() == all && all > 0 ? 0 : 1);
    }

    /**
     * The scenarios whose id starts with one of the prefixes, or all. Those of the folder `recorded` come first, because
     * they have no time limits, and those of `calls` last, because they have the shortest ones: the first calls load
     * classes, which takes long on a busy machine.
     */
    private static List<String> wanted(String replay, String[] prefixes) throws IOException {
        List<String> wanted = new ArrayList<>();
        try (Control control = new Control(replay)) {
            for (JsonElement id : control.request("list", null, null).getAsJsonArray("scenarios")) {
                if (prefixes.length == 0 || Stream.of(prefixes).anyMatch(id.getAsString()::startsWith)) {
                    wanted.add(id.getAsString());
                }
            }
        }
        wanted.sort(Comparator.comparing((String id) -> id.startsWith("calls."))
                .thenComparing(id -> !id.startsWith("recorded.")));
        return wanted;
    }

    private static void work(String replay, Queue<String> wanted) {
        try (Control control = new Control(replay)) {
            for (String id = wanted.poll(); id != null; id = wanted.poll()) {
                playOne(control, id);
            }
        } catch (IOException exception) {
            System.err.println("the control connection failed: " + exception);
        }
    }

    private static void playOne(Control control, String id) throws IOException {
        JsonObject run = control.request("start", "id", JsonParser.parseString('"' + id + '"'));
        JsonElement environment = run.getAsJsonObject("client").get("environment");
        boolean isAlone = environment != null && !environment.getAsJsonObject().entrySet().isEmpty();
        Lock lock = isAlone ? ENVIRONMENT.writeLock() : ENVIRONMENT.readLock();
        JsonObject outcome;
        lock.lock();
        try {
            outcome = new Player(run.getAsJsonObject("client")).play(run.getAsJsonArray("calls"));
        } finally {
            lock.unlock();
        }
        JsonObject finish = new JsonObject();
        finish.add("outcome", outcome);
        finish.add("run", run.get("run"));
        JsonObject verdict = control.request("finish", finish);
        if (verdict.get("pass").getAsBoolean()) {
            PASSED.incrementAndGet();
        } else {
            System.err.println(verdict.get("report").getAsString());
        }
    }

    /** The control connection: requests and responses are lines of JSON. */
    private static final class Control implements AutoCloseable {
        private final Socket socket;
        private final BufferedReader in;
        private final Writer out;

        Control(String address) throws IOException {
            int colon = address.lastIndexOf(':');
            socket = new Socket(address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)));
            in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
            out = new OutputStreamWriter(socket.getOutputStream(), StandardCharsets.UTF_8);
        }

        JsonObject request(String what, String name, JsonElement value) throws IOException {
            JsonObject fields = new JsonObject();
            if (name != null) {
                fields.add(name, value);
            }
            return request(what, fields);
        }

        JsonObject request(String what, JsonObject fields) throws IOException {
            fields.addProperty("do", what);
            out.write(fields + "\n");
            out.flush();
            String line = in.readLine();
            if (line == null) {
                throw new IOException("the connection was closed");
            }
            JsonObject response = JsonParser.parseString(line).getAsJsonObject();
            if (response.has("fault")) {
                throw new IOException(response.get("fault").getAsString());
            }
            return response;
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    /** An array of elements. */
    static JsonArray array(Stream<? extends JsonElement> elements) {
        JsonArray array = new JsonArray();
        elements.forEach(array::add);
        return array;
    }
}
