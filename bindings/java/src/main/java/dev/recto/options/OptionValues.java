package dev.recto.options;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

/** The values of options, by their names in the C interface, such as "textStyle.fontSize". */
public abstract class OptionValues {
    /** The options whose values are secrets. */
    private static final Set<String> SECRET = Set.copyOf(Secrets.NAMES);

    private final Map<String, Object> values;

    OptionValues(Map<String, Object> values) {
        this.values = Collections.unmodifiableMap(new LinkedHashMap<>(values));
    }

    /**
     * The values: a Long, Double, Boolean or String for each option that is set.
     *
     * @return the values, by name
     */
    public final Map<String, Object> values() {
        return values;
    }

    @Override
    public boolean equals(Object other) {
        return other != null && getClass() == other.getClass() && values.equals(((OptionValues) other).values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    /** The values, without those that are secret. */
    @Override
    public String toString() {
        return values.entrySet().stream()
                .map(option -> option.getKey() + "=" + (SECRET.contains(option.getKey()) ? "***" : option.getValue()))
                .collect(Collectors.joining(", ", getClass().getSimpleName() + "[", "]"));
    }

    /** Collects the values of options. */
    abstract static class Builder {
        final Map<String, Object> values = new LinkedHashMap<>();

        Builder() {}

        final void put(String name, Object value) {
            values.put(name, Objects.requireNonNull(value, name));
        }

        /** Sets the options of an object, in place of those that were set before. */
        final void put(String name, OptionValues object) {
            values.keySet().removeIf(option -> option.startsWith(name + "."));
            values.putAll(object.values());
        }
    }
}
