// Generated from bindings/operations.json by bindings/generate/java.py: do not edit.
package dev.recto.options;

/** The size of a page made from an image. */
public enum PageSize {
    /** 210 x 297 mm (ISO 216). */
    A4("a4"),

    /** 8.5 x 11 in. */
    LETTER("letter");

    private final String text;

    PageSize(String text) {
        this.text = text;
    }

    /** The value as the service spells it. */
    @Override
    public String toString() {
        return text;
    }
}
