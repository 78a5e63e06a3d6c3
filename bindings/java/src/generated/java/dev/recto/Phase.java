// Generated from bindings/operations.json by bindings/generate/java.py: do not edit.
package dev.recto;

/** A phase of a call. */
public enum Phase {
    /** Creating the client, or reading a resume token. */
    CONFIGURE(1, "configure"),

    /** Uploading a document. */
    UPLOAD(2, "upload"),

    /** Starting an operation. */
    START(3, "start"),

    /** Waiting for an operation to end. */
    WAIT(4, "wait"),

    /** Downloading a result. */
    DOWNLOAD(5, "download"),

    /** Listing, looking up or deleting files. */
    FILES(6, "files");

    private final int value;
    private final String text;

    Phase(int value, String text) {
        this.value = value;
        this.text = text;
    }

    /** The phase of a RECTO_PHASE_ value; null if it is not known. */
    static Phase of(int value) {
        for (Phase phase : values()) {
            if (phase.value == value) {
                return phase;
            }
        }
        return null;
    }

    /** The name of the phase, such as "upload". */
    @Override
    public String toString() {
        return text;
    }
}
