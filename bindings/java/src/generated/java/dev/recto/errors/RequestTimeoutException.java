// Generated from bindings/operations.json by bindings/generate/java.py: do not edit.
package dev.recto.errors;

/** A request took longer than its time limit. */
public class RequestTimeoutException extends RectoException {
    private static final long serialVersionUID = 1;

    /**
     * Creates an exception.
     *
     * @param details the fields
     */
    public RequestTimeoutException(ErrorDetails details) {
        super(details);
    }
}
