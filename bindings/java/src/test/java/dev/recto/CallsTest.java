package dev.recto;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.recto.errors.CancelledException;
import dev.recto.errors.ConfigException;
import dev.recto.errors.InvalidRequestException;
import dev.recto.errors.IoException;
import dev.recto.errors.NotFoundException;
import dev.recto.errors.RectoException;
import dev.recto.options.FontFamily;
import dev.recto.options.Margin;
import dev.recto.options.OptimizeOptions;
import dev.recto.options.Profile;
import dev.recto.options.StampTextOptions;
import dev.recto.options.TextStyle;
import dev.recto.options.Unit;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Calls of a client: sources, targets, cancelling, callbacks that throw, and handles that are closed. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CallsTest {
    private static final byte[] DOCUMENT = document(300_000);

    @TempDir
    Path folder;

    private StubService service;
    private RectoClient client;
    private int open;

    @BeforeEach
    void start() throws IOException {
        open = Handle.open();
        service = new StubService();
        client = service.client();
    }

    @AfterEach
    void stop() {
        client.close();
        service.close();
    }

    private static byte[] document(int length) {
        byte[] bytes = new byte[length];
        new Random(1).nextBytes(bytes);
        System.arraycopy("%PDF-1.7\n".getBytes(StandardCharsets.US_ASCII), 0, bytes, 0, 9);
        return bytes;
    }

    private Source slow() {
        return Source.of(DOCUMENT, StubService.SLOW);
    }

    @Test
    void everySourceAndEveryTargetTransfersTheSameBytes() throws IOException {
        Path file = Files.write(folder.resolve("ä b.pdf"), DOCUMENT);
        FileId stored = client.upload(Source.of(DOCUMENT, "a.pdf"));
        List<Source> sources = new ArrayList<>(List.of(
                Source.of(file),
                Source.of(DOCUMENT, "a.pdf"),
                Source.of(new ByteArrayInputStream(DOCUMENT), "a.pdf"),
                Source.of(new ByteArrayInputStream(DOCUMENT), "a.pdf", DOCUMENT.length),
                Source.of(stored)));
        Operation first = client.optimize(file);
        sources.add(Source.of(first));
        sources.add(Source.of(first.result()));
        for (Source source : sources) {
            try (Operation operation = client.optimize(source)) {
                assertArrayEquals(DOCUMENT, operation.read());
                assertArrayEquals(DOCUMENT, Files.readAllBytes(operation.save(folder.resolve("out.pdf"))));
                ByteArrayOutputStream target = new ByteArrayOutputStream();
                assertEquals(DOCUMENT.length, operation.writeTo(target));
                assertArrayEquals(DOCUMENT, target.toByteArray());
                try (InputStream stream = operation.open()) {
                    assertArrayEquals(DOCUMENT, stream.readAllBytes());
                }
            }
        }
        assertEquals(folder.resolve("ä b.pdf").getFileName(), first.save(Files.createDirectory(folder.resolve("d")))
                .getFileName());
        first.close();
    }

    @Test
    void optionsReachTheServiceAndOnesThatAreInvalidAreRefusedBefore() {
        StampTextOptions options = StampTextOptions.builder()
                .text("Entwurf \"ä\" 😀")
                .margin(Margin.builder().top(1.5).unit(Unit.CM).build())
                .textStyle(TextStyle.builder().isBold(true).fontFamily(FontFamily.SERIF).fontSize(12).build())
                .build();
        client.stampText(Source.of(DOCUMENT, "a.pdf"), options).close();
        List<String> parts = List.of("\"Entwurf \\\"ä\\\" 😀\"", "\"top\":1.5", "\"isBold\":true", "\"serif\"");
        for (String part : parts) {
            assertTrue(service.lastStart.contains(part), () -> part + " is not in " + service.lastStart);
        }
        service.lastStart = null;
        StampTextOptions invalid = StampTextOptions.builder().textStyle(TextStyle.builder().build()).build();
        RectoException refused = assertThrows(
                InvalidRequestException.class, () -> client.stampText(Source.of(DOCUMENT, "a.pdf"), invalid));
        assertTrue(refused.getMessage().contains("text"), refused.getMessage());
        assertEquals(null, service.lastStart);
    }

    @Test
    void anInterruptEndsACallAndTheThreadStaysInterrupted() throws InterruptedException {
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        AtomicReference<Boolean> isInterrupted = new AtomicReference<>();
        Operation operation = client.optimize(slow());
        Thread caller = new Thread(() -> {
            try {
                operation.result();
            } catch (Throwable throwable) {
                thrown.set(throwable);
            }
            isInterrupted.set(Thread.currentThread().isInterrupted());
        });
        caller.start();
        service.waiting.await();
        long began = System.nanoTime();
        caller.interrupt();
        caller.join();
        assertTrue(System.nanoTime() - began < TimeUnit.SECONDS.toNanos(10), "the call ends soon");
        assertInstanceOf(CancelledException.class, thrown.get());
        assertTrue(isInterrupted.get());
        operation.close();
    }

    @Test
    void cancellingTheFutureCancelsTheCall() throws InterruptedException {
        Operation operation = client.optimize(slow());
        CompletableFuture<Result> future = operation.resultAsync();
        service.waiting.await();
        assertTrue(future.cancel(true));
        assertThrows(CancellationException.class, future::join);
        operation.close();
        // The handle is freed when the call has ended.
        await(() -> Handle.open() <= open + 1);
    }

    @Test
    void aFutureThatTimesOutCancelsTheCall() {
        Operation operation = client.optimize(slow());
        CompletableFuture<Result> future = operation.resultAsync().orTimeout(100, TimeUnit.MILLISECONDS);
        assertThrows(CompletionException.class, future::join);
        operation.close();
        await(() -> Handle.open() <= open + 1);
    }

    @Test
    void aThreadOfTheFuturesIsNotInterruptedAfterwards() {
        Operation operation = client.optimize(Source.of(DOCUMENT, "a.pdf"));
        for (int round = 0; round < 200; round++) {
            CompletableFuture<Boolean> next =
                    operation.statusAsync().thenApply(status -> Thread.currentThread().isInterrupted());
            assertFalse(next.join());
        }
        operation.close();
    }

    @Test
    void closingTheClientEndsItsCallsAndRefusesLaterOnes() throws InterruptedException {
        Operation operation = client.optimize(slow());
        CompletableFuture<Result> future = operation.resultAsync();
        service.waiting.await();
        client.close();
        client.close();
        CompletionException failed = assertThrows(CompletionException.class, future::join);
        assertInstanceOf(CancelledException.class, failed.getCause());
        assertThrows(ConfigException.class, () -> client.listFiles(false));
        assertThrows(ConfigException.class, () -> operation.status());
        operation.close();
        assertThrows(ConfigException.class, () -> operation.status());
        await(() -> Handle.open() <= open);
    }

    @Test
    void closingACopyDoesNotCloseTheOriginal() {
        FileId stored = service.store(DOCUMENT);
        try (RectoClient copy = client.with(changes -> changes.timeout(Duration.ofSeconds(9)).header("x-test", "1"))) {
            copy.optimize(Source.of(stored)).close();
            assertTrue(service.lastHeaders.containsKey("X-test"), () -> service.lastHeaders.toString());
        }
        assertEquals(stored, client.getFile(stored).id());
        assertThrows(ConfigException.class, () -> client.with(changes -> changes.baseUrl("https://other.example")));
    }

    @Test
    void whatACallbackThrowsIsThrownByTheCall() {
        int registered = Callbacks.registered();
        IllegalStateException mine = new IllegalStateException("mine");
        assertSame(mine, assertThrows(IllegalStateException.class, () -> client.optimize(
                Source.of(DOCUMENT, "a.pdf"),
                CallOption.onProgress(progress -> {
                    throw mine;
                }))));
        assertThrows(CancelledException.class, () -> client.optimize(
                Source.of(DOCUMENT, "a.pdf"),
                CallOption.onProgress(progress -> {
                    throw new CancellationException();
                })));
        IOException broken = new IOException("broken pipe");
        InputStream failing = new InputStream() {
            @Override
            public int read() throws IOException {
                throw broken;
            }
        };
        for (long length : new long[] {-1, 10}) {
            IoException failed = assertThrows(
                    IoException.class, () -> client.optimize(Source.of(failing, "a.pdf", length)));
            assertSame(broken, failed.getCause());
            assertTrue(failed.getMessage().contains("a.pdf: broken pipe"), failed.getMessage());
        }
        Operation operation = client.optimize(Source.of(DOCUMENT, "a.pdf"));
        assertThrows(StackOverflowError.class, () -> operation.writeTo(new OutputStream() {
            @Override
            public void write(int value) {
                throw new StackOverflowError();
            }
        }));
        operation.close();
        assertEquals(registered, Callbacks.registered());
    }

    @Test
    void anInterruptInACallbackThatUsedAChannelStillEndsTheCall() throws IOException {
        Path file = Files.write(folder.resolve("a.pdf"), DOCUMENT);
        Thread caller = Thread.currentThread();
        try (InputStream stream = Channels.newInputStream(Files.newByteChannel(file))) {
            assertThrows(CancelledException.class, () -> client.optimize(
                    Source.of(stream, StubService.SLOW, DOCUMENT.length),
                    CallOption.onProgress(progress -> {
                        if (progress.done() == DOCUMENT.length) {
                            caller.interrupt();
                            // The library looks for interrupts every 50 ms. Without a pause the call could end before.
                            long end = System.nanoTime() + 200_000_000L;
                            while (System.nanoTime() < end) {
                                Thread.onSpinWait();
                            }
                        }
                    })));
        }
        assertTrue(Thread.interrupted());
    }

    @Test
    void aStreamThatIsClosedEarlyCancelsTheDownload() throws IOException {
        byte[] large = document(20_000_000);
        Operation operation = client.optimize(Source.of(large, "a.pdf"));
        try (InputStream stream = operation.open()) {
            assertEquals(large[0] & 0xff, stream.read());
            assertArrayEquals(Arrays.copyOfRange(large, 1, 100_001), stream.readNBytes(100_000));
        }
        operation.close();
        await(() -> Handle.open() <= open + 1);
        Operation missing = client.optimize(Source.of(DOCUMENT, "a.pdf"));
        missing.close();
        try (InputStream stream = missing.open()) {
            IOException failed = assertThrows(IOException.class, stream::read);
            assertInstanceOf(ConfigException.class, failed.getCause());
        }
    }

    @Test
    void errorsHaveTheirFields() {
        NotFoundException missing =
                assertThrows(NotFoundException.class, () -> client.getFile(new FileId("missing")));
        assertEquals(404, missing.httpStatus());
        assertEquals("file_not_found", missing.code().orElseThrow());
        assertEquals(Phase.FILES, missing.phase().orElseThrow());
        assertEquals("GET", missing.details().method());
        assertFalse(missing.isRetryable());
    }

    @Test
    void textThatCCannotTakeIsRefused() {
        assertThrows(InvalidRequestException.class, () -> client.getFile(new FileId("a\0b")));
        assertThrows(InvalidRequestException.class, () -> client.getFile(new FileId("\ud83d")));
        assertThrows(InvalidRequestException.class, () -> client.optimize(Source.of(URI.create("file:///etc/passwd"))));
        assertThrows(ConfigException.class, () -> Recto.client().baseUrl("no address").build());
    }

    @Test
    void sixtyFourCallsAtOnceSucceedAndOperationsMayBeShared() {
        List<CompletableFuture<byte[]>> futures = new ArrayList<>();
        Operation shared = client.optimize(Source.of(DOCUMENT, "a.pdf"));
        for (int at = 0; at < 32; at++) {
            futures.add(shared.readAsync());
            futures.add(client.optimizeAsync(Source.of(DOCUMENT, "a.pdf"))
                    .thenCompose(operation -> operation.readAsync().whenComplete((bytes, error) -> operation.close())));
        }
        futures.forEach(future -> assertArrayEquals(DOCUMENT, future.join()));
        shared.close();
    }

    @Test
    void handlesThatAreNotClosedAreFreedWhenTheyAreCollected() {
        for (int at = 0; at < 100; at++) {
            client.optimize(Source.of(service.store(DOCUMENT)), OptimizeOptions.builder().profile(Profile.WEB).build());
        }
        // Handles that earlier tests did not close may be freed, too.
        await(() -> {
            System.gc();
            return Handle.open() <= open + 1;
        });
    }

    /** Waits for something that happens on another thread. */
    private static void await(BooleanSupplier condition) {
        long due = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() < due, "it did not happen in time");
            Thread.onSpinWait();
        }
    }
}
