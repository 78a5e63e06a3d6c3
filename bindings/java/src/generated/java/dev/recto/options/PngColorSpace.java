// Generated from bindings/operations.json by bindings/generate/java.py: do not edit.
package dev.recto.options;

/** The colour space of a PNG image. */
public enum PngColorSpace {
    /** Red, green, blue. */
    RGB("rgb"),

    /** Shades of gray. */
    GRAY("gray");

    private final String text;

    PngColorSpace(String text) {
        this.text = text;
    }

    /** The value as the service spells it. */
    @Override
    public String toString() {
        return text;
    }
}
