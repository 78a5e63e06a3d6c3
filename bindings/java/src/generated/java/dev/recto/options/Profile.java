// Generated from bindings/operations.json by bindings/generate/java.py: do not edit.
package dev.recto.options;

/** What a document is optimized for. */
public enum Profile {
    /** For the screen: images downsampled, fonts subset, colours RGB, linearized. */
    WEB("web"),

    /** For archiving: lossless, and prepared for conversion to PDF/A. */
    ARCHIVE("archive"),

    /** For printing: images downsampled less, colours CMYK. */
    PRINT("print"),

    /** The smallest file: metadata and output intents removed. */
    MINIMAL_FILE_SIZE("minimalFileSize");

    private final String text;

    Profile(String text) {
        this.text = text;
    }

    /** The value as the service spells it. */
    @Override
    public String toString() {
        return text;
    }
}
