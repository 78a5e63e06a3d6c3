package dev.recto;

import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/** The cost of small calls of the package, to compare with src/test/c/bench.c: Bench URL FILE_ID. */
final class Bench {
    private static final int AT_ONCE = 64;
    private static final int RESUMES = 100_000;
    private static final int REQUESTS = 2000;

    private Bench() {}

    /** Runs the benchmark. */
    public static void main(String[] arguments) {
        FileId id = new FileId(arguments[1]);
        try (RectoClient client = Recto.client().baseUrl(arguments[0]).apiKey("key").build();
                Operation operation = client.optimize(Source.of(id))) {
            String token = operation.token();
            resume(client, token, RESUMES);
            long began = System.nanoTime();
            resume(client, token, RESUMES);
            print("a call without a request: %.2f us", (System.nanoTime() - began) / 1e3 / RESUMES);
            get(client, id, REQUESTS);
            began = System.nanoTime();
            get(client, id, REQUESTS);
            print("a call with one request: %.0f us", (System.nanoTime() - began) / 1e3 / REQUESTS);
            atOnce(client, id);
            began = System.nanoTime();
            atOnce(client, id);
            print("64 operations at once: %.0f ms", (System.nanoTime() - began) / 1e6);
        }
    }

    private static void print(String what, double value) {
        String java = Runtime.version().feature() + ", " + Recto.implementation();
        System.out.println("Java " + java + ": " + String.format(Locale.ROOT, what, value));
    }

    private static void resume(RectoClient client, String token, int count) {
        for (int at = 0; at < count; at++) {
            client.resume(token).close();
        }
    }

    private static void get(RectoClient client, FileId id, int count) {
        for (int at = 0; at < count; at++) {
            client.getFile(id);
        }
    }

    /** Starts 64 operations and reads their results, all at once. */
    private static void atOnce(RectoClient client, FileId id) {
        Stream.generate(() -> client.optimizeAsync(Source.of(id))
                        .thenCompose(operation -> operation.readAsync().whenComplete((bytes, error) -> operation.close())))
                .limit(AT_ONCE)
                .toList()
                .forEach(CompletableFuture::join);
    }
}
