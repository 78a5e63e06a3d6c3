// Generated from bindings/operations.json by bindings/generate/java.py: do not edit.
package dev.recto.options;

/** The typeface of a stamp's text. */
public enum FontFamily {
    /** A sans-serif typeface. */
    SANS("sans"),

    /** A serif typeface. */
    SERIF("serif");

    private final String text;

    FontFamily(String text) {
        this.text = text;
    }

    /** The value as the service spells it. */
    @Override
    public String toString() {
        return text;
    }
}
