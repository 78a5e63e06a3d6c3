// Generated from bindings/operations.json by bindings/generate/java.py: do not edit.
package dev.recto.errors;

/** The document is larger than the service accepts (413). */
public class PayloadTooLargeException extends RectoException {
    private static final long serialVersionUID = 1;

    /**
     * Creates an exception.
     *
     * @param details the fields
     */
    public PayloadTooLargeException(ErrorDetails details) {
        super(details);
    }
}
