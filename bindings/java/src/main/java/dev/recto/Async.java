package dev.recto;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Makes blocking calls in the background, on at most 64 daemon threads that all clients share; further calls wait for a
 * thread. The background tasks of the C library would use as many threads, but cannot send bytes and streams.
 */
final class Async {
    private static final int THREADS = 64;

    private static final ThreadPoolExecutor EXECUTOR = new ThreadPoolExecutor(
            THREADS, THREADS, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), new Threads());

    static {
        EXECUTOR.allowCoreThreadTimeOut(true);
    }

    private Async() {}

    /** Makes a call in the background. Completing the future in any other way, as cancel() does, cancels the call. */
    static <T> CompletableFuture<T> call(Supplier<T> call) {
        return call(call, unused -> {});
    }

    /**
     * Makes a call in the background.
     *
     * @param discard frees what the call has returned after the future was cancelled
     */
    static <T> CompletableFuture<T> call(Supplier<T> call, Consumer<T> discard) {
        CompletableFuture<T> future = new CompletableFuture<>();
        AtomicBoolean hasEnded = new AtomicBoolean();
        FutureTask<Void> task = new FutureTask<>(
                () -> {
                    try {
                        T value = call.get();
                        hasEnded.set(true);
                        if (!future.complete(value)) {
                            discard.accept(value);
                        }
                    } catch (Throwable throwable) {
                        hasEnded.set(true);
                        future.completeExceptionally(throwable);
                    }
                },
                null);
        future.whenComplete((value, failure) -> {
            if (!hasEnded.get()) {
                // It interrupts the thread, if the call is already running, which ends the call.
                task.cancel(true);
                EXECUTOR.remove(task);
            }
        });
        EXECUTOR.execute(task);
        return future;
    }

    /** Daemon threads: a program can end while calls run. */
    private static final class Threads implements ThreadFactory {
        private final AtomicInteger count = new AtomicInteger();

        @Override
        public Thread newThread(Runnable work) {
            Thread thread = new Thread(work, "recto-call-" + count.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        }
    }
}
