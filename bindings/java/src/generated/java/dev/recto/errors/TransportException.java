// Generated from bindings/operations.json by bindings/generate/java.py: do not edit.
package dev.recto.errors;

/** The service could not be reached, the connection broke, or the certificate is not trusted. */
public class TransportException extends RectoException {
    private static final long serialVersionUID = 1;

    /**
     * Creates an exception.
     *
     * @param details the fields
     */
    public TransportException(ErrorDetails details) {
        super(details);
    }
}
