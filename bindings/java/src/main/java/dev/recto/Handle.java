package dev.recto;

import dev.recto.errors.ConfigException;
import dev.recto.errors.ErrorDetails;
import java.lang.ref.Cleaner;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongConsumer;

/**
 * A handle of the C library, which is freed once: when it is closed and the last call that uses it has ended. A handle
 * that was not closed is freed after its owner was collected.
 */
final class Handle {
    private static final Cleaner CLEANER = Cleaner.create();
    private static final AtomicInteger OPEN = new AtomicInteger();

    private final State state;
    private final Cleaner.Cleanable cleanable;
    private final String what;

    /**
     * Takes ownership of a handle.
     *
     * @param owner the object that becomes unreachable when the handle is no longer needed
     * @param what the kind of object, for the message of a call after close()
     */
    Handle(Object owner, String what, long address, LongConsumer free) {
        this.what = what;
        this.state = new State(address, free);
        this.cleanable = CLEANER.register(owner, state);
    }

    /** How many handles are not freed. */
    static int open() {
        return OPEN.get();
    }

    /** Returns the address for a call, which must be followed by {@link #release}. */
    long acquire() {
        if (!state.acquire()) {
            throw new ConfigException(ErrorDetails.of("the " + what + " is closed"));
        }
        return state.address;
    }

    /** Like {@link #acquire}, but returns 0 if the handle is closed. */
    long acquireIfOpen() {
        return state.acquire() ? state.address : 0;
    }

    void release() {
        state.release();
    }

    boolean isClosed() {
        return state.closed;
    }

    /** Frees the handle when the last call that uses it has ended. */
    void close() {
        cleanable.clean();
    }

    /** What the cleaner needs. It must not refer to the owner. */
    private static final class State implements Runnable {
        private final long address;
        private final LongConsumer free;
        private final AtomicInteger uses = new AtomicInteger(1);
        private volatile boolean closed;

        State(long address, LongConsumer free) {
            this.address = address;
            this.free = free;
            OPEN.incrementAndGet();
        }

        boolean acquire() {
            if (closed) {
                return false;
            }
            int now = uses.get();
            while (now > 0 && !uses.compareAndSet(now, now + 1)) {
                now = uses.get();
            }
            return now > 0;
        }

        void release() {
            if (uses.decrementAndGet() == 0) {
                OPEN.decrementAndGet();
                free.accept(address);
            }
        }

        /** Called once: by close(), or by the cleaner. */
        @Override
        public void run() {
            closed = true;
            release();
        }
    }
}
