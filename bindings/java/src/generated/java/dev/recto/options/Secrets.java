// Generated from bindings/operations.json by bindings/generate/java.py: do not edit.
package dev.recto.options;

import java.util.List;

/** The options whose values are secrets. */
final class Secrets {
    static final List<String> NAMES = List.of("password");

    private Secrets() {}
}
