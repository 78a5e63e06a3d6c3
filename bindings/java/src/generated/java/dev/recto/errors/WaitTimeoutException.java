// Generated from bindings/operations.json by bindings/generate/java.py: do not edit.
package dev.recto.errors;

/**
 * The operation did not end within the wait timeout. It continues in the service; the token of the error resumes it.
 */
public class WaitTimeoutException extends RectoException {
    private static final long serialVersionUID = 1;

    /**
     * Creates an exception.
     *
     * @param details the fields
     */
    public WaitTimeoutException(ErrorDetails details) {
        super(details);
    }
}
