package dev.recto;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Makes thousands of operations, and fails if the process keeps handles, memory, descriptors or threads.
 *
 * <pre>    java -Xms64m -Xmx64m -XX:+AlwaysPreTouch ... dev.recto.Leaks [OPERATIONS]</pre>
 */
final class Leaks {
    private static final int ROUNDS = 5;

    /** How much the resident memory may grow in the last two rounds, in KiB: the compiler of Java still works then. */
    private static final long MEMORY = 8 * 1024;

    private static final int THREADS = 32;

    private static final byte[] DOCUMENT = "%PDF-1.7\n".repeat(100).getBytes(StandardCharsets.US_ASCII);

    private Leaks() {}

    /** Runs the test. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        int operations = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 10_000;
        long began = System.nanoTime();
        List<String> faults;
        String summary;
        try (StubService service = new StubService(); RectoClient client = service.client()) {
            List<Usage> usages = new ArrayList<>();
            for (int round = 0; round < ROUNDS; round++) {
                run(client, operations / ROUNDS);
                usages.add(Usage.now());
            }
            Usage last = usages.get(ROUNDS - 1);
            faults = last.faults(usages.get(ROUNDS / 2));
            summary = operations + " operations in " + (System.nanoTime() - began) / 1_000_000_000 + " s; resident KiB "
                    + usages.stream().map(usage -> String.valueOf(usage.kibibytes)).collect(Collectors.joining(" "))
                    + "; at the end " + last;
        }
        System.out.println(summary + " (" + Recto.implementation() + ")");
        faults.forEach(fault -> System.err.println("leak: " + fault));
        System.exit(faults.isEmpty() ? 0 : 1);
    }

    /** Makes operations on many threads, because each waits for its result for a while. */
    private static void run(RectoClient client, int operations) throws InterruptedException {
        AtomicInteger left = new AtomicInteger(operations);
        List<Thread> threads = Stream.generate(() -> new Thread(() -> {
                    for (int at = left.getAndDecrement(); at > 0; at = left.getAndDecrement()) {
                        runOne(client, at);
                    }
                }))
                .limit(THREADS)
                .toList();
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
    }

    /** One operation: blocking, in the background, cancelled, with streams, or not closed. */
    private static void runOne(RectoClient client, int at) {
        Source source = Source.of(DOCUMENT, "a.pdf");
        switch (at % 5) {
            case 0 -> {
                try (Operation operation = client.optimize(source)) {
                    operation.read();
                }
            }
            case 1 -> client.optimizeAsync(source)
                    .thenCompose(operation -> operation.readAsync().whenComplete((bytes, error) -> operation.close()))
                    .join();
            case 2 -> client.optimizeAsync(source).cancel(true);
            case 3 -> {
                try (Operation operation = client.optimize(source);
                        InputStream stream = operation.open(CallOption.onProgress(progress -> {}))) {
                    stream.readAllBytes();
                } catch (IOException exception) {
                    throw new UncheckedIOException(exception);
                }
            }
            default -> client.optimize(source);
        }
    }

    /** What the process uses. */
    private record Usage(int handles, int callbacks, long kibibytes, long descriptors, int threads) {
        static Usage now() throws IOException, InterruptedException {
            // Handles that were not closed are freed after a collection; threads and connections end a moment later.
            for (int round = 0; round < 50 && (round < 5 || Handle.open() > 1); round++) {
                System.gc();
                Thread.sleep(100);
            }
            String status = Files.readString(Path.of("/proc/self/status"));
            long resident = Long.parseLong(status.replaceAll("(?s).*VmRSS:\\s*(\\d+) kB.*", "$1"));
            try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
                long count = descriptors.count();
                return new Usage(Handle.open(), Callbacks.registered(), resident, count, Thread.activeCount());
            }
        }

        List<String> faults(Usage before) {
            List<String> faults = new ArrayList<>();
            if (handles > 1) {
                faults.add(handles + " handles are open; one is the client");
            }
            if (callbacks > before.callbacks) {
                faults.add(callbacks + " callbacks are registered");
            }
            if (kibibytes > before.kibibytes + MEMORY) {
                faults.add("the memory has grown from " + before.kibibytes + " to " + kibibytes + " KiB");
            }
            if (descriptors > before.descriptors + 64) {
                faults.add("the descriptors have grown from " + before.descriptors + " to " + descriptors);
            }
            if (threads > before.threads + 64) {
                faults.add("the threads have grown from " + before.threads + " to " + threads);
            }
            return faults;
        }
    }
}
