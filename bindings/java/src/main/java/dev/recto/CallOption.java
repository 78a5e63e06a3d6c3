package dev.recto;

import dev.recto.ffi.CLibrary;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * A setting of one call. Every method that sends a request takes any number of them:
 *
 * <pre>{@code
 * operation.save(target, CallOption.timeout(Duration.ofMinutes(1)), CallOption.overwrite(false));
 * }</pre>
 */
public final class CallOption {
    private final Consumer<Invocation> setter;

    private CallOption(Consumer<Invocation> setter) {
        this.setter = setter;
    }

    /**
     * The time limit of the whole call: upload, start, wait, download and retries. Default: that of the client.
     *
     * @param limit the limit, above 0
     * @return the option
     */
    public static CallOption timeout(Duration limit) {
        long milliseconds = limit.toMillis();
        return of((call, settings, error) -> CLibrary.recto_call_set_timeout(settings, milliseconds, error));
    }

    /**
     * The time limit for waiting for the operation, within that of the whole call. Zero checks once. When the limit
     * expires, the call throws a {@link dev.recto.errors.WaitTimeoutException}, and the operation continues. Default:
     * that of the client.
     *
     * @param limit the limit; null for none
     * @return the option
     */
    public static CallOption waitTimeout(Duration limit) {
        long milliseconds = limit == null ? CLibrary.RECTO_FOREVER : limit.toMillis();
        return of((call, settings, error) -> CLibrary.recto_call_set_wait_timeout(settings, milliseconds, error));
    }

    /**
     * Whether an input is sent even if the operation does not take its extension. Default: false.
     *
     * @param force whether it is
     * @return the option
     */
    public static CallOption force(boolean force) {
        return of((call, settings, error) -> CLibrary.recto_call_set_force(settings, force ? 1 : 0, error));
    }

    /**
     * Whether a result may replace an existing file. Default: true.
     *
     * @param overwrite whether it may
     * @return the option
     */
    public static CallOption overwrite(boolean overwrite) {
        return of((call, settings, error) -> CLibrary.recto_call_set_overwrite(settings, overwrite ? 1 : 0, error));
    }

    /**
     * Whether the files of the operation are deleted from the service once its result is saved or read. Default: false.
     *
     * @param deleteAfter whether they are
     * @return the option
     */
    public static CallOption deleteAfter(boolean deleteAfter) {
        return of((call, settings, error) -> CLibrary.recto_call_set_delete_after(
                settings, deleteAfter ? 1 : 0, error));
    }

    /**
     * A header of the requests of this call to the service, such as "traceparent". It replaces a header of the client
     * with the same name.
     *
     * @param name the name
     * @param value the value
     * @return the option
     */
    public static CallOption header(String name, String value) {
        return of((call, settings, error) -> CLibrary.recto_call_set_header(
                settings, call.frame.text(name), call.frame.text(value), error));
    }

    /**
     * Options that this version does not know, for calls that start an operation: they are sent besides the options of
     * the operation, without a check.
     *
     * @param json a JSON object
     * @return the option
     */
    public static CallOption extraOptions(String json) {
        return of((call, settings, error) -> CLibrary.recto_call_set_extra_options(
                settings, call.frame.text(json), error));
    }

    /**
     * Whether calls that start an operation take operations that this version does not know, by the end of their
     * endpoint, such as "convert/pdf-to-webp". Options are then sent without a check. Default: false.
     *
     * @param unchecked whether they do
     * @return the option
     */
    public static CallOption unchecked(boolean unchecked) {
        return of((call, settings, error) -> CLibrary.recto_call_set_unchecked(settings, unchecked ? 1 : 0, error));
    }

    /**
     * Reports the progress of the call.
     *
     * @param listener the listener
     * @return the option
     */
    public static CallOption onProgress(ProgressListener listener) {
        Objects.requireNonNull(listener, "listener");
        return new CallOption(call -> call.listener(listener));
    }

    /** An option that a function of the C library sets. */
    private static CallOption of(Setter setter) {
        return new CallOption(call -> call.check(setter.set(call, call.settings(), call.error())));
    }

    void apply(Invocation invocation) {
        setter.accept(invocation);
    }

    /** One of recto_call_set_timeout() and so on. */
    @FunctionalInterface
    private interface Setter {
        int set(Invocation call, long settings, long error);
    }
}
