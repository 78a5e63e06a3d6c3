// Generated from bindings/operations.json by bindings/generate/java.py: do not edit.
package dev.recto.options;

/** A PDF/A level. */
public enum Conformance {
    /** PDF/A-2b (ISO 19005-2): basic archival conformance. */
    PDF_A2_B("pdf_a2_b"),

    /** PDF/A-3b (ISO 19005-3): the same, and files of any kind may be embedded. */
    PDF_A3_B("pdf_a3_b");

    private final String text;

    Conformance(String text) {
        this.text = text;
    }

    /** The value as the service spells it. */
    @Override
    public String toString() {
        return text;
    }
}
