package dev.recto;

import dev.recto.ffi.CLibrary;
import dev.recto.ffi.Memory;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A running batch: it returns each document when it has succeeded or failed.
 *
 * <pre>{@code
 * try (Batch batch = client.batch(options).to(folder).add(first).add(second).build()) {
 *     for (BatchItem item : batch) {
 *         System.out.println(item.source() + ": " + (item.hasFailed() ? item.error() : item.path()));
 *     }
 * }
 * }</pre>
 *
 * <p>A document that fails is not an exception, but has one: see {@link BatchItem#error()}. An exception ends the
 * batch.
 */
public final class Batch implements Iterable<BatchItem>, AutoCloseable {
    private final Handle handle;
    /** The library takes one call at a time. */
    private final ReentrantLock one = new ReentrantLock();

    /** Takes ownership of a recto_batch. */
    Batch(long address) {
        handle = new Handle(this, "batch", address, CLibrary::recto_batch_free);
    }

    /**
     * Waits for the next document.
     *
     * @param options settings of this call
     * @return the document; empty when there are no more
     */
    public Optional<BatchItem> next(CallOption... options) {
        long batch = handle.acquire();
        one.lock();
        try {
            return Invocation.run(options, call -> {
                long out = call.frame.slot();
                call.check(CLibrary.recto_batch_next(batch, call.settings(), out, call.error()));
                return Optional.ofNullable(BatchItem.take(Memory.getLong(out)));
            });
        } finally {
            one.unlock();
            handle.release();
        }
    }

    /**
     * {@link #next} in the background.
     *
     * @param options settings of this call
     * @return a future of the document
     */
    public CompletableFuture<Optional<BatchItem>> nextAsync(CallOption... options) {
        return Async.call(() -> next(options));
    }

    /** The documents that have not been returned, in the order in which they end. */
    @Override
    public Iterator<BatchItem> iterator() {
        return new Iterator<>() {
            private Optional<BatchItem> item;

            @Override
            public boolean hasNext() {
                if (item == null) {
                    item = Batch.this.next();
                }
                return item.isPresent();
            }

            @Override
            public BatchItem next() {
                if (!hasNext()) {
                    throw new NoSuchElementException("the batch has no more documents");
                }
                BatchItem now = item.get();
                item = null;
                return now;
            }
        };
    }

    /**
     * Ends the batch: the documents in progress are cancelled, after the call that is running; the journal is complete.
     */
    @Override
    public void close() {
        handle.close();
    }
}
