package dev.recto.options;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The options of one operation. They are immutable; each operation has a class with a builder. The C library checks the
 * values when the operation is started, before anything is sent. An option that is not set is not sent, and the service
 * uses its default.
 */
public abstract class OperationOptions extends OptionValues {
    private final String operation;

    OperationOptions(String operation, Map<String, Object> values) {
        super(values);
        this.operation = operation;
    }

    /**
     * The options of an operation that is given by its name, as JSON: for programs that get both from elsewhere, and
     * with {@link dev.recto.CallOption#unchecked} for operations that this version does not know.
     *
     * @param operation the name, such as "stamp-qr"
     * @param json the object {@code options} of the interface specification; null for none
     * @return the options
     */
    public static OperationOptions of(String operation, String json) {
        return new Json(operation, json);
    }

    /**
     * The name of the operation, such as "stamp-qr".
     *
     * @return the name
     */
    public final String operation() {
        return operation;
    }

    /**
     * The options as JSON, if they were given so.
     *
     * @return the JSON
     */
    public Optional<String> json() {
        return Optional.empty();
    }

    /** Options that were given as JSON. */
    private static final class Json extends OperationOptions {
        private final String json;

        Json(String operation, String json) {
            super(operation, new LinkedHashMap<>());
            this.json = json;
        }

        @Override
        public Optional<String> json() {
            return Optional.ofNullable(json);
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Json that && operation().equals(that.operation()) && json().equals(that.json());
        }

        @Override
        public int hashCode() {
            return operation().hashCode() * 31 + json().hashCode();
        }

        /** The JSON is left out: it may contain a password. */
        @Override
        public String toString() {
            return "OperationOptions[" + operation() + "]";
        }
    }
}
