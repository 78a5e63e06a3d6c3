package dev.recto;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** A small service on the loopback interface: each operation returns its document as the result. */
final class StubService implements AutoCloseable {
    static {
        // Otherwise each response waits for an acknowledgement, which takes 40 ms.
        System.setProperty("sun.net.httpserver.nodelay", "true");
    }

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Map<String, byte[]> files = new ConcurrentHashMap<>();
    private final AtomicInteger count = new AtomicInteger();
    /** The result of an operation waits until it is opened. */
    private final CountDownLatch gate = new CountDownLatch(1);
    /** A request for the result of an operation has arrived. */
    final CountDownLatch waiting = new CountDownLatch(1);
    /** The body of the last request that started an operation. */
    volatile String lastStart;
    /** The headers of the last request that started an operation. */
    volatile Map<String, ?> lastHeaders;

    StubService() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 256);
        server.setExecutor(threads);
        server.createContext("/", this::serve);
        server.start();
    }

    String baseUrl() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    /** A client of this service that logs nothing. */
    RectoClient client() {
        return Recto.client().baseUrl(baseUrl()).apiKey("secret-key").environment(false).build();
    }

    /** Stores a file, as an upload does. */
    FileId store(byte[] bytes) {
        String id = "f" + count.incrementAndGet();
        files.put(id, bytes);
        return new FileId(id);
    }

    /** The operations on documents with this name do not end. */
    static final String SLOW = "slow.pdf";

    private void serve(HttpExchange exchange) throws IOException {
        try (exchange; InputStream in = exchange.getRequestBody()) {
            byte[] body = in.readAllBytes();
            String path = exchange.getRequestURI().getPath();
            String last = path.substring(path.lastIndexOf('/') + 1);
            if (path.endsWith("/fromLocal")) {
                String text = new String(body, StandardCharsets.UTF_8);
                String id = store(new byte[0]).value() + (text.contains(SLOW) ? "slow" : "");
                json(exchange, "{'fileId': '" + id + "', 'uploadUrl': '" + baseUrl() + "/u/" + id + "'}");
            } else if (path.startsWith("/u/")) {
                files.put(last, body);
                send(exchange, 200, new byte[0]);
            } else if (path.startsWith("/d/")) {
                send(exchange, 200, files.getOrDefault(last, new byte[0]));
            } else if (path.endsWith("/result")) {
                result(exchange, path.split("/")[3]);
            } else if (path.startsWith("/v1/operations/")) {
                lastStart = new String(body, StandardCharsets.UTF_8);
                lastHeaders = Map.copyOf(exchange.getRequestHeaders());
                String id = lastStart.replaceAll("(?s).*\"fileId\" *: *\"([^\"]*)\".*", "$1");
                json(exchange, "{'operationId': '" + id + "', 'operationType': 'optimize', "
                        + "'operationStatus': 'inProgress'}");
            } else if (files.containsKey(last)) {
                json(exchange, "{'id': '" + last + "', 'name': 'a.pdf', 'extension': 'pdf', 'type': 'fromLocal', "
                        + "'createdAt': '2026-01-02T03:04:05.678Z'}");
            } else {
                send(exchange, 404, "{\"code\": \"file_not_found\"}".getBytes(StandardCharsets.UTF_8));
            }
        }
    }

    private void result(HttpExchange exchange, String id) throws IOException {
        if (id.endsWith("slow")) {
            waiting.countDown();
            try {
                gate.await();
            } catch (InterruptedException exception) {
                return;
            }
        }
        json(exchange, "{'operationType': 'optimize', 'operationStatus': 'finished', 'outputFile': {'fileId': '" + id
                + "', 'name': 'a.pdf', 'url': '" + baseUrl() + "/d/" + id + "'}}");
    }

    private static void json(HttpExchange exchange, String text) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        send(exchange, 200, text.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
    }

    private static void send(HttpExchange exchange, int status, byte[] body) throws IOException {
        exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
        if (body.length > 0) {
            exchange.getResponseBody().write(body);
        }
    }

    @Override
    public void close() {
        gate.countDown();
        server.stop(0);
        threads.shutdownNow();
    }

    /** Serves until standard input ends, for benchmarks. */
    public static void main(String[] arguments) throws IOException {
        try (StubService service = new StubService()) {
            System.out.println(service.baseUrl() + " " + service.store("%PDF-1.7\n".repeat(100).getBytes(StandardCharsets.US_ASCII)).value());
            while (System.in.read() >= 0) {
                continue;
            }
        }
    }
}
