package dev.recto;

import dev.recto.ffi.Memory;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The functions that the C library calls. There is one for each kind of callback, for the whole time of the process;
 * its userdata is a number, under which the Java side is registered. Nothing that Java code throws crosses into C.
 */
final class Callbacks {
    private static final Map<Long, Invocation> INVOCATIONS = new ConcurrentHashMap<>();
    private static final Map<Long, System.Logger> LOGGERS = new ConcurrentHashMap<>();
    private static final AtomicLong NEXT = new AtomicLong(1);

    static final long PROGRESS = Memory.progressFunction(Callbacks::progress);
    static final long READ = Memory.readFunction(Callbacks::read);
    static final long WRITE = Memory.writeFunction(Callbacks::write);
    static final long LOG = Memory.logFunction(Callbacks::log);
    static final long DROP = Memory.dropFunction(Callbacks::drop);

    private Callbacks() {}

    static long register(Invocation invocation) {
        long id = NEXT.getAndIncrement();
        INVOCATIONS.put(id, invocation);
        return id;
    }

    static void unregister(long id) {
        INVOCATIONS.remove(id);
    }

    /** Registers a logger until C drops its userdata, or drop() is called. */
    static long register(System.Logger logger) {
        long id = NEXT.getAndIncrement();
        LOGGERS.put(id, logger);
        return id;
    }

    static void drop(long id) {
        LOGGERS.remove(id);
    }

    /** How many calls and loggers are registered. */
    static int registered() {
        return INVOCATIONS.size() + LOGGERS.size();
    }

    private static int progress(int phase, long done, long total, long id) {
        return guarded(id, 1, invocation -> {
            OptionalLong known = total < 0 ? OptionalLong.empty() : OptionalLong.of(total);
            invocation.listener().onProgress(new Progress(Phase.of(phase), done, known));
            return 0;
        });
    }

    private static long read(long buffer, long size, long id) {
        return guarded(id, -1L, invocation -> invocation.transfer().read(buffer, size));
    }

    private static int write(long data, long length, long id) {
        return guarded(id, 1, invocation -> {
            invocation.transfer().write(data, length);
            return 0;
        });
    }

    private static void log(int level, long message, long id) {
        try {
            System.Logger logger = LOGGERS.get(id);
            if (logger != null) {
                // Without parameters, so that braces in the line are not read as a format.
                logger.log(LogLevel.of(level), Frame.string(message));
            }
        } catch (Throwable throwable) {
            // A logger that fails must not end the call that it reports.
            return;
        }
    }

    private static <T> T guarded(long id, T stop, Body<T> body) {
        Invocation invocation = INVOCATIONS.get(id);
        if (invocation == null) {
            return stop;
        }
        try {
            return body.call(invocation);
        } catch (Throwable throwable) {
            invocation.keep(throwable);
            return stop;
        } finally {
            invocation.resume();
        }
    }

    /** What a callback does. */
    @FunctionalInterface
    private interface Body<T> {
        T call(Invocation invocation);
    }
}
