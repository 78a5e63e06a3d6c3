// Generated from bindings/operations.json by bindings/generate/java.py: do not edit.
package dev.recto.options;

/** The unit of a length: 1 in = 2.54 cm = 72 points of PDF user space. */
public enum Unit {
    /** Centimetres. */
    CM("cm"),

    /** Inches. */
    IN("in");

    private final String text;

    Unit(String text) {
        this.text = text;
    }

    /** The value as the service spells it. */
    @Override
    public String toString() {
        return text;
    }
}
