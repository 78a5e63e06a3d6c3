// Generated from bindings/operations.json by bindings/generate/java.py: do not edit.
package dev.recto.errors;

/** The response of the service is invalid. */
public class ProtocolException extends RectoException {
    private static final long serialVersionUID = 1;

    /**
     * Creates an exception.
     *
     * @param details the fields
     */
    public ProtocolException(ErrorDetails details) {
        super(details);
    }
}
