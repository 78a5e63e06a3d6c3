package dev.recto;

import dev.recto.ffi.CLibrary;
import dev.recto.ffi.Memory;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.spi.AbstractInterruptibleChannel;
import java.util.concurrent.CancellationException;
import java.util.function.Function;

/**
 * One blocking call of the C library: its settings, its memory, its callbacks and its cancel switch.
 *
 * <p>It is a channel because this is how Java reports an interrupt to a thread that is blocked outside of Java: the
 * interrupted channel is closed, and closing this one triggers the switch. So an interrupt ends the call, without a
 * thread that polls.
 */
final class Invocation extends AbstractInterruptibleChannel {
    /** The memory of the call. */
    final Frame frame = new Frame();

    private final long error = frame.slot();
    private final long id = Callbacks.register(this);
    private long settings;
    private long cancel;
    private ProgressListener listener;
    private Transfer transfer;
    private Throwable thrown;

    private Invocation(CallOption[] options) {
        try {
            settings = create(CLibrary::recto_call_new);
            cancel = create(CLibrary::recto_cancel_new);
            check(CLibrary.recto_call_set_cancel(settings, cancel, error));
            for (CallOption option : options) {
                option.apply(this);
            }
        } catch (Throwable throwable) {
            free();
            throw throwable;
        }
    }

    /** Makes a call that an interrupt of the thread can end. */
    static <T> T run(CallOption[] options, Function<Invocation, T> body) {
        Invocation invocation = new Invocation(options);
        try {
            invocation.begin();
            return body.apply(invocation);
        } finally {
            invocation.leave();
            invocation.free();
        }
    }

    /** The settings of the call, a recto_call. */
    long settings() {
        return settings;
    }

    /** Where the call leaves its error. */
    long error() {
        return error;
    }

    /** The userdata of the callbacks. */
    long userdata() {
        return id;
    }

    /** Sets the stream that the callbacks of the call read or write. */
    void transfer(Transfer now) {
        transfer = now;
    }

    Transfer transfer() {
        return transfer;
    }

    void listener(ProgressListener now) {
        listener = now;
        check(CLibrary.recto_call_set_progress(settings, Callbacks.PROGRESS, id, error));
    }

    ProgressListener listener() {
        return listener;
    }

    /** Throws the exception of a callback, or the error of the call, if the call has failed. */
    int check(int status) {
        long failed = Memory.getLong(error);
        if (status < 0 && thrown != null && !(thrown instanceof CancellationException)) {
            CLibrary.recto_error_free(failed);
            throw Invocation.<RuntimeException>unchecked(thrown);
        }
        Errors.check(status, failed);
        return status;
    }

    /** Keeps what a callback has thrown, for check(). */
    void keep(Throwable throwable) {
        if (thrown == null) {
            thrown = throwable;
        }
    }

    /** After a callback: interrupts end this call again, even if the callback itself has waited on a channel. */
    void resume() {
        begin();
    }

    /** Called when the thread is interrupted. */
    @Override
    protected void implCloseChannel() {
        synchronized (frame) {
            CLibrary.recto_cancel_trigger(cancel);
        }
    }

    private void leave() {
        try {
            end(true);
        } catch (ClosedByInterruptException interrupted) {
            // The call has reported it, unless it had already succeeded. The thread stays interrupted.
            return;
        } catch (AsynchronousCloseException closed) {
            throw new AssertionError(closed);
        }
    }

    /** An interrupt may close the channel a moment later, so the switch is not used any more. */
    private void free() {
        Callbacks.unregister(id);
        synchronized (frame) {
            CLibrary.recto_cancel_free(cancel);
            cancel = 0;
        }
        CLibrary.recto_call_free(settings);
        settings = 0;
        frame.close();
    }

    private long create(Constructor constructor) {
        long out = frame.slot();
        check(constructor.create(out, error));
        return Memory.getLong(out);
    }

    /** recto_call_new() or recto_cancel_new(). */
    @FunctionalInterface
    private interface Constructor {
        int create(long out, long error);
    }

    /** Throws any exception: a callback may have thrown one that its interface does not declare. */
    @SuppressWarnings("unchecked")
    private static <T extends Throwable> RuntimeException unchecked(Throwable throwable) throws T {
        throw (T) throwable;
    }
}
