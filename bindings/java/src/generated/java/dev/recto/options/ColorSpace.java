// Generated from bindings/operations.json by bindings/generate/java.py: do not edit.
package dev.recto.options;

/** The colour space of an image; a PNG cannot be CMYK. */
public enum ColorSpace {
    /** Red, green, blue. */
    RGB("rgb"),

    /** Shades of gray. */
    GRAY("gray"),

    /** Cyan, magenta, yellow, black. */
    CMYK("cmyk");

    private final String text;

    ColorSpace(String text) {
        this.text = text;
    }

    /** The value as the service spells it. */
    @Override
    public String toString() {
        return text;
    }
}
