package dev.recto;

import dev.recto.ffi.CLibrary;
import dev.recto.ffi.Memory;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/** The settings of a service on this machine, from {@link Recto#localService()}. */
public final class LocalServiceBuilder extends LocalSettings<LocalServiceBuilder> {
    private System.Logger logger;

    LocalServiceBuilder() {}

    /**
     * Sets the logger, which is called on the threads of the service. Default: the logger "dev.recto" of the platform.
     *
     * @param logger the logger
     * @return this
     */
    public LocalServiceBuilder logger(System.Logger logger) {
        this.logger = Objects.requireNonNull(logger, "logger");
        return this;
    }

    /**
     * Starts the service, on the loopback interface.
     *
     * @return the service, which must be closed
     */
    public LocalService start() {
        System.Logger log = logger == null ? System.getLogger("dev.recto") : logger;
        return new ClientBuilder().logger(log).configuration(config -> {
            try (Frame frame = new Frame()) {
                long out = frame.slot();
                long error = frame.slot();
                long options = frame.text(json(settings()));
                Errors.check(
                        CLibrary.recto_local_start_logged(options, config, out, error), Memory.getLong(error));
                return new LocalService(Memory.getLong(out));
            }
        });
    }

    private static String json(Map<String, Object> settings) {
        return settings.entrySet().stream()
                .map(setting -> text(setting.getKey()) + ":" + value(setting.getValue()))
                .collect(Collectors.joining(",", "{", "}"));
    }

    private static String value(Object value) {
        if (value instanceof Collection<?> list) {
            return list.stream().map(String::valueOf).collect(Collectors.joining(",", "[", "]"));
        }
        return value instanceof String || value instanceof Path ? text(value.toString()) : value.toString();
    }

    private static String text(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (char letter : text.toCharArray()) {
            if (letter == '"' || letter == '\\' || letter < ' ') {
                quoted.append(String.format("\\u%04x", (int) letter));
            } else {
                quoted.append(letter);
            }
        }
        return quoted.append('"').toString();
    }
}
