package dev.recto;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/** Settings, each a name and a value, in the order in which they were set. */
abstract class Settings {
    /** The values: texts, numbers, switches, paths. */
    private final Map<String, Object> values = new LinkedHashMap<>();

    Settings() {}

    final void set(String name, Object value) {
        values.put(name, Objects.requireNonNull(value, name));
    }

    final Map<String, Object> settings() {
        return values;
    }

    /** The names only: a value may be a secret. */
    @Override
    public String toString() {
        return getClass().getSimpleName() + values.keySet();
    }
}
