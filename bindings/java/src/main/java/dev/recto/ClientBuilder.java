package dev.recto;

import dev.recto.ffi.CLibrary;
import dev.recto.ffi.Memory;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/** The settings of a client, from {@link Recto#client()}. Invalid settings are refused by {@link #build()}. */
public final class ClientBuilder extends ClientSettings<ClientBuilder> {
    private final Map<String, String> headers = new LinkedHashMap<>();
    private System.Logger logger;

    ClientBuilder() {}

    /**
     * Sets a header of every request to the service, such as "traceparent" or a header that a gateway requires.
     *
     * @param name the name
     * @param value the value
     * @return this
     */
    public ClientBuilder header(String name, String value) {
        headers.put(Objects.requireNonNull(name, "name"), Objects.requireNonNull(value, "value"));
        return this;
    }

    /**
     * Sets the logger, for the levels that it records at the time of {@link #build()}. It is called on the threads of
     * the calls and on those of the library. Default: the logger "dev.recto" of the platform. ERROR is a failure that
     * remained after all retries, DEBUG an event that can explain a delay, TRACE every request and its response.
     *
     * @param logger the logger
     * @return this
     */
    public ClientBuilder logger(System.Logger logger) {
        this.logger = Objects.requireNonNull(logger, "logger");
        return this;
    }

    /**
     * Creates the client. No request is sent.
     *
     * @return the client, which must be closed
     */
    public RectoClient build() {
        if (logger == null) {
            logger = System.getLogger("dev.recto");
        }
        return configured((config, out, error) -> CLibrary.recto_client_new(config, out, error), true);
    }

    /** A copy of a client with these settings. */
    RectoClient copy(long client) {
        return configured((config, out, error) -> CLibrary.recto_client_with(client, config, out, error), false);
    }

    private RectoClient configured(Constructor constructor, boolean isOriginal) {
        return configuration(config -> {
            try (Frame frame = new Frame()) {
                long out = frame.slot();
                long error = frame.slot();
                Errors.check(constructor.create(config, out, error), Memory.getLong(error));
                return new RectoClient(Memory.getLong(out), isOriginal);
            }
        });
    }

    /** Uses a recto_config with these settings. */
    <T> T configuration(Configured<T> body) {
        try (Frame frame = new Frame()) {
            long out = frame.slot();
            long error = frame.slot();
            Errors.check(CLibrary.recto_config_new(out, error), Memory.getLong(error));
            long config = Memory.getLong(out);
            try {
                fill(config, frame, error);
                return body.use(config);
            } finally {
                CLibrary.recto_config_free(config);
            }
        }
    }

    private void fill(long config, Frame frame, long error) {
        settings().forEach((name, value) -> Errors.check(
                CLibrary.recto_config_set(config, frame.text(name), frame.value(value), error), Memory.getLong(error)));
        headers.forEach((name, value) -> Errors.check(
                CLibrary.recto_config_set_header(config, frame.text(name), frame.text(value), error),
                Memory.getLong(error)));
        int level = logger == null ? 0 : LogLevel.of(logger);
        if (level > 0) {
            long id = Callbacks.register(logger);
            int status = CLibrary.recto_config_set_log(config, level, Callbacks.LOG, id, Callbacks.DROP, error);
            if (status < 0) {
                Callbacks.drop(id);
            }
            Errors.check(status, Memory.getLong(error));
        }
    }

    /** recto_client_new() or recto_client_with(). */
    @FunctionalInterface
    private interface Constructor {
        int create(long config, long out, long error);
    }

    /** What a configuration is used for. */
    @FunctionalInterface
    interface Configured<T> {
        T use(long config);
    }
}
